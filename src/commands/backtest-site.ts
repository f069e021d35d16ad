import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { PlantSettings } from "../config/settings.js";
import type { BacktestView } from "../documents/backtest.js";
import { DAY_MS, type EnergyStep, floorTo, HOUR_MS, type Interval } from "../domain/interval.js";
import { errorMessage } from "../error-message.js";
import { rollingForecast } from "../forecast/rolling.js";
import { compileTariff } from "../market/tariff.js";
import { batteryOf } from "../plan/assemble.js";
import { expectedLoad, type LoadProfile } from "../plan/load-profile.js";
import type { SimulationInput } from "../plan/simulate.js";
import { parseLoadFile } from "../telemetry/load-file.js";
import { hourlyUse, rollingLoad } from "../telemetry/rolling-load.js";
import type { Terminal } from "./command.js";
import type { HeldData } from "./held-data.js";

/** The default period: the newest year. */
const LONGEST_DAYS = 365;
/** Telemetry of less is no history to simulate a house with. */
const LEAST_MEASURED_DAYS = 14;

/** What the house used, and what that is called; without any measurement it does as its settings say. */
export interface BacktestSite {
  measured: EnergyStep[];
  name: string;
}

/** The house as the load file tells it, else as its telemetry does, else as it is configured; a sentence on failure. */
export function backtestSiteOf(
  path: string | undefined,
  plant: PlantSettings,
  held: HeldData,
  terminal: Terminal,
): BacktestSite | string {
  if (path !== undefined) {
    try {
      const { load, problems } = parseLoadFile(readFileSync(path, "utf8"));
      for (const problem of problems) terminal.error(`${path}: ${problem}`);
      return load.length > 0 ? { measured: load, name: `file ${basename(path)}` } : `${path} has no load.`;
    } catch (error) {
      return `${path} cannot be read: ${errorMessage(error)}`;
    }
  }
  const measuredMs = held.measured.reduce((sum, { start, end }) => sum + end.getTime() - start.getTime(), 0);
  if (measuredMs >= LEAST_MEASURED_DAYS * DAY_MS) return { measured: held.measured, name: "telemetry" };
  return { measured: [], name: `settings, ${plant.load.daily_kwh} kWh a day, known to the plan` };
}

/** The hours that prices and load have in common, within what was asked: the newest year where nothing was. */
export function periodOf(
  asked: { from?: Date; to?: Date },
  held: HeldData,
  house: BacktestSite,
): Interval | string {
  const first = house.measured[0];
  const startMs = Math.max(held.series.startMs, first?.start.getTime() ?? 0);
  const endMs = Math.min(held.series.endMs, house.measured.at(-1)?.end.getTime() ?? Infinity);
  const toMs = floorTo(Math.min(endMs, asked.to?.getTime() ?? Infinity), HOUR_MS);
  const fromMs =
    Math.ceil(Math.max(startMs, asked.from?.getTime() ?? toMs - LONGEST_DAYS * DAY_MS) / HOUR_MS) * HOUR_MS;
  if (toMs - fromMs >= DAY_MS) return { start: new Date(fromMs), end: new Date(toMs) };
  const iso = (ms: number) => new Date(ms).toISOString();
  return endMs > startMs
    ? `At least a day of both prices and load is needed; they have ${iso(startMs)} to ${iso(endMs)} in common. Choose --from and --to within that.`
    : "Prices and load have no time in common; name other files with --prices and --load.";
}

/** The simulation of a plant over a period, and what it is called in the report. */
export function simulationOf(
  plant: PlantSettings,
  { series, prices }: HeldData,
  { measured, name }: BacktestSite,
  { start, end }: Interval,
): { input: SimulationInput; view: BacktestView } {
  const { timezone: zone, grid } = plant;
  const settings: LoadProfile = { dailyKwh: plant.load.daily_kwh, profile: plant.load.profile ?? undefined };
  const count = (end.getTime() - start.getTime()) / HOUR_MS;
  const hours = Array.from({ length: count }, (_, t) => ({
    start: new Date(start.getTime() + t * HOUR_MS),
    end: new Date(start.getTime() + (t + 1) * HOUR_MS),
  }));
  const used = measured.length === 0 ? [] : hourlyUse(measured, start, count);
  const usedKwh = used.reduce((sum: number, kwh) => sum + (kwh ?? 0), 0);
  const usedHours = used.filter((kwh) => kwh !== undefined).length;
  const usual = usedHours > 0 ? { ...settings, dailyKwh: (24 * usedKwh) / usedHours } : settings;
  const actualLoadKwh = expectedLoad(hours, usual, zone).map((kwh, t) => used[t] ?? kwh);
  return {
    input: {
      series,
      from: start,
      to: end,
      zone,
      tariff: plant.tariff ? compileTariff(plant.tariff, zone) : undefined,
      battery: batteryOf(plant, {}),
      grid: {
        ...(grid.import_limit_kw !== null && { importLimitKw: grid.import_limit_kw }),
        ...(grid.export_limit_kw !== null && { exportLimitKw: grid.export_limit_kw }),
      },
      actualLoadKwh,
      hoursAt: rollingForecast(series),
      loadModelAt: measured.length === 0 ? () => settings : rollingLoad(measured, zone, settings),
    },
    view: {
      siteId: plant.id,
      zone,
      prices,
      load: name,
      loadKwh: actualLoadKwh.reduce((sum, kwh) => sum + kwh, 0),
      loadHoursEstimated: measured.length === 0 ? 0 : count - usedHours,
    },
  };
}
