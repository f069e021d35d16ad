import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { PlantSettings } from "../config/settings.js";
import type { BacktestView } from "../documents/backtest.js";
import { DAY_MS, type EnergyStep, floorTo, HOUR_MS, type Interval, QUARTER_MS } from "../domain/interval.js";
import { errorMessage } from "../error-message.js";
import { rollingForecast } from "../forecast/rolling.js";
import { expectedLoad, type LoadProfile } from "../plan/load-profile.js";
import type { SimulationInput } from "../plan/simulate.js";
import { compileTariff } from "../tariff/compile-tariff.js";
import { quarterLoad, rollingLoad } from "../telemetry/learned-load.js";
import { parseLoadFile } from "../telemetry/load-file.js";
import { recordedPv } from "./backtest-pv.js";
import type { Terminal } from "./command.js";
import type { HeldData } from "./held-data.js";

/** The default period: the newest year. */
const LONGEST_DAYS = 365;
/** Shorter telemetry is not used as the load of a simulation. */
const LEAST_MEASURED_DAYS = 14;

/** Load and PV of the simulated site; without measurements the load of the settings is used. */
export interface BacktestSite {
  measured: EnergyStep[];
  name: string;
  /** Measured PV energy; absent without PV. */
  pv?: EnergyStep[];
}

/** The load from the load file, else from telemetry, else from the settings; an error sentence if a file is invalid. */
export function backtestSiteOf(
  files: { load: string | undefined; pv: string | undefined },
  plant: PlantSettings,
  held: HeldData,
  terminal: Terminal,
): BacktestSite | string {
  const read = (path: string, column: "import_kwh" | "pv_kwh"): EnergyStep[] | string => {
    try {
      const { load, problems } = parseLoadFile(readFileSync(path, "utf8"), column);
      for (const problem of problems) terminal.error(`${path}: ${problem}`);
      return load.length > 0 ? load : `${path} has no ${column}.`;
    } catch (error) {
      return `${path} cannot be read: ${errorMessage(error)}`;
    }
  };
  const pv = files.pv === undefined ? undefined : read(files.pv, "pv_kwh");
  if (typeof pv === "string") return pv;
  const withPv = pv === undefined ? {} : { pv };
  if (files.load !== undefined) {
    const load = read(files.load, "import_kwh");
    return typeof load === "string"
      ? load
      : { measured: load, name: `file ${basename(files.load)}`, ...withPv };
  }
  const measuredMs = held.measured.reduce((sum, { start, end }) => sum + end.getTime() - start.getTime(), 0);
  if (measuredMs >= LEAST_MEASURED_DAYS * DAY_MS)
    return { measured: held.measured, name: "telemetry", ...withPv };
  return {
    measured: [],
    name: `settings, ${plant.load.daily_kwh} kWh a day, known to the plan`,
    ...withPv,
  };
}

/** The hours with both prices and load within the requested period; by default the newest year. */
export function periodOf(
  wanted: { from?: Date; to?: Date },
  held: HeldData,
  site: BacktestSite,
): Interval | string {
  const first = site.measured[0];
  const startMs = Math.max(held.series.startMs, first?.start.getTime() ?? 0);
  const endMs = Math.min(held.series.endMs, site.measured.at(-1)?.end.getTime() ?? Infinity);
  const toMs = floorTo(Math.min(endMs, wanted.to?.getTime() ?? Infinity), HOUR_MS);
  const fromMs =
    Math.ceil(Math.max(startMs, wanted.from?.getTime() ?? toMs - LONGEST_DAYS * DAY_MS) / HOUR_MS) * HOUR_MS;
  if (toMs - fromMs >= DAY_MS) return { start: new Date(fromMs), end: new Date(toMs) };
  const iso = (ms: number) => new Date(ms).toISOString();
  return endMs > startMs
    ? `At least one day with both prices and load is needed; both exist from ${iso(startMs)} to ${iso(endMs)}. Choose --from and --to in this period.`
    : "Prices and load do not overlap in time; use other files with --prices and --load.";
}

/** Input of the simulation of a plant over a period, and the description of it in the report. */
export function simulationOf(
  plant: PlantSettings,
  { series, prices }: HeldData,
  { measured, name, pv }: BacktestSite,
  { start, end, stepMinutes }: Interval & { stepMinutes: 60 | 15 },
): { input: SimulationInput; view: BacktestView } {
  const { timezone: zone } = plant;
  const settings: LoadProfile = { dailyKwh: plant.load.daily_kwh, profile: plant.load.profile ?? undefined };
  const count = (end.getTime() - start.getTime()) / QUARTER_MS;
  const quarters = Array.from({ length: count }, (_, t) => ({
    start: new Date(start.getTime() + t * QUARTER_MS),
    end: new Date(start.getTime() + (t + 1) * QUARTER_MS),
  }));
  const used = measured.length === 0 ? [] : quarterLoad(measured, start, count);
  const known = used.filter((kwh) => kwh !== undefined);
  const usedKwh = known.reduce((sum, kwh) => sum + kwh, 0);
  const usual = known.length > 0 ? { ...settings, dailyKwh: (96 * usedKwh) / known.length } : settings;
  const actualLoadKwh = expectedLoad(quarters, usual, zone).map((kwh, t) => used[t] ?? kwh);
  return {
    input: {
      plant,
      series,
      stepMinutes,
      from: start,
      to: end,
      tariff: plant.tariff ? compileTariff(plant.tariff, zone) : undefined,
      actualLoadKwh,
      ...(pv !== undefined && recordedPv(pv, start, count)),
      hoursAt: rollingForecast(series),
      ...(measured.length > 0 && { loadModelAt: rollingLoad(measured, zone, settings) }),
    },
    view: {
      siteId: plant.id,
      zone,
      prices,
      load: name,
      loadKwh: actualLoadKwh.reduce((sum, kwh) => sum + kwh, 0),
      loadHoursEstimated: measured.length === 0 ? 0 : (count - known.length) / 4,
    },
  };
}
