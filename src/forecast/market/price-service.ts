import type { Bus } from "../../core/bus.js";
import { DAY_MS } from "../../core/domain/interval.js";
import type { PricePoint } from "../../core/domain/price.js";
import { errorMessage } from "../../core/error-message.js";
import type { HealthRegistry } from "../../core/health-registry.js";
import type { Log } from "../../core/log.js";
import { SourceRunner } from "../../core/net/source-runner.js";
import { type Cancel, type Clock, realClock } from "../../core/time/clock.js";
import { SerialQueue } from "../../core/work/serial-queue.js";
import type { PriceArchive } from "../../store/archive.js";
import { newPoints, withoutStated } from "./points.js";
import { gated } from "./price-gate.js";
import { PriceSeries } from "./price-series.js";
import {
  coveredUntil,
  daysToFetch,
  daysToLearnFrom,
  dueUntil,
  nextFetchAt,
  nextPublication,
  priceStatus,
  publicUntil,
  tomorrowComplete,
  wantedUntil,
} from "./publication.js";
import type { PriceAnswer, PriceRequest, PriceSource } from "./source.js";

export interface PriceServiceOptions {
  clock: Clock;
  bus: Bus;
  components: HealthRegistry;
  archive: PriceArchive;
  /** In order of preference. */
  sources: readonly PriceSource[];
  log: Log;
  /** `HH:MM` in Vienna at which the next day's prices become visible; null: all stored prices are visible. */
  publishAt: string | null;
  /** 0 to 1, spreads retries. */
  random?: () => number;
  /** Clock of backoff and throttling; default: the wall clock. */
  wall?: Clock;
}

/** Earlier prices are requested from a source again when the clock has moved this far since the last time. */
const BACKFILL_AGAIN_MS = 30 * DAY_MS;

type Runner = SourceRunner<PriceRequest, PriceAnswer>;

/**
 * Holds the published prices: loaded from the archive at the start, updated from the sources. A price is never removed
 * because a later answer does not contain it. Emits `price.updated` when the visible prices change.
 */
export class PriceService {
  readonly #options: PriceServiceOptions;
  readonly #runners: Runner[];
  readonly #ended = new AbortController();
  /** By name: scheduling a timer again replaces the previous one. */
  readonly #timers = new Map<string, Cancel>();
  readonly #watches: Cancel[] = [];
  #prices = PriceSeries.empty;
  #visible: { prices: PriceSeries; untilMs: number; series: PriceSeries } | undefined;
  /** End of the series of the last `price.updated`. */
  #emittedEndMs: number | undefined;
  #unsaved: PricePoint[] = [];
  readonly #saves = new SerialQueue();
  /** One round of requests at a time. */
  readonly #rounds = new SerialQueue();
  /** Sources whose last answer had days that cannot be a result of the auction. */
  readonly #refused = new Set<Runner>();
  /** What each source has answered since the start: a less preferred one does not replace it. */
  readonly #stated = new Map<Runner, PriceSeries>();
  /** Time of the last request for earlier prices by source; once, unless the clock was far off then. */
  readonly #backfilled = new Map<Runner, number>();

  constructor(options: PriceServiceOptions) {
    this.#options = options;
    const { log, random = Math.random, wall = realClock() } = options;
    this.#runners = options.sources.map((source) => {
      const retry = () => void this.#refresh(runner);
      const judged = gated(source, () => this.#prices);
      const runner: Runner = new SourceRunner(judged, { kind: "price", wall, random, log, retry });
      return runner;
    });
  }

  /**
   * Loads the archive and reads the local sources, then requests the others in the background: no network is needed to
   * start. Rejects only if the archive cannot be read.
   */
  async start(): Promise<void> {
    this.#prices = PriceSeries.of(await this.#options.archive.load());
    this.#emittedEndMs = this.published().endMs;
    for (const runner of this.#runners) {
      if (runner.source.local) await this.#request(runner);
      const watch = runner.source.watch?.(() => this.#onChange(runner));
      if (watch !== undefined) this.#watches.push(watch);
    }
    this.#report();
    this.#schedulePublication();
    void this.#refresh();
  }

  /** Cancels all timers and requests; resolves when pending saves have ended. */
  async stop(): Promise<void> {
    // Later answers are dropped: the archive may be closed by then.
    this.#ended.abort();
    for (const cancel of [...this.#timers.values(), ...this.#watches]) cancel();
    for (const runner of this.#runners) runner.stop();
    await this.#saves.idle();
  }

  /** The prices that are public at `now` (default: the clock's time). The same object as long as nothing changes. */
  published(now: Date = this.#options.clock.now()): PriceSeries {
    const { publishAt } = this.#options;
    if (publishAt === null) return this.#prices;
    const untilMs = Math.min(publicUntil(now, publishAt).getTime(), this.#prices.endMs);
    if (this.#visible?.prices !== this.#prices || this.#visible.untilMs !== untilMs)
      this.#visible = { prices: this.#prices, untilMs, series: this.#prices.before(new Date(untilMs)) };
    return this.#visible.series;
  }

  /** Asks the sources that have failed again, without waiting for their next attempt; resolves when they have answered. */
  async retry(): Promise<void> {
    await Promise.all(
      this.#runners.filter(({ mayRetry }) => mayRetry).map((runner) => this.#refresh(runner)),
    );
  }

  /** Handles a source that reports new data; ignored if a preferred source already provides all due prices. */
  #onChange(runner: Runner): void {
    const preferred = this.#runners.slice(0, this.#runners.indexOf(runner));
    const isCovered = this.#suffices() && preferred.some(({ status }) => status.state === "ok");
    if (runner.source.local || !isCovered) void this.#refresh(runner);
  }

  /** Requests one source, or all in order until one provides the due prices, and then schedules the next time. */
  #refresh(only?: Runner): Promise<void> {
    return this.#rounds.run(async () => {
      try {
        await (only === undefined ? this.#requestInOrder() : this.#request(only));
      } catch (error) {
        // An error of a listener must not end the series of requests.
        this.#options.log.error({ reason: errorMessage(error) }, "A listener of new prices failed.");
      }
      if (this.#ended.signal.aborted) return;
      this.#report();
      if (only === undefined) this.#scheduleRefresh();
    });
  }

  async #requestInOrder(): Promise<void> {
    for (const runner of this.#runners) {
      if (runner.mayRequest) await this.#request(runner);
      if (this.#ended.signal.aborted) return;
      this.#report();
      if (runner.status.state === "ok" && !this.#refused.has(runner) && this.#suffices()) return;
    }
  }

  async #request(runner: Runner): Promise<void> {
    if (this.#ended.signal.aborted) return;
    const now = this.#options.clock.now();
    const { signal } = this.#ended;
    const answer = await runner.request({ ...daysToFetch(now), now, signal });
    if (answer === undefined || signal.aborted) return;
    if (answer.isRefusedInPart === true) this.#refused.add(runner);
    else this.#refused.delete(runner);
    this.#absorb(runner, answer.points);
    this.#report();
    const awayMs = Math.abs(now.getTime() - (this.#backfilled.get(runner) ?? -Infinity));
    if (runner.source.local || awayMs < BACKFILL_AGAIN_MS || this.#hasHistory(now)) return;
    this.#backfilled.set(runner, now.getTime());
    try {
      const { points } = await runner.source.fetch({ ...daysToLearnFrom(now), now, signal });
      if (!signal.aborted) this.#absorb(runner, points);
    } catch (error) {
      const reason = errorMessage(error);
      this.#options.log.info({ source: runner.source.name, reason }, "Earlier prices could not be fetched.");
    }
  }

  /** True if a month of prices is available for the forecast to learn from. */
  #hasHistory(now: Date): boolean {
    return [7, 14, 21, 28].every((days) => this.#prices.hour(now.getTime() - days * DAY_MS) !== undefined);
  }

  #suffices(): boolean {
    const { clock, publishAt } = this.#options;
    const now = clock.now();
    return coveredUntil(this.#prices, now) >= wantedUntil(this.#prices, now, publishAt);
  }

  #absorb(runner: Runner, points: readonly PricePoint[]): void {
    this.#stated.set(runner, (this.#stated.get(runner) ?? PriceSeries.empty).with(points));
    const preferred = this.#runners.slice(0, this.#runners.indexOf(runner));
    const own = preferred.reduce(
      (left, other) => withoutStated(this.#stated.get(other) ?? PriceSeries.empty, left),
      points,
    );
    const fresh = newPoints(this.#prices, own);
    if (fresh.length > 0) {
      this.#prices = this.#prices.with(fresh);
      const visible = this.published();
      if (fresh.some(({ start }) => start.getTime() < visible.endMs)) this.#emit(visible);
      for (const point of fresh) this.#unsaved.push(point);
    }
    // Also without new prices: retries those that could not be saved before, for example on a full disk.
    if (this.#unsaved.length > 0) void this.#saves.run(() => this.#save());
  }

  async #save(): Promise<void> {
    const points = this.#unsaved;
    if (points.length === 0) return;
    this.#unsaved = [];
    try {
      await this.#options.archive.save(points);
    } catch (error) {
      this.#unsaved = [...points, ...this.#unsaved];
      const reason = errorMessage(error);
      this.#options.log.error(
        { reason, prices: points.length },
        "Prices could not be saved; they are kept in memory.",
      );
    }
  }

  #emit(visible: PriceSeries): void {
    this.#emittedEndMs = visible.endMs;
    this.#options.bus.emit("price.updated", visible);
  }

  #schedulePublication(): void {
    const { clock, publishAt } = this.#options;
    if (publishAt === null) return;
    this.#at("publication", nextPublication(clock.now(), publishAt), () => {
      this.#schedulePublication();
      const visible = this.published();
      if (visible.endMs !== this.#emittedEndMs) this.#emit(visible);
      this.#report();
    });
  }

  #scheduleRefresh(): void {
    const { clock, random = Math.random } = this.#options;
    const now = clock.now();
    const when = nextFetchAt(now, tomorrowComplete(this.#prices, now), random);
    this.#at("refresh", when, () => void this.#refresh());
  }

  #at(name: string, when: Date, callback: () => void): void {
    this.#timers.get(name)?.();
    this.#timers.set(name, this.#options.clock.at(when, callback));
  }

  #report(): void {
    const { clock, components, publishAt } = this.#options;
    const now = clock.now();
    const { state, detail } = priceStatus({
      sources: this.#runners.map((runner) => runner.status),
      now,
      coveredUntil: coveredUntil(this.published(), now),
      dueUntil: dueUntil(now, publishAt),
    });
    components.report("price_source", state, detail);
  }
}
