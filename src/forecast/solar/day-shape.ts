import type { Interval } from "../../core/domain/interval.js";
import { localDate } from "../../core/time/zone.js";
import { type Location, sunPosition } from "./sun.js";

/** The centre of Austria, for plants without coordinates. */
export const AUSTRIA: Location = { latitude: 47.6, longitude: 14.1 };

/**
 * Distributes daily PV yields over intervals by the sine of the sun's altitude at their middle. `dailyKwh[0]` is the
 * remaining yield of the local day of the first interval. Days beyond the list yield 0.
 */
export function spreadDailyYield(
  intervals: readonly Interval[],
  dailyKwh: readonly number[],
  location: Location,
  zone: string,
): number[] {
  const sun = intervals.map(({ start, end }) => {
    const middle = new Date((start.getTime() + end.getTime()) / 2);
    const { altitudeDeg } = sunPosition(middle, location);
    const height = Math.max(0, Math.sin((altitudeDeg * Math.PI) / 180));
    return height * (end.getTime() - start.getTime());
  });
  const dates = intervals.map((interval) => localDate(interval.start, zone));
  const days = [...new Set(dates)];
  const totals = new Map<string, number>();
  dates.forEach((date, index) => {
    totals.set(date, (totals.get(date) ?? 0) + sun[index]!);
  });
  return intervals.map((_, index) => {
    const date = dates[index]!;
    const total = totals.get(date)!;
    return total > 0 ? ((dailyKwh[days.indexOf(date)] ?? 0) * sun[index]!) / total : 0;
  });
}
