import { DAY_MS, HOUR_MS, QUARTER_MS } from "../../core/domain/interval.js";
import { dayOf, instantOf, localTime } from "../../core/time/zone.js";
import { pvYield } from "../../forecast/solar/pv-yield.js";
import { type HomeOptions, type HomeStep, SimulatedHome } from "./home.js";
import { type SpringQuarter, springQuarters } from "./spring.js";

const TIME_ZONE = "Europe/Vienna";
const PLACE = { latitude: 48.21, longitude: 16.37 };
const ARRAY = { peakKw: 6, tiltDeg: 30, azimuthDeg: 180 };
/** Days before the start: market prices for the forecast, meter readings for the load model. */
const PRICE_DAYS_BEFORE = 35;
export const METER_DAYS_BEFORE = 21;
/** Whole days that a demonstration which is held at a time lives through before that day. */
const HELD_DAYS_BEFORE = 2;
/** The published prices and the weather forecast reach this far beyond the last day. */
const DAYS_AFTER = 9;
const EFFICIENCY = Math.sqrt(0.9);

/** A generated week in spring, which every part of the demonstration reads. */
export interface Scenario {
  /** When the gateway begins. */
  start: Date;
  quarters: readonly SpringQuarter[];
  /** What happens outside the home's control in the minute that begins at `at`. */
  stepAt(at: Date, minutes: number): HomeStep;
  /** Market price in force, EUR/MWh. */
  priceAt(at: Date): number;
}

const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** Monday, 4 May 2026, at midnight in Vienna. */
const WEEK_START = instantOf("2026-05-04", 0, TIME_ZONE);

/** The time of a text such as `Sat 18:40` in the generated week; undefined if it is none. */
export function timeInWeek(text: string): Date | undefined {
  const [, name = "", hour, minute] = /^\s*([A-Za-z]{3})[a-z]*\s+(\d{1,2}):(\d{2})\s*$/.exec(text) ?? [];
  const weekday = WEEKDAYS.indexOf(name.toLowerCase());
  if (weekday < 0 || Number(hour) > 23 || Number(minute) > 59) return undefined;
  const minutes = (weekday * 24 + Number(hour)) * 60 + Number(minute);
  return minutes === 0 ? undefined : new Date(WEEK_START.getTime() + minutes * 60_000);
}

/** The start of a demonstration that is held at `until`: some days have been lived through then, the home was there before. */
export function startOfHeld(until: Date): Date {
  const midnight = dayOf(until, TIME_ZONE).start.getTime();
  return new Date(Math.max(WEEK_START.getTime(), midnight - HELD_DAYS_BEFORE * DAY_MS));
}

/** Generates the scenario of a demonstration of some days from Monday on; the gateway begins at `start`, else with the week. */
export function createScenario(days: number, seed: number, start = WEEK_START): Scenario {
  const first = new Date(WEEK_START.getTime() - PRICE_DAYS_BEFORE * DAY_MS);
  const quarters = springQuarters({
    ...PLACE,
    start: first,
    days: PRICE_DAYS_BEFORE + days + DAYS_AFTER,
    seed,
    timeZone: TIME_ZONE,
  });
  const pvKwh = pvYield({
    ...PLACE,
    ...ARRAY,
    steps: quarters.map(({ start: from, ghiWm2, forecast }) => ({
      start: from,
      end: new Date(from.getTime() + QUARTER_MS),
      ghi: ghiWm2,
      temperatureC: forecast.temperatureC,
    })),
  }).map(({ kwh }) => kwh);
  const indexAt = (at: Date) => Math.floor((at.getTime() - first.getTime()) / QUARTER_MS);
  return {
    start,
    quarters,
    priceAt: (at) => quarters[indexAt(at)]!.eurPerMwh,
    stepAt: (at, minutes) => {
      const { hour, minute, weekday } = localTime(at, TIME_ZONE);
      const clock = hour + minute / 60;
      const works = weekday <= 5;
      const returns = works && clock >= CAR.returns && clock - minutes / 60 < CAR.returns;
      const hours = minutes / 60;
      return {
        minutes,
        householdKw: quarters[indexAt(at)]!.householdKw,
        pvKw: pvKwh[indexAt(at)]! * 4,
        carIsHome: !works || clock < CAR.leaves || clock >= CAR.returns,
        carUsedKwh: returns ? CAR.usedKwh : 0,
        drawnLitres: clock >= 6.5 && clock < 7.5 ? 60 * hours : clock >= 19 && clock < 20 ? 80 * hours : 0,
      };
    },
  };
}

/** The car: away on workdays, hours of the day, and what is to be in it. */
export const CAR = { capacityKwh: 50, targetPct: 80, usedKwh: 8, leaves: 7.5, returns: 17.5 };

/** The battery of the home. */
export const BATTERY = {
  capacityKwh: 10,
  minSocKwh: 1,
  maxSocKwh: 10,
  maxChargePowerKw: 5,
  maxDischargePowerKw: 5,
  chargeEfficiency: EFFICIENCY,
  dischargeEfficiency: EFFICIENCY,
  wearCtKwh: 1,
};

const HOME: Omit<HomeOptions, "seed"> = {
  storage: BATTERY,
  startSocKwh: 4,
  wallbox: { powerKw: 3.7, capacityKwh: CAR.capacityKwh, startKwh: 30 },
  boiler: { powerKw: 2, litres: 200, minC: 42, maxC: 62, lossKw: 0.06, startC: 52 },
};

/** The home of the scenario, with wallbox and boiler unless `hasDevices` is false; the same seed gives the same home. */
export function createHome(seed: number, hasDevices = true): SimulatedHome {
  const { wallbox: _, boiler: __, ...house } = HOME;
  return new SimulatedHome(hasDevices ? { ...HOME, seed } : { ...house, seed });
}

/** The gateway's settings for the scenario, as its configuration file would hold them. */
export function demoSettings(
  { start }: Scenario,
  options: {
    folder: string;
    speed: number;
    httpPort: number;
    mqttPort: number;
    key: string;
    password: string;
    actuators?: readonly object[];
  },
) {
  return {
    data_dir: `${options.folder}/data`,
    http: { host: "127.0.0.1", port: options.httpPort },
    mqtt: { broker: { host: "127.0.0.1", port: options.mqttPort } },
    owner: { key: options.key, password: options.password },
    clock: { start: start.toISOString(), speed: options.speed, publish_at: "13:00" },
    log: { level: "warn" },
    node_red: { enabled: false },
    market: { sources: [{ type: "file", path: `${options.folder}/prices.csv` }] },
    weather: { sources: [{ type: "file", path: `${options.folder}/weather.csv` }] },
    plants: [
      {
        id: "home",
        name: "Demo",
        ...PLACE,
        timezone: TIME_ZONE,
        tariff: TARIFF,
        battery: {
          capacity_kwh: BATTERY.capacityKwh,
          min_soc_pct: 10,
          max_soc_pct: 100,
          max_charge_power_kw: BATTERY.maxChargePowerKw,
          max_discharge_power_kw: BATTERY.maxDischargePowerKw,
          efficiency_pct: 90,
          wear_ct_kwh: BATTERY.wearCtKwh,
          controls: ["charge", "hold", "block"],
        },
        pv: [{ peak_kw: ARRAY.peakKw, tilt_deg: ARRAY.tiltDeg, azimuth_deg: ARRAY.azimuthDeg }],
        load: { daily_kwh: 17 },
        actuators: options.actuators ?? [],
        slots: [
          {
            slot: 1,
            label: "Wallbox",
            kind: "wallbox",
            power_kw: HOME.wallbox!.powerKw,
            window_start_hour: 18,
            window_end_hour: 7,
            energy_kwh: CAR.usedKwh,
            vehicle: {
              capacity_kwh: CAR.capacityKwh,
              target_soc_pct: CAR.targetPct,
              departure: Object.fromEntries(WEEKDAYS.slice(0, 5).map((day) => [day, "07:30"])),
              phases: 1,
              efficiency_pct: 100,
            },
          },
          {
            slot: 2,
            label: "Boiler",
            kind: "boiler",
            power_kw: HOME.boiler!.powerKw,
            window_start_hour: 0,
            window_end_hour: 0,
            hours: 2.5,
          },
        ],
      },
    ],
  };
}

export const TARIFF = {
  markup_ct_kwh: 1.5,
  levies_ct_kwh: 1,
  grid_fee_ct_kwh: [{ ct_kwh: 7 }, { months: "4-9", hours: "10-16", ct_kwh: 5.6 }],
  vat_pct: 20,
  feed_in: { type: "spot" as const, deduct_ct_kwh: 1 },
};

/** The file of a price source: hourly rows `start_utc,eur_per_mwh`. */
export const pricesCsv = ({ quarters }: Scenario) =>
  csv("start_utc,eur_per_mwh", hourly(quarters), ({ start, eurPerMwh }) => [start.toISOString(), eurPerMwh]);

/** The file of a weather source: hourly rows of the forecast. */
export const weatherCsv = ({ quarters }: Scenario) =>
  csv(
    "start_utc,ghi_w_m2,temperature_c,cloud_cover_pct,wind_speed_ms",
    hourly(quarters),
    ({ start, forecast: { ghiWm2, temperatureC, cloudCoverPct, windSpeedMs } }) => [
      start.toISOString(),
      ghiWm2.toFixed(1),
      temperatureC.toFixed(1),
      cloudCoverPct,
      windSpeedMs.toFixed(1),
    ],
  );

const hourly = (quarters: readonly SpringQuarter[]) =>
  quarters.filter(({ start }) => start.getTime() % HOUR_MS === 0);

const csv = <Row>(header: string, rows: readonly Row[], cells: (row: Row) => (string | number)[]) =>
  `${[header, ...rows.map((row) => cells(row).join(","))].join("\n")}\n`;
