import { cheapestSlots, dealSegments, evenShares, localDays } from "./allocation.js";
import { beyondLimits, limitedRuns, limitsInSlots } from "./run-limits.js";
import { type Placement, placeSegments, segmentsFit } from "./segments.js";
import { countRuns, type SoftRunsProblem, softRuns } from "./soft-runs.js";
import type { WindowsProblem } from "./windows-request.js";

/** The chosen slots by index, ascending; with `required` also the placement of the segments, in order of time. */
export interface Choice {
  slots: number[];
  placements: Placement[];
}

/**
 * Solves a windows problem exactly. Meaning of the allocations, for `off` and `soft` / for `required`:
 * - cheapest: the least total / the least total;
 * - earliest, latest: the first (last) slots, independent of price and breaks / runs in the earliest (latest) slots;
 * - even: day shares in slots, then the least total over all days / whole segments assigned to days, then the least total
 *   of each day; as `cheapest` if a segment fits into no day.
 */
export function chooseSlots(problem: WindowsProblem): Choice {
  const count = problem.costs.length;
  if (problem.demandSlots === undefined) return { slots: indices(0, count), placements: [] };
  if (problem.consecutive !== "required")
    return { slots: chooseAny(problem, Math.min(problem.demandSlots, count)), placements: [] };
  const placements = chooseRuns(problem);
  return { slots: placements.flatMap(({ first, length }) => indices(first, first + length)), placements };
}

function chooseAny(problem: WindowsProblem, demand: number): number[] {
  const { costs, joins, breakCost, allocation, consecutive } = problem;
  if (allocation === "earliest") return indices(0, demand);
  if (allocation === "latest") return indices(costs.length - demand, costs.length);
  const days =
    allocation === "even" ? localDays(problem.slots, problem.timezone) : [{ from: 0, to: costs.length }];
  const shares = evenShares(
    days.map(({ from, to }) => to - from),
    demand,
  );
  const cheapest = days.flatMap((day, index) => cheapestSlots(costs, day, shares[index]!));
  const freeRuns = problem.segmentSlots.filter((length) => length > 0).length;
  // Runs may cross midnight, so all days are solved together, with the day shares as constraints.
  const chosenBefore = new Map<number, number>();
  let before = 0;
  for (const [index, { from }] of days.entries()) {
    chosenBefore.set(from, before);
    before += shares[index]!;
  }
  const runs = {
    costs,
    joins,
    count: demand,
    freeRuns,
    breakCost: consecutive === "off" ? 0 : breakCost,
    chosenBefore,
  };
  // No set is cheaper than this one; if it has no additional run, it is also the best with break costs.
  const best = consecutive === "off" || countRuns(cheapest, joins) <= freeRuns ? cheapest : softRuns(runs);
  return withinLimits(problem, runs, best);
}

/** The best choice within what the device allows; that without limits where it keeps to them. */
function withinLimits(
  { slots, slotHours, timezone, limits }: WindowsProblem,
  runs: SoftRunsProblem,
  best: number[],
): number[] {
  if (limits === undefined || best.length === 0) return best;
  const inSlots = limitsInSlots(limits, { slots, slotHours, timezone });
  return beyondLimits(best, runs.joins, inSlots) === 0 ? best : limitedRuns(runs, inSlots);
}

function chooseRuns(problem: WindowsProblem): Placement[] {
  const { costs, joins, segmentSlots, allocation } = problem;
  // With equal prices every placement has the same cost, so the earliest slots are chosen.
  if (allocation === "earliest") return placeSegments(new Float64Array(costs.length), joins, segmentSlots);
  if (allocation === "latest") return placeLatest(problem);
  return (
    (allocation === "even" ? placeEvenly(problem) : undefined) ?? placeSegments(costs, joins, segmentSlots)
  );
}

/** The earliest placement of the reversed slots, reversed back. */
function placeLatest({ joins, segmentSlots }: WindowsProblem): Placement[] {
  const count = joins.length;
  const mirrored = Uint8Array.from(joins, (_, slot) => (slot === 0 ? 0 : joins[count - slot]!));
  // The first segment of the request is to be first in time, which is last in the reversed order.
  const lastSegment = segmentSlots.length - 1;
  return placeSegments(new Float64Array(count), mirrored, segmentSlots.toReversed())
    .map(({ segment, first, length }) => ({
      segment: lastSegment - segment,
      first: count - first - length,
      length,
    }))
    .reverse();
}

function placeEvenly({
  slots,
  timezone,
  costs,
  joins,
  segmentSlots,
}: WindowsProblem): Placement[] | undefined {
  const days = localDays(slots, timezone).map(({ from, to }) => {
    const dayJoins = joins.slice(from, to);
    dayJoins[0] = 0;
    return { from, costs: costs.slice(from, to), joins: dayJoins };
  });
  const dealt = dealSegments(segmentSlots, days.length, (day, lengths) =>
    segmentsFit(days[day]!.joins, lengths),
  );
  return dealt?.flatMap((segments, index) => {
    const day = days[index]!;
    const lengths = segments.map((segment) => segmentSlots[segment]!);
    return placeSegments(day.costs, day.joins, lengths).map(({ segment, first, length }) => ({
      segment: segments[segment]!,
      first: day.from + first,
      length,
    }));
  });
}

function indices(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, offset) => from + offset);
}
