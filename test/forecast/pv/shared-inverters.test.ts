import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PvSettings } from "../../../src/config/settings.js";
import { DAY_MS, HOUR_MS, QUARTER_MS } from "../../../src/core/domain/interval.js";
import { addDays } from "../../../src/core/time/zone.js";
import { bandKwh } from "../../../src/forecast/pv/band.js";
import { energyOfSteps, pvHours } from "../../../src/forecast/pv/forecast.js";
import { afterDay, EMPTY_PV_LEARNING, type PvLearning } from "../../../src/forecast/pv/learning.js";
import type { CalibrationBins } from "../../../src/forecast/solar/calibration.js";
import { WeatherSeries } from "../../../src/forecast/weather/weather-series.js";

const place = { latitude: 48.21, longitude: 16.37 };
const START = Date.parse("2026-06-21T00:00:00Z");
const DAY = { start: new Date(START), end: new Date(START + DAY_MS) };

const array = (azimuth_deg: number, own: Partial<PvSettings["pv"][number]> = {}) => ({
  peak_kw: 6,
  tilt_deg: 30,
  azimuth_deg,
  losses_pct: 0,
  inverter_kw: null,
  inverter: null,
  curtailable: false,
  ...own,
});

/** 6 kWp to 120° and 6 kWp to 240°, both on one inverter. */
const onOne = (kw: number): PvSettings => ({
  pv: [array(120, { inverter: "roof" }), array(240, { inverter: "roof" })],
  inverters: [{ id: "roof", kw }],
});
const single: PvSettings = { pv: [array(120), array(240)], inverters: [] };

/** Irradiance by hour of the day, W/m2. */
function weatherOf(ghi: (hour: number) => number, days = 1): WeatherSeries {
  return WeatherSeries.of(
    Array.from({ length: days * 24 }, (_, index) => ({
      start: new Date(START + index * HOUR_MS),
      ghi: ghi(index % 24),
      temperatureC: 18,
    })),
  );
}
const sunny = weatherOf((hour) =>
  hour >= 4 && hour < 19 ? 900 * Math.sin((Math.PI * (hour - 3.5)) / 15.5) : 0,
);

const hoursOf = (plant: PvSettings, weather = sunny, bins: CalibrationBins = {}) =>
  pvHours({ place, plant, weather, bins }, DAY);
const sum = (values: readonly number[]) => values.reduce((total, kwh) => total + kwh, 0);

describe("two roofs on one inverter of 5 kW", () => {
  it("yield the lesser of 5 kW and their sum in each quarter-hour", () => {
    const quarters = Array.from({ length: 96 }, (_, index) => ({
      start: new Date(START + index * QUARTER_MS),
      end: new Date(START + (index + 1) * QUARTER_MS),
    }));
    const unlimited = energyOfSteps(hoursOf(single), quarters);
    expect(Math.max(...unlimited) * 4).toBeGreaterThan(8);
    const limited = energyOfSteps(hoursOf(onOne(5)), quarters);
    for (const [quarter, kwh] of limited.entries())
      expect(kwh).toBeCloseTo(Math.min(5 / 4, unlimited[quarter]!), 12);
    expect(Math.max(...limited)).toBe(1.25);
    expect(Math.min(...limited.filter((kwh) => kwh > 0))).toBeLessThan(1.25);
  });

  it("do not limit an array beside them, which keeps its own inverter", () => {
    const { pv, inverters } = onOne(5);
    const own = array(180, { inverter_kw: 2 });
    const both = hoursOf({ pv: [...pv, own], inverters });
    const alone = hoursOf({ pv: [own], inverters: [] });
    const shared = hoursOf({ pv, inverters });
    for (const [hour, { kwh }] of both.entries())
      expect(kwh).toBeCloseTo(shared[hour]!.kwh + alone[hour]!.kwh, 12);
    expect(Math.max(...both.map(({ kwh }) => kwh))).toBe(7);
  });

  it("never exceed it, P90 included, whatever the irradiance, corrections and power; far below it they are not limited", () => {
    const irradiance = fc.array(fc.double({ min: 0, max: 1400, noNaN: true }), {
      minLength: 24,
      maxLength: 24,
    });
    const measured = fc.double({ min: 0, max: 300, noNaN: true });
    fc.assert(
      fc.property(
        irradiance,
        fc.double({ min: 0.1, max: 12, noNaN: true }),
        measured,
        (ghi, kw, measuredKwh) => {
          const weather = weatherOf((hour) => ghi[hour]!);
          // A correction for each part of the sky.
          const bins = Object.fromEntries(
            Array.from({ length: 18 * 4 }, (_, part) => [
              `${Math.floor(part / 4)}/${part % 4}`,
              { measuredKwh, modelledKwh: 150 },
            ]),
          );
          const hours = hoursOf(onOne(kw), weather, bins);
          for (const { kwh, modelKwh } of hours) {
            expect(kwh).toBeLessThanOrEqual(kw);
            expect(modelKwh).toBeLessThanOrEqual(kw);
          }
          const kwh = sum(hours.map((hour) => hour.kwh));
          const clearKwh = sum(hours.map((hour) => hour.clearKwh));
          const { p10Kwh, p90Kwh } = bandKwh(kwh, { low: 0.6, high: 2.5 }, clearKwh);
          expect(p10Kwh).toBeLessThanOrEqual(kwh);
          expect(p90Kwh).toBeGreaterThanOrEqual(kwh);
          expect(p90Kwh).toBeLessThanOrEqual(24 * kw * (1 + 1e-12));
          expect(hoursOf(onOne(1000), weather, bins).map((hour) => hour.kwh)).toEqual(
            hoursOf(single, weather, bins).map((hour) => hour.kwh),
          );
        },
      ),
      { numRuns: 40, seed: 27 },
    );
  });

  it.each([0.8, 1.2])("learn the correction %f only from hours below the limit", (share) => {
    let learning: PvLearning = EMPTY_PV_LEARNING;
    const unlimited = hoursOf(single);
    const measuredKwh = unlimited.map(({ modelKwh }) => Math.min(5, share * modelKwh));
    for (let day = 0; day < 40; day++) {
      const hours = hoursOf(onOne(5), sunny, learning.bins);
      learning = afterDay(learning, addDays("2026-06-21", day), { hours, measuredKwh, place, peakKw: 12 });
    }
    const learnt = Object.values(learning.bins);
    expect(learnt.length).toBeGreaterThan(2);
    for (const bin of learnt) {
      if (share < 1) expect(bin.measuredKwh / bin.modelledKwh).toBeCloseTo(share, 9);
      else expect(bin.measuredKwh / bin.modelledKwh).toBeGreaterThan(1.1);
    }
    // What is forecast at noon remains the inverter's power.
    expect(Math.max(...hoursOf(onOne(5), sunny, learning.bins).map(({ kwh }) => kwh))).toBe(5);
  });
});

/** Forecast, model and clear sky of the productive hours, kWh, as released before arrays could share an inverter. */
const BEFORE = JSON.parse(
  "[[1.7798722959188715,1.7798722959188715,3.440128741290309],[3.357703393376414,3.357703393376414,4.046267028184079],[4.812670350827308,4.812670350827308,5.2461417472580685],[5.762284106020951,5.762284106020951,6.363570194675801],[7.874949676199167,6.360536276930096,8.2],[6.864574686066474,6.864574686066474,8.027318115677087],[6.6464132014152835,7.2294319032938175,7.538709677419354],[7.4253127457383234,7.4253127457383234,8.2],[6.8955733440272,6.8955733440272,8.035457931337609],[5.86698912422338,5.86698912422338,6.902251460307894],[4.475641165701249,4.475641165701249,5.072175895924392],[3.2847902725757274,3.2847902725757274,3.643415242137476],[2.0243200324438964,2.0243200324438964,2.297552196192442]]",
) as number[][];

it("arrays with their own inverters are forecast as before", () => {
  const plant = { pv: [array(120, { inverter_kw: 3.2 }), array(240, { inverter_kw: 5 })], inverters: [] };
  const bins = {
    "9/3": { measuredKwh: 90, modelledKwh: 100 },
    "6/3": { measuredKwh: 80, modelledKwh: 60 },
  };
  // Irradiance that is possible in every hour: what exceeds it is limited since.
  const weather = weatherOf((hour) =>
    hour >= 5 && hour < 18 ? 700 * Math.sin((Math.PI * (hour - 4)) / 14) : 0,
  );
  const hours = hoursOf(plant, weather, bins).filter(({ kwh }) => kwh > 0);
  const rounded = (rows: readonly number[][]) => rows.map((row) => row.map((kwh) => kwh.toFixed(12)));
  expect(rounded(hours.map(({ kwh, modelKwh, clearKwh }) => [kwh, modelKwh, clearKwh]))).toEqual(
    rounded(BEFORE),
  );
  expect(hours.some(({ isLimited }) => isLimited)).toBe(false);
});
