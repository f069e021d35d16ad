import { describe, expect, it } from "vitest";
import { defaultSettings } from "../../../src/config/load.js";
import type { PlantSettings } from "../../../src/config/settings.js";
import { EMPTY_PV_LEARNING } from "../../../src/forecast/pv/learning.js";
import { WeatherSeries } from "../../../src/forecast/weather/weather-series.js";
import { modelledPlant, recordedPv, weatherPv } from "../../../src/money/compare/past-pv.js";

const QUARTER_MS = 900_000;
const START = new Date("2026-05-10T00:00:00Z");
const at = (quarter: number) => new Date(START.getTime() + quarter * QUARTER_MS);
/** One value a day: day 0 is the first of the backtest, day -7 the first of the file. */
const file = (kwhOf: (day: number) => number, days: number) =>
  Array.from({ length: (7 + days) * 96 }, (_, k) => ({
    start: at(k - 672),
    end: at(k - 671),
    kwh: kwhOf(Math.floor(k / 96) - 7),
  }));

it("expects the mean of the same quarter-hour of the seven days measured last", () => {
  const { actualPvKwh, expectedPvKwh } = recordedPv(
    file((day) => 8 + day, 3),
    START,
    288,
  );
  expect(actualPvKwh[0]).toBe(8);
  expect(actualPvKwh[287]).toBe(10);
  // At noon of the first day: its afternoon and the next morning from the days -7 to -1, mean 4.
  const hour = (quarter: number) => ({ start: at(quarter), end: at(quarter + 4) });
  expect(expectedPvKwh(at(48), [hour(60), hour(96 + 48)])).toEqual([16, 16]);
  // The next morning from the days -6 to 0: the morning of day 0 is measured.
  expect(expectedPvKwh(at(48), [hour(96)])[0]).toBeCloseTo(20, 9);
});

it("uses nothing that comes later", () => {
  const now = at(96);
  const steps = [{ start: now, end: at(100) }];
  const steady = recordedPv(
    file((day) => (day < 1 ? 2 : 0), 3),
    START,
    288,
  );
  const sunny = recordedPv(
    file((day) => (day < 1 ? 2 : 9), 3),
    START,
    288,
  );
  expect(steady.expectedPvKwh(now, steps)).toEqual(sunny.expectedPvKwh(now, steps));
});

it("expects nothing where nothing was measured", () => {
  const { expectedPvKwh } = recordedPv([], START, 96);
  expect(expectedPvKwh(START, [{ start: START, end: at(4) }])).toEqual([0]);
});

describe("with recorded weather", () => {
  const place = { latitude: 48.2, longitude: 16.4 };
  const arrays = [
    {
      peak_kw: 5,
      tilt_deg: 30,
      azimuth_deg: 180,
      losses_pct: 14,
      inverter_kw: null,
      inverter: null,
      curtailable: false,
    },
  ] as PlantSettings["pv"];
  const hour = (index: number) => new Date(START.getTime() + index * 4 * QUARTER_MS);
  /** Clear days and overcast days in turn. */
  const weather = WeatherSeries.of(
    Array.from({ length: 24 * 20 }, (_, index) => ({
      start: hour(index),
      cloudCoverPct: Math.floor(index / 24) % 2 === 0 ? 0 : 100,
    })),
  );
  const plant = { plant: { pv: arrays, inverters: [] }, place, weather, learning: EMPTY_PV_LEARNING };
  const sum = (values: readonly number[]) => values.reduce((total, kwh) => total + kwh, 0);
  const day = (values: readonly number[], index: number) => sum(values.slice(96 * index, 96 * index + 96));

  it("yields what the arrays do in it", () => {
    const { actualPvKwh } = weatherPv(plant, START, 96 * 4);
    // 5 kWp on a clear day in May: 30 to 40 kWh.
    expect(day(actualPvKwh, 0)).toBeGreaterThan(28);
    expect(day(actualPvKwh, 0)).toBeLessThan(42);
    expect(day(actualPvKwh, 1)).toBeLessThan(0.5 * day(actualPvKwh, 0));
    expect(sum(actualPvKwh.slice(0, 8))).toBe(0);
  });

  it("expects a day with the usual error of a forecast, the same each time", () => {
    const { actualPvKwh, expectedPvKwh } = weatherPv(plant, START, 96 * 10);
    const errors = Array.from({ length: 10 }, (_, index) => {
      const steps = [{ start: at(96 * index), end: at(96 * index + 96) }];
      const [kwh] = expectedPvKwh(at(96 * index), steps);
      expect(expectedPvKwh(at(96 * index + 40), steps)).toEqual([kwh]);
      return day(actualPvKwh, index) / kwh!;
    });
    // The default band of the day itself is 0.7 to 1.25 with 80 % of the days; none is far outside of it.
    expect(Math.min(...errors)).toBeGreaterThan(0.6);
    expect(Math.max(...errors)).toBeLessThan(1.35);
    expect(Math.max(...errors) - Math.min(...errors)).toBeGreaterThan(0.3);
  });

  it("takes what was measured, and fills its gaps at the measured level", () => {
    const modelled = weatherPv(plant, START, 96 * 4).actualPvKwh;
    const measured = modelled
      .slice(0, 192)
      .map((kwh, quarter) => ({ start: at(quarter), end: at(quarter + 1), kwh: kwh / 2 }));
    const { actualPvKwh } = weatherPv({ ...plant, measured }, START, 96 * 4);
    expect(day(actualPvKwh, 0)).toBeCloseTo(day(modelled, 0) / 2, 6);
    expect(day(actualPvKwh, 3)).toBeCloseTo(day(modelled, 3) / 2, 6);
  });

  it("keeps to the power of a shared inverter, also where more is expected or filled in", () => {
    const shared = {
      ...plant,
      plant: {
        pv: arrays.map((array) => ({ ...array, inverter: "roof" })),
        inverters: [{ id: "roof", kw: 2 }],
      },
    };
    const measured = Array.from({ length: 96 }, (_, t) => ({ start: at(t), end: at(t + 1), kwh: 0.5 }));
    const { actualPvKwh, expectedPvKwh } = weatherPv({ ...shared, measured }, START, 96 * 4);
    expect(Math.max(...actualPvKwh)).toBe(0.5);
    const expected = expectedPvKwh(
      START,
      Array.from({ length: 96 * 4 }, (_, t) => ({ start: at(t), end: at(t + 1) })),
    );
    expect(Math.max(...expected)).toBe(0.5);
  });

  it("needs arrays, coordinates and weather of the period", () => {
    const settings = { ...defaultSettings().plants[0]!, ...place, pv: arrays };
    const held = { weather, pvLearning: EMPTY_PV_LEARNING };
    const period = { start: START, end: hour(24 * 20) };
    expect(modelledPlant(settings, held, period)).toMatchObject({ plant: { pv: arrays }, place });
    expect(modelledPlant({ ...settings, pv: [] }, held, period)).toBeUndefined();
    expect(modelledPlant(settings, held, { start: START, end: hour(24 * 60) })).toBeUndefined();
  });
});
