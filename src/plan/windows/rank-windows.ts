import type { Interval } from "../../core/domain/interval.js";
import type { PriceOrigin } from "../../core/domain/price.js";
import { ranksOf } from "../../core/numbers.js";
import { chooseSlots } from "./choose-slots.js";
import type { Placement } from "./segments.js";
import {
  demandHoursOf,
  readWindowsRequest,
  type WindowsProblem,
  type WindowsRequest,
} from "./windows-request.js";

/** A chosen slot; rank 1 has the best price of the chosen ones. */
export interface RankedSlot extends Interval {
  ctKwh: number;
  rank: number;
  source?: PriceOrigin;
}

/** Adjoining chosen slots as one window; rank 1 has the best average price, ct/kWh. */
export interface RankedWindow extends Interval {
  averageCtKwh: number;
  rank: number;
}

/** A placed segment of `required`. */
export interface PlacedSegment extends Interval {
  hours: number;
}

export interface RankedWindows {
  /** In order of time. */
  slots: RankedSlot[];
  /** In order of rank; of equal averages the earlier first. */
  windows: RankedWindow[];
  /** With `required` the placed segments in the order of the request; else empty. */
  segments: PlacedSegment[];
  /** Requested hours, in whole slots. */
  demandHours: number;
  /** Requested hours without a slot. */
  unmetHours: number;
  /** True if no hours are unmet. */
  feasible: boolean;
  /** Mean price of the chosen slots, ct/kWh; 0 without any. */
  averageCtKwh: number;
}

/**
 * Chooses and ranks the cheapest (or most expensive) slots for a demand in hours: any slots (`off`), few runs
 * (`soft`) or each segment as one unbroken run (`required`).
 *
 * Exact: the total over the chosen slots, including the penalty of `soft`, is minimal (for `expensive` the total less
 * the penalty is maximal). Totals are compared as integers of 1e-9 ct, so sums have no rounding noise; of equal
 * totals the set of slots whose first difference is an earlier slot is chosen. If the demand does not fit, as much as
 * possible is chosen (see `placeSegments` for `required`), and `feasible` is false. The allocations are described at
 * `chooseSlots`. Throws a RangeError that names the invalid field.
 *
 * @example
 * rankWindows({ slots, segments: [2, 3], consecutive: "required" }).windows
 */
export function rankWindows(request: WindowsRequest): RankedWindows {
  return rankAndPlace(request).ranked;
}

/** The same, with the placement of each segment of `required`: its index in the request and its candidates. */
export function rankAndPlace(request: WindowsRequest): { ranked: RankedWindows; placements: Placement[] } {
  const problem = readWindowsRequest(request);
  const choice = chooseSlots(problem);
  const demandHours = demandHoursOf(problem, request);
  const requested = problem.demandSlots ?? choice.slots.length;
  const unmetHours =
    problem.slotHours > 0 ? (requested - choice.slots.length) * problem.slotHours : demandHours;
  const ranked = {
    slots: rankSlots(problem, choice.slots),
    windows: rankRuns(problem, choice.slots),
    segments: choice.placements
      .toSorted((a, b) => a.segment - b.segment)
      .map(({ first, length }) => ({
        start: problem.slots[first]!.start,
        end: problem.slots[first + length - 1]!.end,
        hours: length * problem.slotHours,
      })),
    demandHours,
    unmetHours,
    feasible: unmetHours === 0,
    averageCtKwh: averageCtKwh(problem, choice.slots),
  };
  return { ranked, placements: choice.placements };
}

function rankSlots({ slots, costs }: WindowsProblem, chosen: readonly number[]): RankedSlot[] {
  const ranks = ranksOf(chosen.map((slot) => costs[slot]!));
  return chosen.map((index, position) => {
    const { start, end, ctKwh, source } = slots[index]!;
    return { start, end, ctKwh, rank: ranks[position]!, ...(source === undefined ? {} : { source }) };
  });
}

function rankRuns(problem: WindowsProblem, chosen: readonly number[]): RankedWindow[] {
  const { slots, costs, joins } = problem;
  const runs: number[][] = [];
  for (const slot of chosen) {
    const run = runs.at(-1);
    if (run !== undefined && run.at(-1) === slot - 1 && joins[slot] === 1) run.push(slot);
    else runs.push([slot]);
  }
  // Means in integer cost units: equal prices over 3 and over 7 slots have the same mean, without rounding noise.
  const ranks = ranksOf(
    runs.map((run) => Math.round(run.reduce((sum, slot) => sum + costs[slot]!, 0) / run.length)),
  );
  return runs
    .map((run, position) => ({
      start: slots[run[0]!]!.start,
      end: slots[run.at(-1)!]!.end,
      averageCtKwh: averageCtKwh(problem, run),
      rank: ranks[position]!,
    }))
    .sort((a, b) => a.rank - b.rank);
}

function averageCtKwh({ slots }: WindowsProblem, chosen: readonly number[]): number {
  if (chosen.length === 0) return 0;
  return chosen.reduce((sum, slot) => sum + slots[slot]!.ctKwh, 0) / chosen.length;
}
