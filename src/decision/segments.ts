import { contiguousFrom, prefixSums, SegmentSets } from "./segment-sets.js";
import { shortenedSlots } from "./shortened-segments.js";

/** Where a segment lies: `length` adjoining slots from `first`. */
export interface Placement {
  /** Index of the segment in the list that was asked for. */
  segment: number;
  first: number;
  length: number;
}

/**
 * Places segments (`lengths`, in slots) as unbroken runs that do not overlap, in any order, at the least total cost;
 * two of them may adjoin. Where they do not all fit, the most slots that segments cut short can hold are placed, at the
 * least cost of that many: each segment still is one unbroken run, of its length or shorter, or is left out.
 *
 * Of equal totals the set of slots whose first difference is an earlier slot is taken; within it the segment that was
 * listed first comes first, as long as it can be, where that leaves room for the others. Returned in order of time.
 * Exact, by backward dynamic programming over (slot, segments still to place), segments of equal length being one kind;
 * throws a RangeError when there are too many different ones.
 */
export function placeSegments(
  costs: Float64Array,
  joins: Uint8Array,
  lengths: readonly number[],
): Placement[] {
  const reach = contiguousFrom(joins);
  const longestStretch = reach.reduce((longest, each) => Math.max(longest, each), 0);
  const asked = lengths.map((length, segment) => ({ segment, length })).filter(({ length }) => length > 0);
  if (asked.length === 0 || longestStretch === 0) return [];
  const total = asked.reduce((sum, { length }) => sum + length, 0);
  // Nothing to choose: one stretch that they fill takes them in the order of the list, the last ones cut short.
  if (longestStretch === costs.length && total >= costs.length) return fillInOrder(asked, costs.length);
  const sets = new SegmentSets(
    asked.map(({ segment, length }) => ({ segment, length: Math.min(length, longestStretch) })),
    costs.length,
  );
  // What was cut to the longest stretch has a smaller total than what was asked for, and does not fit whole.
  const mayFit = sets.total[sets.size - 1] === total && total <= costs.length;
  const whole = mayFit ? wholeSlots(costs, reach, sets) : undefined;
  return assign(whole ?? shortenedSlots(costs, reach, sets), joins, sets);
}

/** The segments one after another, as listed, until the slots are used up. */
function fillInOrder(asked: readonly { segment: number; length: number }[], slots: number): Placement[] {
  const placements: Placement[] = [];
  let first = 0;
  for (const { segment, length } of asked) {
    if (first === slots) break;
    const taken = Math.min(length, slots - first);
    placements.push({ segment, first, length: taken });
    first += taken;
  }
  return placements;
}

/** True when all the segments (in slots) can be placed at once, each at its length. */
export function segmentsFit(joins: Uint8Array, lengths: readonly number[]): boolean {
  const placed = placeSegments(new Float64Array(joins.length), joins, lengths);
  const total = (of: readonly number[]) => of.reduce((sum, length) => sum + length, 0);
  return total(placed.map(({ length }) => length)) === total(lengths);
}

/** The slots of the best placement of all segments at their lengths, ascending; undefined when they do not fit. */
function wholeSlots(costs: Float64Array, reach: Int32Array, sets: SegmentSets): number[] | undefined {
  const slots = costs.length;
  const { size, kinds } = sets;
  const paid = prefixSums(costs);
  // toGo[slot * size + set]: least cost of placing exactly the segments of `set` in this slot and those after it.
  const toGo = new Float64Array((slots + 1) * size).fill(Infinity);
  toGo[slots * size] = 0;
  for (let slot = slots - 1; slot >= 0; slot--) {
    const row = slot * size;
    toGo.copyWithin(row, row + size, row + 2 * size);
    for (const { length, stride, setsWithIt } of kinds) {
      if (length > reach[slot]!) continue;
      const cost = paid[slot + length]! - paid[slot]!;
      const after = (slot + length) * size - stride;
      for (const set of setsWithIt) {
        const total = cost + toGo[after + set]!;
        if (total < toGo[row + set]!) toGo[row + set] = total;
      }
    }
  }

  if (toGo[size - 1] === Infinity) return undefined;

  // A walk through all optimal placements at once, that keeps to those that take the slot in hand wherever one does.
  // They have taken the same slots so far, so `left` (slots still to go in the run in progress, -1: not reached)
  // is the same however a set was come to.
  let left = new Int32Array(size).fill(-1);
  left[size - 1] = 0;
  const chosen: number[] = [];
  for (let slot = 0; slot < slots; slot++) {
    const next = new Int32Array(size).fill(-1);
    let taken = false;
    for (let set = 0; set < size; set++) {
      if (left[set]! > 0) {
        next[set] = left[set]! - 1;
        taken = true;
      } else if (left[set] === 0) {
        for (const { length, stride, has } of kinds) {
          if (length > reach[slot]! || has[set] === 0) continue;
          const total = paid[slot + length]! - paid[slot]! + toGo[(slot + length) * size + set - stride]!;
          if (total !== toGo[slot * size + set]) continue;
          next[set - stride] = length - 1;
          taken = true;
        }
      }
    }
    if (!taken) continue;
    chosen.push(slot);
    left = next;
  }
  return chosen;
}

/**
 * Cuts the chosen slots into segments: at each point the one that was listed first among those that work out, as long
 * as it can be. (A shorter piece never helps: what the rest can hold from one slot on it can hold from the next on.)
 */
function assign(chosen: readonly number[], joins: Uint8Array, sets: SegmentSets): Placement[] {
  const { size, kinds } = sets;
  const reach = contiguousFrom(
    Uint8Array.from(chosen, (slot, index) => (chosen[index - 1] === slot - 1 ? joins[slot]! : 0)),
  );
  const worksOut = new Uint8Array((chosen.length + 1) * size);
  worksOut.fill(1, chosen.length * size);
  for (let at = chosen.length - 1; at >= 0; at--) {
    for (const { length, stride, setsWithIt } of kinds) {
      const after = (at + Math.min(length, reach[at]!)) * size - stride;
      for (const set of setsWithIt) if (worksOut[after + set] === 1) worksOut[at * size + set] = 1;
    }
  }
  const waiting = kinds.map((kind) => ({ kind, segments: [...kind.segments] }));
  const placements: Placement[] = [];
  let set = size - 1;
  for (let at = 0; at < chosen.length; ) {
    const next = waiting
      .filter(
        ({ kind, segments }) =>
          segments.length > 0 &&
          worksOut[(at + Math.min(kind.length, reach[at]!)) * size + set - kind.stride] === 1,
      )
      .sort((a, b) => a.segments[0]! - b.segments[0]!)[0]!;
    const length = Math.min(next.kind.length, reach[at]!);
    placements.push({ segment: next.segments.shift()!, first: chosen[at]!, length });
    at += length;
    set -= next.kind.stride;
  }
  return placements;
}
