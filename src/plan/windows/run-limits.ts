import { HOUR_MS, type Interval } from "../../core/domain/interval.js";
import { localDate } from "../../core/time/zone.js";
import { localDays, type SlotRange } from "./allocation.js";
import { SegmentLimitError } from "./segment-sets.js";

/** What a device allows of switching it. */
export interface RunLimits {
  /** Starts that a day has, by its date; left out: any number. */
  startsOn?: (date: string) => number;
  /** Whether `startsOn` limits them. */
  hasMostStarts?: boolean;
  /** Local hour at which its days begin; default 0. */
  dayBegins?: number;
  /** Least length of a run, hours. */
  leastRunHours?: number;
  /** The device is on, and goes on if the first candidate is chosen: hours that this run has lasted. */
  runningHours?: number | undefined;
}

/** Date of the day that a start counts in, where days begin at a local hour. */
export function dayOfStarts(at: Date, timezone: string, dayBegins = 0): string {
  return localDate(new Date(at.getTime() - dayBegins * HOUR_MS), timezone);
}

/** Limits in whole slots. */
export interface SlotLimits {
  /** Days of the candidates in which starts are counted, and the starts left on each. */
  days: readonly SlotRange[];
  starts: readonly number[];
  leastRun: number;
  /** Slots that the run in progress has lasted; undefined: the device is off. */
  running: number | undefined;
}

/** The limits for candidates of equal length. */
export function limitsInSlots(
  { startsOn = () => Number.POSITIVE_INFINITY, leastRunHours = 0, runningHours, dayBegins }: RunLimits,
  { slots, slotHours, timezone }: { slots: readonly Interval[]; slotHours: number; timezone: string },
): SlotLimits {
  const dayOf = (start: Date) => dayOfStarts(start, timezone, dayBegins);
  const days = localDays(slots, timezone, dayOf);
  return {
    days,
    starts: days.map(({ from }) => startsOn(dayOf(slots[from]!.start))),
    leastRun: Math.ceil(leastRunHours / slotHours - 1e-9),
    running: runningHours === undefined ? undefined : Math.round(runningHours / slotHours),
  };
}

export interface LimitedProblem {
  costs: Float64Array;
  joins: Uint8Array;
  /** Number of slots to choose; at most as many as there are. */
  count: number;
  freeRuns: number;
  breakCost: number;
  /** Number of slots that must have been chosen before the slot of that index: the day shares of `even`. */
  chosenBefore?: ReadonlyMap<number, number>;
}

/** By how many starts and slots the chosen slots, which are in ascending order, are beyond the limits; 0: they keep to them. */
export function beyondLimits(
  chosen: readonly number[],
  joins: Uint8Array,
  { days, starts, leastRun, running }: SlotLimits,
): number {
  const lengths: number[] = [];
  const left = [...starts];
  let excess = 0;
  for (const [index, slot] of chosen.entries()) {
    if (slot === 0 && running !== undefined) lengths.push(1 + running);
    else if (slot > 0 && chosen[index - 1] === slot - 1 && joins[slot] === 1) lengths[lengths.length - 1]!++;
    else {
      lengths.push(1);
      const day = days.findIndex(({ from, to }) => slot >= from && slot < to);
      if (day >= 0 && --left[day]! < 0) excess++;
    }
  }
  const goesOn = running !== undefined && chosen[0] === 0;
  for (const [run, length] of lengths.entries())
    excess += Math.max(0, leastOf({ leastRun, running }, chosen.length, run === 0 && goesOn) - length);
  const least = Math.min(leastRun, chosen.length);
  return running !== undefined && running < least && least > 1 && !goesOn ? excess + least - running : excess;
}

/** Least length of a run: a demand that is shorter is one run, what a run in progress leaves is no run of its own. */
function leastOf(
  { leastRun, running }: Pick<SlotLimits, "leastRun" | "running">,
  count: number,
  goesOn: boolean,
): number {
  if (running === undefined) return Math.min(leastRun, count);
  return goesOn ? Math.min(leastRun, running + count) : leastRun;
}

/**
 * Chooses `count` slots with the least total within the limits; of equal totals the set whose first difference is an earlier slot. A
 * demand shorter than the least run is one run, or the rest of the one in progress. Where the least run leaves no room, it is shortened;
 * where the starts leave none, as many slots as possible are chosen.
 *
 * Exact, by backward dynamic programming over (slot, runs opened, starts left, slots chosen, slots that the run still needs).
 */
export function limitedRuns(problem: LimitedProblem, limits: SlotLimits): number[] {
  for (let leastRun = Math.max(1, leastOf(limits, problem.count, false)); leastRun >= 1; leastRun--) {
    const chosen = solve(problem, { ...limits, leastRun });
    if (chosen !== undefined) return chosen;
  }
  const { chosenBefore: _, ...rest } = problem;
  const any = { ...limits, leastRun: 1 };
  let [best, low, high]: [number[], number, number] = [[], 1, problem.count - 1];
  // A run can be shortened, so fewer slots always fit.
  while (low <= high) {
    const count = (low + high) >> 1;
    const chosen = solve({ ...rest, count }, any);
    if (chosen === undefined) high = count - 1;
    else [best, low] = [chosen, count + 1];
  }
  return best;
}

const MOST_DECISIONS = 60_000_000;

/** Undefined where `count` slots do not fit. */
function solve(
  problem: LimitedProblem,
  { days, starts, leastRun, running }: SlotLimits,
): number[] | undefined {
  const { costs, joins, count, breakCost, chosenBefore } = problem;
  const slots = costs.length;
  if (count === 0) return [];
  const freeRuns = breakCost === 0 ? 0 : Math.min(problem.freeRuns, count);
  const mostStarts = starts.reduce((most, each) => Math.max(most, Math.min(each, count)), 0);
  // Slots that the run still needs, and one for a device that is off.
  const IDLE = leastRun + 1;
  const phases = IDLE + 1;
  const size = (freeRuns + 1) * (mostStarts + 1) * (count + 1) * phases;
  const at = (opened: number, left: number, chosen: number, phase: number) =>
    ((opened * (mostStarts + 1) + left) * (count + 1) + chosen) * phases + phase;
  const dayOf = (slot: number) => days.findIndex(({ from, to }) => slot >= from && slot < to);
  const startsOfDay = (slot: number) => Math.min(mostStarts, starts[dayOf(slot)] ?? 0);
  const isFirstOfDay = new Set(days.map(({ from }) => from));

  if (slots * size > MOST_DECISIONS)
    throw new SegmentLimitError(
      `segments: runs over ${slots} slots cannot be limited exactly; request a shorter window.`,
    );
  let next = new Float64Array(size).fill(Infinity);
  for (let opened = 0; opened <= freeRuns; opened++)
    for (let left = 0; left <= mostStarts; left++)
      for (const phase of [0, IDLE]) next[at(opened, left, count, phase)] = 0;
  /** 1: the slot is chosen in this state. */
  const taken: Uint8Array[] = new Array(slots);
  for (let slot = slots - 1; slot >= 0; slot--) {
    const value = new Float64Array(size).fill(Infinity);
    const takes = new Uint8Array(size);
    const fixed = chosenBefore?.get(slot);
    const resets = isFirstOfDay.has(slot + 1) ? startsOfDay(slot + 1) : undefined;
    const mostChosen = Math.min(slot, count);
    for (let opened = 0; opened <= freeRuns; opened++)
      for (let left = 0; left <= mostStarts; left++)
        for (let chosen = fixed ?? 0; chosen <= (fixed ?? mostChosen); chosen++)
          for (let phase = 0; phase < phases; phase++) {
            const goesOn = phase < IDLE && (joins[slot] === 1 || slot === 0);
            // A run that a gap ends before its least length is none.
            if (phase > 0 && phase < IDLE && !goesOn) continue;
            const after = resets ?? left;
            const skip = phase === 0 || phase === IDLE ? next[at(opened, after, chosen, IDLE)]! : Infinity;
            // The run in progress is no start, but one of the runs.
            const isNewRun = !goesOn || slot === 0;
            let take = Infinity;
            if (chosen < count && (goesOn || left > 0))
              take =
                costs[slot]! +
                (isNewRun && breakCost > 0 && opened === freeRuns ? breakCost : 0) +
                next[
                  at(
                    isNewRun ? Math.min(freeRuns, opened + 1) : opened,
                    resets ?? (goesOn ? left : left - 1),
                    chosen + 1,
                    goesOn ? Math.max(0, phase - 1) : leastRun - 1,
                  )
                ]!;
            const state = at(opened, left, chosen, phase);
            if (take <= skip && take < Infinity) takes[state] = 1;
            value[state] = Math.min(skip, take);
          }
    taken[slot] = takes;
    next = value;
  }

  const owed = leastRun > 1 ? Math.max(0, leastRun - (running ?? 0)) : 0;
  let phase = running === undefined ? IDLE : Math.min(count, owed);
  let [opened, left, chosen] = [0, startsOfDay(0), 0];
  if (next[at(opened, left, 0, phase)] === Infinity) return undefined;
  const set: number[] = [];
  for (let slot = 0; slot < slots; slot++) {
    const takes = taken[slot]![at(opened, left, chosen, phase)] === 1;
    if (takes) {
      const goesOn = phase < IDLE && (joins[slot] === 1 || slot === 0);
      phase = goesOn ? Math.max(0, phase - 1) : leastRun - 1;
      if (!goesOn || slot === 0) opened = Math.min(freeRuns, opened + 1);
      if (!goesOn) left--;
      set.push(slot);
      chosen++;
    } else phase = IDLE;
    if (isFirstOfDay.has(slot + 1)) left = startsOfDay(slot + 1);
  }
  return set;
}
