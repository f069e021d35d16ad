/** A half-open time interval: it contains `start` but not `end`. */
export interface Interval {
  start: Date;
  end: Date;
}

/** An amount of energy in an interval, kWh. */
export interface EnergyStep extends Interval {
  kwh: number;
}

export const MINUTE_MS = 60_000;
export const QUARTER_MS = 15 * MINUTE_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Start of the UTC grid cell of `stepMs` that contains `at` (both in milliseconds since the epoch). */
export function floorTo(at: number, stepMs: number): number {
  return Math.floor(at / stepMs) * stepMs;
}

/** First boundary of the UTC grid of `stepMs` at or after `at` (both in milliseconds since the epoch). */
export function ceilTo(at: number, stepMs: number): number {
  return Math.ceil(at / stepMs) * stepMs;
}

/** Start of the current hour. Austrian offsets are whole hours, so UTC hours are local hours. */
export function hourOf(at: Date): Date {
  return new Date(floorTo(at.getTime(), HOUR_MS));
}

/** The quarter-hours of an interval; the first and the last one are shorter where it begins or ends within one. */
export function quartersOf({ start, end }: Interval): Interval[] {
  const quarters: Interval[] = [];
  for (let at = start; at < end; ) {
    const next = new Date(Math.min(end.getTime(), floorTo(at.getTime(), QUARTER_MS) + QUARTER_MS));
    quarters.push({ start: at, end: next });
    at = next;
  }
  return quarters;
}

/** Length of an interval, hours. */
export function hoursOf({ start, end }: Interval): number {
  return (end.getTime() - start.getTime()) / HOUR_MS;
}

/** Whole minutes until `at`, rounded up; negative when it is past. */
export function minutesUntil(at: Date, now: Date): number {
  return Math.ceil((at.getTime() - now.getTime()) / MINUTE_MS);
}

/** True when `at` lies in the half-open interval. */
export function contains(interval: Interval, at: Date): boolean {
  return interval.start <= at && at < interval.end;
}
