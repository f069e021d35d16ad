/** Most table entries: 672 slots with any 12 segments, or with many more of few lengths, need fewer. */
const MOST_STATES = 4_000_000;

/** The segments of a request are too many to be placed exactly; `field` is the request field to change. */
export class SegmentLimitError extends RangeError {
  readonly field = "segments";
  readonly code = "too_many_segments";
  override readonly name = "SegmentLimitError";
}

/** Segments of one length, which are interchangeable for the cost. */
export interface SegmentKind {
  /** Slots. */
  length: number;
  /** Indices of the segments of this length in the request. */
  segments: readonly number[];
  /** Increment of the number of a set per segment of this kind. */
  stride: number;
  /** 1 for each set that contains a segment of this kind. */
  has: Uint8Array;
  /** The numbers of those sets. */
  setsWithIt: Int32Array;
}

/**
 * All sets of segments still to place, numbered from 0 (none) to `size - 1` (all) in a mixed radix: one digit per
 * kind, with the number of its segments.
 */
export class SegmentSets {
  readonly size: number;
  readonly kinds: readonly SegmentKind[];
  readonly total: Int32Array;

  /** Throws SegmentLimitError if a table of `slots` times the sets would be too large. */
  constructor(requested: readonly { segment: number; length: number }[], slots: number) {
    const byLength = new Map<number, number[]>();
    for (const { segment, length } of requested)
      byLength.set(length, [...(byLength.get(length) ?? []), segment]);
    const strides: number[] = [];
    let size = 1;
    for (const segments of byLength.values()) {
      strides.push(size);
      size *= segments.length + 1;
    }
    if (size * (slots + 1) > MOST_STATES)
      throw new SegmentLimitError(
        `segments: ${requested.length} segments of ${byLength.size} lengths over ${slots} slots are too many to place exactly; request fewer or equal segments.`,
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

/** For each slot the number of adjoining slots up to the next gap or the end, including itself. */
export function contiguousFrom(joins: Uint8Array): Int32Array {
  const reach = new Int32Array(joins.length);
  for (let slot = joins.length - 1; slot >= 0; slot--)
    reach[slot] = joins[slot + 1] === 1 ? reach[slot + 1]! + 1 : 1;
  return reach;
}

/** `sums[n]` is the total of the first n values; exact for integers. */
export function prefixSums(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let index = 0; index < values.length; index++) sums[index + 1] = sums[index]! + values[index]!;
  return sums;
}
