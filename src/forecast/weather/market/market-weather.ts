import type { WeatherSourceSettings } from "../../../config/settings.js";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../core/domain/interval.js";
import { errorMessage } from "../../../core/error-message.js";
import type { Log } from "../../../core/log.js";
import { type SourceRequest, SourceRunner } from "../../../core/net/source-runner.js";
import { type Cancel, type Clock, realClock } from "../../../core/time/clock.js";
import { SerialQueue } from "../../../core/work/serial-queue.js";
import type { DocumentArchive } from "../../../store/archive.js";
import { ForecastIssueSet, type WeatherTable } from "../../price/forecast-issue-set.js";
import {
  type MarketWeatherAnswer,
  type MarketWeatherSource,
  OpenMeteoPastRuns,
  OpenMeteoPointsSource,
  type PointsWeather,
} from "../sources/open-meteo-points.js";
import { countryWeather } from "./aggregate.js";
import { HistoryFetcher, ISSUE_HOUR } from "./history-fetcher.js";
import { asStored, IssueArchive, STORED_DAYS } from "./issue-archive.js";

/** Every six hours from 04:30 UTC, so that there is a recent issue each day when the prices are published. */
const REFRESH_EVERY_MS = 6 * HOUR_MS;
const REFRESH_OFFSET_MS = 4.5 * HOUR_MS;
/** Requests are spread, so that many gateways do not send them at the same time. */
const SPREAD_MS = 20 * MINUTE_MS;
/** A longer time between two requests means that the clock was set: other years of the archive are needed. */
const RELOAD_AFTER_MS = 2 * DAY_MS;
/** After a restart no request is sent if the latest issue is younger. */
const RECENT_MS = 5 * HOUR_MS;

export interface MarketWeatherOptions {
  clock: Clock;
  documents: DocumentArchive;
  /** Source of the newest forecasts; undefined: no weather for the price model. */
  source: MarketWeatherSource | undefined;
  /** Source of the forecasts of past days. */
  pastRuns: Pick<OpenMeteoPastRuns, "load"> | undefined;
  log: Log;
  /** 0 to 1, spreads requests and retries. */
  random?: () => number;
  /** Clock of backoff, throttling and pauses; default: the wall clock. */
  wall?: Clock;
}

/**
 * Collects issued weather for the price model: every six hours the newest forecast for several places, of which one per day
 * is stored for about three years; once, in the background, the forecasts of past days. Without any issue, prices are
 * forecast without weather.
 */
export class MarketWeather {
  readonly #options: MarketWeatherOptions;
  readonly #archive: IssueArchive;
  readonly #runner: SourceRunner<SourceRequest, MarketWeatherAnswer> | undefined;
  readonly #history: HistoryFetcher | undefined;
  readonly #ended = new AbortController();
  readonly #listeners = new Set<() => void>();
  /** Issues by midnight UTC; undefined for days requested without result. */
  #days = new Map<number, WeatherTable | undefined>();
  #latest: WeatherTable | undefined;
  #sets: { training: ForecastIssueSet; all: ForecastIssueSet } | undefined;
  #loadedAtMs = -Infinity;
  #cancelRefresh: Cancel = () => {};
  readonly #rounds = new SerialQueue();
  readonly #saves = new SerialQueue();

  constructor(options: MarketWeatherOptions) {
    this.#options = options;
    this.#archive = new IssueArchive(options.documents);
    const { clock, log, pastRuns, random = Math.random, source, wall = realClock() } = options;
    if (source !== undefined)
      this.#runner = new SourceRunner(source, {
        kind: "market weather",
        wall,
        random,
        log,
        retry: () => this.#refresh(),
      });
    if (pastRuns !== undefined)
      this.#history = new HistoryFetcher({
        pastRuns,
        wall,
        random,
        log,
        missingDays: () => this.#missingDays(clock.now().getTime()),
        store: (days) => this.#store(days),
        onDone: () => this.#notify(),
      });
  }

  /** Loads the stored issues; requests are sent in the background. */
  async start(): Promise<void> {
    const { clock, source } = this.#options;
    if (source === undefined) return;
    await this.#load(clock.now().getTime());
    this.#scheduleRefresh();
    const age = clock.now().getTime() - (this.#latest?.issuedAtMs ?? -Infinity);
    if (age < 0 || age > RECENT_MS) this.#refresh();
    this.#history?.start();
  }

  /** Cancels all timers and requests; resolves when pending saves have ended. */
  async stop(): Promise<void> {
    this.#ended.abort();
    this.#cancelRefresh();
    this.#runner?.stop();
    await this.#history?.stop();
    await this.#rounds.idle();
    await this.#saves.idle();
  }

  /** All issues including the newest, for a forecast. */
  issues(): ForecastIssueSet {
    return this.#issueSets().all;
  }

  /** One issue per day, available before the prices of the next day were published, for training a model. */
  trainingIssues(): ForecastIssueSet {
    return this.#issueSets().training;
  }

  /** Calls `listener` after new issues; returns the function that unsubscribes. */
  onChange(listener: () => void): Cancel {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Loads the stored issues of the years before `nowMs`. */
  async #load(nowMs: number): Promise<void> {
    this.#loadedAtMs = nowMs;
    try {
      this.#days = new Map([...(await this.#archive.load(nowMs)), ...this.#days]);
      this.#latest ??= await this.#archive.latest();
    } catch (error) {
      const message = "The stored weather forecasts of past days could not be read.";
      this.#options.log.warn({ reason: errorMessage(error) }, message);
    }
    this.#sets = undefined;
  }

  #issueSets(): { training: ForecastIssueSet; all: ForecastIssueSet } {
    if (this.#sets === undefined) {
      const training = ForecastIssueSet.of([...this.#days.values()].filter((table) => table !== undefined));
      const latest = this.#latest;
      const isKept =
        latest === undefined || training.tables.some(({ issuedAtMs }) => issuedAtMs === latest.issuedAtMs);
      this.#sets = { training, all: isKept ? training : training.with(latest) };
    }
    return this.#sets;
  }

  #scheduleRefresh(): void {
    const { clock, random = Math.random } = this.#options;
    const nowMs = clock.now().getTime();
    const rounds = Math.floor((nowMs - REFRESH_OFFSET_MS) / REFRESH_EVERY_MS) + 1;
    const next = rounds * REFRESH_EVERY_MS + REFRESH_OFFSET_MS;
    this.#cancelRefresh = clock.at(new Date(next + SPREAD_MS * random()), () => {
      this.#scheduleRefresh();
      this.#refresh();
    });
  }

  #refresh(): void {
    this.#rounds
      .run(() => this.#request())
      .catch((error: unknown) =>
        this.#options.log.error(
          { reason: errorMessage(error) },
          "New weather for the price model could not be processed.",
        ),
      );
  }

  async #request(): Promise<void> {
    const { signal } = this.#ended;
    if (this.#runner === undefined || signal.aborted) return;
    const issuedAtMs = this.#options.clock.now().getTime();
    if (Math.abs(issuedAtMs - this.#loadedAtMs) > RELOAD_AFTER_MS) {
      await this.#load(issuedAtMs);
      this.#history?.start();
      this.#notify();
    }
    this.#loadedAtMs = issuedAtMs;
    if (signal.aborted || !this.#runner.mayRequest) return;
    const answer = await this.#runner.request({ signal });
    if (answer?.weather === undefined || signal.aborted) return;
    const table = issueOf(answer.weather, issuedAtMs);
    if (table === undefined) return;
    this.#latest = table;
    this.#save(() => this.#archive.saveLatest(table));
    const dayMs = Math.floor(issuedAtMs / DAY_MS) * DAY_MS;
    if (issuedAtMs <= dayMs + ISSUE_HOUR * HOUR_MS) this.#store(new Map([[dayMs, table]]));
    else this.#sets = undefined;
    this.#save(() => this.#archive.forget(issuedAtMs));
    this.#notify();
  }

  #store(days: ReadonlyMap<number, WeatherTable | undefined>): void {
    const stored = new Map([...days].map(([day, table]) => [day, table && asStored(table)] as const));
    const oldest = this.#options.clock.now().getTime() - (STORED_DAYS + 31) * DAY_MS;
    this.#days = new Map([...this.#days, ...stored].filter(([day]) => day >= oldest));
    this.#sets = undefined;
    this.#save(() => this.#archive.save(stored));
  }

  #missingDays(nowMs: number): number[] {
    const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
    const missing: number[] = [];
    for (let day = today - DAY_MS; day >= today - STORED_DAYS * DAY_MS; day -= DAY_MS)
      if (!this.#days.has(day)) missing.push(day);
    return missing;
  }

  #save(write: () => Promise<void>): void {
    this.#saves.run(write).catch((error: unknown) => {
      const message = "Issued weather could not be saved; it is stored in memory.";
      this.#options.log.error({ reason: errorMessage(error) }, message);
    });
  }

  #notify(): void {
    if (this.#ended.signal.aborted) return;
    for (const listener of this.#listeners) listener();
  }
}

/** The answer as an issue; undefined if it is for another time, as in a replay. */
function issueOf({ startMs, hours, places }: PointsWeather, issuedAtMs: number): WeatherTable | undefined {
  const aheadMs = issuedAtMs - startMs;
  if (aheadMs < 0 || aheadMs > 3 * DAY_MS || aheadMs > hours * HOUR_MS) return undefined;
  const values = countryWeather(places, hours);
  if (values.every((value) => Number.isNaN(value))) return undefined;
  return asStored({ issuedAtMs, startMs, values });
}

/**
 * Creates the collection of weather for the price model, from the first Open-Meteo among the configured sources; without one
 * it stays empty and sends no requests.
 */
export function createMarketWeather(
  settings: readonly WeatherSourceSettings[],
  options: Omit<MarketWeatherOptions, "source" | "pastRuns">,
): MarketWeather {
  const entry = settings.find(({ type, enabled }) => type === "open_meteo" && enabled);
  if (entry?.type !== "open_meteo")
    return new MarketWeather({ ...options, source: undefined, pastRuns: undefined });
  const { url, past_runs_url: pastRunsUrl, timeout_seconds: timeoutSeconds } = entry;
  const common = { key: entry.key ?? undefined, timeoutMs: timeoutSeconds * 1000 };
  const source = new OpenMeteoPointsSource({ ...common, url: url ?? undefined });
  // With a mirror instead of the public service, the public archive is not requested either.
  const usesPastRuns = pastRunsUrl !== null || url === null;
  const pastRuns = usesPastRuns
    ? new OpenMeteoPastRuns({ ...common, url: pastRunsUrl ?? undefined })
    : undefined;
  return new MarketWeather({ ...options, source, pastRuns });
}
