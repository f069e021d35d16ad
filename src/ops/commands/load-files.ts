import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { type EnergyStep, QUARTER_MS } from "../../core/domain/interval.js";
import { readMeterFile } from "../../money/meter/read.js";
import { drawOf } from "../../money/meter/series-source.js";
import { MeterFileError } from "../../money/meter/types.js";
import { parseLoadFile } from "../../telemetry/load-file.js";
import { textsOf } from "../../texts/index.js";
import { CommandError, type Terminal, unreadable } from "./command.js";

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
