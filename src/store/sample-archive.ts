import type { TimedValue } from "../core/domain/counter.js";
import { MAX_AHEAD_MS } from "../core/domain/freshness.js";
import { DAY_MS, floorTo, QUARTER_MS } from "../core/domain/interval.js";
import type { LiveState, Reading, Sample } from "../core/domain/sample.js";
import { BatchQueue } from "../core/work/batch-queue.js";
import { SerialQueue } from "../core/work/serial-queue.js";
import { StoreError } from "./errors.js";
import { type HistoryRequest, planHistory, readingsOf } from "./sample-history.js";
import {
  ALL_LATEST,
  decodeLatest,
  decodeValue,
  encodeLatest,
  encodeValue,
  isStorableTime,
  latestPrefix,
  partsOfLatestKey,
  seriesKey,
  seriesPrefix,
  timeOfKey,
} from "./sample-keys.js";
import { RAW_DAYS, thinHistory } from "./sample-retention.js";
import type { SeriesDatabase, SeriesOperation } from "./series.js";

/** Result of one `append`. */
export interface Appended {
  /** Number of samples whose readings were all stored before. */
  duplicates: number;
  /** The samples that changed the live state, in order. */
  moved: Sample[];
  /** The live state after them. */
  latest: LiveState;
}

interface Request extends Omit<HistoryRequest, "latest"> {
  now: Date | undefined;
}

/** Maximum number of readings in one flush, to bound its duration. */
const READINGS_PER_FLUSH = 8_000;
/** Up to this time (ms since the epoch) history is thinned. */
export const THINNED_KEY = "meta/thinned-until";

/**
 * Telemetry on disk: each reading by site, name and time, and the latest readings of each site, including those that thinning
 * keeps out of the history. Calls during a flush share the next one.
 */
export class SampleArchive {
  readonly #database: SeriesDatabase;
  readonly #writes = new BatchQueue<Request, Appended>((requests) => this.#flush(requests), {
    sizeOf: ({ samples }) => samples.reduce((sum, sample) => sum + readingsOf(sample).length, 0),
    mostPerBatch: READINGS_PER_FLUSH,
  });
  readonly #latest = new Map<string, LiveState>();
  #loading: Promise<void> | undefined;
  readonly #compactions = new SerialQueue();
  #thinnedUntilMs: number;
  /** Start of the running compaction; until its end, the mark on disk must not be later. */
  #scanFromMs = Number.POSITIVE_INFINITY;
  #closed = false;

  private constructor(database: SeriesDatabase, thinnedUntilMs: number) {
    this.#database = database;
    this.#thinnedUntilMs = thinnedUntilMs;
  }

  static async open(database: SeriesDatabase): Promise<SampleArchive> {
    const mark = await database.get(THINNED_KEY);
    return new SampleArchive(database, mark === undefined ? Number.NEGATIVE_INFINITY : decodeValue(mark));
  }

  /**
   * Stores samples; flushed to disk when it resolves. For the same site, instant and reading the last value wins. With
   * `thinSeconds` a reading is added to the history only if there is none yet in the same window of that length (by the
   * reading's time); the latest state always includes it. With `now` latest readings with a time in the future are replaced.
   * Throws StoreError, RangeError for an invalid sample.
   */
  async append(siteId: string, samples: readonly Sample[], thinSeconds = 0, now?: Date): Promise<Appended> {
    if (this.#closed)
      throw new StoreError("storage_unavailable", "The telemetry store is closed; the gateway is stopping.");
    for (const sample of samples) assertStorable(sample);
    return this.#writes.add({ siteId, samples, thinMs: thinSeconds * 1000, now });
  }

  /** The latest value of each reading of a site; the first call reads those of all sites. Throws StoreError. */
  async latest(siteId: string): Promise<LiveState> {
    this.#loading ??= this.#load();
    await this.#loading;
    return this.#latest.get(siteId) ?? {};
  }

  /** History of one reading from `from` (inclusive) to `to` (exclusive), in order of time. Throws StoreError. */
  async range(siteId: string, reading: Reading, from: Date, to: Date): Promise<TimedValue[]> {
    if (from >= to) return [];
    const prefix = seriesPrefix(siteId, reading);
    const range = { gte: seriesKey(prefix, from.getTime()), lt: seriesKey(prefix, to.getTime()) };
    const entries = await this.#database.entries(range);
    return entries.map(([key, bytes]) => ({ at: new Date(timeOfKey(key)), value: decodeValue(bytes) }));
  }

  /** The last value of a reading before `at`, not before `from`; undefined if there is none. Throws StoreError. */
  async lastBefore(siteId: string, reading: Reading, from: Date, at: Date): Promise<TimedValue | undefined> {
    const prefix = seriesPrefix(siteId, reading);
    const range = { gte: seriesKey(prefix, from.getTime()), lt: seriesKey(prefix, at.getTime()) };
    const [entry] = await this.#database.entries({ ...range, limit: 1, reverse: true });
    return entry && { at: new Date(timeOfKey(entry[0])), value: decodeValue(entry[1]) };
  }

  /** Time of the first value of a reading; undefined if there is none. Throws StoreError. */
  async firstAt(siteId: string, reading: Reading): Promise<Date | undefined> {
    const prefix = seriesPrefix(siteId, reading);
    const [key] = await this.#database.keys({ gte: prefix, lt: `${prefix}~`, limit: 1 });
    return key === undefined ? undefined : new Date(timeOfKey(key));
  }

  /** The history of one reading in portions, for ranges too long for memory. */
  async *portions(siteId: string, reading: Reading, from: Date, to: Date): AsyncGenerator<TimedValue[]> {
    const prefix = seriesPrefix(siteId, reading);
    const range = { gte: seriesKey(prefix, from.getTime()), lt: seriesKey(prefix, to.getTime()) };
    for await (const portion of this.#database.portions(range, 1000)) {
      yield portion.map(([key, bytes]) => ({ at: new Date(timeOfKey(key)), value: decodeValue(bytes) }));
    }
  }

  /**
   * Thins readings older than 90 days to quarter-hours, from the end of the last compaction or the oldest late sample since
   * then. Returns the number of dropped readings. Idempotent. Throws StoreError.
   */
  compact(now: Date): Promise<number> {
    return this.#compactions.run(() => this.#compact(now));
  }

  /** Rejects further calls and resolves when all accepted samples are flushed. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#writes.idle(), this.#compactions.idle()]);
  }

  async #load(): Promise<void> {
    try {
      for (const [key, bytes] of await this.#database.entries(ALL_LATEST)) {
        const { siteId, reading } = partsOfLatestKey(key);
        this.#latest.set(siteId, { ...this.#latest.get(siteId), [reading]: decodeLatest(bytes) });
      }
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
  }

  async #flush(group: readonly Request[]): Promise<Appended[]> {
    const live = new Map<string, LiveState>();
    for (const { siteId } of group) live.set(siteId, await this.latest(siteId));
    const { puts, duplicates } = await planHistory(
      this.#database,
      group.map((request) => ({ ...request, latest: live.get(request.siteId)! })),
    );
    const appended = group.map(({ siteId, samples, now }, index): Appended => {
      const moved: Sample[] = [];
      let latest = live.get(siteId)!;
      for (const sample of samples) {
        const next = advance(latest, sample, now);
        if (next !== latest) moved.push(sample);
        latest = next;
      }
      live.set(siteId, latest);
      return { duplicates: duplicates[index]!, moved, latest };
    });

    const operations: SeriesOperation[] = [];
    let oldestMs = Number.POSITIVE_INFINITY;
    for (const [key, value] of puts) {
      operations.push({ type: "put", key, value: encodeValue(value) });
      oldestMs = Math.min(oldestMs, timeOfKey(key));
    }
    for (const [siteId, latest] of live) {
      const before = this.#latest.get(siteId);
      for (const [reading, entry] of Object.entries(latest) as [Reading, LiveState[Reading]][]) {
        if (entry === undefined || entry === before?.[reading]) continue;
        operations.push({ type: "put", key: latestPrefix(siteId) + reading, value: encodeLatest(entry) });
      }
    }
    if (oldestMs < this.#thinnedUntilMs) {
      this.#thinnedUntilMs = floorTo(oldestMs, QUARTER_MS);
      const mark = encodeValue(Math.min(this.#thinnedUntilMs, this.#scanFromMs));
      operations.push({ type: "put", key: THINNED_KEY, value: mark });
    }
    await this.#database.write(operations);
    for (const [siteId, latest] of live) this.#latest.set(siteId, latest);
    return appended;
  }

  async #compact(now: Date): Promise<number> {
    const fromMs = this.#thinnedUntilMs;
    const untilMs = floorTo(now.getTime() - RAW_DAYS * DAY_MS, QUARTER_MS);
    if (fromMs >= untilMs) return 0;
    this.#scanFromMs = fromMs;
    // Set before the scan: a late sample during the scan moves the mark back.
    this.#thinnedUntilMs = untilMs;
    try {
      const dropped = await thinHistory(this.#database, fromMs, untilMs);
      await this.#database.write([
        { type: "put", key: THINNED_KEY, value: encodeValue(this.#thinnedUntilMs) },
      ]);
      return dropped;
    } catch (error) {
      this.#thinnedUntilMs = Math.min(this.#thinnedUntilMs, fromMs);
      throw error;
    } finally {
      this.#scanFromMs = Number.POSITIVE_INFINITY;
    }
  }
}

function assertStorable(sample: Sample): void {
  if (!isStorableTime(sample.at.getTime())) throw new RangeError("A sample needs a valid time.");
  for (const [reading, value] of readingsOf(sample)) {
    if (!Number.isFinite(value)) throw new RangeError(`${reading} must be a finite number.`);
  }
}

/**
 * The live state after a sample: a reading is replaced by one of the same or a later time. A reading dated ahead of `now`
 * was taken before the clock was set back, and is replaced too. Returns `live` itself if nothing changes.
 */
function advance(live: LiveState, sample: Sample, now?: Date): LiveState {
  const latestMs = now === undefined ? Infinity : now.getTime() + MAX_AHEAD_MS;
  let next = live;
  for (const [reading, value] of readingsOf(sample)) {
    const last = live[reading];
    const isKnown = last !== undefined && +last.at === +sample.at && last.value === value;
    const isNewer = last !== undefined && last.at > sample.at && +last.at <= latestMs;
    if (isKnown || isNewer) continue;
    next = { ...next, [reading]: { value, at: sample.at } };
  }
  return next;
}
