import { prefixSums, SegmentLimitError, type SegmentSets } from "./segment-sets.js";

/**
 * Most steps of the programme: (slot, set, segment to begin). 672 slots with any 10 segments, or with many more of
 * few lengths, need fewer; each step takes ten times as long as one of a placement of whole segments.
 */
const MOST_STEPS = 4_000_000;

/**
 * The slots to choose if segments may be shortened: most slots in total, then the least cost, then the set whose
 * first difference is an earlier slot. Each segment is at most one unbroken run.
 *
 * Exact, by backward dynamic programming over (slot, segments not begun). The best end of a run that begins in a slot
 * is the best of a sliding window of slots, so a monotone queue makes a segment of a week as cheap as one of an hour.
 * Throws SegmentLimitError if there are too many steps.
 */
export function shortenedSlots(costs: Float64Array, reach: Int32Array, sets: SegmentSets): number[] {
  const steps = sets.kinds.reduce((sum, { setsWithIt }) => sum + setsWithIt.length, 0) * costs.length;
  if (steps > MOST_STEPS)
    throw new SegmentLimitError(
      `segments: they do not all fit, and ${sets.kinds.length} lengths over ${costs.length} slots are too many to shorten exactly; request fewer or equal segments.`,
    );
  const table = new BestToGo(costs, reach, sets);
  return walk(table, costs, reach, sets);
}

/** For each slot and set of segments not begun: most slots that can still be chosen from there on, and their cost. */
class BestToGo {
  readonly paid: Float64Array;
  readonly taken: Int32Array;
  readonly cost: Float64Array;
  readonly #size: number;

  constructor(costs: Float64Array, reach: Int32Array, { size, kinds }: SegmentSets) {
    const slots = costs.length;
    this.#size = size;
    this.paid = prefixSums(costs);
    this.taken = new Int32Array((slots + 1) * size);
    this.cost = new Float64Array((slots + 1) * size);
    const ends = kinds.map((kind) => ({
      kind,
      queues: new EndQueues(kind.setsWithIt.length, kind.length + 1),
    }));
    for (let slot = slots - 1; slot >= 0; slot--) {
      const row = slot * size;
      this.taken.copyWithin(row, row + size, row + 2 * size);
      this.cost.copyWithin(row, row + size, row + 2 * size);
      const endsStretch = reach[slot] === 1;
      for (const { kind, queues } of ends) {
        const last = slot + Math.min(kind.length, reach[slot]!);
        for (let index = 0; index < kind.setsWithIt.length; index++) {
          const set = kind.setsWithIt[index]!;
          // A run cannot continue over a gap: before one, only the end of the slot itself counts.
          if (endsStretch) queues.clear(index);
          queues.add(index, slot + 1, this, set - kind.stride);
          const end = queues.best(index, last);
          const taken = this.taken[end * size + set - kind.stride]! + end - slot;
          const cost = this.cost[end * size + set - kind.stride]! + this.paid[end]! - this.paid[slot]!;
          const known = row + set;
          if (taken < this.taken[known]! || (taken === this.taken[known]! && cost >= this.cost[known]!))
            continue;
          this.taken[known] = taken;
          this.cost[known] = cost;
        }
      }
    }
  }

  /**
   * Above 0 if ending a run at `a` is better than at `b`, for any first slot; `set` is the set of remaining segments.
   */
  compareEnds(a: number, b: number, set: number): number {
    const atA = a * this.#size + set;
    const atB = b * this.#size + set;
    return (
      this.taken[atA]! + a - (this.taken[atB]! + b) ||
      this.cost[atB]! + this.paid[b]! - (this.cost[atA]! + this.paid[a]!)
    );
  }

  /** Whether exactly these slots and this cost remain from `slot` on with `set`. */
  isOptimal(slot: number, set: number, taken: number, cost: number): boolean {
    const at = slot * this.#size + set;
    return this.taken[at] === taken && this.cost[at] === cost;
  }
}

/**
 * For each of many sets the ends of a run in a sliding window, with the best one accessible. Ring buffers in one
 * array: thousands of growing lists would burden the garbage collector.
 */
class EndQueues {
  readonly #capacity: number;
  readonly #ends: Int32Array;
  readonly #heads: Int32Array;
  readonly #counts: Int32Array;

  /** A queue holds at most the ends of its window and the one that is added. */
  constructor(queues: number, capacity: number) {
    this.#capacity = capacity;
    this.#ends = new Int32Array(queues * capacity);
    this.#heads = new Int32Array(queues);
    this.#counts = new Int32Array(queues);
  }

  clear(queue: number): void {
    this.#counts[queue] = 0;
  }

  #place(queue: number, offset: number): number {
    const at = this.#heads[queue]! + offset;
    return queue * this.#capacity + (at < this.#capacity ? at : at - this.#capacity);
  }

  /** Slots in descending order from the back of the window; each is better than those added after it. */
  add(queue: number, end: number, table: BestToGo, set: number): void {
    let count = this.#counts[queue]!;
    while (count > 0 && table.compareEnds(end, this.#ends[this.#place(queue, count - 1)]!, set) >= 0) count--;
    this.#ends[this.#place(queue, count)] = end;
    this.#counts[queue] = count + 1;
  }

  /** The best end up to `last`; later ones are not requested again. */
  best(queue: number, last: number): number {
    while (this.#ends[this.#place(queue, 0)]! > last) {
      this.#heads[queue] = this.#heads[queue]! + 1 === this.#capacity ? 0 : this.#heads[queue]! + 1;
      this.#counts[queue]!--;
    }
    return this.#ends[this.#place(queue, 0)]!;
  }
}

/**
 * Follows all optimal solutions at once and keeps those that choose the current slot if any does. All of them have
 * chosen the same slots so far, so the remaining number of slots and cost are the same for all.
 */
function walk(table: BestToGo, costs: Float64Array, reach: Int32Array, { size, kinds }: SegmentSets) {
  const slots = costs.length;
  const chosen: number[] = [];
  let taken = table.taken[size - 1]!;
  let cost = table.cost[size - 1]!;
  let resting = new Uint8Array(size);
  resting[size - 1] = 1;
  /** By set that remains after the current run: the last slot at which the run may end in an optimal solution. */
  let running = new Int32Array(size).fill(-1);
  for (let slot = 0; slot < slots; slot++) {
    for (let set = 0; set < size; set++)
      if (running[set]! >= slot && table.isOptimal(slot, set, taken, cost)) resting[set] = 1;
    const next = new Int32Array(size).fill(-1);
    let takes = false;
    for (let set = 0; set < size; set++) {
      if (running[set]! > slot) {
        next[set] = running[set]!;
        takes = true;
      }
      if (resting[set] === 0 || !table.isOptimal(slot, set, taken, cost)) continue;
      for (const { length, stride, has } of kinds) {
        if (has[set] === 0) continue;
        const left = set - stride;
        const floor = Math.max(slot, next[left]!);
        for (let end = slot + Math.min(length, reach[slot]!); end > floor; end--) {
          if (
            !table.isOptimal(end, left, taken - (end - slot), cost - (table.paid[end]! - table.paid[slot]!))
          )
            continue;
          next[left] = end;
          takes = true;
          break;
        }
      }
    }
    if (!takes) {
      // Resting solutions continue to rest; a run that could end here has ended.
      running = next;
      continue;
    }
    chosen.push(slot);
    taken -= 1;
    cost -= costs[slot]!;
    running = next;
    resting = new Uint8Array(size);
  }
  return chosen;
}
