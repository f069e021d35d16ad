/**
 * An independent implementation of the windows by enumeration: every set of slots, every placement of the segments.
 * Deliberately slow and simple, without shared code. Prices are integers here.
 */

export interface Candidates {
  prices: readonly number[];
  /** adjoins[i]: slot i begins where slot i - 1 ends. */
  adjoins: readonly boolean[];
}

/** Smaller is better, compared lexicographically. */
type Score = readonly number[];

function beats(a: Score, b: Score | undefined): boolean {
  if (b === undefined) return true;
  for (let index = 0; index < Math.min(a.length, b.length); index++)
    if (a[index] !== b[index]) return a[index]! < b[index]!;
  return false;
}

function* subsets(size: number): Generator<number[]> {
  for (let bits = 0; bits < 1 << size; bits++) {
    const set: number[] = [];
    for (let slot = 0; slot < size; slot++) if (bits & (1 << slot)) set.push(slot);
    yield set;
  }
}

/** Best of all `allowed` sets: least cost plus `breakCost` per run beyond `freeRuns`, then the earliest. */
export function bruteSlots(
  { prices, adjoins }: Candidates,
  freeRuns: number,
  breakCost: number,
  allowed: (set: readonly number[]) => boolean,
): number[] {
  let best: number[] = [];
  let bestScore: Score | undefined;
  for (const set of subsets(prices.length)) {
    if (!allowed(set)) continue;
    let cost = 0;
    let runs = 0;
    for (const slot of set) {
      cost += prices[slot]!;
      if (!set.includes(slot - 1) || !adjoins[slot]) runs++;
    }
    const score = [cost + breakCost * Math.max(0, runs - freeRuns), ...set];
    if (!beats(score, bestScore)) continue;
    best = set;
    bestScore = score;
  }
  return best;
}

/**
 * Best of all sets of slots that the segments, each one unbroken piece of at most its length, can cover: most slots,
 * then least cost, then earliest (or latest) slots. If all fit, each segment has its full length.
 */
export function bruteSegments(
  { prices, adjoins }: Candidates,
  segments: readonly number[],
  latest = false,
): number[] {
  let best: number[] = [];
  let bestScore: Score | undefined;
  for (const set of subsets(prices.length)) {
    const runs: number[] = [];
    for (const slot of set) {
      if (adjoins[slot] && set.includes(slot - 1)) runs.push(runs.pop()! + 1);
      else runs.push(1);
    }
    if (!canCover(runs, segments)) continue;
    const cost = set.reduce((sum, slot) => sum + prices[slot]!, 0);
    const order = latest ? set.toReversed().map((slot) => -slot) : set;
    const score = [-set.length, cost, ...order];
    if (!beats(score, bestScore)) continue;
    best = set;
    bestScore = score;
  }
  return best;
}

/** Whether runs of these lengths can consist of pieces of different segments, each at most as long as its segment. */
function canCover([run, ...runs]: readonly number[], segments: readonly number[]): boolean {
  if (run === undefined) return true;
  return segments.some((length, index) => {
    const others = segments.filter((_, other) => other !== index);
    return run <= length ? canCover(runs, others) : canCover([run - length, ...runs], others);
  });
}

/** Distributes `demand` slots over the days one at a time, in rounds, among those with capacity left. */
export function bruteShares(capacities: readonly number[], demand: number): number[] {
  const shares = capacities.map(() => 0);
  let rest = Math.min(
    demand,
    capacities.reduce((sum, capacity) => sum + capacity, 0),
  );
  while (rest > 0) {
    for (const [day, capacity] of capacities.entries()) {
      if (rest === 0 || shares[day]! >= capacity) continue;
      shares[day]!++;
      rest--;
    }
  }
  return shares;
}
