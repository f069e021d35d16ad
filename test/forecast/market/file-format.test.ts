import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { parsePriceFile } from "../../../src/forecast/market/sources/file-format.js";
import { HOURLY_PRICES, QUARTER_HOURLY_PRICES, recordedText } from "../../support/recorded-data.js";

const read = (...lines: string[]) => parsePriceFile(lines.join("\n"));
const HEADER = "start_utc,eur_per_mwh";

describe("price file", () => {
  it("reads hours, in any order, with times in several forms", () => {
    const { points, problems } = read(
      HEADER,
      "2026-01-15T01:00:00Z,-12.5",
      "2026-01-15 00:00,80",
      "2026-01-15T03:00:00+01:00,.5",
      "2026-01-15T03:00:00,1e2",
    );
    expect(problems).toEqual([]);
    expect(
      points.map(({ start, minutes, eurPerMwh }) => [start.toISOString().slice(11, 16), minutes, eurPerMwh]),
    ).toEqual([
      ["00:00", 60, 80],
      ["01:00", 60, -12.5],
      ["02:00", 60, 0.5],
      ["03:00", 60, 100],
    ]);
  });

  it("finds its columns by the header, after a BOM, with CRLF, quotes and semicolons", () => {
    const text = '\uFEFFzone;"EUR_PER_MWH"; start_utc\r\nAT;"12,5";2026-01-15T00:00:00Z\r\n\r\n';
    expect(parsePriceFile(text)).toEqual({
      points: [{ start: new Date("2026-01-15T00:00:00Z"), minutes: 60, eurPerMwh: 12.5 }],
      problems: [],
    });
  });

  it("treats an empty cell and null as a gap that counts for the spacing", () => {
    const { points, problems } = read(
      HEADER,
      "2026-01-15T00:00:00Z,1",
      "2026-01-15T00:15:00Z,",
      "2026-01-15T00:30:00Z,null",
      "2026-01-15T01:00:00Z,0",
    );
    expect(problems).toEqual([]);
    expect(points.map(({ minutes, eurPerMwh }) => [minutes, eurPerMwh])).toEqual([
      [15, 1],
      [15, 0],
    ]);
  });

  it("reports unusable lines by number and keeps the others", () => {
    const { points, problems } = read(
      HEADER,
      "2026-01-15T00:00:00Z,1",
      "yesterday,2",
      "2026-02-30T00:00:00Z,3",
      "2026-01-15T01:00:00Z,abc",
      "2026-01-15T02:07:00Z,4",
      "2026-01-15T03:00:00Z",
      "1026-01-15T03:00:00Z,5",
      "2026-01-15T04:00:00Z,999999",
      "2026-01-15T05:00:00Z,6",
    );
    expect(points.map(({ eurPerMwh }) => eurPerMwh)).toEqual([1, 6]);
    expect(problems.map((problem) => problem.slice(0, 7))).toEqual([
      "Line 3:",
      "Line 4:",
      "Line 5:",
      "Line 6:",
      "Line 7:",
      "2 more ",
    ]);
  });

  it("requires the header", () => {
    for (const text of ["", "2026-01-15T00:00:00Z,1", "start,price\n1,2"])
      expect(() => parsePriceFile(text)).toThrow("Line 1 must be a header");
  });

  it("never throws after a valid header, and returns only prices valid for the series", () => {
    const cell = fc.oneof(
      fc.string(),
      fc.constantFrom("2026-01-15T00:00:00Z", "-1.5", "", "1e9", "0001-01-01T00:00:00Z"),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell)), (rows) => {
        const { points } = parsePriceFile(`${HEADER}\n${rows.map((row) => row.join(",")).join("\n")}`);
        expect(
          points.every(
            ({ start, eurPerMwh }) => start.getTime() % 900_000 === 0 && Number.isFinite(eurPerMwh),
          ),
        ).toBe(true);
        PriceSeries.of(points);
      }),
    );
  });
});

describe("the recorded prices of Austria", () => {
  const recorded = (name: string) => parsePriceFile(recordedText(name));
  const hours = recorded(HOURLY_PRICES);

  it("reads eight years of hours completely", () => {
    const { points, problems } = hours;
    const series = PriceSeries.of(points);
    expect(problems).toEqual([]);
    expect(points).toHaveLength(73_969);
    expect(points.every(({ minutes }) => minutes === 60)).toBe(true);
    // Highest and lowest price and the last hour of the 25-hour day, from the description of the data.
    const highest = points.reduce((most, point) => (point.eurPerMwh > most.eurPerMwh ? point : most));
    expect([highest.start.toISOString().slice(0, 10), highest.eurPerMwh]).toEqual(["2022-08-29", 919.64]);
    expect(series.hour(Date.parse("2024-10-27T22:00:00Z"))).toBe(102.99);
    expect(Math.min(...points.map(({ eurPerMwh }) => eurPerMwh))).toBe(-500);
  });

  it("recognizes quarter-hours by the spacing, and their means are the hourly prices", () => {
    const quarters = recorded(QUARTER_HOURLY_PRICES);
    expect(quarters.points.every(({ minutes }) => minutes === 15)).toBe(true);
    const fine = PriceSeries.of(quarters.points);
    const coarse = PriceSeries.of(hours.points);
    const times: number[] = [];
    for (let at = fine.startMs; at < fine.endMs; at += 3_600_000) times.push(at);
    const isOther = (at: number) =>
      !(Math.abs((fine.hour(at) ?? Infinity) - (coarse.hour(at) ?? Infinity)) < 0.0076);
    expect(times.filter(isOther)).toEqual([]);
  });
});
