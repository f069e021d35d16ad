import type { TimedValue } from "../core/domain/counter.js";
import { floorTo, QUARTER_MS } from "../core/domain/interval.js";
import { isCounter, type Reading } from "../core/domain/sample.js";
import { ALL_SERIES, decodeValue, encodeValue, seriesKey, timeOfKey } from "./sample-keys.js";
import type { SeriesDatabase, SeriesOperation } from "./series.js";

/** Days for which the history contains every reading; older ones are quarter-hour means. */
export const RAW_DAYS = 90;

/** Number of readings in memory at a time. */
const PORTION = 2_000;

/**
 * Thins every series from `fromMs` (-Infinity: its beginning) to `untilMs`, both on a quarter-hour, by `thinQuarter`. Returns
 * the number of dropped readings. Throws StoreError; changes made before the error remain.
 */
export async function thinHistory(
  database: SeriesDatabase,
  fromMs: number,
  untilMs: number,
): Promise<number> {
  let dropped = 0;
  for (
    let prefix = await nextSeries(database, "");
    prefix !== undefined;
    prefix = await nextSeries(database, prefix)
  ) {
    dropped += await thinSeries(database, prefix, fromMs, untilMs);
  }
  return dropped;
}

/** Prefix of the next series after `prefix`; undefined at the end. */
async function nextSeries(database: SeriesDatabase, prefix: string): Promise<string | undefined> {
  // "~" follows every digit of a time.
  const gte = prefix === "" ? ALL_SERIES.gte : `${prefix}~`;
  const [key] = await database.keys({ gte, lt: ALL_SERIES.lt, limit: 1 });
  return key?.slice(0, key.lastIndexOf("/") + 1);
}

async function thinSeries(
  database: SeriesDatabase,
  prefix: string,
  fromMs: number,
  untilMs: number,
): Promise<number> {
  const reading = prefix.split("/").at(-2) as Reading;
  let quarter: TimedValue[] = [];
  let operations: SeriesOperation[] = [];
  let dropped = 0;
  const closeQuarter = () => {
    const thinned = thinQuarter(reading, quarter);
    dropped += quarter.length - thinned.length;
    operations.push(...changes(prefix, quarter, thinned));
    quarter = [];
  };
  const range = { gte: seriesKey(prefix, fromMs), lt: seriesKey(prefix, untilMs) };
  for await (const portion of database.portions(range, PORTION)) {
    for (const [key, bytes] of portion) {
      const atMs = timeOfKey(key);
      const first = quarter[0]?.at.getTime();
      if (first !== undefined && floorTo(first, QUARTER_MS) !== floorTo(atMs, QUARTER_MS)) closeQuarter();
      quarter.push({ at: new Date(atMs), value: decodeValue(bytes) });
    }
    // A batch contains only complete quarter-hours, so that a kill between two batches leaves none partially thinned.
    await database.write(operations);
    operations = [];
  }
  closeQuarter();
  await database.write(operations);
  return dropped;
}

/** The operations that change `before` to `after`. */
function changes(
  prefix: string,
  before: readonly TimedValue[],
  after: readonly TimedValue[],
): SeriesOperation[] {
  const changed = new Map(after.map(({ at, value }) => [at.getTime(), value]));
  const operations: SeriesOperation[] = [];
  for (const { at, value } of before) {
    const atMs = at.getTime();
    if (!changed.has(atMs)) operations.push({ type: "del", key: seriesKey(prefix, atMs) });
    else if (changed.get(atMs) === value) changed.delete(atMs);
  }
  for (const [atMs, value] of changed) {
    operations.push({ type: "put", key: seriesKey(prefix, atMs), value: encodeValue(value) });
  }
  return operations;
}

/**
 * The readings of a quarter-hour (at least one, in order of time) after compaction:
 * - powers and SOC: their mean, dated to the start of the quarter-hour;
 * - counters: the last reading, and both sides of every fall, so that the energy between the remaining readings is
 *   unchanged;
 * - `ev_connected`: the last reading, because a mean has no meaning.
 * Idempotent.
 */
export function thinQuarter(reading: Reading, readings: readonly TimedValue[]): TimedValue[] {
  const last = readings.at(-1);
  if (last === undefined) return [];
  if (reading === "ev_connected") return [last];
  if (isCounter(reading)) {
    return readings.filter(
      ({ value }, index) =>
        index === readings.length - 1 ||
        readings[index + 1]!.value < value ||
        (index > 0 && readings[index - 1]!.value > value),
    );
  }
  const start = new Date(floorTo(last.at.getTime(), QUARTER_MS));
  const mean = readings.reduce((sum, { value }) => sum + value, 0) / readings.length;
  return [{ at: start, value: mean }];
}
