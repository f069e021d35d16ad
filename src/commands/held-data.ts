import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { PlantSettings, Settings } from "../config/settings.js";
import type { EnergyStep } from "../domain/interval.js";
import { DAY_MS, floorTo, HOUR_MS } from "../domain/interval.js";
import type { PricePoint } from "../domain/price.js";
import { errorMessage } from "../error-message.js";
import { PriceSeries } from "../market/price-series.js";
import { EMPTY_PV_LEARNING, hourlyEnergies, learningFromJson, type PvLearning } from "../pv/learning.js";
import { StoreError } from "../store/errors.js";
import type { Store } from "../store/store.js";
import { DailyHistory } from "../telemetry/daily-history.js";
import { LEARNING_DAYS } from "../telemetry/learned-load.js";
import { parseWeatherFile } from "../weather/sources/file-format.js";
import { WeatherSeries } from "../weather/weather-series.js";
import type { Terminal } from "./command.js";
import { hasData, withStore } from "./data-folder.js";
import { readPriceFile } from "./import-prices.js";

/** Stored prices and measured load for commands that replay the past. */
export interface HeldData {
  series: PriceSeries;
  /** Origin of the prices as a phrase, for the report. */
  prices: string;
  /** Load measured by telemetry. */
  measured: EnergyStep[];
  /** PV measured by telemetry, or imported. */
  measuredPv: EnergyStep[];
  /** What the gateway learned of the plant's PV. */
  pvLearning: PvLearning;
  /** Weather of the file sources. */
  weather: WeatherSeries;
}

/** Days of telemetry that are read by default. */
const DEFAULT_DAYS = 365 + LEARNING_DAYS;

/**
 * Prices and measured load. Prices come from `pricesFile` if given; else from the data folder, overridden by the file
 * sources of the configuration. While a gateway uses the folder, a warning is printed and only files are read. Returns an
 * error sentence if there are no prices at all.
 */
export async function heldData(
  settings: Settings,
  plant: PlantSettings,
  { pricesFile, weatherFile, from }: HeldDataRequest,
  terminal: Terminal,
): Promise<HeldData | string> {
  const files = pricesOfFiles(settings, pricesFile, terminal);
  if (typeof files === "string") return files;
  const weather = weatherOfFiles(settings, weatherFile, terminal);
  if (typeof weather === "string") return weather;
  const folder = resolve(settings.data_dir);
  let series = PriceSeries.empty;
  let measured: EnergyStep[] = [];
  let measuredPv: EnergyStep[] = [];
  let pvLearning = EMPTY_PV_LEARNING;
  const names: string[] = [];
  if (hasData(settings)) {
    try {
      await withStore(settings, terminal, async (store) => {
        if (pricesFile === undefined) series = PriceSeries.of(await store.prices.load());
        if (!series.isEmpty) names.push(`data folder ${folder}`);
        for (const { points } of files) series = series.with(points);
        const endMs = floorTo(series.endMs, DAY_MS);
        const fromMs =
          from === undefined ? endMs - DEFAULT_DAYS * DAY_MS : from.getTime() - LEARNING_DAYS * DAY_MS;
        const startMs = Math.max(series.startMs, fromMs);
        measured = await measuredHistory(store, plant, startMs, endMs);
        measuredPv = await measuredPvOf(store, plant.id, startMs, endMs);
        pvLearning = learningFromJson(await store.documents.get(`pv/${plant.id}`));
      });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      terminal.error(
        error.code === "storage_in_use"
          ? `A gateway is running on ${folder}: its stored data is left out here. Stop it to include its data.`
          : error.message,
      );
    }
  }
  for (const { path, points } of files) {
    series = series.with(points);
    names.push(`file ${basename(path)}`);
  }
  if (series.isEmpty)
    return "No prices are stored: run the gateway for some weeks, import prices (hourgate import prices FILE), or use --prices FILE.";
  return { series, prices: names.join(", "), measured, measuredPv, pvLearning, weather };
}

/** Which data to read; files in place of the stored ones. */
export interface HeldDataRequest {
  pricesFile?: string | undefined;
  weatherFile?: string | undefined;
  from?: Date | undefined;
}

/** Weather of the given file, which must be readable, else of the readable file sources of the configuration. */
function weatherOfFiles(
  settings: Settings,
  named: string | undefined,
  terminal: Terminal,
): WeatherSeries | string {
  const configured = settings.weather.sources.flatMap((source) =>
    source.type === "file" && source.enabled ? [source.path] : [],
  );
  let weather = WeatherSeries.empty;
  // The first source is the preferred one.
  for (const path of named === undefined ? configured.reverse() : [named]) {
    try {
      weather = weather.with(parseWeatherFile(readFileSync(path, "utf8")).hours);
    } catch (error) {
      const problem = `${path} cannot be read: ${errorMessage(error)}`;
      if (named !== undefined) return problem;
      terminal.error(problem);
    }
  }
  return weather;
}

/** PV by imported quarter-hour, else by hour of telemetry. */
async function measuredPvOf(
  store: Store,
  siteId: string,
  fromMs: number,
  endMs: number,
): Promise<EnergyStep[]> {
  const imported = await store.meter.energy(siteId, "generation", new Date(fromMs), new Date(endMs));
  if (imported.length > 0) return imported.map(({ start, end, kwh }) => ({ start, end, kwh }));
  if ((await store.samples.latest(siteId)).pv_power_kw === undefined) return [];
  const measured: EnergyStep[] = [];
  for (let dayMs = floorTo(fromMs, DAY_MS); dayMs < endMs; dayMs += DAY_MS) {
    const readings = await store.samples.range(
      siteId,
      "pv_power_kw",
      new Date(dayMs),
      new Date(dayMs + DAY_MS),
    );
    hourlyEnergies(readings, dayMs, 24).forEach((kwh, hour) => {
      const startMs = dayMs + hour * HOUR_MS;
      if (kwh !== undefined) {
        measured.push({ start: new Date(startMs), end: new Date(startMs + HOUR_MS), kwh });
      }
    });
  }
  return measured;
}

/** The given file, which must be readable, else the readable file sources of the configuration. */
function pricesOfFiles(
  settings: Settings,
  named: string | undefined,
  terminal: Terminal,
): { path: string; points: PricePoint[] }[] | string {
  const configured = settings.market.sources.flatMap((source) =>
    source.type === "file" && source.enabled ? [source.path] : [],
  );
  const files: { path: string; points: PricePoint[] }[] = [];
  for (const path of named === undefined ? configured : [named]) {
    const file = readPriceFile(path);
    if (typeof file === "string" && named !== undefined) return file;
    const problems =
      typeof file === "string" ? [file] : file.problems.map((problem) => `${path}: ${problem}`);
    for (const problem of problems) terminal.error(problem);
    if (typeof file !== "string" && file.points.length > 0) files.push({ path, points: file.points });
  }
  return files;
}

async function measuredHistory(store: Store, plant: PlantSettings, fromMs: number, endMs: number) {
  const live = await store.samples.latest(plant.id);
  const history = new DailyHistory(
    { live: () => live, readings: (...range) => store.samples.range(...range), metered: store.meter },
    { id: plant.id, accountId: "", plant },
  );
  const measured: EnergyStep[] = [];
  for (let dayMs = floorTo(fromMs, DAY_MS); dayMs < endMs; dayMs += DAY_MS) {
    measured.push(...(await history.measured({ start: new Date(dayMs), end: new Date(dayMs + DAY_MS) })));
  }
  return measured;
}
