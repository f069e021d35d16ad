import { firstProblems, readCsv, rowProblem } from "../core/csv.js";
import type { EnergyStep } from "../core/domain/interval.js";
import { MINUTE_MS, QUARTER_MS } from "../core/domain/interval.js";
import { parseTime } from "../core/time/zone.js";
import { lengthsOf } from "../forecast/market/points.js";

/** Largest plausible load of a site in an hour, kWh. */
const MOST_KWH = 10_000;

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
  const table = readCsv(text);
  const startColumn = table.names.indexOf("start_utc");
  const energyColumn = table.names.indexOf(column);
  if (startColumn < 0 || energyColumn < 0)
    throw new Error(`Line 1 must be a header that names the columns start_utc and ${column}.`);

  const starts = new Map<number, number>();
  const problems: string[] = [];
  for (const row of table.rows) {
    const cell = row.cells[energyColumn] ?? "";
    const startMs = parseTime(row.cells[startColumn] ?? "", "UTC")?.getTime() ?? Number.NaN;
    const kwh = cell === "" ? Number.NaN : Number(table.hasSemicolons ? cell.replace(",", ".") : cell);
    const problem =
      Number.isNaN(startMs) || startMs % QUARTER_MS !== 0
        ? "the start is not a time on a quarter-hour"
        : cell !== "" && !(kwh >= 0 && kwh <= MOST_KWH)
          ? `the energy is not a number from 0 to ${MOST_KWH} kWh`
          : undefined;
    if (problem === undefined) starts.set(startMs, kwh);
    else problems.push(rowProblem(row, problem, table));
  }
  return { load: loadOf(starts), problems: firstProblems(problems) };
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
