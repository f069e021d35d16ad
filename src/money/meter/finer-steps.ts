import { MINUTE_MS } from "../../core/domain/interval.js";
import type { ReadRows } from "./counter-readings.js";
import type { RawRow } from "./rows.js";

/** Steps of usable series, minutes. */
export const USABLE_STEPS = [15, 30, 60];
/** With fewer whole intervals the rows have no regular step. */
const LEAST_WHOLE = 0.5;

/** What the values of a finer step are added to: 5 minutes to 15, 10 minutes to 30; undefined where they do not fit. */
export function sumStep(stepMinutes: number): number | undefined {
  return USABLE_STEPS.find((step) => step % stepMinutes === 0 && step > stepMinutes);
}

/**
 * Rows of a finer step as rows of `toMinutes`, whose times are starts: the sum of energies, the mean of powers. An interval of which
 * a row is missing has no value. Undefined where most are so.
 */
export function summedRows(
  { rows, ms, skipped }: ReadRows,
  {
    fromMinutes,
    toMinutes,
    isEnd,
    isPower,
  }: { fromMinutes: number; toMinutes: number; isEnd: boolean; isPower: boolean },
): ReadRows | undefined {
  const [fromMs, toMs] = [fromMinutes * MINUTE_MS, toMinutes * MINUTE_MS];
  const parts = toMs / fromMs;
  const sums = new Map<number, { row: RawRow; value: number; seen: Set<number> }>();
  for (const [index, row] of rows.entries()) {
    if (skipped[index] === 1) continue;
    const startMs = ms[index]! - (isEnd ? fromMs : 0);
    const at = Math.floor(startMs / toMs) * toMs;
    const sum = sums.get(at) ?? { row: { ...row, isEstimated: false }, value: 0, seen: new Set() };
    sums.set(at, sum);
    const part = Math.floor((startMs - at) / fromMs);
    if (row.value === undefined || sum.seen.has(part)) continue;
    sum.seen.add(part);
    sum.value += row.value;
    sum.row.isEstimated ||= row.isEstimated;
  }
  const starts = Float64Array.from(sums.keys());
  const added = [...sums.values()].map(({ row, value, seen }): RawRow => {
    const isWhole = seen.size === parts;
    return { ...row, value: isWhole ? (isPower ? value / parts : value) : undefined };
  });
  if (added.filter(({ value }) => value !== undefined).length < LEAST_WHOLE * added.length) return undefined;
  return { rows: added, ms: starts, skipped: new Uint8Array(added.length) };
}
