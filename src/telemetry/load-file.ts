import type { EnergyStep } from "../core/domain/interval.js";
import { MINUTE_MS, QUARTER_MS } from "../core/domain/interval.js";
import { parseTime } from "../core/time/zone.js";
import { lengthsOf } from "../forecast/market/points.js";

/** Largest plausible load of a site in an hour, kWh. */
const MOST_KWH = 10_000;
/** Number of invalid lines that are described one by one. */
const DESCRIBED_LINES = 5;

export interface LoadFile {
  load: EnergyStep[];
  /** One sentence per invalid line for the first ones, then the number of others. */
  problems: string[];
}

/**
 * Reads the load history of a site, as exported from the portals of grid operators: CSV with a header line and at
 * least the columns `start_utc` and `import_kwh`, quarter-hours or hours in any order; an empty cell is a gap. Times
 * without an offset are UTC. Throws an Error without a usable header.
 */
export function parseLoadFile(text: string, column: "import_kwh" | "pv_kwh" = "import_kwh"): LoadFile {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  const header = lines[0] ?? "";
  const separator = header.includes(";") ? ";" : ",";
  const cells = (line: string) => line.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));
  const names = cells(header).map((name) => name.toLowerCase());
  const startColumn = names.indexOf("start_utc");
  const energyColumn = names.indexOf(column);
  if (startColumn < 0 || energyColumn < 0)
    throw new Error(`Line 1 must be a header that names the columns start_utc and ${column}.`);

  const rows = new Map<number, number>();
  const problems: string[] = [];
  for (let index = 1; index < lines.length; index++) {
    const line = lines[index]!;
    if (line.trim() === "") continue;
    const row = cells(line);
    const energy = (row[energyColumn] ?? "").replace(
      separator === ";" ? "," : "",
      separator === ";" ? "." : "",
    );
    const startMs = parseTime(row[startColumn] ?? "", "UTC")?.getTime() ?? Number.NaN;
    const kwh = energy === "" ? Number.NaN : Number(energy);
    const problem =
      Number.isNaN(startMs) || startMs % QUARTER_MS !== 0
        ? "the start is not a time on a quarter-hour"
        : energy !== "" && !(kwh >= 0 && kwh <= MOST_KWH)
          ? `the energy is not a number from 0 to ${MOST_KWH} kWh`
          : undefined;
    if (problem === undefined) rows.set(startMs, kwh);
    else problems.push(`Line ${index + 1}: ${problem} ("${line.slice(0, 60)}").`);
  }
  return { load: loadOf(rows), problems: shorten(problems) };
}

/** NaN is a gap: it has no load, but counts for the length of its neighbours. */
function loadOf(rows: ReadonlyMap<number, number>): EnergyStep[] {
  const starts = Float64Array.from(rows.keys()).sort();
  const lengths = lengthsOf(starts);
  const load: EnergyStep[] = [];
  starts.forEach((startMs, index) => {
    const kwh = rows.get(startMs)!;
    const end = new Date(startMs + lengths[index]! * MINUTE_MS);
    if (!Number.isNaN(kwh)) load.push({ start: new Date(startMs), end, kwh });
  });
  return load;
}

function shorten(problems: string[]): string[] {
  if (problems.length <= DESCRIBED_LINES) return problems;
  const more = problems.length - DESCRIBED_LINES;
  return [...problems.slice(0, DESCRIBED_LINES), `${more} more lines could not be read.`];
}
