import { basename, resolve } from "node:path";
import type { PlantSettings, Settings } from "../config/settings.js";
import type { EnergyStep } from "../domain/interval.js";
import { DAY_MS, floorTo } from "../domain/interval.js";
import type { PricePoint } from "../domain/price.js";
import { PriceSeries } from "../market/price-series.js";
import { StoreError } from "../store/errors.js";
import type { Store } from "../store/store.js";
import { DailyHistory } from "../telemetry/daily-history.js";
import { LEARNING_DAYS } from "../telemetry/learned-load.js";
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
  { pricesFile, from }: { pricesFile?: string | undefined; from?: Date | undefined },
  terminal: Terminal,
): Promise<HeldData | string> {
  const files = pricesOfFiles(settings, pricesFile, terminal);
  if (typeof files === "string") return files;
  const folder = resolve(settings.data_dir);
  let series = PriceSeries.empty;
  let measured: EnergyStep[] = [];
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
        measured = await measuredHistory(store, plant, Math.max(series.startMs, fromMs), endMs);
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
  return { series, prices: names.join(", "), measured };
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
