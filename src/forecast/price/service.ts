import { Cron } from "croner";
import type { Bus } from "../../core/bus.js";
import type { ComponentSentence } from "../../core/domain/component-sentence.js";
import { HOUR_MS, hourOf } from "../../core/domain/interval.js";
import { errorMessage } from "../../core/error-message.js";
import type { HealthRegistry } from "../../core/health-registry.js";
import type { Log } from "../../core/log.js";
import type { Cancel, Clock } from "../../core/time/clock.js";
import { VIENNA } from "../../core/time/zone.js";
import { SerialQueue } from "../../core/work/serial-queue.js";
import { type DocumentArchive, restored } from "../../store/archive.js";
import type { PriceSeries } from "../market/price-series.js";
import type { ForecastHour, ForecastRun, ForecastTrigger } from "./forecast.js";
import { ForecastIssueSet } from "./forecast-issue-set.js";
import { firstForecastStart, forecastWith, MODEL_VERSIONS } from "./model.js";
import { ModelStore } from "./model-store.js";
import { readRun, writeRun } from "./run-document.js";
import { BackgroundTraining, type Training } from "./training.js";

/** Hours of a run: a week, and a day until the next run. */
const RUN_HOURS = 168 + 24;
const DOCUMENT = "forecast/last";

/** Source of issued weather. */
export interface ForecastWeatherSource {
  /** All issues, for a forecast. */
  issues(): ForecastIssueSet;
  trainingIssues(): ForecastIssueSet;
  /** Calls `listener` after new issues; returns the function that unsubscribes. */
  onChange(listener: () => void): Cancel;
}

export interface ForecastServiceOptions {
  clock: Clock;
  bus: Bus;
  components: HealthRegistry;
  documents: DocumentArchive;
  /** The currently visible published prices. */
  prices: { published(): PriceSeries };
  /** Undefined: the forecast does not use weather. */
  weather?: ForecastWeatherSource | undefined;
  /** Cron pattern of the scheduled runs, local time in Vienna. */
  schedule: string;
  log: Log;
  /** How a model is trained; default: in a child process. */
  training?: Training;
}

/**
 * Runs the forecast on schedule and when prices change, and keeps the last run in memory. The model is trained in the
 * background; until then a lower tier is used.
 */
export class ForecastService {
  readonly #options: ForecastServiceOptions;
  readonly #cron: Cron;
  readonly #models: ModelStore;
  /** Why the last training failed. */
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
    // Only used to compute times: its own timers do not follow a replay clock.
    this.#cron = new Cron(options.schedule, { timezone: VIENNA, paused: true });
    this.#models = new ModelStore({
      documents: options.documents,
      training: options.training ?? new BackgroundTraining(),
      log: options.log,
      onTrained: (failure) => this.#onTrained(failure),
    });
  }

  /** Loads the stored run if it is still valid, otherwise makes a new one. */
  async start(): Promise<void> {
    const { bus, documents, log, weather } = this.#options;
    await this.#models.load();
    const warning = "The last forecast run could not be read; a new one is computed.";
    const stored = await restored(documents, DOCUMENT, readRun, { log, warning });
    if (stored !== undefined && this.#isValid(stored)) {
      this.#run = stored;
      this.#report(stored);
      log.info(
        { model: stored.modelVersion, issued_at: stored.issuedAt },
        "The last forecast run remains in use.",
      );
    } else {
      this.#announce(this.#compute("scheduled"));
    }
    bus.on("price.updated", this.#onPrices);
    this.#cancelWeather = weather?.onChange(() => this.#considerTraining()) ?? this.#cancelWeather;
    this.#scheduleNextRun();
    this.#considerTraining();
  }

  /** Resolves when pending saves have ended. */
  async stop(): Promise<void> {
    this.#options.bus.off("price.updated", this.#onPrices);
    this.#cancel();
    this.#cancelWeather();
    await this.#models.stop();
    await this.#saves.idle();
  }

  /** Makes a run now; resolves when it is saved. */
  async run(trigger: ForecastTrigger): Promise<ForecastRun> {
    const run = this.#compute(trigger);
    this.#announce(run);
    await this.#saves.idle();
    return run;
  }

  /** The last run; undefined before the first. Its first hours may be past; see `hours`. */
  current(): ForecastRun | undefined {
    return this.#run;
  }

  /**
   * `count` hours from the current one on; undefined before the first run. Makes a new run if the last one is too short, for
   * example after the machine was suspended or in a fast replay.
   */
  hours(count: number): ForecastHour[] | undefined {
    if (this.#run === undefined) return undefined;
    const from = this.#indexOfNow(this.#run);
    if (from >= 0 && from + count <= this.#run.hours.length) return this.#run.hours.slice(from, from + count);
    const run = this.#compute("scheduled", Math.max(RUN_HOURS, count));
    // Emitted asynchronously: the caller must not be interrupted by listeners.
    queueMicrotask(() => this.#announce(run));
    return run.hours.slice(0, count);
  }

  #indexOfNow(run: ForecastRun): number {
    const firstMs = run.hours[0]?.start.getTime() ?? Infinity;
    return (hourOf(this.#options.clock.now()).getTime() - firstMs) / HOUR_MS;
  }

  #compute(trigger: ForecastTrigger, hours = RUN_HOURS): ForecastRun {
    const issuedAt = this.#options.clock.now();
    const issues = this.#options.weather?.issues() ?? ForecastIssueSet.empty;
    const forecast = forecastWith(this.#models.current(), this.#options.prices.published(), {
      now: issuedAt,
      horizonHours: hours,
      weather: issues,
    });
    this.#run = { issuedAt, trigger, ...forecast };
    return this.#run;
  }

  /** Makes a new run at once if the tier improves; otherwise the new model is used from the next run on. */
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
    const { clock, prices, weather } = this.#options;
    this.#models.consider(prices.published(), clock.now(), weather?.trainingIssues());
  }

  #announce(run: ForecastRun): void {
    const { bus, documents, log } = this.#options;
    this.#report(run);
    log.info({ trigger: run.trigger, model: run.modelVersion, hours: run.hours.length }, "Forecast run.");
    this.#saves
      .run(() => documents.put(DOCUMENT, writeRun(run)))
      .catch((error: unknown) => {
        const reason = errorMessage(error);
        log.error({ reason }, "The forecast run could not be saved; it is kept in memory.");
      });
    bus.emit("forecast.updated", run);
  }

  /** True if a run extends beyond the current hour and contains exactly the published prices. */
  #isValid(run: ForecastRun): boolean {
    const from = this.#indexOfNow(run);
    if (from < 0 || from >= run.hours.length || run.modelVersion !== MODEL_VERSIONS[run.tier]) return false;
    const prices = this.#options.prices.published();
    return run.hours.slice(from).every(({ start, p50, source }) => {
      const published = prices.hour(start.getTime());
      return source === "day_ahead" ? published === p50 : published === undefined;
    });
  }

  /** `day_ahead` if there are prices after those of the last run; otherwise it is a correction. */
  #triggerOf(prices: PriceSeries): ForecastTrigger {
    const known = this.#run?.hours.findLast(({ source }) => source === "day_ahead")?.start.getTime();
    const fromMs = known === undefined ? hourOf(this.#options.clock.now()).getTime() : known + HOUR_MS;
    for (let at = fromMs; at < prices.endMs; at += HOUR_MS) {
      if (prices.hour(at) !== undefined) return "day_ahead";
    }
    return "scheduled";
  }

  #scheduleNextRun(): void {
    const next = this.#cron.nextRun(this.#options.clock.now());
    if (next === null) return;
    this.#cancel = this.#options.clock.at(next, () => {
      this.#scheduleNextRun();
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
    const inUse: ComponentSentence[] = [
      { code: "forecast_model", model: run.modelVersion },
      ...(first === undefined ? [] : [{ code: "forecast_published" as const, until: first }]),
    ];
    const failure = this.#failure;
    if (failure === undefined) components.report("forecast", "ok", inUse);
    else
      components.report("forecast", "degraded", [
        { code: "forecast_training_failed", message: failure },
        ...inUse,
      ]);
  }
}
