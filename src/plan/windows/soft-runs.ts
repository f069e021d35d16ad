import { SegmentLimitError } from "./segment-sets.js";

/** Most entries of the decision table; 672 quarter-hours with 170 segments need fewer. */
const MOST_DECISIONS = 40_000_000;

export interface SoftRunsProblem {
  /** Integer cost of each slot. */
  costs: Float64Array;
  /** 1 if a slot adjoins the one before it. */
  joins: Uint8Array;
  /** Number of slots to choose; at most as many as there are. */
  count: number;
  /** Runs without a break cost; each further one costs `breakCost`. */
  freeRuns: number;
  breakCost: number;
  /** Number of slots that must have been chosen before the slot of that index: the day shares of `even`. */
  chosenBefore?: ReadonlyMap<number, number>;
}

/** Number of runs (maximal sequences of adjoining slots) of the chosen slots, which are in ascending order. */
export function countRuns(chosen: readonly number[], joins: Uint8Array): number {
  return chosen.filter((slot, index) => chosen[index - 1] !== slot - 1 || joins[slot] !== 1).length;
}

/**
 * Chooses `count` slots with the least total of their cost and of the break cost for each run beyond the free ones;
 * of equal totals the set whose first difference is an earlier slot.
 *
 * Exact, by backward dynamic programming over (slot, slots chosen, runs opened, charging). Values are stored for one
 * slot only, the decisions, two bits each, for all. Throws SegmentLimitError if their table would be too large.
 */
export function softRuns(problem: SoftRunsProblem): number[] {
  const { costs, joins, count, breakCost } = problem;
  const slots = costs.length;
  const freeRuns = Math.min(problem.freeRuns, count);
  const levels = freeRuns + 1;
  // Both chosen and remaining slots are bounded, so only a band of this width can lead to `count`.
  const width = Math.min(count, slots - count) + 1;
  if (slots * levels * width > MOST_DECISIONS)
    throw new SegmentLimitError(
      `segments: ${freeRuns} with soft breaks over ${slots} slots are too many to place exactly; request fewer segments.`,
    );
  const decisions = new Uint8Array(slots * levels * width);
  const TAKE_IDLE = 1;
  const TAKE_RUNNING = 2;

  // Cost to go from the current slot, by runs opened (capped at the free ones) and slots chosen.
  const stride = count + 2;
  const idle = new Float64Array(levels * stride).fill(Infinity);
  const running = new Float64Array(levels * stride).fill(Infinity);
  for (let runs = 0; runs < levels; runs++) {
    idle[runs * stride + count] = 0;
    running[runs * stride + count] = 0;
  }
  const leastChosen = (slot: number) => Math.max(0, count - (slots - slot));

  for (let slot = slots - 1; slot >= 0; slot--) {
    const cost = costs[slot]!;
    const joined = joins[slot] === 1;
    const lowest = leastChosen(slot);
    const highest = Math.min(slot, count);
    const fixed = problem.chosenBefore?.get(slot);
    // Both loops ascend, and each state reads only itself and larger ones, which still have the values of the later
    // slot.
    for (let runs = 0; runs < levels; runs++) {
      const opened = Math.min(freeRuns, runs + 1);
      const openingCost = runs === freeRuns ? cost + breakCost : cost;
      const row = runs * stride;
      const openedRow = opened * stride;
      const decisionRow = (slot * levels + runs) * width - lowest;
      for (let chosen = lowest; chosen <= highest; chosen++) {
        const skip = idle[row + chosen]!;
        const open = openingCost + running[openedRow + chosen + 1]!;
        const goOn = joined ? cost + running[row + chosen + 1]! : open;
        const reachable = fixed === undefined || fixed === chosen;
        decisions[decisionRow + chosen] = (open <= skip ? TAKE_IDLE : 0) | (goOn <= skip ? TAKE_RUNNING : 0);
        idle[row + chosen] = reachable ? Math.min(skip, open) : Infinity;
        running[row + chosen] = reachable ? Math.min(skip, goOn) : Infinity;
      }
    }
  }

  const chosen: number[] = [];
  let runs = 0;
  let charging = false;
  for (let slot = 0; slot < slots && chosen.length < count; slot++) {
    const decision: number = decisions[(slot * levels + runs) * width + chosen.length - leastChosen(slot)]!;
    const take: boolean = (decision & (charging ? TAKE_RUNNING : TAKE_IDLE)) !== 0;
    if (take) {
      if (!charging || joins[slot] !== 1) runs = Math.min(freeRuns, runs + 1);
      chosen.push(slot);
    }
    charging = take;
  }
  return chosen;
}
