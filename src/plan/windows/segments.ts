import { sumOfAll } from "../../core/numbers.js";
import { contiguousFrom, prefixSums, SegmentSets } from "./segment-sets.js";
import { shortenedSlots } from "./shortened-segments.js";

/** Position of a segment: `length` adjoining slots from `first`. */
export interface Placement {
  /** Index of the segment in the request. */
  segment: number;
  first: number;
  length: number;
}

/**
 * Places segments (`lengths`, in slots) as unbroken runs that do not overlap, in any order, at the least total cost;
 * two of them may adjoin. If they do not all fit, segments are shortened or left out so that most slots are chosen,
 * at the least cost.
 *
 * Of equal totals the set of slots whose first difference is an earlier slot is chosen; within it the segments are
 * assigned in the order of the request as far as possible, each as long as possible. Returned in order of time.
 * Exact, by backward dynamic programming over (slot, segments still to place), with segments of equal length as one
 * kind; throws SegmentLimitError for too many different ones.
 */
export function placeSegments(
  costs: Float64Array,
  joins: Uint8Array,
  lengths: readonly number[],
): Placement[] {
  const reach = contiguousFrom(joins);
  const longestStretch = reach.reduce((longest, each) => Math.max(longest, each), 0);
  const requested = lengths
    .map((length, segment) => ({ segment, length }))
    .filter(({ length }) => length > 0);
  if (requested.length === 0 || longestStretch === 0) return [];
  const total = requested.reduce((sum, { length }) => sum + length, 0);
  // All slots are chosen: the segments follow in the order of the request, the last ones shortened.
  if (longestStretch === costs.length && total >= costs.length) return fillInOrder(requested, costs.length);
  const sets = new SegmentSets(
    requested.map(({ segment, length }) => ({ segment, length: Math.min(length, longestStretch) })),
    costs.length,
  );
  // If segments were shortened to the longest stretch, the requested lengths do not fit.
  const mayFit = sets.total[sets.size - 1] === total && total <= costs.length;
  const whole = mayFit ? wholeSlots(costs, reach, sets) : undefined;
  return assign(whole ?? shortenedSlots(costs, reach, sets), joins, sets);
}

/** The segments one after another in the order of the request, until all slots are used. */
function fillInOrder(requested: readonly { segment: number; length: number }[], slots: number): Placement[] {
  const placements: Placement[] = [];
  let first = 0;
  for (const { segment, length } of requested) {
    if (first === slots) break;
    const taken = Math.min(length, slots - first);
    placements.push({ segment, first, length: taken });
    first += taken;
  }
  return placements;
}

/** True if all segments (in slots) can be placed at their full lengths. */
export function segmentsFit(joins: Uint8Array, lengths: readonly number[]): boolean {
  const placed = placeSegments(new Float64Array(joins.length), joins, lengths);
  return sumOfAll(placed.map(({ length }) => length)) === sumOfAll(lengths);
}

/** The slots of the best placement of all segments at their full lengths, ascending; undefined if they do not fit. */
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

  // Follows all optimal placements at once and keeps those that choose the current slot if any does. They have chosen
  // the same slots so far, so `left` (remaining slots of the current run, -1: not reached) does not depend on how a
  // set was reached.
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
 * Divides the chosen slots into segments: at each point the first possible one in the order of the request, as long
 * as possible. (A shorter piece never helps: what fits from one slot on also fits from the next on.)
 */
function assign(chosen: readonly number[], joins: Uint8Array, sets: SegmentSets): Placement[] {
  const { size, kinds } = sets;
  const reach = contiguousFrom(
    Uint8Array.from(chosen, (slot, index) => (chosen[index - 1] === slot - 1 ? joins[slot]! : 0)),
  );
  const isPossible = new Uint8Array((chosen.length + 1) * size);
  isPossible.fill(1, chosen.length * size);
  for (let at = chosen.length - 1; at >= 0; at--) {
    for (const { length, stride, setsWithIt } of kinds) {
      const after = (at + Math.min(length, reach[at]!)) * size - stride;
      for (const set of setsWithIt) if (isPossible[after + set] === 1) isPossible[at * size + set] = 1;
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
          isPossible[(at + Math.min(kind.length, reach[at]!)) * size + set - kind.stride] === 1,
      )
      .sort((a, b) => a.segments[0]! - b.segments[0]!)[0]!;
    const length = Math.min(next.kind.length, reach[at]!);
    placements.push({ segment: next.segments.shift()!, first: chosen[at]!, length });
    at += length;
    set -= next.kind.stride;
  }
  return placements;
}
