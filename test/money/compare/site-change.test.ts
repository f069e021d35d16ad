import { describe, expect, it } from "vitest";
import { defaultSettings } from "../../../src/config/load.js";
import { DAY_MS, type Interval, quartersOf } from "../../../src/core/domain/interval.js";
import { EMPTY_PV_LEARNING } from "../../../src/forecast/pv/learning.js";
import { WeatherSeries } from "../../../src/forecast/weather/weather-series.js";
import { changedSite, standardPv } from "../../../src/money/compare/site-change.js";
import { PLAIN_BATTERY } from "../../support/plain-battery.js";

const START = new Date("2026-01-05T00:00:00Z");
const END = new Date(START.getTime() + DAY_MS);
const steps = (kwh: number, period: Interval = { start: START, end: END }) =>
  quartersOf(period).map((quarter) => ({ ...quarter, kwh }));
const plant = { ...defaultSettings().plants[0]!, battery: null, pv: [] };
const data = {
  plant,
  site: { measured: steps(0.25), name: "test" },
  period: { start: START, end: END },
  vehicle: steps(0.1).slice(0, 40),
};
const held = { weather: WeatherSeries.empty, pvLearning: EMPTY_PV_LEARNING };
const sum = (of: readonly { kwh: number }[]) => of.reduce((all, { kwh }) => all + kwh, 0);

describe("a change of a site", () => {
  it("is none without a member", () => {
    expect(changedSite(data, held, {})).toEqual({ plant, site: data.site, pvFactor: 1 });
  });

  it("leaves out what the vehicle took: 40 quarter-hours with 0.1 kWh", () => {
    const { site } = changedSite(data, held, { withoutCar: true });
    expect(sum(site.measured)).toBeCloseTo(24 - 4, 9);
  });

  it("adds a heat pump by the degree days of the month", () => {
    const { site } = changedSite(data, held, { heatPumpKwhYear: 4000 });
    expect(sum(site.measured)).toBeCloseTo(24 + 4000 * ((0.8 * 0.17) / 31 + 0.2 / 365), 9);
    // October in Vienna, with the hour that is twice.
    const october = { start: new Date("2025-09-30T22:00:00Z"), end: new Date("2025-10-31T23:00:00Z") };
    const changed = changedSite({ ...data, site: { measured: steps(0, october), name: "test" } }, held, {
      heatPumpKwhYear: 4000,
    });
    expect(sum(changed.site.measured)).toBeCloseTo(4000 * (0.8 * 0.08 + (0.2 * 745) / 8760), 9);
  });

  it("keeps the inverter of a larger battery, and assumes one where there is none", () => {
    const larger = changedSite({ ...data, plant: { ...plant, battery: PLAIN_BATTERY } }, held, {
      batteryKwh: 15,
    });
    expect(larger.plant.battery).toEqual({ ...PLAIN_BATTERY, capacity_kwh: 15 });
    expect(changedSite(data, held, { batteryKwh: 6 }).plant.battery).toMatchObject({
      capacity_kwh: 6,
      max_charge_power_kw: 3,
      efficiency_pct: 90,
    });
  });

  it("scales PV that is there, and adds a usual roof where there is none", () => {
    const pv = { measured: steps(0.5), name: "test" };
    // 2 kW at most is measured of arrays that nobody entered.
    expect(changedSite({ ...data, site: { ...data.site, pv } }, held, { pvKwpMore: 3 }).pvFactor).toBe(2.5);
    expect(changedSite(data, held, { pvKwpMore: 3 }).site.pv?.measured).toEqual(
      standardPv(plant, data.period, 3),
    );
    const year = standardPv(plant, { start: new Date("2026-01-01"), end: new Date("2027-01-01") }, 2);
    expect(sum(year) / 2).toBeGreaterThan(0.97 * 1055);
    expect(sum(year) / 2).toBeLessThan(1.03 * 1055);
  });
});
