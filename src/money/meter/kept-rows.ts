import { QUARTER_MS } from "../../core/domain/interval.js";
import type { ReadRows } from "./counter-readings.js";

/** One row per start, in the order of time. Typed arrays: a file may have hundreds of thousands of rows. */
export interface KeptRows {
  starts: Float64Array;
  /** Of the rows in the file. */
  indexes: Uint32Array;
  /** Position of a start; negative where there is none. */
  at(startMs: number): number;
}

/** Rows that are left out, by the reason; of the doubled ones `conflicting` have another value. */
export interface LeftOutRows {
  missing: number;
  doubled: number;
  offGrid: number;
  negative: number;
  conflicting: number;
}

/** The usable rows of a series: of several for the same start, the first that clocks showed. */
export function keepRows(
  rows: ReadRows["rows"],
  skipped: Uint8Array,
  startOf: (index: number) => number,
): { kept: KeptRows; count: LeftOutRows } {
  const count = { missing: 0, doubled: 0, offGrid: 0, negative: 0, conflicting: 0 };
  const order = new Uint32Array(rows.length);
  const blank: number[] = [];
  let usable = 0;
  for (const [index, { value }] of rows.entries()) {
    if (value === undefined && skipped[index] === 1) blank.push(startOf(index));
    else if (value === undefined) count.missing++;
    else if (startOf(index) % QUARTER_MS !== 0) count.offGrid++;
    else if (value < 0) count.negative++;
    else order[usable++] = index;
  }
  const sorted = order
    .subarray(0, usable)
    .sort((a, b) => startOf(a) - startOf(b) || skipped[a]! - skipped[b]! || a - b);
  const starts = new Float64Array(usable);
  const indexes = new Uint32Array(usable);
  let length = 0;
  for (const index of sorted) {
    const startMs = startOf(index);
    if (length === 0 || starts[length - 1] !== startMs) {
      starts[length] = startMs;
      indexes[length++] = index;
      continue;
    }
    count.doubled++;
    if (rows[indexes[length - 1]!]!.value !== rows[index]!.value) count.conflicting++;
  }
  const at = (startMs: number) => positionOf(starts.subarray(0, length), startMs);
  // A label in the skipped hour of spring only counts where no other row names the same instant.
  for (const startMs of blank) if (at(startMs) < 0) count.missing++;
  return { kept: { starts: starts.subarray(0, length), indexes: indexes.subarray(0, length), at }, count };
}

function positionOf(sorted: Float64Array, value: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sorted[middle]! < value) from = middle + 1;
    else to = middle;
  }
  return sorted[from] === value ? from : -1;
}
