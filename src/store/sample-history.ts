import { READING_NAMES, type Reading, type Sample } from "../domain/sample.js";
import { seriesKey, seriesPrefix } from "./sample-keys.js";
import type { SeriesDatabase } from "./series.js";
import { ThinningWindows } from "./thinning-windows.js";

/** Samples of one call on their way to history. */
export interface HistoryRequest {
  siteId: string;
  samples: readonly Sample[];
  /** Length of a window that takes one value a reading, ms; 0 takes all. */
  thinMs: number;
}

/** What a flush does to history. */
export interface HistoryPlan {
  /** Values by key. */
  puts: Map<string, number>;
  /** Of each call, how many samples had all their readings held before. */
  duplicates: number[];
}

/**
 * Which readings of the calls go to history: one that is held already is replaced, a new one must find its window free.
 * Throws StoreError.
 */
export async function planHistory(
  database: SeriesDatabase,
  requests: readonly HistoryRequest[],
): Promise<HistoryPlan> {
  const keys = requests.flatMap(({ siteId, samples }) =>
    samples.flatMap((sample) =>
      readingsOf(sample).map(([reading]) => seriesKey(seriesPrefix(siteId, reading), sample.at.getTime())),
    ),
  );
  const found = await database.hasMany(keys);
  const held = new Set(keys.filter((_key, index) => found[index]));
  const windows = new ThinningWindows(
    database,
    requests.map(({ thinMs }) => thinMs),
  );
  const puts = new Map<string, number>();
  const duplicates: number[] = [];
  for (const { siteId, samples, thinMs } of requests) {
    let count = 0;
    for (const sample of samples) {
      const atMs = sample.at.getTime();
      let isDuplicate = true;
      for (const [reading, value] of readingsOf(sample)) {
        const prefix = seriesPrefix(siteId, reading);
        const key = seriesKey(prefix, atMs);
        if (!held.has(key)) {
          isDuplicate = false;
          if (await windows.isOccupied(prefix, atMs, thinMs)) continue;
          held.add(key);
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

/** The readings that a sample has. */
export function readingsOf(sample: Sample): [Reading, number][] {
  const readings: [Reading, number][] = [];
  for (const reading of READING_NAMES) {
    const value = sample.values[reading];
    if (value !== undefined) readings.push([reading, value]);
  }
  return readings;
}
