import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../core/domain/interval.js";
import { errorMessage } from "../../../core/error-message.js";
import type { Log } from "../../../core/log.js";
import { backoffMs } from "../../../core/net/backoff.js";
import { FetchError } from "../../../core/net/fetch.js";
import type { Cancel, Clock } from "../../../core/time/clock.js";
import { HOUR_WIDTH, type WeatherTable } from "../../price/forecast-issue-set.js";
import { type OpenMeteoPastRuns, PAST_DAYS, type PastRuns } from "../sources/open-meteo-points.js";
import { countryWeather } from "./aggregate.js";

/** Beginning of the archive. */
const FIRST_DAY_MS = Date.UTC(2024, 1, 1);
/** Days of a request; each counts as about sixty of the 5000 free calls per hour. */
const CHUNK_DAYS = 28;
/** Pause before each request. */
const PAUSE_MS = MINUTE_MS;
/** Consecutive failures after which fetching ends until the next start. */
const MOST_FAILURES = 8;

export interface HistoryFetcherOptions {
  pastRuns: Pick<OpenMeteoPastRuns, "load">;
  /** Clock of the pauses, also in a replay. */
  wall: Clock;
  random: () => number;
  log: Log;
  /** Days (midnight UTC, ms) without a stored issue, the newest first. */
  missingDays: () => number[];
  /** Stores the issues of days; undefined for a day without result. */
  store: (days: ReadonlyMap<number, WeatherTable | undefined>) => void;
  /** Called at the end if any issue was received. */
  onDone: () => void;
}

/**
 * Fetches the forecasts of past days in requests of four weeks with pauses, the newest first. Stored days are not requested
 * again after a restart; failed requests are repeated with backoff, and given up until the next start after several failures.
 */
export class HistoryFetcher {
  readonly #options: HistoryFetcherOptions;
  readonly #ended = new AbortController();
  #cancel: Cancel = () => {};
  #running: Promise<void> = Promise.resolve();
  #isRunning = false;
  #failures = 0;
  #received = 0;

  constructor(options: HistoryFetcherOptions) {
    this.#options = options;
  }

  /** Starts if days are missing; may be called again when other days are required. */
  start(): void {
    if (this.#ended.signal.aborted || this.#isRunning || this.#nextChunk().length === 0) return;
    this.#failures = 0;
    this.#after(PAUSE_MS);
  }

  /** Cancels pauses and requests. */
  async stop(): Promise<void> {
    this.#ended.abort();
    this.#cancel();
    await this.#running;
  }

  #after(waitMs: number): void {
    const { wall } = this.#options;
    this.#isRunning = true;
    this.#cancel = wall.at(new Date(wall.now().getTime() + waitMs), () => {
      this.#running = this.#step().then((nextMs) => {
        if (nextMs !== undefined) this.#after(nextMs);
        else this.#isRunning = false;
      });
    });
  }

  /** The newest missing days that fit in one request, in order of time. */
  #nextChunk(): number[] {
    const missing = this.#options.missingDays().filter((day) => day >= FIRST_DAY_MS);
    const newest = missing[0];
    if (newest === undefined) return [];
    return missing.filter((day) => day > newest - CHUNK_DAYS * DAY_MS).reverse();
  }

  /** Sends one request. Resolves with the pause before the next one, ms; undefined if there is none. */
  async #step(): Promise<number | undefined> {
    const { store, log, onDone, pastRuns, random } = this.#options;
    const days = this.#nextChunk();
    if (days.length === 0) return undefined;
    const [first, last] = [days[0]!, days.at(-1)!];
    try {
      const runs = await pastRuns.load(dateOf(first), dateOf(last + PAST_DAYS * DAY_MS), this.#ended.signal);
      if (this.#ended.signal.aborted) return undefined;
      const issues = new Map(pastIssues(runs, days).map((table) => [table.startMs, table]));
      store(new Map(days.map((day) => [day, issues.get(day)])));
      this.#received += issues.size;
      this.#failures = 0;
    } catch (error) {
      if (this.#ended.signal.aborted) return undefined;
      this.#failures++;
      const reason = errorMessage(error);
      const sentence = "Weather forecasts of past days are not available; prices are forecast without them.";
      if (this.#failures === 1) log.warn({ reason }, sentence);
      if (this.#failures >= MOST_FAILURES) return undefined;
      const retryAfterMs = error instanceof FetchError ? error.retryAfterMs : undefined;
      return Math.max(PAUSE_MS, backoffMs(this.#failures + 4, random, retryAfterMs));
    }
    if (this.#nextChunk().length > 0) return PAUSE_MS;
    if (this.#received === 0) return undefined;
    log.info(
      { days: this.#received },
      "Weather forecasts of past days were received; the price model can be trained with them.",
    );
    onDone();
    return undefined;
  }
}

function dateOf(dayMs: number): string {
  return new Date(dayMs).toISOString().slice(0, 10);
}

/** The issue of a day is the newest by 11:00 UTC, when the prices of the next day are published in summer. */
export const ISSUE_HOUR = 11;
/**
 * Delay between the start of a model run and its availability; the slowest of the models used take seven to eight hours.
 */
const RUN_DELAY_MS = 8 * HOUR_MS;
/** Hours of an issue, from midnight UTC of its day. */
const ISSUE_HOURS = 10 * 24;
/** Minimum number of known hours of an issue. */
const LEAST_HOURS = 48;

/**
 * The forecasts known at 11:00 UTC of past days, composed of the forecasts made one to seven days before each hour: for each
 * hour the newest one available by then. Days (midnight UTC, ms) with too few known hours are omitted.
 */
export function pastIssues(runs: PastRuns, days: readonly number[]): WeatherTable[] {
  const tables = runs.map(({ places, hours }) => countryWeather(places, hours));
  return days.flatMap((dayMs) => {
    const issuedAtMs = dayMs + ISSUE_HOUR * HOUR_MS;
    const values = new Float32Array(ISSUE_HOURS * HOUR_WIDTH).fill(Number.NaN);
    let known = 0;
    for (let hour = 0; hour < ISSUE_HOURS; hour++) {
      const at = dayMs + hour * HOUR_MS;
      const daysBefore = Math.max(1, Math.ceil((at + RUN_DELAY_MS - issuedAtMs) / DAY_MS));
      const run = runs[daysBefore - 1];
      const index = run === undefined ? -1 : (at - run.startMs) / HOUR_MS;
      if (run === undefined || index < 0 || index >= run.hours) continue;
      const row = tables[daysBefore - 1]!.subarray(index * HOUR_WIDTH, (index + 1) * HOUR_WIDTH);
      values.set(row, hour * HOUR_WIDTH);
      if (row.some((value) => !Number.isNaN(value))) known++;
    }
    return known < LEAST_HOURS ? [] : [{ issuedAtMs, startMs: dayMs, values }];
  });
}
