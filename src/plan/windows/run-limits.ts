import { HOUR_MS, type Interval } from "../../core/domain/interval.js";
import { localDate } from "../../core/time/zone.js";
import { localDays } from "./allocation.js";
import { type RunMove, RunStates, type SlotLimits } from "./run-states.js";
import { SegmentLimitError } from "./segment-sets.js";
import type { SoftRunsProblem } from "./soft-runs.js";

/** What a device allows of switching it. */
export interface RunLimits {
  /** Starts that a day has, by its date; left out: any number. */
  startsOn?: (date: string) => number;
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
 * Exact, by backward dynamic programming over (slot, runs opened, slots chosen, state of the run).
 */
export function limitedRuns(problem: SoftRunsProblem, limits: SlotLimits): number[] {
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
function solve(problem: SoftRunsProblem, limits: SlotLimits): number[] | undefined {
  const { costs, joins, count, breakCost, chosenBefore } = problem;
  const slots = costs.length;
  if (count === 0) return [];
  const freeRuns = breakCost === 0 ? 0 : Math.min(problem.freeRuns, count);
  const runs = new RunStates({ limits, mostOn: count, joins: (slot) => joins[slot] === 1 });
  const size = (freeRuns + 1) * (count + 1) * runs.count;
  const at = (opened: number, chosen: number, state: number) =>
    (opened * (count + 1) + chosen) * runs.count + state;
  const openedAfter = (slot: number, opened: number, move: RunMove) =>
    // The run in progress is no start, but one of the runs.
    move.isStart || slot === 0 ? Math.min(freeRuns, opened + 1) : opened;

  if (slots * size > MOST_DECISIONS)
    throw new SegmentLimitError(
      `segments: runs over ${slots} slots cannot be limited exactly; request a shorter window.`,
    );
  let next = new Float64Array(size).fill(Infinity);
  for (let opened = 0; opened <= freeRuns; opened++)
    for (let state = 0; state < runs.count; state++)
      if (runs.shortBy(slots, state) === 0) next[at(opened, count, state)] = 0;
  /** 1: the slot is chosen in this state. */
  const taken: Uint8Array[] = new Array(slots);
  for (let slot = slots - 1; slot >= 0; slot--) {
    const value = new Float64Array(size).fill(Infinity);
    const takes = new Uint8Array(size);
    const fixed = chosenBefore?.get(slot);
    const mostChosen = Math.min(slot, count);
    const [offMoves, onMoves] = [runs.moves(slot, false), runs.moves(slot, true)];
    for (let opened = 0; opened <= freeRuns; opened++)
      for (let chosen = fixed ?? 0; chosen <= (fixed ?? mostChosen); chosen++)
        for (let state = 0; state < runs.count; state++) {
          const [off, on] = [offMoves[state]!, onMoves[state]!];
          const skip = off.shortBy === 0 ? next[at(opened, chosen, off.to)]! : Infinity;
          const after = openedAfter(slot, opened, on);
          const isBreak = (on.isStart || slot === 0) && breakCost > 0 && opened === freeRuns;
          const take =
            chosen < count && on.shortBy === 0 && !on.isBeyond
              ? costs[slot]! + (isBreak ? breakCost : 0) + next[at(after, chosen + 1, on.to)]!
              : Infinity;
          const index = at(opened, chosen, state);
          if (take <= skip && take < Infinity) takes[index] = 1;
          value[index] = Math.min(skip, take);
        }
    taken[slot] = takes;
    next = value;
  }

  let [opened, chosen, state] = [0, 0, runs.first];
  if (next[at(opened, chosen, state)] === Infinity) return undefined;
  const set: number[] = [];
  for (let slot = 0; slot < slots; slot++) {
    const isOn = taken[slot]![at(opened, chosen, state)] === 1;
    const move = runs.move(slot, state, isOn);
    if (isOn) {
      opened = openedAfter(slot, opened, move);
      set.push(slot);
      chosen++;
    }
    state = move.to;
  }
  return set;
}
