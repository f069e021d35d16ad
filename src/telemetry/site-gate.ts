import type { SiteRuntime } from "../config/site-runtimes.js";
import type { ComponentSentence } from "../core/domain/component-sentence.js";
import { DAY_MS } from "../core/domain/interval.js";
import { rounded } from "../core/domain/rounding.js";
import type { LiveState, Reading, Sample } from "../core/domain/sample.js";
import type { HealthRegistry } from "../core/health-registry.js";
import type { Log } from "../core/log.js";
import type { Cancel, Clock } from "../core/time/clock.js";
import { type LeftOutReading, LeftOutReadings } from "./left-out.js";
import { type HeldReading, type NewSeries, ReadingGate } from "./reading-gate.js";
import { isOtherUnit, isOutOfRange, readingLimits } from "./reading-limits.js";

export interface SiteGateOptions {
  runtime: SiteRuntime;
  clock: Clock;
  /** Stores readings that count although no second one has confirmed them. */
  release: (samples: Sample[]) => Promise<unknown>;
  /** Where held readings are shown; left out: in the log only. */
  components?: Pick<HealthRegistry, "report" | "remove"> | undefined;
  log: Pick<Log, "warn" | "error">;
}

/** A question about a new meter or a larger device is shown for this long. */
const ASKED_MS = 7 * DAY_MS;
/** Sentences of one component. */
const MOST_SENTENCES = 10;

/** The reading gate of one site: by its present settings, with the time after which a held reading counts. */
export class SiteGate {
  readonly #options: SiteGateOptions;
  readonly #gate = new ReadingGate();
  readonly #leftOut = new LeftOutReadings();
  readonly #asked = new Map<Reading, NewSeries>();
  #cancel: Cancel = () => {};
  #wasBusy = false;

  constructor(options: SiteGateOptions) {
    this.#options = options;
  }

  /** The samples to use; see `ReadingGate`. */
  pass(samples: readonly Sample[], live: LiveState): Sample[] {
    const { runtime, clock } = this.#options;
    const before = this.held();
    const passed = this.#gate.pass(samples, {
      limits: readingLimits(runtime.site.plant),
      live,
      now: clock.now(),
    });
    this.#leftOut.confirm(passed);
    this.#note(samples, passed, before);
    const series = this.#gate.takeNewSeries();
    for (const one of series) this.#asked.set(one.reading, one);
    const isBusy = series.length > 0 || before.length > 0 || this.held().length > 0;
    if (isBusy || this.#wasBusy) this.#arm();
    this.#wasBusy = isBusy;
    return passed;
  }

  /** Counts and shows readings that no device can have. */
  leave(readings: readonly LeftOutReading[]): void {
    for (const one of readings) this.#leftOut.add(one);
    this.#show();
  }

  held(): HeldReading[] {
    return this.#gate.held();
  }

  /** Readings that were not used since the start: their number, and the last ones, newest first. */
  leftOut(): { count: number; last: readonly LeftOutReading[] } {
    return { count: this.#leftOut.count, last: this.#leftOut.list() };
  }

  stop(): void {
    this.#cancel();
  }

  /** Counts what did not pass, and writes the first of a row to the log. */
  #note(samples: readonly Sample[], passed: readonly Sample[], before: readonly HeldReading[]): void {
    if (passed.length === samples.length && passed.every((sample, index) => sample === samples[index]))
      return;
    const counts = new Set(
      passed.flatMap(({ at, values }) =>
        Object.entries(values).map(([reading, value]) => key(reading, at, value)),
      ),
    );
    for (const { at, values } of samples)
      for (const [reading, value] of Object.entries(values) as [Reading, number][])
        if (!counts.has(key(reading, at, value))) this.#leftOut.add({ reading, at, value });
    const known = new Set(before.map(({ reading }) => reading));
    for (const { reading, value, used } of this.held())
      if (!known.has(reading))
        this.#options.log.warn(
          { site: this.#options.runtime.site.id, reading, value },
          `${reading} cannot be ${value}${used === undefined ? "" : ` after ${used.value}`}; it is not used until further readings confirm it.`,
        );
  }

  #arm(): void {
    const { clock, log, release, runtime } = this.#options;
    this.#cancel();
    this.#show();
    const dueAt = this.#gate.dueAt();
    if (dueAt === undefined) return;
    this.#cancel = clock.at(dueAt, () => {
      const released = this.#gate.release(clock.now());
      this.#leftOut.confirm(released);
      this.#arm();
      if (released.length === 0) return;
      release(released).catch((err: unknown) =>
        log.error({ err, site: runtime.site.id }, "A reading that was held could not be stored."),
      );
    });
  }

  #show(): void {
    const { clock, components, runtime } = this.#options;
    const { id: siteId } = runtime.site;
    const name = `readings ${siteId}`;
    const since = clock.now().getTime() - ASKED_MS;
    const held = this.held();
    const asked = [...this.#asked.values()].filter(({ first }) => first.at.getTime() >= since);
    const questions = asked.flatMap(questionOf);
    const [last] = this.#leftOut.list();
    const sentences = [...held.map(heldSentence), ...questions].slice(0, MOST_SENTENCES);
    if (last !== undefined)
      sentences.push({ code: "readings_left_out", count: this.#leftOut.count, ...last });
    if (sentences.length === 0) components?.remove(name);
    else components?.report(name, held.length > 0 ? "degraded" : "ok", sentences, { siteId });
  }
}

function key(reading: string, at: Date, value: number | undefined): string {
  return `${reading} ${at.getTime()} ${value}`;
}

function heldSentence({ reading, at, value, used, limits }: HeldReading): ComponentSentence {
  if (limits.kind === "power")
    return {
      code: "power_held",
      reading,
      value,
      least: powerOf(limits.minKw),
      most: powerOf(limits.maxKw),
    };
  if (isOutOfRange(value, limits)) return { code: "temperature_held", reading, value };
  const isUnit = used !== undefined && isOtherUnit(used, { at, value }, limits);
  const code = isUnit ? "counter_unit" : limits.kind === "counter" ? "counter_held" : "reading_held";
  return { code, reading, value, used: used?.value ?? 0 };
}

/** What the owner is asked about readings that are believed. */
function questionOf({ reading, first: { at, value }, before, limits }: NewSeries): ComponentSentence[] {
  if (limits.kind === "power")
    return [
      {
        code: "power_above_settings",
        reading,
        value,
        most: powerOf(value < 0 ? -limits.minKw : limits.maxKw),
        at,
      },
    ];
  if (limits.kind !== "counter" || before === undefined) return [];
  return [{ code: "counter_replaced", reading, value, before: before.value, at }];
}

function powerOf(kw: number): number {
  return rounded(kw, 2) ?? kw;
}
