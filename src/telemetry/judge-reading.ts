import { excessOf, type TimedValue } from "../core/domain/counter.js";
import { MINUTE_MS } from "../core/domain/interval.js";
import { confirmations, confirms, isOtherUnit, isPossible, type ReadingLimits } from "./reading-limits.js";

/** Between the readings of a counter that stands at 0, and how many of them are kept: those of a month. */
const ZERO_STEP_MS = 15 * MINUTE_MS;
const MOST_ZEROS = 31 * 96;

/** What is known of one quantity. */
export interface GateState {
  /** The last reading that is used. */
  good?: TimedValue | undefined;
  /** Since when a counter has that value: many meters report a step at the hour. */
  since?: Date | undefined;
  /** The last reading of a counter with another value. */
  before?: TimedValue | undefined;
  /** What a counter has counted beyond its limit, kWh. */
  excessKwh?: number | undefined;
  /** Later readings that `good` rules out, until there are enough of them. */
  held?: readonly TimedValue[] | undefined;
  /** Time between the last two used readings; undefined: not known. */
  intervalMs?: number | undefined;
  /** What was known before the time of `good`. */
  earlier?: Omit<GateState, "earlier"> | undefined;
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

/**
 * Judges the next reading of a quantity. Earlier readings than the last used one only complete the history; one of the same time
 * replaces it if what was known before allows that. Pure.
 */
export function judge(state: GateState, next: TimedValue, limits: ReadingLimits): Judgement {
  const { earlier = {}, ...last } = state;
  const isSameTime = last.good?.at.getTime() === next.at.getTime();
  const before = isSameTime ? earlier : last;
  let judged = judgeAfter(before, next, limits);
  if (isSameTime && judged.used.length === 0) judged = judgeAfter(last, next, limits);
  const isLatest = judged.state.good === next;
  return { ...judged, state: { ...judged.state, earlier: isLatest ? before : earlier } };
}

function judgeAfter(state: GateState, next: TimedValue, limits: ReadingLimits): Judgement {
  const { good, since, before, excessKwh, held = [] } = state;
  if (good !== undefined && next.at < good.at) return { state, used: [next] };
  const from = good && since !== undefined ? { at: since, value: good.value } : good;
  if (isPossible(from, next, limits, excessKwh))
    return { state: followedBy(state, from, next, limits), used: [next] };
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
  const count = confirmations(limits);
  // A meter that is new counts. Another unit is asked about instead: each step would count a thousand times.
  const isZero = limits.kind === "counter" && next.value === 0;
  const row = last !== undefined && confirms(last, next, limits) ? rowOf(held, next, count) : [next];
  if (row.length < count || isZero || isOtherUnit(good, next, limits))
    return { state: { ...state, held: row }, used: [] };
  const intervalMs = good === undefined ? undefined : next.at.getTime() - good.at.getTime();
  return {
    state: { good: next, intervalMs, ...(limits.kind === "counter" && { since: next.at }) },
    used: row,
    isNewSeries: true,
  };
}

/**
 * The held readings that agree, with the next one: as many as confirm one another, and of a counter all since it stands at 0. A new
 * meter of import does so until the sun has gone, and that time is known once it counts; one reading in a while is enough of it.
 */
function rowOf(held: readonly TimedValue[], next: TimedValue, count: number): readonly TimedValue[] {
  const [first] = held;
  if (first?.value !== 0) return [...held, next].slice(-count);
  const before = held.at(-2);
  const isRepeated =
    before !== undefined &&
    held.length >= count &&
    next.value === 0 &&
    next.at.getTime() - before.at.getTime() <= ZERO_STEP_MS;
  return [...(isRepeated ? held.slice(0, -1) : held), next].slice(-MOST_ZEROS);
}

function followedBy(
  { good, since, before, excessKwh, intervalMs }: GateState,
  from: TimedValue | undefined,
  next: TimedValue,
  limits: ReadingLimits,
): GateState {
  const isCounter = limits.kind === "counter";
  if (good === undefined) return isCounter ? { good: next, since: next.at } : { good: next };
  const passedMs = next.at.getTime() - good.at.getTime() || intervalMs;
  if (!isCounter) return { good: next, intervalMs: passedMs };
  if (good.value === next.value) return { good: next, since, before, excessKwh, intervalMs: passedMs };
  return {
    good: next,
    since: next.at,
    before: good,
    excessKwh: excessOf(from ?? good, next, limits.mostKw, excessKwh),
    intervalMs: passedMs,
  };
}
