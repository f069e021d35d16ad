import { DAY_MS, MINUTE_MS } from "../../domain/interval.js";
import { errorMessage } from "../../error-message.js";
import type { WeatherTable } from "../../forecast/forecast-issue-set.js";
import type { Log } from "../../log.js";
import { backoffMs } from "../../net/backoff.js";
import { FetchError } from "../../net/fetch.js";
import type { Cancel, Clock } from "../../time/clock.js";
import { type OpenMeteoPastRuns, PAST_DAYS } from "../sources/open-meteo-points.js";
import { pastIssues } from "./past-issues.js";

/** Nothing was archived before. */
const FIRST_DAY_MS = Date.UTC(2024, 1, 1);
/** Days of a request: what is asked for counts as some sixty calls of the service's free 5000 an hour. */
const CHUNK_DAYS = 28;
/** Between two requests, and before the first one: nobody waits for them. */
const PAUSE_MS = MINUTE_MS;
/** Failures in a row after which it is left for the next start. */
const MOST_FAILURES = 8;

export interface HistoryFetcherOptions {
  pastRuns: Pick<OpenMeteoPastRuns, "ask">;
  /** Pauses are of the wall clock, also in a replay. */
  wall: Clock;
  random: () => number;
  log: Log;
  /** Days (midnight UTC, ms) of which no issue is held, the newest first. */
  missingDays: () => number[];
  /** Takes the issues of days; undefined for a day of which nothing is to be had. */
  keep: (days: ReadonlyMap<number, WeatherTable | undefined>) => void;
  /** Called when there is nothing left to ask for, unless nothing came. */
  onDone: () => void;
}

/**
 * Fetches the forecasts of past days, four weeks at a time with a pause between, the newest first. What has come is not asked for
 * again after a restart; what fails is tried again after a while, and left for the next start when it keeps failing.
 */
export class HistoryFetcher {
  readonly #options: HistoryFetcherOptions;
  readonly #ended = new AbortController();
  #cancel: Cancel = () => {};
  #asking: Promise<void> = Promise.resolve();
  #isUnderWay = false;
  #failures = 0;
  #came = 0;

  constructor(options: HistoryFetcherOptions) {
    this.#options = options;
  }

  /** Begins where something is missing; also once more, when other days are wanted than before. */
  start(): void {
    if (this.#ended.signal.aborted || this.#isUnderWay || this.#nextChunk().length === 0) return;
    this.#failures = 0;
    this.#after(PAUSE_MS);
  }

  /** Ends waiting and asking. */
  async stop(): Promise<void> {
    this.#ended.abort();
    this.#cancel();
    await this.#asking;
  }

  #after(waitMs: number): void {
    const { wall } = this.#options;
    this.#isUnderWay = true;
    this.#cancel = wall.at(new Date(wall.now().getTime() + waitMs), () => {
      this.#asking = this.#step().then((nextMs) => {
        if (nextMs !== undefined) this.#after(nextMs);
        else this.#isUnderWay = false;
      });
    });
  }

  /** The newest missing days that one request can tell, in order of time. */
  #nextChunk(): number[] {
    const missing = this.#options.missingDays().filter((day) => day >= FIRST_DAY_MS);
    const newest = missing[0];
    if (newest === undefined) return [];
    return missing.filter((day) => day > newest - CHUNK_DAYS * DAY_MS).reverse();
  }

  /** Resolves with how long to wait for the next one, ms; undefined when there is none. */
  async #step(): Promise<number | undefined> {
    const { keep, log, onDone, pastRuns, random } = this.#options;
    const days = this.#nextChunk();
    if (days.length === 0) return undefined;
    const [first, last] = [days[0]!, days.at(-1)!];
    try {
      const runs = await pastRuns.ask(dateOf(first), dateOf(last + PAST_DAYS * DAY_MS), this.#ended.signal);
      if (this.#ended.signal.aborted) return undefined;
      const issues = new Map(pastIssues(runs, days).map((table) => [table.startMs, table]));
      keep(new Map(days.map((day) => [day, issues.get(day)])));
      this.#came += issues.size;
      this.#failures = 0;
    } catch (error) {
      if (this.#ended.signal.aborted) return undefined;
      this.#failures++;
      const reason = errorMessage(error);
      const sentence = "Weather forecasts of past days cannot be had now; prices are forecast without them.";
      if (this.#failures === 1) log.warn({ reason }, sentence);
      if (this.#failures >= MOST_FAILURES) return undefined;
      const retryAfterMs = error instanceof FetchError ? error.retryAfterMs : undefined;
      return Math.max(PAUSE_MS, backoffMs(this.#failures + 4, random, retryAfterMs));
    }
    if (this.#nextChunk().length > 0) return PAUSE_MS;
    if (this.#came === 0) return undefined;
    log.info(
      { days: this.#came },
      "Weather forecasts of past days are held; the price model can learn from them.",
    );
    onDone();
    return undefined;
  }
}

function dateOf(dayMs: number): string {
  return new Date(dayMs).toISOString().slice(0, 10);
}
