import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOUR_MS, QUARTER_MS } from "../../../src/core/domain/interval.js";
import type { PricePoint } from "../../../src/core/domain/price.js";
import { lengthsOf, newPoints } from "../../../src/forecast/market/points.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";

const DAY = Date.UTC(2026, 0, 15);
const hour = (index: number, eurPerMwh: number): PricePoint => ({
  start: new Date(DAY + index * HOUR_MS),
  minutes: 60,
  eurPerMwh,
});
const quarter = (index: number, eurPerMwh: number): PricePoint => ({
  start: new Date(DAY + index * QUARTER_MS),
  minutes: 15,
  eurPerMwh,
});

describe("price series", () => {
  it("returns the mean of an hour, and no hour with a missing quarter", () => {
    const series = PriceSeries.of([
      quarter(0, 10),
      quarter(1, 20),
      quarter(2, 30),
      quarter(3, -20),
      quarter(4, 5),
    ]);
    expect(series.hour(DAY + 1)).toBe(10);
    expect(series.hour(DAY + HOUR_MS)).toBeUndefined();
    expect(series.quarter(DAY + 4 * QUARTER_MS)).toBe(5);
    expect(series.quarter(DAY + 5 * QUARTER_MS)).toBeUndefined();
  });

  it("keeps gaps between prices and around them", () => {
    const series = PriceSeries.of([hour(0, 1), hour(2, 3), hour(1, Number.NaN)]);
    expect([-1, 0, 1, 2, 3].map((index) => series.hour(DAY + index * HOUR_MS))).toEqual([
      undefined,
      1,
      undefined,
      3,
      undefined,
    ]);
  });

  it("can be cut at an instant and extended again", () => {
    const series = PriceSeries.of([hour(0, 1), hour(1, 2), hour(2, 3)]);
    const cut = series.before(new Date(DAY + HOUR_MS));
    expect(cut.hour(DAY + HOUR_MS)).toBeUndefined();
    expect(cut.endMs).toBe(DAY + HOUR_MS);
    expect(cut.with([hour(1, 9)]).hour(DAY + HOUR_MS)).toBe(9);
    expect(series.hour(DAY + HOUR_MS)).toBe(2);
    expect(series.before(new Date(0)).isEmpty).toBe(true);
    expect(PriceSeries.empty.before(new Date(DAY)).isEmpty).toBe(true);
  });

  const points = fc.array(
    fc.oneof(
      fc
        .tuple(fc.integer({ min: -48, max: 48 }), fc.double({ min: -500, max: 5000, noNaN: true }))
        .map(([at, price]) => hour(at, price)),
      fc
        .tuple(fc.integer({ min: -192, max: 192 }), fc.constantFrom(Number.NaN, 0, -1.5, 99.9))
        .map(([at, price]) => quarter(at, price)),
    ),
  );

  it("never loses a price when merged, and contains the newest", () => {
    fc.assert(
      fc.property(points, points, (first, second) => {
        const before = PriceSeries.of(first);
        const after = before.with(second);
        const expected = new Map<number, number>();
        for (const { start, minutes, eurPerMwh } of [...first, ...second]) {
          if (Number.isNaN(eurPerMwh)) continue;
          for (let step = 0; step < minutes / 15; step++)
            expected.set(start.getTime() + step * QUARTER_MS, eurPerMwh);
        }
        const times = Array.from({ length: 400 }, (_, quarter) => DAY - 50 * HOUR_MS + quarter * QUARTER_MS);
        expect(times.map((at) => after.quarter(at))).toEqual(times.map((at) => expected.get(at)));
      }),
    );
  });

  it("finds new points: merging them gives the same series without further new points", () => {
    fc.assert(
      fc.property(
        points,
        fc.array(fc.tuple(fc.integer({ min: 0, max: 48 }), fc.integer())),
        (first, second) => {
          const series = PriceSeries.of(first);
          const points = [...new Map(second).entries()].map(([at, price]) => hour(at, price));
          const grown = series.with(newPoints(series, points));
          for (const { start, eurPerMwh } of points)
            expect(Math.abs((grown.hour(start.getTime()) ?? Infinity) - eurPerMwh)).toBeLessThan(0.02);
          expect(newPoints(grown, points)).toEqual([]);
        },
      ),
    );
  });

  it("hourly prices do not replace quarter-hours with the same mean, but correct them", () => {
    const series = PriceSeries.of([quarter(0, 10), quarter(1, 20), quarter(2, 30), quarter(3, 40.01)]);
    expect(newPoints(series, [hour(0, 25)])).toEqual([]);
    expect(newPoints(series, [hour(0, 26)])).toHaveLength(1);
    expect(newPoints(PriceSeries.of([hour(0, 25)]), [hour(0, 25.005)])).toHaveLength(1);
  });
});

describe("lengths of rows", () => {
  const lengths = (...minutes: number[]) => lengthsOf(minutes.map((minute) => DAY + minute * 60_000));
  it.each([
    { name: "hours", starts: [0, 60, 120], expected: [60, 60, 60] },
    { name: "hours with a hole", starts: [0, 60, 240, 300], expected: [60, 60, 60, 60] },
    { name: "quarters", starts: [0, 15, 30, 45, 60], expected: [15, 15, 15, 15, 15] },
    { name: "quarters with a hole", starts: [0, 15, 60, 75, 180, 195], expected: [15, 15, 15, 15, 15, 15] },
    {
      name: "quarters without three of an hour",
      starts: [45, 60, 120, 135],
      expected: [15, 15, 15, 15],
    },
    { name: "hours, then quarters", starts: [0, 60, 120, 135, 150], expected: [60, 60, 15, 15, 15] },
    { name: "quarters, then hours", starts: [30, 45, 60, 120, 180], expected: [15, 15, 60, 60, 60] },
    { name: "a lone quarter", starts: [15], expected: [15] },
    { name: "a lone hour", starts: [60], expected: [60] },
    { name: "nothing", starts: [], expected: [] },
  ])("$name", ({ starts, expected }) => {
    expect(lengths(...starts)).toEqual(expected);
  });
});
