import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { PlantSettings, Settings } from "../../config/settings.js";
import { siteLimits } from "../../config/site-limits.js";
import { type EnergyStep, QUARTER_MS } from "../../core/domain/interval.js";
import { type BacktestSite, type HeldData, measuredSite } from "../../money/compare/past-site.js";
import { readMeterFile } from "../../money/meter/read.js";
import { drawOf } from "../../money/meter/series-source.js";
import { MeterFileError } from "../../money/meter/types.js";
import { parseLoadFile } from "../../telemetry/load-file.js";
import { textsOf } from "../../texts/index.js";
import {
  type ArgumentsOf,
  CommandError,
  configOption,
  jsonOption,
  type Terminal,
  unreadable,
  usageError,
  valueOption,
} from "./command.js";
import { loadConfiguration } from "./configuration.js";
import { type HeldDataRequest, heldData, type StoredPast } from "./held-data.js";

/** Options of a command about the past of a plant: which plant, and files in place of its stored data. */
export const pastOptions = {
  load: valueOption(
    "FILE",
    "Load of the site: CSV start_utc,import_kwh, or an export of the grid operator; default: imported or measured load, else the settings.",
  ),
  pv: valueOption(
    "FILE",
    "CSV start_utc,pv_kwh of the PV, quarter-hours or hours; default: measured, else the arrays in recorded weather.",
  ),
  weather: valueOption(
    "FILE",
    "Recorded weather at the plant, as the file source of weather; default: the file sources of the configuration.",
  ),
  prices: valueOption(
    "FILE",
    "CSV start_utc,eur_per_mwh; default: the data folder and the file sources of the configuration.",
  ),
  site: valueOption("ID", "Plant; default: the first one."),
  config: configOption,
  json: jsonOption,
};

/** The arguments of a command about the past of a plant. */
export type PastArguments = ArgumentsOf<typeof pastOptions>;

/** A plant of the configuration. */
export interface ChosenPlant {
  settings: Settings;
  plant: PlantSettings;
}

/** The plant of `--site` in the configuration. Throws CommandError if there is none. */
export function chosenPlant(args: PastArguments, terminal: Terminal): ChosenPlant {
  const { settings } = loadConfiguration(args, terminal);
  const id = args.options.site;
  const plant = settings.plants.find((one) => id === undefined || one.id === id);
  if (plant !== undefined) return { settings, plant };
  const known = settings.plants.map((one) => one.id).join(", ");
  throw usageError(`There is no plant "${id}"; the configuration has ${known}.`);
}

/** Prices, weather and measurements of a plant by the options. Throws CommandError if there are no prices. */
export function chosenData(
  { settings, plant }: ChosenPlant,
  request: Pick<HeldDataRequest, "from" | "instead" | "needsPrices">,
  args: PastArguments,
  terminal: Terminal,
): Promise<StoredPast> {
  const files = { pricesFile: args.options.prices, weatherFile: args.options.weather };
  return heldData(settings, plant, { ...files, ...request }, terminal);
}

/** Load and PV from the files, else from telemetry, the load else from the settings. Throws CommandError for an invalid file. */
export async function chosenSite(
  plant: PlantSettings,
  held: HeldData,
  args: PastArguments,
  terminal: Terminal,
): Promise<BacktestSite> {
  const files = { load: args.options.load, pv: args.options.pv };
  const limits = siteLimits(plant);
  const pv = files.pv === undefined ? undefined : readPvFile(files.pv, limits.pv.maxKw / 4, terminal);
  const stored = measuredSite(held);
  const withPv =
    pv !== undefined
      ? { pv: { measured: pv, name: `file ${basename(files.pv!)}` } }
      : stored.pv && { pv: stored.pv };
  if (files.load !== undefined) {
    const load = await readLoadFile(files.load, limits.load.maxKw / 4, terminal);
    return { measured: load, name: `file ${basename(files.load)}`, ...withPv };
  }
  if (stored.measured.length > 0) return { ...stored, ...withPv };
  return {
    measured: [],
    name: `settings, ${plant.load.daily_kwh} kWh a day, known to the plan`,
    ...withPv,
  };
}

/**
 * The load of a file: `start_utc,import_kwh`, or any format of the meter reader, of which the draw from the grid is taken,
 * the share of an energy community included. Throws CommandError for anything else.
 */
export async function readLoadFile(
  path: string,
  mostQuarterKwh: number,
  terminal: Terminal,
): Promise<EnergyStep[]> {
  const bytes = bytesOf(path);
  if (/^[^\r\n]*start_utc/i.test(new TextDecoder().decode(bytes.subarray(0, 400)))) {
    return readColumn(path, { bytes, column: "import_kwh", mostQuarterKwh }, terminal);
  }
  const all = await readMeterFile(bytes, basename(path)).catch((error) => {
    throw error instanceof MeterFileError ? new CommandError(error.message) : error;
  });
  const found = possibleSteps(path, await drawOf(all), { mostQuarterKwh, terminal });
  if (found.length > 0) return found;
  throw new CommandError(`${path} has no energy drawn from the grid, which the load is made of.`);
}

/** The PV of a file `start_utc,pv_kwh`; throws CommandError for anything else. */
export function readPvFile(path: string, mostQuarterKwh: number, terminal: Terminal): EnergyStep[] {
  return readColumn(path, { bytes: bytesOf(path), column: "pv_kwh", mostQuarterKwh }, terminal);
}

function bytesOf(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

interface ColumnFile {
  bytes: Uint8Array;
  column: "import_kwh" | "pv_kwh";
  mostQuarterKwh: number;
}

function readColumn(
  path: string,
  { bytes, column, mostQuarterKwh }: ColumnFile,
  terminal: Terminal,
): EnergyStep[] {
  const { load, problems } = parsed(path, bytes, column);
  for (const problem of problems) terminal.error(`${path}: ${problem}`);
  const possible = possibleSteps(path, load, { mostQuarterKwh, terminal });
  if (possible.length > 0) return possible;
  throw new CommandError(`${path} has no ${column}.`);
}

/** The steps that can be; the others are named. */
function possibleSteps(
  path: string,
  steps: readonly EnergyStep[],
  { mostQuarterKwh, terminal }: { mostQuarterKwh: number; terminal: Terminal },
): EnergyStep[] {
  const isPossible = ({ start, end, kwh }: EnergyStep) =>
    kwh <= (mostQuarterKwh * (end.getTime() - start.getTime())) / QUARTER_MS;
  const wrong = steps.filter((step) => !isPossible(step));
  if (wrong[0] !== undefined) {
    const { start, kwh } = wrong[0];
    const about = { code: "impossible", count: wrong.length, start: start.toISOString(), kwh } as const;
    terminal.error(`${path}: ${textsOf("en").meter.warning(about)}`);
  }
  return steps.filter(isPossible);
}

function parsed(path: string, bytes: Uint8Array, column: "import_kwh" | "pv_kwh") {
  try {
    return parseLoadFile(new TextDecoder().decode(bytes), column);
  } catch (error) {
    throw unreadable(path, error);
  }
}
