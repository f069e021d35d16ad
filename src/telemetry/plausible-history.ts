import { counterDeltas, type TimedValue } from "../core/domain/counter.js";
import { type EnergyStep, type Interval, MINUTE_MS } from "../core/domain/interval.js";
import { type GateState, judge } from "./judge-reading.js";
import type { ReadingLimits } from "./reading-limits.js";

/** Readings of a counter further apart do not show in which quarter-hour the energy flowed. */
const LONGEST_GAP_MS = 65 * MINUTE_MS;

/**
 * The readings that can be, of stored ones in order of time: the same rules as for live readings, for data from before there were
 * any. A value between two that agree is left out. Pure.
 */
export function plausibleReadings(
  readings: readonly TimedValue[],
  limits: ReadingLimits | undefined,
): readonly TimedValue[] {
  return limits === undefined ? readings : passed(readings, limits).used;
}

/** Energy between two readings of a counter. `isLong`: they are too far apart to show the hour of the energy. */
export interface CounterStep extends EnergyStep {
  isLong: boolean;
}

/** Without settings a counter still does not fall. */
const ANY_STEP: ReadingLimits = { kind: "counter", mostKw: Number.POSITIVE_INFINITY };

/**
 * The energies between the readings of a counter. A wrong reading between two that agree is skipped; the step to another meter
 * is left out, because its energy is unknown.
 */
export function counterSteps(
  readings: readonly TimedValue[],
  limits: ReadingLimits = ANY_STEP,
): CounterStep[] {
  const { used, starts, left } = passed(readings, limits);
  return counterDeltas(used)
    .filter(({ end }) => !starts.has(end.getTime()))
    .map((step) => ({ ...step, isLong: lengthMs(step) > longestMs(step) }));

  // An hourly reading that is skipped leaves two hours.
  function longestMs({ start, end }: Interval): number {
    return left.some((at) => at > start && at < end) ? 2 * LONGEST_GAP_MS : LONGEST_GAP_MS;
  }
}

interface Passed {
  used: TimedValue[];
  /** Times at which a counter begins anew. */
  starts: Set<number>;
  /** Times of readings that are not used. */
  left: Date[];
}

function passed(readings: readonly TimedValue[], limits: ReadingLimits): Passed {
  const used: TimedValue[] = [];
  const starts = new Set<number>();
  const left: Date[] = [];
  let state: GateState = {};
  for (const reading of readings) {
    const { good, held = [] } = state;
    const judged = judge(state, reading, limits);
    state = judged.state;
    if (judged.isSpikeBefore && good !== undefined) {
      left.push(good.at);
      for (let last = used.at(-1); last !== undefined && last.value === good.value; last = used.at(-1))
        used.pop();
    }
    if (judged.isNewSeries) starts.add(judged.used[0]!.at.getTime());
    else if (judged.used.length > 0) left.push(...held.map(({ at }) => at));
    used.push(...judged.used);
  }
  return { used, starts, left };
}

function lengthMs({ start, end }: Interval): number {
  return end.getTime() - start.getTime();
}
