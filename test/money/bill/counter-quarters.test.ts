import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { counterQuarters } from "../../../src/money/bill/counter-quarters.js";

const START = Date.parse("2026-07-01T00:00:00Z");
const at = (minutes: number, value: number) => ({ at: new Date(START + minutes * 60_000), value });
const stretch = (hours: number) => ({ start: new Date(START), end: new Date(START + hours * 3_600_000) });

describe("quarter-hours of a counter", () => {
  it("spread readings evenly over the quarter-hours between them", () => {
    expect(counterQuarters([at(0, 100), at(30, 101), at(60, 101.5)], stretch(1))).toEqual([
      0.5, 0.5, 0.25, 0.25,
    ]);
  });

  it("do not know a quarter-hour across a gap of more than 65 minutes, a fall, or an end", () => {
    const [first, ...others] = counterQuarters([at(0, 5), at(15, 6), at(90, 8), at(105, 1)], stretch(2));
    expect(first).toBe(1);
    expect(others).toEqual(Array(7).fill(undefined));
  });

  it("keep the energy of any counter read often", () => {
    const readings = fc.array(
      fc.record({
        minutes: fc.integer({ min: 1, max: 60 }),
        kwh: fc.double({ min: 0, max: 3, noNaN: true }),
      }),
      {
        minLength: 1,
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(readings, (deltas) => {
        let minutes = 0;
        let value = 10;
        const points = [at(0, value)];
        for (const delta of deltas) {
          minutes += delta.minutes;
          value += delta.kwh;
          points.push(at(minutes, value));
        }
        const known = counterQuarters(points, stretch(Math.ceil(minutes / 60)));
        const sum = known.reduce<number>((total, kwh) => total + (kwh ?? 0), 0);
        const last = known.findLastIndex((kwh) => kwh !== undefined);
        expect(known.slice(0, last + 1)).not.toContain(undefined);
        expect(sum).toBeLessThanOrEqual(value - 10 + 1e-9);
        // At most the energy of the last, unfinished quarter-hour is left out.
        if (minutes % 15 === 0) expect(sum).toBeCloseTo(value - 10, 6);
      }),
    );
  });
});
