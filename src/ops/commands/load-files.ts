import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { USUAL_QUARTER_KWH } from "../../config/site-limits.js";
import { type EnergyStep, MINUTE_MS } from "../../core/domain/interval.js";
import type { MeterSeries } from "../../core/domain/meter.js";
import { boundSeries } from "../../money/meter/bound-series.js";
import { readMeterFile } from "../../money/meter/read.js";
import { MeterFileError } from "../../money/meter/types.js";
import { parseLoadFile } from "../../telemetry/load-file.js";
import { CommandError, type Terminal, unreadable } from "./command.js";

/**
 * The load of a file: `start_utc,import_kwh`, or any format of the meter reader, of which the draw from the grid is taken,
 * the share of an energy community included. Throws CommandError for anything else.
 */
export async function readLoadFile(path: string, terminal: Terminal): Promise<EnergyStep[]> {
  const bytes = bytesOf(path);
  if (/^[^\r\n]*start_utc/i.test(new TextDecoder().decode(bytes.subarray(0, 400)))) {
    return readColumn(path, bytes, "import_kwh", terminal);
  }
  const all = await readMeterFile(bytes, basename(path)).catch((error) => {
    throw error instanceof MeterFileError ? new CommandError(error.message) : error;
  });
  const series = all.map((one) => boundSeries(one, USUAL_QUARTER_KWH));
  const draw = series.find(({ direction }) => direction === "import");
  const rest = series.filter(
    ({ direction, isDelivered }) => direction === "residual" || (direction === "community" && !isDelivered),
  );
  const found = draw === undefined ? sumOf(rest) : stepsOf(draw);
  if (found.length > 0) return found;
  throw new CommandError(`${path} has no energy drawn from the grid, which the load is made of.`);
}

/** The PV of a file `start_utc,pv_kwh`; throws CommandError for anything else. */
export function readPvFile(path: string, terminal: Terminal): EnergyStep[] {
  return readColumn(path, bytesOf(path), "pv_kwh", terminal);
}

function bytesOf(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function readColumn(
  path: string,
  bytes: Uint8Array,
  column: "import_kwh" | "pv_kwh",
  terminal: Terminal,
): EnergyStep[] {
  const { load, problems } = parsed(path, bytes, column);
  for (const problem of problems) terminal.error(`${path}: ${problem}`);
  if (load.length > 0) return load;
  throw new CommandError(`${path} has no ${column}.`);
}

function parsed(path: string, bytes: Uint8Array, column: "import_kwh" | "pv_kwh") {
  try {
    return parseLoadFile(new TextDecoder().decode(bytes), column);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function stepsOf({ starts, values, stepMinutes }: MeterSeries): EnergyStep[] {
  return Array.from(starts, (startMs, index) => ({
    start: new Date(startMs),
    end: new Date(startMs + stepMinutes * MINUTE_MS),
    kwh: values[index]!,
  }));
}

/** Sum of series where the first one has a value. */
function sumOf([first, ...others]: readonly MeterSeries[]): EnergyStep[] {
  if (first === undefined) return [];
  const known = others.map(({ starts, values }) => new Map(Array.from(starts, (ms, t) => [ms, values[t]!])));
  return stepsOf(first).map((step) => ({
    ...step,
    kwh: known.reduce((sum, values) => sum + (values.get(step.start.getTime()) ?? 0), step.kwh),
  }));
}
