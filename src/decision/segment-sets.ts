/** Table entries at most: 672 slots with any 12 segments, or with many more of few lengths, stay below it. */
const MOST_STATES = 4_000_000;

/** Segments of one length; which of them is placed where makes no difference to the cost. */
export interface SegmentKind {
  /** Slots. */
  length: number;
  /** Indices of the segments of this length, as they were listed. */
  segments: readonly number[];
  /** What one segment of this kind adds to the number of a set. */
  stride: number;
  /** 1 for each set that holds one of this kind. */
  has: Uint8Array;
  /** The numbers of those sets. */
  setsWithIt: Int32Array;
}

/**
 * All sets of segments that can be still to place, numbered from 0 (none) to `size - 1` (all) in a mixed radix: one
 * digit a kind, its value the number of segments of that kind.
 */
export class SegmentSets {
  readonly size: number;
  readonly kinds: readonly SegmentKind[];
  /** Slots of all segments of a set. */
  readonly total: Int32Array;

  /** Throws a RangeError when `slots` times the sets would be too large a table to be filled in a moment. */
  constructor(asked: readonly { segment: number; length: number }[], slots: number) {
    const byLength = new Map<number, number[]>();
    for (const { segment, length } of asked) byLength.set(length, [...(byLength.get(length) ?? []), segment]);
    const strides: number[] = [];
    let size = 1;
    for (const segments of byLength.values()) {
      strides.push(size);
      size *= segments.length + 1;
    }
    if (size * (slots + 1) > MOST_STATES)
      throw new RangeError(
        `segments: ${asked.length} segments of ${byLength.size} lengths over ${slots} slots are too many to be placed exactly; ask for fewer or for equal ones.`,
      );
    this.size = size;
    this.total = new Int32Array(size);
    this.kinds = [...byLength].map(([length, segments], index) => {
      const stride = strides[index]!;
      const digit = (set: number) => Math.floor(set / stride) % (segments.length + 1);
      const has = Uint8Array.from({ length: size }, (_, set) => (digit(set) > 0 ? 1 : 0));
      for (let set = 0; set < size; set++) this.total[set]! += digit(set) * length;
      const setsWithIt = Int32Array.from({ length: size }, (_, set) => set).filter((set) => has[set] === 1);
      return { length, segments, stride, has, setsWithIt };
    });
  }
}

/** From each slot on, how many adjoin one another up to the next gap or the end, itself included. */
export function contiguousFrom(joins: Uint8Array): Int32Array {
  const reach = new Int32Array(joins.length);
  for (let slot = joins.length - 1; slot >= 0; slot--)
    reach[slot] = joins[slot + 1] === 1 ? reach[slot + 1]! + 1 : 1;
  return reach;
}

/** `sums[n]` is the total of the first n values: with whole numbers exact. */
export function prefixSums(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let index = 0; index < values.length; index++) sums[index + 1] = sums[index]! + values[index]!;
  return sums;
}
