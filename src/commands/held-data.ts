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

/** What a command that looks back finds. */
export interface HeldData {
  series: PriceSeries;
  /** Where the prices are from, a phrase. */
  prices: string;
  /** What the plant's telemetry measured. */
  measured: EnergyStep[];
}

/** How much of a plant's telemetry is read when nothing says from when on, days. */
const USUAL_DAYS = 365 + LEARNING_DAYS;

/**
 * Prices and measured load: those of `pricesFile` where one is named; else of the data folder with the file sources of
 * the configuration laid over it. While a gateway has the folder, a sentence says so and the files alone serve. A
 * sentence instead of data where there is no price at all.
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
          from === undefined ? endMs - USUAL_DAYS * DAY_MS : from.getTime() - LEARNING_DAYS * DAY_MS;
        measured = await measuredHistory(store, plant, Math.max(series.startMs, fromMs), endMs);
      });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      terminal.error(
        error.code === "storage_in_use"
          ? `A gateway is running on ${folder}: what it keeps is left out here. Stop it to use that too.`
          : error.message,
      );
    }
  }
  for (const { path, points } of files) {
    series = series.with(points);
    names.push(`file ${basename(path)}`);
  }
  if (series.isEmpty)
    return "No price is held: run the gateway for some weeks, import prices (hourgate import prices FILE), or name a file with --prices FILE.";
  return { series, prices: names.join(", "), measured };
}

/** The named file, which must be readable, or the file sources of the configuration as far as they are. */
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
    { live: () => live, readings: (...range) => store.samples.range(...range) },
    { id: plant.id, accountId: "", plant },
  );
  const measured: EnergyStep[] = [];
  for (let dayMs = floorTo(fromMs, DAY_MS); dayMs < endMs; dayMs += DAY_MS) {
    measured.push(...(await history.measured({ start: new Date(dayMs), end: new Date(dayMs + DAY_MS) })));
  }
  return measured;
}
