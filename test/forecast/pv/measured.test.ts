import { expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/domain/interval.js";
import { bandKwh, bandOf, withDay } from "../../../src/forecast/pv/band.js";
import { hourlyEnergies } from "../../../src/forecast/pv/learning.js";

const START = Date.parse("2026-06-01T08:00:00Z");
const at = (minutes: number, value: number) => ({ at: new Date(START + minutes * MINUTE_MS), value });

it("extends a reading to the next one, at most 15 minutes, and requires data for most of the hour", () => {
  const readings = [at(-10, 8), at(10, 2), at(20, 4), at(35, 4), at(50, 4), at(60, -0.02), at(70, 6)];
  // 8 kW for ten minutes (5 of them are unknown, 15 minutes after the reading), 2 kW for ten, 4 kW for forty.
  const [first, second] = hourlyEnergies(readings, START, 2);
  const known = 5 * 8 + 10 * 2 + 40 * 4;
  expect(first).toBeCloseTo((known / 60) * (60 / 55), 9);
  expect(second).toBeUndefined();
});

it("is undefined without readings", () => {
  expect(hourlyEnergies([], START, 3)).toEqual([undefined, undefined, undefined]);
  expect(hourlyEnergies([{ at: new Date(START + 9 * HOUR_MS), value: 1 }], START, 1)).toEqual([undefined]);
});

it("limits the band and keeps low below high", () => {
  const many = Array.from({ length: 30 }, () => 9).reduce(
    (ratios, ratio) => withDay(ratios, ratio, [1, undefined, 0]),
    [] as ReturnType<typeof withDay>,
  );
  expect(bandOf(many, 0, "forecast")).toEqual({ low: 1, high: 2.5 });
  expect(bandOf(many, 1, "forecast")).toEqual({ low: 0.6, high: 1.3 });
  expect(bandOf(many, 2, "forecast")).toEqual({ low: 0.55, high: 1.35 });
  expect(bandOf([], 99, "forecast")).toEqual({ low: 0.4, high: 1.5 });
  // A day without weather data may be dark or bright, independent of past forecast errors.
  const uncertain = bandOf(many, 0, "climatology");
  expect(uncertain.low).toBeLessThan(0.5);
  expect(uncertain.high).toBeGreaterThan(1.5);
});

it("puts the band around the yield, limited by the clear-sky yield", () => {
  const band = { low: 0.7, high: 1.25 };
  expect(bandKwh(20, band, 100)).toEqual({ p10Kwh: 14, p90Kwh: 25 });
  expect(bandKwh(20, band, 20)).toEqual({ p10Kwh: 14, p90Kwh: 23 });
  // A yield above the clear-sky yield is its own upper limit.
  expect(bandKwh(20, band, 10)).toEqual({ p10Kwh: 14, p90Kwh: 20 });
});
