import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { PlantSettings, Settings } from "../../config/settings.js";
import type { EnergyStep } from "../../core/domain/interval.js";
import type { PricePoint } from "../../core/domain/price.js";
import { PriceSeries } from "../../forecast/market/price-series.js";
import { EMPTY_PV_LEARNING } from "../../forecast/pv/learning.js";
import { parseWeatherFile } from "../../forecast/weather/sources/file-format.js";
import { WeatherSeries } from "../../forecast/weather/weather-series.js";
import { withZeros } from "../../money/compare/market-prices.js";
import { type MeteredInstead, meteredInstead } from "../../money/compare/metered-site.js";
import { pastEnergies, pastStretch } from "../../money/compare/past-energies.js";
import type { HeldData } from "../../money/compare/past-site.js";
import { StoreError } from "../../store/errors.js";
import { storePlace } from "../../store/place.js";
import { CommandError, type Terminal, unreadable } from "./command.js";
import { hasData, withStore } from "./data-folder.js";
import { readPriceFile } from "./import-prices.js";

/** Stored prices and measurements, and what is compared instead where the load behind the meter is not known. */
export type StoredPast = HeldData & { metered?: MeteredInstead | undefined; needsPrices: boolean };

/**
 * Prices and measured load. Prices come from `pricesFile` if given; else from the data folder, overridden by the file
 * sources of the configuration. While a gateway uses the folder, a warning is printed and only files are read. Throws
 * CommandError if there are no prices at all, and they are needed.
 */
export async function heldData(
  settings: Settings,
  plant: PlantSettings,
  { pricesFile, weatherFile, from, instead, needsPrices = true }: HeldDataRequest,
  terminal: Terminal,
): Promise<StoredPast> {
  const files = pricesOfFiles(settings, pricesFile, terminal);
  const weather = weatherOfFiles(settings, weatherFile, terminal);
  const place = storePlace(settings);
  let series = PriceSeries.empty;
  let measured: EnergyStep[] = [];
  let measuredPv: EnergyStep[] = [];
  let pvLearning = EMPTY_PV_LEARNING;
  let metered: MeteredInstead | undefined;
  const names: string[] = [];
  if (hasData(settings)) {
    try {
      await withStore(settings, terminal, async (store) => {
        if (pricesFile === undefined) series = PriceSeries.of(await store.prices.load());
        if (!series.isEmpty)
          names.push(settings.store.postgres.url === null ? `data folder ${place}` : place);
        for (const { points } of files) series = series.with(points);
        if (!needsPrices) series = withZeros(series, await pastStretch(store, plant, from));
        ({ measured, measuredPv, pvLearning } = await pastEnergies(store, plant, { series, from }));
        const held = { series, prices: "", measured, measuredPv, pvLearning, weather };
        if (instead !== undefined && !series.isEmpty)
          metered = await meteredInstead(store, plant, { held, ...instead });
      });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      terminal.error(
        error.code === "storage_in_use"
          ? `A gateway is running on ${place}: its stored data is left out here. Stop it to include its data.`
          : error.message,
      );
    }
  }
  for (const { path, points } of files) {
    series = series.with(points);
    names.push(`file ${basename(path)}`);
  }
  if (series.isEmpty && (needsPrices || instead !== undefined))
    throw new CommandError(
      "No prices are stored: run the gateway for some weeks, import prices (hourgate import prices FILE), or use --prices FILE.",
    );
  return {
    series,
    prices: names.join(", "),
    measured,
    measuredPv,
    pvLearning,
    weather,
    metered,
    needsPrices,
  };
}

/** Which data to read; files in place of the stored ones. */
export interface HeldDataRequest {
  pricesFile?: string | undefined;
  weatherFile?: string | undefined;
  from?: Date | undefined;
  /** false: 0 stands for prices that are not known of what is stored. */
  needsPrices?: boolean;
  /** Also read what can be compared where the load is not known; left out: not. */
  instead?: { wanted: { from?: Date; to?: Date }; hasPvFile: boolean } | undefined;
}

/** Weather of the given file, which must be readable, else of the readable file sources of the configuration. */
function weatherOfFiles(settings: Settings, named: string | undefined, terminal: Terminal): WeatherSeries {
  const configured = settings.weather.sources.flatMap((source) =>
    source.type === "file" && source.enabled ? [source.path] : [],
  );
  let weather = WeatherSeries.empty;
  // The first source is the preferred one.
  for (const path of named === undefined ? configured.reverse() : [named]) {
    try {
      weather = weather.with(parseWeatherFile(readFileSync(path, "utf8")).hours);
    } catch (error) {
      const problem = unreadable(path, error);
      if (named !== undefined) throw problem;
      terminal.error(problem.message);
    }
  }
  return weather;
}

/** The given file, which must be readable, else the readable file sources of the configuration. */
function pricesOfFiles(
  settings: Settings,
  named: string | undefined,
  terminal: Terminal,
): { path: string; points: PricePoint[] }[] {
  const configured = settings.market.sources.flatMap((source) =>
    source.type === "file" && source.enabled ? [source.path] : [],
  );
  const files: { path: string; points: PricePoint[] }[] = [];
  for (const path of named === undefined ? configured : [named]) {
    try {
      const { points, problems } = readPriceFile(path);
      for (const problem of problems) terminal.error(`${path}: ${problem}`);
      if (points.length > 0) files.push({ path, points });
    } catch (error) {
      if (!(error instanceof CommandError) || named !== undefined) throw error;
      terminal.error(error.message);
    }
  }
  return files;
}
