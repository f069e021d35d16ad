import type { TimedValue } from "../core/domain/counter.js";
import { MINUTE_MS } from "../core/domain/interval.js";
import { rounded } from "../core/domain/rounding.js";
import type { LiveState, Reading, Sample } from "../core/domain/sample.js";
import { type GateState, judge } from "./judge-reading.js";
import { isOutOfRange, type LimitsByReading, type ReadingLimits } from "./reading-limits.js";

/** A held reading of a site with the value in use, if any. */
export interface HeldReading extends TimedValue {
  reading: Reading;
  used: TimedValue | undefined;
  limits: ReadingLimits;
}

/** What the sender of a held reading is answered. */
export function heldSentence({
  reading,
  value,
  used,
}: Pick<HeldReading, "reading" | "value"> & { used: Pick<TimedValue, "value"> | undefined }): string {
  const after = used === undefined ? "" : ` after ${rounded(used.value, 6)}`;
  return `${reading} ${rounded(value, 6)} is not possible${after} and not used yet.`;
}

/** Readings that earlier ones ruled out and that are believed, because they agree with one another. */
export interface NewSeries {
  reading: Reading;
  first: TimedValue;
  before: TimedValue | undefined;
  limits: ReadingLimits;
}

/** A device that sends only changes does not repeat its reading: after this time without another one it counts. */
const LEAST_WAIT_MS = MINUTE_MS;
const LONGEST_WAIT_MS = 10 * MINUTE_MS;

/** How long a held reading waits for the next one: two readings of the device. */
export function waitMs({ intervalMs = LONGEST_WAIT_MS }: GateState): number {
  return Math.min(LONGEST_WAIT_MS, Math.max(LEAST_WAIT_MS, 2 * intervalMs));
}

export interface ReadingGateOptions {
  limits: LimitsByReading;
  /** The readings from before a restart. */
  live: LiveState;
  now: Date;
}

interface HeldState extends GateState {
  /** Of the last reading that was held. */
  limits?: ReadingLimits;
}

/**
 * Keeps impossible readings of a site from use: one that the settings, the last reading or the time since rule out is held until
 * others confirm it.
 */
export class ReadingGate {
  readonly #states = new Map<Reading, HeldState>();
  readonly #held = new Set<Reading>();
  #newSeries: NewSeries[] = [];

  /** The samples to use, with those that they confirm. */
  pass(samples: readonly Sample[], options: ReadingGateOptions): Sample[] {
    if (options.limits.size === 0) return [...samples];
    const passed: Sample[] = [];
    for (const sample of [...samples].sort((a, b) => a.at.getTime() - b.at.getTime())) {
      let values = sample.values;
      for (const reading in sample.values) {
        const used = this.#usedOf(reading as Reading, sample, options);
        if (used === undefined) continue;
        if (used.length === 0) {
          if (values === sample.values) values = { ...values };
          delete values[reading as Reading];
        }
        for (let n = 0; n < used.length - 1; n++)
          passed.push({ at: used[n]!.at, values: { [reading]: used[n]!.value } });
      }
      if (values === sample.values) passed.push(sample);
      else if (Object.keys(values).length > 0) passed.push({ at: sample.at, values });
    }
    return passed;
  }

  /** What counts now of one reading of a sample; undefined: it is not limited. */
  #usedOf(reading: Reading, { at, values }: Sample, { limits, live, now }: ReadingGateOptions) {
    const bound = limits.get(reading);
    const value = values[reading];
    if (bound === undefined || value === undefined) return undefined;
    const before = this.#known(reading, { last: live[reading], at, now });
    const { state, used, isNewSeries } = judge(before, { at, value }, bound);
    this.#states.set(reading, state);
    if (state.held !== undefined) {
      this.#held.add(reading);
      this.#states.set(reading, { ...state, limits: bound });
    } else this.#held.delete(reading);
    if (isNewSeries) this.#newSeries.push({ reading, first: used[0]!, before: before.good, limits: bound });
    return used;
  }

  #known(
    reading: Reading,
    { last, at, now }: { last: TimedValue | undefined; at: Date; now: Date },
  ): GateState {
    const state = this.#states.get(reading);
    const good = state?.good;
    // The sum of several batteries, and what was read before a restart, did not pass the gate.
    const isFromOutside = last !== undefined && (good === undefined || last.at > good.at);
    const from = isFromOutside ? last : good;
    // A clock that was set back begins anew.
    if (from !== undefined && from.at > now && at <= now) return {};
    return isFromOutside ? { ...state, good: last } : (state ?? {});
  }

  /** The last held reading of each quantity. */
  held(): HeldReading[] {
    return [...this.#held].flatMap((reading) => {
      const { held, good, limits } = this.#states.get(reading) ?? {};
      const last = held?.at(-1);
      return last === undefined || limits === undefined ? [] : [{ reading, ...last, used: good, limits }];
    });
  }

  /** The readings that have been believed since the last call, although earlier ones ruled them out. */
  takeNewSeries(): NewSeries[] {
    const taken = this.#newSeries;
    if (taken.length > 0) this.#newSeries = [];
    return taken;
  }

  /** The time of the next `release`; undefined: nothing is held that counts after a time. */
  dueAt(): Date | undefined {
    const dues = this.#waiting().map(({ held, state }) => held.at.getTime() + waitMs(state));
    return dues.length === 0 ? undefined : new Date(Math.min(...dues));
  }

  /** The held readings that no other one has contradicted in time; they count from now on. */
  release(now: Date): Sample[] {
    const released: Sample[] = [];
    for (const { reading, held, state } of this.#waiting()) {
      if (held.at.getTime() + waitMs(state) > now.getTime()) continue;
      this.#states.set(reading, { good: held });
      this.#held.delete(reading);
      released.push({ at: held.at, values: { [reading]: held.value } });
    }
    return released;
  }

  /** Powers, counters and temperatures that cannot be do not become possible by waiting. */
  #waiting(): { reading: Reading; held: TimedValue; state: GateState }[] {
    return [...this.#held].flatMap((reading) => {
      const state = this.#states.get(reading);
      const held = state?.held?.at(-1);
      const { limits } = state ?? {};
      return state === undefined ||
        held === undefined ||
        limits === undefined ||
        limits.kind !== undefined ||
        isOutOfRange(held.value, limits)
        ? []
        : [{ reading, held, state }];
    });
  }
}
