import type { TimedValue } from "../core/domain/counter.js";
import { confirmations, confirms, isOtherUnit, isPossible, type ReadingLimits } from "./reading-limits.js";

/** What is known of one quantity. */
export interface GateState {
  /** The last reading that is used. */
  good?: TimedValue | undefined;
  /** Since when a counter has that value: many meters report a step at the hour. */
  since?: Date | undefined;
  /** The last reading of a counter with another value. */
  before?: TimedValue | undefined;
  /** Later readings that `good` rules out, until there are enough of them. */
  held?: readonly TimedValue[] | undefined;
  /** Time between the last two used readings; undefined: not known. */
  intervalMs?: number | undefined;
}

export interface Judgement {
  state: GateState;
  /** The readings that count now: none for one that is held, several where it confirms those before it. */
  used: readonly TimedValue[];
  /** The used readings were ruled out by the ones before: another meter or device. */
  isNewSeries?: true;
  /** The last used reading was wrong: this one agrees with the one before it. */
  isSpikeBefore?: true;
}

/** Judges the next reading of a quantity. Earlier readings than the last used one only complete the history. Pure. */
export function judge(state: GateState, next: TimedValue, limits: ReadingLimits): Judgement {
  const { good, since, before, held = [] } = state;
  if (good !== undefined && next.at < good.at) return { state, used: [next] };
  const from = good && since !== undefined ? { at: since, value: good.value } : good;
  if (isPossible(from, next, limits)) return { state: followedBy(state, next, limits), used: [next] };
  if (limits.kind === "counter" && good !== undefined && before !== undefined)
    if (next.value < good.value && isPossible(before, next, limits)) {
      const isBack = next.value === before.value;
      return {
        state: { good: next, since: isBack ? before.at : next.at, before: isBack ? undefined : before },
        used: [next],
        isSpikeBefore: true,
      };
    }
  const last = held.at(-1);
  const row = last !== undefined && confirms(last, next, limits) ? [...held, next] : [next];
  // Another unit is asked about instead: each step would count a thousand times.
  if (row.length < confirmations(limits) || isOtherUnit(good, next, limits))
    return { state: { ...state, held: row }, used: [] };
  const intervalMs = good === undefined ? undefined : next.at.getTime() - good.at.getTime();
  return {
    state: { good: next, intervalMs, ...(limits.kind === "counter" && { since: next.at }) },
    used: row,
    isNewSeries: true,
  };
}

function followedBy(
  { good, since, before, intervalMs }: GateState,
  next: TimedValue,
  { kind }: ReadingLimits,
): GateState {
  if (good === undefined) return kind === "counter" ? { good: next, since: next.at } : { good: next };
  const passedMs = next.at.getTime() - good.at.getTime() || intervalMs;
  if (kind !== "counter") return { good: next, intervalMs: passedMs };
  return good.value === next.value
    ? { good: next, since, before, intervalMs: passedMs }
    : { good: next, since: next.at, before: good, intervalMs: passedMs };
}
