import { describe, expect, it } from "vitest";
import {
  datesToCompare,
  EMPTY_RECORD,
  ownBand,
  ratiosOf,
  recordFromJson,
  scoresOf,
  withForecasts,
  withMeasured,
} from "../../../src/forecast/price/day-record.js";
import { seededRandom } from "../../../src/plan/physics/random.js";

const forecast = (kwh: number) => ({ kwh, p10Kwh: kwh - 2, p90Kwh: kwh + 2 });
const issue = (record: typeof EMPTY_RECORD, today: string, kwh: number) =>
  withForecasts(
    record,
    today,
    Array.from({ length: 7 }, () => forecast(kwh)),
  );

describe("a record of daily forecasts", () => {
  it("compares each day with the forecasts made for it, by day 1 to 7", () => {
    let record = issue(EMPTY_RECORD, "2026-03-28", 10);
    record = issue(record, "2026-03-29", 14);
    // A second forecast on the same day is not the first one.
    record = issue(record, "2026-03-29", 99);
    expect(datesToCompare(record, "2026-03-30")).toEqual(["2026-03-28", "2026-03-29"]);
    record = withMeasured(withMeasured(record, "2026-03-28", 11), "2026-03-29", 13);
    const [first, second, ...others] = scoresOf(record);
    // Day 1: 10 for 11 kWh and 14 for 13 kWh. Day 2: 10 for 13 kWh, outside of its band.
    expect(first).toEqual({ day: 1, days: 2, maeKwh: 1, biasKwh: 0, meanKwh: 12, coverage: 1 });
    expect(second).toEqual({ day: 2, days: 1, maeKwh: 3, biasKwh: -3, meanKwh: 13, coverage: 0 });
    expect(others).toEqual([]);
    expect(ratiosOf(record).slice(0, 3)).toEqual([[1.1, 13 / 14], [1.3], []]);
    expect(datesToCompare(record, "2026-03-30")).toEqual([]);
  });

  it("drops the forecasts of a day without a measurement, and keeps 60 comparisons", () => {
    const dropped = withMeasured(issue(EMPTY_RECORD, "2026-03-28", 10), "2026-03-28", undefined);
    expect(dropped.issued).not.toHaveProperty("2026-03-28");
    expect(scoresOf(dropped)).toEqual([]);
    let record = EMPTY_RECORD;
    for (let day = 0; day < 70; day++) {
      const date = new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10);
      record = withMeasured(issue(record, date, 10), date, 10);
    }
    expect(scoresOf(record).map(({ days }) => days)).toEqual([60, 60, 60, 60, 60, 60, 60]);
    expect(recordFromJson(JSON.parse(JSON.stringify(record)))).toEqual(record);
  });

  it("is empty if the stored one is damaged", () => {
    const stored = JSON.parse(JSON.stringify(issue(EMPTY_RECORD, "2026-03-28", 10)));
    for (const damage of [{ issued: { "2026-03-28": [{ kwh: "10" }] } }, { outcomes: [] }, { issued: null }])
      expect(recordFromJson({ ...stored, ...damage })).toBe(EMPTY_RECORD);
    expect(recordFromJson(undefined)).toBe(EMPTY_RECORD);
  });
});

describe("the band from own ratios", () => {
  it.each([10, 20, 60])("covers 80 %% of the next days with %i ratios", (count) => {
    const { normal } = seededRandom(count);
    const draw = () => Math.exp(0.3 * normal());
    let within = 0;
    for (let round = 0; round < 4000; round++) {
      const { low, high } = ownBand(Array.from({ length: count }, draw), { low: 0, high: 0 });
      const next = draw();
      within += low <= next && next <= high ? 1 : 0;
    }
    expect(Math.abs(within / 4000 - 0.8)).toBeLessThan(0.025);
  });

  it("is the usual one before ten ratios, and limited", () => {
    const usual = { low: 0.7, high: 1.4 };
    expect(ownBand(new Array(9).fill(1), usual)).toBe(usual);
    expect(ownBand(new Array(10).fill(9), usual)).toEqual({ low: 1, high: 2.5 });
    expect(ownBand(new Array(10).fill(0), usual)).toEqual({ low: 0.1, high: 1 });
  });
});
