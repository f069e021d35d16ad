import type { TimedValue } from "../core/domain/counter.js";
import { MINUTE_MS } from "../core/domain/interval.js";
import type { LiveState, Reading, Sample } from "../core/domain/sample.js";
import { type ChangeLimits, isPossibleChange } from "./plausible-change.js";

/** What is known of one quantity. */
export interface GateState {
  /** The last reading that is used. */
  good?: TimedValue | undefined;
  /** A later reading that `good` rules out, until it is confirmed. */
  held?: TimedValue | undefined;
  /** Time between the last two used readings; undefined: not known. */
  intervalMs?: number | undefined;
}

/** A held reading of a site with the value in use. */
export interface HeldReading extends TimedValue {
  reading: Reading;
  used: TimedValue;
}

/** A device that sends only changes does not repeat its reading: after this time without another one it counts. */
const LEAST_WAIT_MS = MINUTE_MS;
const LONGEST_WAIT_MS = 10 * MINUTE_MS;

/** How long a held reading waits for the next one: two readings of the device. */
export function waitMs({ intervalMs = LONGEST_WAIT_MS }: GateState): number {
  return Math.min(LONGEST_WAIT_MS, Math.max(LEAST_WAIT_MS, 2 * intervalMs));
}

/**
 * Judges the next reading of a quantity. `used` lists the readings that count now: none for one that the last reading rules out,
 * two where it confirms the one before it. Earlier readings than the last used one only complete the history. Pure.
 */
export function judge(
  state: GateState,
  next: TimedValue,
  limits: ChangeLimits,
): { state: GateState; used: TimedValue[] } {
  const { good, held } = state;
  if (good === undefined) return { state: { good: next }, used: [next] };
  if (next.at < good.at) return { state, used: [next] };
  const intervalMs = next.at.getTime() - good.at.getTime() || state.intervalMs;
  if (isPossibleChange(good, next, limits)) return { state: { good: next, intervalMs }, used: [next] };
  if (held !== undefined && next.at > held.at && isPossibleChange(held, next, limits))
    return { state: { good: next, intervalMs }, used: [held, next] };
  return { state: { ...state, held: next }, used: [] };
}

/**
 * Keeps impossible readings of a site from use: one that the last reading, the time since and the settings rule out is held until a
 * second one confirms it.
 */
export class ReadingGate {
  readonly #states = new Map<Reading, GateState>();

  /** The samples to use, with those that they confirm. `live` has the readings from before a restart. */
  pass(
    samples: readonly Sample[],
    { limits, live, now }: { limits: ReadonlyMap<Reading, ChangeLimits>; live: LiveState; now: Date },
  ): Sample[] {
    if (limits.size === 0) return [...samples];
    const passed: Sample[] = [];
    for (const sample of [...samples].sort((a, b) => a.at.getTime() - b.at.getTime())) {
      const values = { ...sample.values };
      for (const [reading, value] of Object.entries(sample.values) as [Reading, number | undefined][]) {
        const bound = limits.get(reading);
        if (bound === undefined || value === undefined) continue;
        const before = this.#known(reading, { last: live[reading], at: sample.at, now });
        const { state, used } = judge(before, { at: sample.at, value }, bound);
        this.#states.set(reading, state);
        if (used.length === 0) delete values[reading];
        for (const { at, value: confirmed } of used.slice(0, -1))
          passed.push({ at, values: { [reading]: confirmed } });
      }
      if (Object.keys(values).length > 0) passed.push({ at: sample.at, values });
    }
    return passed;
  }

  #known(
    reading: Reading,
    { last, at, now }: { last: TimedValue | undefined; at: Date; now: Date },
  ): GateState {
    const state = this.#states.get(reading) ?? {};
    const { good = last } = state;
    // The sum of several batteries, and what was read before a restart, did not pass the gate.
    if (good !== undefined && last !== undefined && last.at > good.at) return { ...state, good: last };
    // A clock that was set back begins anew.
    return good !== undefined && good.at > now && at <= now ? {} : { ...state, good };
  }

  /** The held readings. */
  held(): HeldReading[] {
    return [...this.#states].flatMap(([reading, { good, held }]) =>
      held === undefined || good === undefined ? [] : [{ reading, ...held, used: good }],
    );
  }

  /** The time of the next `release`; undefined: nothing is held. */
  dueAt(): Date | undefined {
    const dues = [...this.#states.values()].flatMap((state) =>
      state.held === undefined ? [] : [state.held.at.getTime() + waitMs(state)],
    );
    return dues.length === 0 ? undefined : new Date(Math.min(...dues));
  }

  /** The held readings that no other one has contradicted in time; they count from now on. */
  release(now: Date): Sample[] {
    const released: Sample[] = [];
    for (const [reading, state] of this.#states) {
      const { held } = state;
      if (held === undefined || held.at.getTime() + waitMs(state) > now.getTime()) continue;
      this.#states.set(reading, { good: held });
      released.push({ at: held.at, values: { [reading]: held.value } });
    }
    return released;
  }
}
