import { Cron } from "croner";
import type { Bus } from "../bus.js";
import { HOUR_MS, hourOf } from "../domain/interval.js";
import { errorMessage } from "../error-message.js";
import type { HealthRegistry } from "../health-registry.js";
import type { Log } from "../log.js";
import type { PriceSeries } from "../market/price-series.js";
import { SerialQueue } from "../serial-queue.js";
import type { DocumentArchive } from "../store/archive.js";
import type { ComponentSentence } from "../texts/component-text.js";
import type { Cancel, Clock } from "../time/clock.js";
import { VIENNA } from "../time/zone.js";
import type { ForecastHour, ForecastRun, ForecastTrigger } from "./forecast.js";
import { ForecastIssueSet } from "./forecast-issue-set.js";
import { firstForecastStart, forecastWith, MODEL_VERSIONS } from "./model.js";
import { ModelStore } from "./model-store.js";
import { readRun, writeRun } from "./run-document.js";
import { type StartTraining, trainInChildProcess } from "./training.js";

/** The week that is served, and a day more, so that a run lasts until the next one. */
const RUN_HOURS = 168 + 24;
const DOCUMENT = "forecast/last";

/** Issued weather as somebody holds it. */
export interface ForecastWeatherSource {
  /** All issues held: what a forecast looks at. */
  book(): ForecastIssueSet;
  /** What a model learns from. */
  trainingBook(): ForecastIssueSet;
  /** Calls `listener` when issues have come; returns how to stop that. */
  onChange(listener: () => void): Cancel;
}

export interface ForecastServiceOptions {
  clock: Clock;
  bus: Bus;
  components: HealthRegistry;
  documents: DocumentArchive;
  /** The published prices as visible now. */
  published: () => PriceSeries;
  /** Without it the prices are forecast without weather. */
  weather?: ForecastWeatherSource | undefined;
  /** Cron pattern of the scheduled runs, on Vienna's clock. */
  schedule: string;
  log: Log;
  /** How a model is trained; in a process of its own unless a test says otherwise. */
  startTraining?: StartTraining;
}

/**
 * Runs the forecast when it is due or prices change, and serves the last run from memory. The model is trained in the
 * background; until it is, a lower tier serves.
 */
export class ForecastService {
  readonly #options: ForecastServiceOptions;
  readonly #cron: Cron;
  readonly #models: ModelStore;
  /** Why the last training gave no model. */
  #failure: string | undefined;
  #run: ForecastRun | undefined;
  #cancel: Cancel = () => {};
  #cancelWeather: Cancel = () => {};
  readonly #saves = new SerialQueue();
  readonly #onPrices = (prices: PriceSeries) => {
    this.#announce(this.#compute(this.#triggerOf(prices)));
    this.#considerTraining();
  };

  constructor(options: ForecastServiceOptions) {
    this.#options = options;
    // Only asked for times: its own timers know nothing of a replay clock.
    this.#cron = new Cron(options.schedule, { timezone: VIENNA, paused: true });
    this.#models = new ModelStore({
      documents: options.documents,
      startTraining: options.startTraining ?? trainInChildProcess,
      log: options.log,
      onTrained: (failure) => this.#onTrained(failure),
    });
  }

  /** Takes up the stored run when it still tells what a new one would be built on, else makes a new one. */
  async start(): Promise<void> {
    const { bus, log, weather } = this.#options;
    await this.#models.load();
    const stored = readRun(await this.#stored());
    if (stored !== undefined && this.#stillHolds(stored)) {
      this.#run = stored;
      this.#report(stored);
      log.info(
        { model: stored.modelVersion, issued_at: stored.issuedAt },
        "The last forecast run serves on.",
      );
    } else {
      this.#announce(this.#compute("scheduled"));
    }
    bus.on("price.updated", this.#onPrices);
    this.#cancelWeather = weather?.onChange(() => this.#considerTraining()) ?? this.#cancelWeather;
    this.#awaitSchedule();
    this.#considerTraining();
  }

  /** Resolves when the last run is on disk, as far as the disk takes it. */
  async stop(): Promise<void> {
    this.#options.bus.off("price.updated", this.#onPrices);
    this.#cancel();
    this.#cancelWeather();
    await this.#models.stop();
    await this.#saves.idle();
  }

  /** Runs now; resolves when the run is stored. */
  async run(trigger: ForecastTrigger): Promise<ForecastRun> {
    const run = this.#compute(trigger);
    this.#announce(run);
    await this.#saves.idle();
    return run;
  }

  /** The last run; undefined before the first. Its first hours may be past; `hours` begins with the one in progress. */
  current(): ForecastRun | undefined {
    return this.#run;
  }

  /**
   * `count` elapsed hours from the one in progress on; undefined before the first run. Runs anew when the last run does not
   * reach as far, as after a night's sleep of the machine or in a fast replay.
   */
  hours(count: number): ForecastHour[] | undefined {
    if (this.#run === undefined) return undefined;
    const from = this.#indexOfNow(this.#run);
    if (from >= 0 && from + count <= this.#run.hours.length) return this.#run.hours.slice(from, from + count);
    const run = this.#compute("scheduled", Math.max(RUN_HOURS, count));
    // Who asks is in the middle of something; listeners hear of the run when that is done.
    queueMicrotask(() => this.#announce(run));
    return run.hours.slice(0, count);
  }

  #indexOfNow(run: ForecastRun): number {
    const firstMs = run.hours[0]?.start.getTime() ?? Infinity;
    return (hourOf(this.#options.clock.now()).getTime() - firstMs) / HOUR_MS;
  }

  #compute(trigger: ForecastTrigger, hours = RUN_HOURS): ForecastRun {
    const issuedAt = this.#options.clock.now();
    const book = this.#options.weather?.book() ?? ForecastIssueSet.empty;
    const forecast = forecastWith(this.#models.current(), this.#options.published(), issuedAt, hours, book);
    this.#run = { issuedAt, trigger, ...forecast };
    return this.#run;
  }

  /** A better tier is told at once; a model that is a day newer can wait for the next run. */
  #onTrained(failure: string | undefined): void {
    this.#failure = failure;
    if (failure !== undefined) {
      if (this.#run !== undefined) this.#report(this.#run);
      return;
    }
    const tier = this.#run?.tier;
    const known = this.#models.current()?.weather !== undefined;
    if (tier === "weather_ridge" || (tier === "ridge" && !known)) return;
    this.#announce(this.#compute("scheduled"));
  }

  #considerTraining(): void {
    const { clock, published, weather } = this.#options;
    this.#models.consider(published(), clock.now(), weather?.trainingBook());
  }

  #announce(run: ForecastRun): void {
    const { bus, documents, log } = this.#options;
    this.#report(run);
    log.info({ trigger: run.trigger, model: run.modelVersion, hours: run.hours.length }, "Forecast run.");
    this.#saves
      .run(() => documents.put(DOCUMENT, writeRun(run)))
      .catch((error: unknown) => {
        const reason = errorMessage(error);
        log.error({ reason }, "The forecast run could not be stored; it serves from memory.");
      });
    bus.emit("forecast.updated", run);
  }

  async #stored(): Promise<unknown> {
    try {
      return await this.#options.documents.get(DOCUMENT);
    } catch (error) {
      const reason = errorMessage(error);
      this.#options.log.warn({ reason }, "The last forecast run could not be read; a new one is made.");
      return undefined;
    }
  }

  /** True when a run reaches beyond the hour in progress and shows exactly the prices that are published. */
  #stillHolds(run: ForecastRun): boolean {
    const from = this.#indexOfNow(run);
    if (from < 0 || from >= run.hours.length || run.modelVersion !== MODEL_VERSIONS[run.tier]) return false;
    const prices = this.#options.published();
    return run.hours.slice(from).every(({ start, p50, source }) => {
      const published = prices.hour(start.getTime());
      return source === "day_ahead" ? published === p50 : published === undefined;
    });
  }

  /** `day_ahead` when prices reach beyond those that the last run knew, else a correction. */
  #triggerOf(prices: PriceSeries): ForecastTrigger {
    const known = this.#run?.hours.findLast(({ source }) => source === "day_ahead")?.start.getTime();
    const fromMs = known === undefined ? hourOf(this.#options.clock.now()).getTime() : known + HOUR_MS;
    for (let at = fromMs; at < prices.endMs; at += HOUR_MS) {
      if (prices.hour(at) !== undefined) return "day_ahead";
    }
    return "scheduled";
  }

  #awaitSchedule(): void {
    const next = this.#cron.nextRun(this.#options.clock.now());
    if (next === null) return;
    this.#cancel = this.#options.clock.at(next, () => {
      this.#awaitSchedule();
      this.#announce(this.#compute("scheduled"));
    });
  }

  #report(run: ForecastRun): void {
    const { components } = this.#options;
    if (run.tier === "climatology") {
      const known = run.hours.some(({ source }) => source === "day_ahead");
      const code = known ? "forecast_few_prices" : "forecast_no_price";
      components.report("forecast", "degraded", [{ code }]);
      return;
    }
    const first = firstForecastStart(run.hours);
    const serves: ComponentSentence[] = [
      { code: "forecast_model", model: run.modelVersion },
      ...(first === undefined ? [] : [{ code: "forecast_published" as const, until: first }]),
    ];
    const failure = this.#failure;
    if (failure === undefined) components.report("forecast", "ok", serves);
    else
      components.report("forecast", "degraded", [
        { code: "forecast_training_failed", message: failure },
        ...serves,
      ]);
  }
}
