import { expect, it } from "vitest";
import { priceCurveDocument } from "../../src/api/documents/price-curve.js";
import { HOUR_MS, QUARTER_MS } from "../../src/core/domain/interval.js";
import { PriceSeries } from "../../src/forecast/market/price-series.js";
import { priceCurve } from "../../src/plan/price-curve.js";
import type { Prices } from "../../src/tariff/compile-tariff.js";

const ZONE = "Europe/Vienna";
const MIDNIGHT = new Date("2026-11-25T23:00:00Z");
const NOW = new Date("2026-11-26T12:20:00Z");

/** Quarter-hours from midnight on: 0, 10, 20, … EUR/MWh within each hour above 100 times the hour. */
const quarters = (count: number, start = MIDNIGHT) =>
  PriceSeries.of(
    Array.from({ length: count }, (_, index) => ({
      start: new Date(start.getTime() + index * QUARTER_MS),
      minutes: 15 as const,
      eurPerMwh: Math.floor(index / 4) * 100 + (index % 4) * 10,
    })),
  );
const forecast = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    start: new Date(Math.floor(NOW.getTime() / HOUR_MS) * HOUR_MS + index * HOUR_MS),
    p10: 40,
    p50: 50,
    p90: 60,
    source: "forecast" as const,
  }));
const tariff = (minutes: 15 | 60): Prices => ({
  importCtKwh: (spot) => spot + 10,
  exportCtKwh: (spot) => spot - 1,
  settlementMinutes: () => minutes,
});

it("has quarter-hours where the tariff settles them, and hours otherwise, with the price of feed-in now", () => {
  const facts = {
    now: NOW,
    zone: ZONE,
    stepMinutes: 15 as const,
    published: quarters(192),
    hours: forecast(49),
  };
  const byQuarters = priceCurve({ ...facts, tariff: tariff(15) });
  expect(byQuarters.minutes).toBe(15);
  expect(byQuarters.today.start).toEqual(MIDNIGHT);
  // Hour 0: 0, 1, 2, 3 ct; hour 1: 10 ct and so on, each with 10 ct more.
  expect(byQuarters.today.importCtKwh.slice(0, 5)).toEqual([10, 11, 12, 13, 20]);
  expect([byQuarters.today.importCtKwh.length, byQuarters.tomorrow.importCtKwh.length]).toEqual([96, 96]);
  // 13:20 in Vienna: hour 13, second quarter: 131 ct of the market, less 1.
  expect(byQuarters.exportCtKwh).toBeCloseTo(130, 9);
  const byHours = priceCurve({ ...facts, tariff: tariff(60) });
  expect(byHours.minutes).toBe(60);
  expect(byHours.today.importCtKwh.slice(0, 2)).toEqual([11.5, 21.5]);
  expect(byHours.exportCtKwh).toBeCloseTo(130.5, 9);
  expect(byHours.forecastFrom).toBeUndefined();
});

it("continues with the forecast, says from when on, and leaves out what nobody knows", () => {
  const curve = priceCurve({
    now: NOW,
    zone: ZONE,
    stepMinutes: 60,
    published: quarters(96, new Date(MIDNIGHT.getTime() + HOUR_MS)),
    hours: forecast(30),
  });
  expect(curve.today.importCtKwh[0]).toBeUndefined();
  expect(curve.today.importCtKwh[1]).toBeCloseTo(1.5, 9);
  expect(curve.tomorrow.importCtKwh.slice(0, 3)).toEqual([expect.closeTo(231.5, 9), 5, 5]);
  expect(curve.tomorrow.importCtKwh.at(-1)).toBeUndefined();
  expect(curve.forecastFrom).toEqual(new Date("2026-11-27T00:00:00Z"));
  expect(curve.exportCtKwh).toBeUndefined();
});

it.each([
  ["spring", "2026-03-29T10:00:00Z", 92],
  ["autumn", "2026-10-25T10:00:00Z", 100],
])("has all quarter-hours of the day on which the clocks change in %s", (_, now, count) => {
  const at = new Date(now);
  const start = new Date(at.getTime() - 12 * HOUR_MS);
  const curve = priceCurve({
    now: at,
    zone: ZONE,
    stepMinutes: 15,
    published: quarters(240, start),
    hours: [],
  });
  expect(curve.today.importCtKwh).toHaveLength(count);
  const document = JSON.stringify(priceCurveDocument(curve, { now: at, zone: ZONE }));
  expect(document.length).toBeLessThanOrEqual(4_096);
});

it("names the next, the lowest, the highest and the mean price of today in a document of at most 4 kB", () => {
  const curve = priceCurve({
    now: NOW,
    zone: ZONE,
    stepMinutes: 15,
    published: quarters(192),
    hours: forecast(49),
    tariff: tariff(60),
  });
  expect(priceCurveDocument(curve, { now: NOW, zone: ZONE })).toMatchObject({
    minutes: 60,
    today_start: "2026-11-26T00:00:00+01:00",
    tomorrow_start: "2026-11-27T00:00:00+01:00",
    forecast_from: null,
    next: { start: "2026-11-26T14:00:00+01:00", value: 151.5 },
    lowest: { start: "2026-11-26T00:00:00+01:00", value: 11.5 },
    highest: { start: "2026-11-26T23:00:00+01:00", value: 241.5 },
    average: 126.5,
  });
});
