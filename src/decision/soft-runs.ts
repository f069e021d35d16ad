/** Entries of the decision table at most; 672 quarter-hours with 170 segments stay below it. */
const MOST_DECISIONS = 40_000_000;

export interface SoftRunsProblem {
  /** Whole-numbered cost of each slot. */
  costs: Float64Array;
  /** 1 where a slot adjoins the one before it. */
  joins: Uint8Array;
  /** Slots to choose; at most as many as there are. */
  count: number;
  /** Runs that cost nothing; each further one costs `breakCost`. */
  freeRuns: number;
  breakCost: number;
  /** How many slots must have been chosen before the slot of that index: the day shares of `even`. */
  chosenBefore?: ReadonlyMap<number, number>;
}

/** How many runs, maximal stretches of adjoining slots, the chosen slots (ascending) make. */
export function countRuns(chosen: readonly number[], joins: Uint8Array): number {
  return chosen.filter((slot, index) => chosen[index - 1] !== slot - 1 || joins[slot] !== 1).length;
}

/**
 * Chooses `count` slots at the least total of their cost and of the break cost for each run (a maximal stretch of
 * adjoining chosen slots) beyond the free ones; of equal totals the set whose first difference is an earlier slot.
 *
 * Exact, by backward dynamic programming over (slot, slots chosen, runs opened, charging): two values per state are
 * kept for one slot only, the decisions, two bits each, for all. Throws a RangeError when their table would be too
 * large to be filled in a moment.
 */
export function softRuns(problem: SoftRunsProblem): number[] {
  const { costs, joins, count, breakCost } = problem;
  const slots = costs.length;
  const freeRuns = Math.min(problem.freeRuns, count);
  const levels = freeRuns + 1;
  // Chosen and left slots both are bounded, so only a band of this width can lead to `count`.
  const width = Math.min(count, slots - count) + 1;
  if (slots * levels * width > MOST_DECISIONS)
    throw new RangeError(
      `segments: ${freeRuns} of them with soft breaks over ${slots} slots are too many to be placed exactly; ask for fewer.`,
    );
  const decisions = new Uint8Array(slots * levels * width);
  const TAKE_IDLE = 1;
  const TAKE_RUNNING = 2;

  // Cost to go from the slot in hand, by runs opened (capped at the free ones) and slots chosen.
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
    // Both loops ascend, and each state reads only itself and larger ones: the later slot's values are still there.
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

  const taken: number[] = [];
  let runs = 0;
  let charging = false;
  for (let slot = 0; slot < slots && taken.length < count; slot++) {
    const decision: number = decisions[(slot * levels + runs) * width + taken.length - leastChosen(slot)]!;
    const take: boolean = (decision & (charging ? TAKE_RUNNING : TAKE_IDLE)) !== 0;
    if (take) {
      if (!charging || joins[slot] !== 1) runs = Math.min(freeRuns, runs + 1);
      taken.push(slot);
    }
    charging = take;
  }
  return taken;
}
