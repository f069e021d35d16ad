import { beforeAll, describe, expect, it } from "vitest";
import { defaultSettings } from "../../src/config/load.js";
import type { PlantSettings } from "../../src/config/settings.js";
import { PriceSeries } from "../../src/forecast/market/price-series.js";
import { parsePriceFile } from "../../src/forecast/market/sources/file-format.js";
import type { ForecastHour } from "../../src/forecast/price/forecast.js";
import { rollingForecast } from "../../src/forecast/price/rolling.js";
import { type SimulationInput, simulateSite } from "../../src/plan/simulate.js";
import { PLAIN_BATTERY } from "../support/plain-battery.js";
import { type Random, seeded } from "../support/random.js";
import { HOURLY_PRICES, recordedText } from "../support/recorded-data.js";

const HOUR_MS = 3_600_000;
const FROM = new Date("2026-01-15T00:00:00Z");
/** Days of recorded prices that are replayed. */
const DAYS = 3;
/** How far plans look: beyond two days nothing changes what the home does now. */
const HORIZON_HOURS = 48;

const pvArray = {
  peak_kw: 5,
  tilt_deg: 30,
  azimuth_deg: 180,
  losses_pct: 14,
  inverter_kw: null,
  inverter: null,
  curtailable: false,
} as PlantSettings["pv"][number];

/** 1 kWh in each hour, so that the load of the settings equals the actual one. */
const plant: PlantSettings = {
  ...defaultSettings().plants[0]!,
  timezone: "UTC",
  battery: PLAIN_BATTERY,
  load: { ...defaultSettings().plants[0]!.load, daily_kwh: 24, profile: new Array<number>(24).fill(1) },
};

function seriesOf(eurPerMwh: readonly (number | undefined)[], from = FROM): PriceSeries {
  return PriceSeries.of(
    eurPerMwh.flatMap((price, index) =>
      price === undefined
        ? []
        : [{ start: new Date(from.getTime() + index * HOUR_MS), minutes: 60 as const, eurPerMwh: price }],
    ),
  );
}

/** Perfect price forecast; beyond the known prices the last day repeats. */
function oracle(series: PriceSeries): (now: Date) => ForecastHour[] {
  return (now) =>
    Array.from({ length: HORIZON_HOURS }, (_, index) => {
      const start = new Date(Math.floor(now.getTime() / HOUR_MS + index) * HOUR_MS);
      let at = start.getTime();
      while (at >= series.endMs) at -= 24 * HOUR_MS;
      const price = series.hour(at) ?? 0;
      return { start, p10: price, p50: price, p90: price, source: "day_ahead" as const };
    });
}

function simulation(
  series: PriceSeries,
  hours: number,
  changes: Partial<SimulationInput> = {},
): SimulationInput {
  return {
    series,
    from: FROM,
    to: new Date(FROM.getTime() + hours * HOUR_MS),
    plant,
    stepMinutes: 60,
    tariff: undefined,
    actualLoadKwh: new Array<number>(4 * hours).fill(0.25),
    hoursAt: oracle(series),
    // A plan each hour: a fourth of the time, and with everything known the same decisions.
    planEveryMinutes: 60,
    ...changes,
  };
}

/** Six cheap hours and eighteen expensive ones a day. */
const day = Array.from({ length: 24 }, (_, hour) => (hour < 6 ? 100 : 400));

describe("simulateSite", () => {
  /** Two of these days, as several tests need them. */
  let twoDays: ReturnType<typeof simulateSite>;
  beforeAll(() => {
    twoDays = simulateSite(simulation(seriesOf([...day, ...day]), 48));
  });

  it("gives the figures calculated by hand", () => {
    const result = twoDays;
    // Per day 6 kWh at 10 ct and 18 kWh at 40 ct. The battery's 9 kWh need 10 kWh at 10 ct and save 8.1 kWh at 40 ct.
    const noBatteryEur = 2 * 7.8;
    const savedEur = 2 * (8.1 * 0.4 - 1);
    // The 1 kWh of the minimum SOC has the same worth in every run: 10 ct / 0.9.
    expect(result.storedWorthCtKwh).toBeCloseTo(10 / 0.9, 9);
    const minimumEur = 0.1 / 0.9;
    expect(result.noBattery.costEur).toBeCloseTo(noBatteryEur - minimumEur, 9);
    expect(result.uncontrolled.costEur).toBeCloseTo(noBatteryEur - minimumEur, 9);
    expect(result.perfect.costEur).toBeCloseTo(noBatteryEur - savedEur - minimumEur, 6);
    expect(result.planned.costEur).toBeCloseTo(noBatteryEur - savedEur - minimumEur, 6);
    expect(result.capturedShare).toBeCloseTo(1, 6);
    expect(result.planned.cycles).toBeCloseTo(2 * 0.9, 6);
    expect(result.planned.storedEndKwh).toBeCloseTo(1, 6);
    expect(result.worseDays).toEqual([]);
    expect(result.days).toBe(2);
    expect(Object.values(result.hoursByMode).reduce((sum, count) => sum + count)).toBe(48);
    expect(result.hoursByMode.charge).toBeGreaterThanOrEqual(4);
  });

  it("saves nothing at flat prices", () => {
    const result = simulateSite(simulation(seriesOf(new Array<number>(24).fill(200)), 24));
    expect(result.capturedShare).toBeUndefined();
    expect(result.planned.costEur).toBeCloseTo(result.noBattery.costEur, 9);
    expect(result.planned.chargeKwh).toBe(0);
  });

  it("stores PV surplus and serves the load from it, controlled or not", () => {
    const actualPvKwh = Array.from({ length: 96 }, (_, quarter) => (quarter >= 48 && quarter < 52 ? 1.5 : 0));
    // Feed-in earns nothing; 5 kWh of surplus are stored as 4.5 and return 4.05 at 30 ct.
    const tariff = { importCtKwh: () => 30, exportCtKwh: () => 0 };
    const series = seriesOf(new Array<number>(24).fill(100));
    const input = simulation(series, 24, { actualPvKwh, tariff });
    const { uncontrolled, noBattery, planned } = simulateSite(input);
    expect(noBattery).toMatchObject({ importKwh: 23, exportKwh: 5 });
    expect(uncontrolled.importKwh).toBeCloseTo(23 - 4.05, 9);
    expect(uncontrolled.exportKwh).toBeCloseTo(0, 9);
    expect(planned.costEur).toBeCloseTo(uncontrolled.costEur, 6);
  });

  it("curtails with perfect foresight too where feed-in costs money", () => {
    const input = simulation(seriesOf(new Array<number>(24).fill(-50)), 24, {
      plant: {
        ...plant,
        pv: [{ ...pvArray, curtailable: true }],
      },
      tariff: { importCtKwh: () => 30, exportCtKwh: () => -5 },
      actualPvKwh: new Array<number>(96).fill(1),
    });
    const { perfect, uncontrolled, planned } = simulateSite(input);
    expect(perfect.exportKwh).toBe(0);
    expect(planned.exportKwh).toBe(0);
    expect(uncontrolled.exportKwh).toBeGreaterThan(50);
  });

  it("leaves out hours without a price", () => {
    const prices = [...day, ...day].map((price, hour) => (hour >= 30 && hour < 33 ? undefined : price));
    const result = simulateSite(simulation(seriesOf(prices), 48, { planEveryMinutes: 360 }));
    expect(result.hoursLeftOut).toBe(3);
    expect(result.noBattery.importKwh).toBe(twoDays.noBattery.importKwh - 3);
    expect(() => simulateSite(simulation(seriesOf([...day], new Date("2025-01-01T00:00Z")), 48))).toThrow(
      "No price is known",
    );
    expect(() => simulateSite({ ...simulation(seriesOf(day), 24), to: new Date(+FROM + 1) })).toThrow(
      RangeError,
    );
  });

  it("reports its progress hour by hour", () => {
    const calls: [number, number][] = [];
    simulateSite(
      simulation(seriesOf(day), 24, { planEveryMinutes: 360, onProgress: (...call) => calls.push(call) }),
    );
    expect(calls).toHaveLength(24);
    expect(calls.at(-1)).toEqual([24, 24]);
  });

  it.each([1, 2, 3])("balances energy and money in random site %i", (seed) => {
    const random = seeded(seed);
    const input = randomSite(random);
    const result = simulateSite(input);
    const oneWay = Math.sqrt(input.plant.battery!.efficiency_pct / 100);
    const sum = (values: readonly number[] = []) => values.reduce((total, value) => total + value, 0);
    for (const run of [result.planned, result.uncontrolled, result.noBattery, result.perfect]) {
      const { importKwh, exportKwh, chargeKwh, dischargeKwh, storedEndKwh } = run;
      const net = sum(input.actualLoadKwh) - sum(input.actualPvKwh) + chargeKwh - dischargeKwh;
      expect(importKwh - exportKwh).toBeCloseTo(net, 6);
      expect(storedEndKwh).toBeCloseTo(1 + chargeKwh * oneWay - dischargeKwh / oneWay, 6);
      expect(storedEndKwh).toBeGreaterThanOrEqual(1 - 1e-6);
      expect(storedEndKwh).toBeLessThanOrEqual(10 + 1e-6);
      // Perfect foresight over the same modes, within the error of its grid.
      expect(run.costEur).toBeGreaterThanOrEqual(result.perfect.costEur - 0.01);
      const minimumEur = result.storedWorthCtKwh / 100;
      expect(sum([...run.dayCostEur.values()]) - minimumEur).toBeCloseTo(run.costEur, 6);
    }
    const worse = result.worseDays.map(({ date, eur }) => [date, eur] as const);
    for (const [date, eur] of worse)
      expect(result.planned.dayCostEur.get(date)! - result.uncontrolled.dayCostEur.get(date)!).toBeCloseTo(
        eur,
        9,
      );
  });

  it("comes close to perfect foresight on recorded prices with the forecasts of the time", () => {
    const from = new Date("2024-01-07T23:00:00Z");
    const recorded = parsePriceFile(recordedText(HOURLY_PRICES)).points.filter(
      ({ start }) => +start > +from - 40 * 24 * HOUR_MS && +start < +from + 12 * 24 * HOUR_MS,
    );
    const series = PriceSeries.of(recorded);
    const to = new Date(+from + DAYS * 24 * HOUR_MS);
    const forecast = rollingForecast(series);
    const known = new Map<number, ForecastHour[]>();
    const hoursAt = (now: Date) => {
      const hour = Math.floor(now.getTime() / HOUR_MS);
      const hours = known.get(hour) ?? forecast(now).slice(0, HORIZON_HOURS);
      known.set(hour, hours);
      return hours;
    };
    const input = {
      ...simulation(series, DAYS * 24),
      plant: { ...plant, timezone: "Europe/Vienna" },
      from,
      to,
      hoursAt,
    };
    const result = simulateSite(input);
    // A policy decides as well for six hours as for a quarter-hour, while nothing new is known.
    const rarely = simulateSite({ ...input, planEveryMinutes: 360 });
    expect(rarely.planned.costEur).toBeCloseTo(result.planned.costEur, 2);
    expect(rarely.hoursByMode.charge).toBeGreaterThan(0);
    // In quarter-hours with the prices of their hours, as in hours: the hysteresis does not weigh four times as much.
    const quarterly = simulateSite({ ...input, stepMinutes: 15, planEveryMinutes: 360 });
    expect(quarterly.capturedShare).toBeGreaterThan(result.capturedShare! - 0.03);
    expect(result.capturedShare).toBeGreaterThan(0.85);
    expect(result.capturedShare).toBeLessThanOrEqual(1);
    expect(result.modeChangesPerDay).toBeLessThan(7);
  });
});

function randomSite(random: Random): SimulationInput {
  const series = seriesOf(Array.from({ length: 48 }, () => random.between(-50, 400)));
  const quarters = Array.from({ length: 4 * 48 }, (_, index) => index);
  return simulation(series, 48, {
    actualLoadKwh: quarters.map(() => random.between(0, 0.75)),
    actualPvKwh: quarters.map((t) => (t % 96 > 32 && t % 96 < 64 ? random.between(0, 1.25) : 0)),
    tariff: { importCtKwh: (spot) => spot + 12, exportCtKwh: (spot) => Math.min(spot - 1, 5) },
    plant: {
      ...plant,
      grid: { ...plant.grid, import_limit_kw: random.chance(0.5) ? 4 : null },
      battery: {
        ...PLAIN_BATTERY,
        efficiency_pct: random.between(75, 95),
        wear_ct_kwh: random.pick([0, 2]),
      },
    },
  });
}
