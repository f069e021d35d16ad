import { floorTo, HOUR_MS, QUARTER_MS } from "../../core/domain/interval.js";
import type { PricePoint } from "../../core/domain/price.js";
import { PriceSeries } from "./price-series.js";

/** Plausibility limit; the auction's own limits are -500 and 5000 EUR/MWh. */
const HIGHEST_EUR_MWH = 20_000;
/** Plausible times: a wrong year must not extend the series over centuries. */
const EARLIEST_MS = Date.UTC(2000, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);

/** Hourly values of quarter-hourly auctions are rounded to the cent; largest difference to their mean (0.0075 observed). */
export const ROUNDING_EUR_MWH = 0.011;

/** Why a start (ms since the epoch) or a price cannot be used; undefined if both are valid. */
export function whyUnusable(startMs: number, eurPerMwh: number): string | undefined {
  if (!(startMs >= EARLIEST_MS && startMs < LATEST_MS)) return "the start is not a time from 2000 to 2099";
  if (startMs % QUARTER_MS !== 0) return "the start is not on a quarter-hour";
  if (!(Math.abs(eurPerMwh) <= HIGHEST_EUR_MWH)) return "the price is not a number of EUR/MWh";
  return undefined;
}

/**
 * Length in minutes of each interval in a list of ascending starts (ms), derived from the spacing to the neighbouring rows:
 * a file may change from hours to quarter-hours. A single row on a full hour is an hour.
 */
export function lengthsOf(startsMs: ArrayLike<number>): (60 | 15)[] {
  const lengths = new Array<60 | 15>(startsMs.length).fill(60);
  // From the end: a row one hour before the next depends on what follows, hours or quarter-hours after a gap.
  for (let index = startsMs.length - 1; index >= 0; index--) {
    const start = startsMs[index]!;
    const toNext = (startsMs[index + 1] ?? Infinity) - start;
    const toPrevious = start - (startsMs[index - 1] ?? -Infinity);
    const hoursFollow = toNext === HOUR_MS && lengths[index + 1] === 60;
    if (toNext < HOUR_MS || start % HOUR_MS !== 0 || (toPrevious < HOUR_MS && !hoursFollow))
      lengths[index] = 15;
  }
  return lengths;
}

/** Points of unordered rows, price by start (ms). NaN is a gap: no point, but it counts for the lengths of its neighbours. */
export function pointsOf(rows: ReadonlyMap<number, number>): PricePoint[] {
  const starts = Float64Array.from(rows.keys()).sort();
  const lengths = lengthsOf(starts);
  const points: PricePoint[] = [];
  starts.forEach((startMs, index) => {
    const eurPerMwh = rows.get(startMs)!;
    if (!Number.isNaN(eurPerMwh))
      points.push({ start: new Date(startMs), minutes: lengths[index]!, eurPerMwh });
  });
  return points;
}

/**
 * The points that differ from `series`. An hourly price equal to the mean of four different quarter-hours is not new: a
 * coarser source never replaces finer prices.
 */
export function newPoints(series: PriceSeries, points: readonly PricePoint[]): PricePoint[] {
  if (series.isEmpty) return [...points];
  return points.filter(({ start, minutes, eurPerMwh }) => {
    const at = start.getTime();
    const first = series.quarter(at);
    if (minutes === 15 || isFlat(series, at)) return first !== eurPerMwh;
    const mean = series.hour(at);
    return mean === undefined || Math.abs(mean - eurPerMwh) > ROUNDING_EUR_MWH;
  });
}

/**
 * The points that `stated`, the prices of a preferred source, has no price for, and quarter-hours of the hours that it has: with the same
 * mean they are finer, with another one they contradict it.
 */
export function withoutStated(stated: PriceSeries, points: readonly PricePoint[]): readonly PricePoint[] {
  if (stated.isEmpty) return points;
  const own = PriceSeries.of(points);
  return points.filter(({ start }) => {
    const at = start.getTime();
    const hour = stated.hour(at);
    if (hour === undefined) return stated.quarter(at) === undefined;
    return isFlat(stated, floorTo(at, HOUR_MS)) && Math.abs(own.hour(at)! - hour) <= ROUNDING_EUR_MWH;
  });
}

/** Whether the four quarter-hours from `at` on have the same price, or none. */
function isFlat(series: PriceSeries, at: number): boolean {
  const first = series.quarter(at);
  return [1, 2, 3].every((step) => series.quarter(at + step * QUARTER_MS) === first);
}
