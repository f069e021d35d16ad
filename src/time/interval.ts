/** A half-open stretch of time: `start` belongs to it, `end` does not. */
export interface Interval {
  start: Date;
  end: Date;
}

export const MINUTE_MS = 60_000;
export const QUARTER_MS = 15 * MINUTE_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Start of the UTC grid cell of `stepMs` that contains `at` (both in milliseconds since the epoch). */
export function floorTo(at: number, stepMs: number): number {
  return Math.floor(at / stepMs) * stepMs;
}

/** Start of the elapsed hour in progress. Austrian offsets are whole hours, so UTC hours are local hours. */
export function hourOf(at: Date): Date {
  return new Date(floorTo(at.getTime(), HOUR_MS));
}

/** True when `at` lies in the half-open interval. */
export function contains(interval: Interval, at: Date): boolean {
  return interval.start <= at && at < interval.end;
}

/** Adjoining or overlapping intervals made one, in order of time. */
export function mergeIntervals(intervals: readonly Interval[]): Interval[] {
  const merged: Interval[] = [];
  for (const next of [...intervals].sort((a, b) => a.start.getTime() - b.start.getTime())) {
    const last = merged.at(-1);
    if (last !== undefined && next.start <= last.end) {
      if (next.end > last.end) last.end = next.end;
    } else {
      merged.push({ start: next.start, end: next.end });
    }
  }
  return merged;
}
