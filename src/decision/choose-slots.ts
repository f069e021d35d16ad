import { dealSegments, evenShares, localDays } from "./allocation.js";
import { cheapestSlots } from "./cheapest-slots.js";
import { type Placement, placeSegments, segmentsFit } from "./segments.js";
import { countRuns, softRuns } from "./soft-runs.js";
import type { WindowsProblem } from "./windows-request.js";

/** The slots chosen, by index, ascending; with `required` also which segment lies where, in order of time. */
export interface Choice {
  slots: number[];
  placements: Placement[];
}

/**
 * Solves a windows problem exactly. What the allocations mean in each case:
 *
 * | | off, soft | required |
 * |---|---|---|
 * | cheapest | the least total | the least total |
 * | earliest, latest | the first (last) slots, whatever their price and breaks | runs in the earliest (latest) slots |
 * | even | day shares in slots, then the least total over all days | whole segments dealt to the days, then the least total of each day; as `cheapest` when a segment finds no day that holds it |
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
  // No set is cheaper than this one, so where it has no run to pay for, it is the best with breaks, too.
  if (consecutive === "off" || countRuns(cheapest, joins) <= freeRuns) return cheapest;
  // Runs go on over midnight, so the days are not solved one by one: the shares bind one programme over all of them.
  const chosenBefore = new Map<number, number>();
  let before = 0;
  for (const [index, { from }] of days.entries()) {
    chosenBefore.set(from, before);
    before += shares[index]!;
  }
  return softRuns({ costs, joins, count: demand, freeRuns, breakCost, chosenBefore });
}

function chooseRuns(problem: WindowsProblem): Placement[] {
  const { costs, joins, segmentSlots, allocation } = problem;
  // Without prices every placement costs the same, and the tie rule alone decides: the earliest slots.
  if (allocation === "earliest") return placeSegments(new Float64Array(costs.length), joins, segmentSlots);
  if (allocation === "latest") return placeLatest(problem);
  return (
    (allocation === "even" ? placeEvenly(problem) : undefined) ?? placeSegments(costs, joins, segmentSlots)
  );
}

/** The earliest placement of the mirrored slots, mirrored back. */
function placeLatest({ joins, segmentSlots }: WindowsProblem): Placement[] {
  const count = joins.length;
  const mirrored = Uint8Array.from(joins, (_, slot) => (slot === 0 ? 0 : joins[count - slot]!));
  // The segment listed first is to come first in time, which is last in the mirror.
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
