import { HOUR_MS, QUARTER_MS } from "../../core/domain/interval.js";
import type { ReadRows } from "./counter-readings.js";
import type { RawRow } from "./rows.js";

/** So many hours in sequence are no gaps between quarter-hours. */
const LEAST_HOURS = 6;

/**
 * The rows of a file of quarter-hours of which a part has one row per hour, as before quarter-hours were enabled: each hour as four
 * quarter-hours. Also the number of those hours.
 */
export function withoutHours(
  read: ReadRows,
  { isEnd, isPower }: { isEnd: boolean; isPower: boolean },
): ReadRows & { hours: number } {
  const hours = hourRows(read.ms, isEnd);
  if (hours.size === 0) return { ...read, hours: 0 };
  const rows: RawRow[] = [];
  const ms: number[] = [];
  const skipped: number[] = [];
  for (const [index, row] of read.rows.entries()) {
    const isHour = hours.has(index);
    const value = isHour && !isPower && row.value !== undefined ? row.value / 4 : row.value;
    for (let quarter = 0; quarter < (isHour ? 4 : 1); quarter++) {
      rows.push({ ...row, value });
      ms.push(read.ms[index]! + (isEnd ? -quarter : quarter) * QUARTER_MS);
      skipped.push(read.skipped[index]!);
    }
  }
  return { rows, ms: Float64Array.from(ms), skipped: Uint8Array.from(skipped), hours: hours.size };
}

/** The rows whose neighbours, at the side where the interval lies, are an hour away for some time. */
function hourRows(ms: Float64Array, isEnd: boolean): Set<number> {
  const order = Uint32Array.from(ms.keys()).sort((a, b) => ms[a]! - ms[b]!);
  const found = new Set<number>();
  for (let first = 0; first < order.length - 1; first++) {
    let last = first;
    while (last + 1 < order.length && ms[order[last + 1]!]! - ms[order[last]!]! === HOUR_MS) last++;
    if (last - first < LEAST_HOURS) {
      first = Math.max(first, last - 1);
      continue;
    }
    // The row at the other side of the sequence has its interval outside of it, unless the file begins or ends there.
    const from = isEnd && first > 0 ? first + 1 : first;
    const to = isEnd || last === order.length - 1 ? last : last - 1;
    for (let at = from; at <= to; at++) found.add(order[at]!);
    first = last - 1;
  }
  return found;
}
