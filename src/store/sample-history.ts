import { floorTo } from "../core/domain/interval.js";
import type { LiveState, Reading, Sample } from "../core/domain/sample.js";
import { seriesKey, seriesPrefix } from "./sample-keys.js";
import type { SeriesDatabase } from "./series.js";

/** Samples of one call to be added to the history. */
export interface HistoryRequest {
  siteId: string;
  samples: readonly Sample[];
  /** The last reading of each kind so far: what is later is not in the database, and is not looked up. */
  latest: LiveState;
  /** Length of a window with at most one value per reading, ms; 0: no thinning. */
  thinMs: number;
}

/** Changes of a flush to the history. */
export interface HistoryPlan {
  /** Values by key. */
  puts: Map<string, number>;
  /** For each call, the number of samples whose readings were all stored before. */
  duplicates: number[];
}

/**
 * Determines which readings are added to the history: a stored one is replaced, a new one is added if its window is free.
 * Throws StoreError.
 */
export async function planHistory(
  database: SeriesDatabase,
  requests: readonly HistoryRequest[],
): Promise<HistoryPlan> {
  const keys = requests.flatMap(({ siteId, samples, latest }) =>
    samples.flatMap((sample) =>
      readingsOf(sample)
        .filter(([reading]) => sample.at.getTime() <= lastMs(latest, reading))
        .map(([reading]) => seriesKey(seriesPrefix(siteId, reading), sample.at.getTime())),
    ),
  );
  const found = keys.length === 0 ? [] : await database.hasMany(keys);
  const stored = new Set(keys.filter((_key, index) => found[index]));
  const windows = new ThinningWindows(
    database,
    requests.map(({ thinMs }) => thinMs),
  );
  const puts = new Map<string, number>();
  const duplicates: number[] = [];
  for (const { siteId, samples, latest, thinMs } of requests) {
    let count = 0;
    for (const sample of samples) {
      const atMs = sample.at.getTime();
      let isDuplicate = true;
      for (const [reading, value] of readingsOf(sample)) {
        const prefix = seriesPrefix(siteId, reading);
        const key = seriesKey(prefix, atMs);
        if (!stored.has(key)) {
          isDuplicate = false;
          if (await windows.isOccupied(prefix, atMs, thinMs, lastMs(latest, reading))) continue;
          stored.add(key);
          windows.occupy(prefix, atMs);
        }
        puts.set(key, value);
      }
      if (isDuplicate) count++;
    }
    duplicates.push(count);
  }
  return { puts, duplicates };
}

function lastMs(latest: LiveState, reading: Reading): number {
  return latest[reading]?.at.getTime() ?? -Infinity;
}

/** The readings of a sample. */
export function readingsOf(sample: Sample): [Reading, number][] {
  return (Object.entries(sample.values) as [Reading, number | undefined][]).filter(
    (entry): entry is [Reading, number] => entry[1] !== undefined,
  );
}

/**
 * The windows of the history that contain a reading, in the database or in the flush being prepared. A window is a cell of the
 * UTC grid of its length.
 */
export class ThinningWindows {
  readonly #database: SeriesDatabase;
  readonly #lengthsMs: readonly number[];
  readonly #occupied = new Map<string, boolean>();

  /** `lengthsMs`: all lengths that will be used; 0: no thinning. */
  constructor(database: SeriesDatabase, lengthsMs: readonly number[]) {
    this.#database = database;
    this.#lengthsMs = [...new Set(lengthsMs)].filter((length) => length > 0);
  }

  /** `lastMs`: the database has no later reading. */
  async isOccupied(prefix: string, atMs: number, lengthMs: number, lastMs: number): Promise<boolean> {
    if (lengthMs <= 0) return false;
    const startMs = floorTo(atMs, lengthMs);
    const name = `${lengthMs}/${prefix}${startMs}`;
    const known = this.#occupied.get(name);
    if (known !== undefined) return known;
    if (lastMs < startMs) return false;
    const range = { gte: seriesKey(prefix, startMs), lt: seriesKey(prefix, startMs + lengthMs), limit: 1 };
    const occupied = (await this.#database.keys(range)).length > 0;
    this.#occupied.set(name, occupied);
    return occupied;
  }

  /** Marks the windows of a reading added by this flush. */
  occupy(prefix: string, atMs: number): void {
    for (const lengthMs of this.#lengthsMs) {
      this.#occupied.set(`${lengthMs}/${prefix}${floorTo(atMs, lengthMs)}`, true);
    }
  }
}
