import { describe, expect, it } from "vitest";
import { parse } from "../../src/config/load.js";
import { HOUR_MS, type Interval } from "../../src/core/domain/interval.js";
import type { ForecastHour } from "../../src/forecast/price/forecast.js";
import { assemble } from "../../src/plan/assemble.js";
import type { AssemblyInput } from "../../src/plan/assembly-input.js";
import { assemblyInput } from "./assembly-input.js";

const NOW = new Date("2026-06-15T08:30:00Z");
const plant = parse(
  "plants: [{ id: home, latitude: 48.2, longitude: 16.4, battery: { capacity_kwh: 10 }, pv: [{ peak_kw: 5 }] }]",
).settings.plants[0]!;

const hours = Array.from(
  { length: 72 },
  (_, index): ForecastHour => ({
    start: new Date(Date.parse("2026-06-15T08:00:00Z") + index * HOUR_MS),
    p10: 80,
    p50: 80,
    p90: 80,
    source: "forecast",
  }),
);

/** A constant forecast of 2 kW. */
const twoKw = (steps: readonly Interval[]) =>
  steps.map(({ start, end }) => (2 * (end.getTime() - start.getTime())) / HOUR_MS);

const facts = (changes: Partial<AssemblyInput> = {}) =>
  assemblyInput({ now: NOW, plant, hours, pvKwh: twoKw, ...changes });

describe("PV in the plan", () => {
  it("is the forecast, in the current step for its length", () => {
    const { pvKwh } = assemble(facts(), {});
    expect(pvKwh.slice(0, 3)).toEqual([1, 2, 2]);
    expect(pvKwh).toHaveLength(72);
  });

  it("is 0 without a forecast", () => {
    for (const pvKwh of [undefined, () => undefined])
      expect(new Set(assemble(facts({ pvKwh }), {}).pvKwh)).toEqual(new Set([0]));
  });

  it("is the caller's value, and beyond its days the forecast", () => {
    const hourly = assemble(facts(), { pvHourlyKwh: [3, 4] }).pvKwh;
    expect(hourly.slice(0, 4)).toEqual([1.5, 4, 2, 2]);
    const daily = assemble(facts(), { pvDailyKwh: [12] }).pvKwh;
    // Until the end of 15 June in Vienna (22:00 UTC) the caller's 12 kWh, from then on the forecast.
    expect(daily.slice(0, 14).reduce((sum, kwh) => sum + kwh, 0)).toBeCloseTo(12, 9);
    expect(new Set(daily.slice(14))).toEqual(new Set([2]));
    expect(assemble(facts(), { pvPowerKw: 4 }).pvKwh.slice(0, 2)).toEqual([2, 2]);
  });
});
