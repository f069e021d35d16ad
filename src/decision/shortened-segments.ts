import { prefixSums, type SegmentSets } from "./segment-sets.js";

/**
 * Steps of the programme at most: (slot, set, segment to begin). 672 slots with any 10 segments, or with many more of
 * few lengths, stay below it; each step costs ten times one of a placement of whole segments.
 */
const MOST_STEPS = 4_000_000;

/**
 * The slots to take when segments may be cut short: most slots in total, then the least cost, then the set whose first
 * difference is an earlier slot. Each segment still is at most one unbroken run.
 *
 * Exact, by backward dynamic programming over (slot, segments not begun). The best end of a run that begins in a slot
 * is the best of a window of slots that only slides towards the front, so it is kept in a monotone queue and a segment
 * of a week costs no more than one of an hour. Throws a RangeError when there are too many steps to be done in a moment.
 */
export function shortenedSlots(costs: Float64Array, reach: Int32Array, sets: SegmentSets): number[] {
  const steps = sets.kinds.reduce((sum, { setsWithIt }) => sum + setsWithIt.length, 0) * costs.length;
  if (steps > MOST_STEPS)
    throw new RangeError(
      `segments: they do not all fit as they are, and ${sets.kinds.length} lengths over ${costs.length} slots are too many to be cut short exactly; ask for fewer or for equal ones.`,
    );
  const table = new BestToGo(costs, reach, sets);
  return walk(table, costs, reach, sets);
}

/** For each slot and set of segments not begun: how many slots can still be taken from there on, and at what cost. */
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
          // A run cannot go on over a gap: behind one no end counts but that of the slot itself.
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

  /** Above 0 when ending a run at `a` is better than at `b`, whatever slot it began in; `set` is what is left then. */
  compareEnds(a: number, b: number, set: number): number {
    const atA = a * this.#size + set;
    const atB = b * this.#size + set;
    return (
      this.taken[atA]! + a - (this.taken[atB]! + b) ||
      this.cost[atB]! + this.paid[b]! - (this.cost[atA]! + this.paid[a]!)
    );
  }

  /** Whether what is still to be had from `slot` on with `set` is exactly that. */
  leads(slot: number, set: number, taken: number, cost: number): boolean {
    const at = slot * this.#size + set;
    return this.taken[at] === taken && this.cost[at] === cost;
  }
}

/**
 * For each of many sets the ends of a run in a window that slides towards the front, the best one at hand at any time.
 * Rings in one array: thousands of growing lists would keep the garbage collector busy for longer than the programme.
 */
class EndQueues {
  readonly #capacity: number;
  readonly #ends: Int32Array;
  readonly #heads: Int32Array;
  readonly #counts: Int32Array;

  /** A queue never holds more than the ends of its window and the one that is added. */
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

  /** Descending slots from the back of the window; each better than those that were added after it. */
  add(queue: number, end: number, table: BestToGo, set: number): void {
    let count = this.#counts[queue]!;
    while (count > 0 && table.compareEnds(end, this.#ends[this.#place(queue, count - 1)]!, set) >= 0) count--;
    this.#ends[this.#place(queue, count)] = end;
    this.#counts[queue] = count + 1;
  }

  /** The best end up to `last`; the ones behind it are never asked for again. */
  best(queue: number, last: number): number {
    while (this.#ends[this.#place(queue, 0)]! > last) {
      this.#heads[queue] = this.#heads[queue]! + 1 === this.#capacity ? 0 : this.#heads[queue]! + 1;
      this.#counts[queue]!--;
    }
    return this.#ends[this.#place(queue, 0)]!;
  }
}

/**
 * Follows all optimal ways at once and keeps to those that take the slot in hand wherever one does. All of them have
 * taken the same slots so far, so what is still to be had is one number of slots and one cost for all.
 */
function walk(table: BestToGo, costs: Float64Array, reach: Int32Array, { size, kinds }: SegmentSets) {
  const slots = costs.length;
  const chosen: number[] = [];
  let taken = table.taken[size - 1]!;
  let cost = table.cost[size - 1]!;
  let resting = new Uint8Array(size);
  resting[size - 1] = 1;
  /** By set that is left after the run in progress: the last slot at which it may end and all still be optimal. */
  let running = new Int32Array(size).fill(-1);
  for (let slot = 0; slot < slots; slot++) {
    for (let set = 0; set < size; set++)
      if (running[set]! >= slot && table.leads(slot, set, taken, cost)) resting[set] = 1;
    const next = new Int32Array(size).fill(-1);
    let takes = false;
    for (let set = 0; set < size; set++) {
      if (running[set]! > slot) {
        next[set] = running[set]!;
        takes = true;
      }
      if (resting[set] === 0 || !table.leads(slot, set, taken, cost)) continue;
      for (const { length, stride, has } of kinds) {
        if (has[set] === 0) continue;
        const left = set - stride;
        const floor = Math.max(slot, next[left]!);
        for (let end = slot + Math.min(length, reach[slot]!); end > floor; end--) {
          if (!table.leads(end, left, taken - (end - slot), cost - (table.paid[end]! - table.paid[slot]!)))
            continue;
          next[left] = end;
          takes = true;
          break;
        }
      }
    }
    if (!takes) {
      // Whoever was resting goes on resting; a run that could end here has ended.
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
