import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../domain/interval.js";
import { errorMessage } from "../../error-message.js";
import { ForecastIssueSet, type WeatherTable } from "../../forecast/forecast-issue-set.js";
import type { Log } from "../../log.js";
import { type SourceRequest, SourceRunner } from "../../net/source-runner.js";
import { SerialQueue } from "../../serial-queue.js";
import type { DocumentArchive } from "../../store/archive.js";
import { type Cancel, type Clock, realClock } from "../../time/clock.js";
import type {
  MarketWeatherAnswer,
  MarketWeatherSource,
  OpenMeteoPastRuns,
  PointsWeather,
} from "../sources/open-meteo-points.js";
import { countryWeather } from "./aggregate.js";
import { HistoryFetcher } from "./history-fetcher.js";
import { asKept, IssueArchive, KEPT_DAYS } from "./issue-archive.js";
import { ISSUE_HOUR } from "./past-issues.js";

/** Every six hours from half past four UTC: one issue is new enough each day when the prices come. */
const LOOK_EVERY_MS = 6 * HOUR_MS;
const LOOK_OFFSET_MS = 4.5 * HOUR_MS;
/** The gateways of a country must not ask together. */
const SPREAD_MS = 20 * MINUTE_MS;
/** Between two looks there are hours; when the clock says days, it was set, and other years of the archive are wanted. */
const TAKE_UP_AGAIN_MS = 2 * DAY_MS;
/** After a restart an issue this young needs no newer one. */
const YOUNG_MS = 5 * HOUR_MS;

export interface MarketWeatherOptions {
  clock: Clock;
  documents: DocumentArchive;
  /** Where the newest forecasts come from; undefined when weather is not to be asked for the prices' sake. */
  source: MarketWeatherSource | undefined;
  /** Where the forecasts of past days come from. */
  pastRuns: Pick<OpenMeteoPastRuns, "ask"> | undefined;
  log: Log;
  /** 0 to 1, spreads looks and retries. */
  random?: () => number;
  /** What backoff, throttles and pauses run on; the wall clock unless a test says otherwise. */
  wall?: Clock;
}

/**
 * Collects the weather that the price model looks at, as it is issued: every six hours the newest forecast of a handful of
 * places, of each day one that is kept for about three years; once, in the background, those of past days. Without any of it
 * the prices are forecast without weather.
 */
export class MarketWeather {
  readonly #options: MarketWeatherOptions;
  readonly #archive: IssueArchive;
  readonly #runner: SourceRunner<SourceRequest, MarketWeatherAnswer> | undefined;
  readonly #history: HistoryFetcher | undefined;
  readonly #ended = new AbortController();
  readonly #listeners = new Set<() => void>();
  /** By midnight UTC; undefined where nothing is to be had. */
  #days = new Map<number, WeatherTable | undefined>();
  #latest: WeatherTable | undefined;
  #held: { training: ForecastIssueSet; all: ForecastIssueSet } | undefined;
  #takenUpAtMs = -Infinity;
  #cancelLook: Cancel = () => {};
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
        retry: () => this.#look(),
      });
    if (pastRuns !== undefined)
      this.#history = new HistoryFetcher({
        pastRuns,
        wall,
        random,
        log,
        missingDays: () => this.#missingDays(clock.now().getTime()),
        keep: (days) => this.#keep(days),
        onDone: () => this.#tell(),
      });
  }

  /** Takes up what is held; the rest happens in the background. */
  async start(): Promise<void> {
    const { clock, source } = this.#options;
    if (source === undefined) return;
    await this.#takeUp(clock.now().getTime());
    this.#awaitLook();
    const age = clock.now().getTime() - (this.#latest?.issuedAtMs ?? -Infinity);
    if (age < 0 || age > YOUNG_MS) this.#look();
    this.#history?.start();
  }

  /** Ends all waiting and asking; resolves when what was learnt is on disk, as far as the disk takes it. */
  async stop(): Promise<void> {
    this.#ended.abort();
    this.#cancelLook();
    this.#runner?.stop();
    await this.#history?.stop();
    await this.#rounds.idle();
    await this.#saves.idle();
  }

  /** All issues held, the newest included: what a forecast looks at. */
  book(): ForecastIssueSet {
    return this.#books().all;
  }

  /** One issue a day, all of them out before the prices of their next day: what a model learns from. */
  trainingBook(): ForecastIssueSet {
    return this.#books().training;
  }

  /** Calls `listener` when issues have come; returns how to stop that. */
  onChange(listener: () => void): Cancel {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads what is held of the years before `nowMs`. */
  async #takeUp(nowMs: number): Promise<void> {
    this.#takenUpAtMs = nowMs;
    try {
      this.#days = new Map([...(await this.#archive.load(nowMs)), ...this.#days]);
      this.#latest ??= await this.#archive.latest();
    } catch (error) {
      const sentence = "The weather issued in the past could not be read.";
      this.#options.log.warn({ reason: errorMessage(error) }, sentence);
    }
    this.#held = undefined;
  }

  #books(): { training: ForecastIssueSet; all: ForecastIssueSet } {
    if (this.#held === undefined) {
      const training = ForecastIssueSet.of([...this.#days.values()].filter((table) => table !== undefined));
      const latest = this.#latest;
      const isKept =
        latest === undefined || training.tables.some(({ issuedAtMs }) => issuedAtMs === latest.issuedAtMs);
      this.#held = { training, all: isKept ? training : training.with(latest) };
    }
    return this.#held;
  }

  #awaitLook(): void {
    const { clock, random = Math.random } = this.#options;
    const nowMs = clock.now().getTime();
    const next = (Math.floor((nowMs - LOOK_OFFSET_MS) / LOOK_EVERY_MS) + 1) * LOOK_EVERY_MS + LOOK_OFFSET_MS;
    this.#cancelLook = clock.at(new Date(next + SPREAD_MS * random()), () => {
      this.#awaitLook();
      this.#look();
    });
  }

  #look(): void {
    this.#rounds
      .run(() => this.#ask())
      .catch((error: unknown) =>
        this.#options.log.error(
          { reason: errorMessage(error) },
          "New weather for the price model could not be taken.",
        ),
      );
  }

  async #ask(): Promise<void> {
    const { signal } = this.#ended;
    if (this.#runner === undefined || signal.aborted) return;
    const issuedAtMs = this.#options.clock.now().getTime();
    if (Math.abs(issuedAtMs - this.#takenUpAtMs) > TAKE_UP_AGAIN_MS) {
      await this.#takeUp(issuedAtMs);
      this.#history?.start();
      this.#tell();
    }
    this.#takenUpAtMs = issuedAtMs;
    if (signal.aborted || !this.#runner.mayAsk) return;
    const answer = await this.#runner.ask({ signal });
    if (answer?.weather === undefined || signal.aborted) return;
    const table = issueOf(answer.weather, issuedAtMs);
    if (table === undefined) return;
    this.#latest = table;
    this.#save(() => this.#archive.saveLatest(table));
    const dayMs = Math.floor(issuedAtMs / DAY_MS) * DAY_MS;
    if (issuedAtMs <= dayMs + ISSUE_HOUR * HOUR_MS) this.#keep(new Map([[dayMs, table]]));
    else this.#held = undefined;
    this.#save(() => this.#archive.forget(issuedAtMs));
    this.#tell();
  }

  #keep(days: ReadonlyMap<number, WeatherTable | undefined>): void {
    const kept = new Map([...days].map(([day, table]) => [day, table && asKept(table)] as const));
    const oldest = this.#options.clock.now().getTime() - (KEPT_DAYS + 31) * DAY_MS;
    this.#days = new Map([...this.#days, ...kept].filter(([day]) => day >= oldest));
    this.#held = undefined;
    this.#save(() => this.#archive.save(kept));
  }

  #missingDays(nowMs: number): number[] {
    const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
    const missing: number[] = [];
    for (let day = today - DAY_MS; day >= today - KEPT_DAYS * DAY_MS; day -= DAY_MS)
      if (!this.#days.has(day)) missing.push(day);
    return missing;
  }

  #save(write: () => Promise<void>): void {
    this.#saves.run(write).catch((error: unknown) => {
      const sentence = "Issued weather could not be saved; it is kept in memory.";
      this.#options.log.error({ reason: errorMessage(error) }, sentence);
    });
  }

  #tell(): void {
    if (this.#ended.signal.aborted) return;
    for (const listener of this.#listeners) listener();
  }
}

/** The answer as an issue; undefined when it tells of another time, as it does in a replay. */
function issueOf({ startMs, hours, places }: PointsWeather, issuedAtMs: number): WeatherTable | undefined {
  const aheadMs = issuedAtMs - startMs;
  if (aheadMs < 0 || aheadMs > 3 * DAY_MS || aheadMs > hours * HOUR_MS) return undefined;
  const values = countryWeather(places, hours);
  if (values.every((value) => Number.isNaN(value))) return undefined;
  return asKept({ issuedAtMs, startMs, values });
}
