import { checkArray, checkDate, checkNumber } from "../../core/check-fields.js";
import { ceilTo, HOUR_MS, hourOf, QUARTER_MS } from "../../core/domain/interval.js";
import type { Quartile } from "../../core/domain/price.js";
import { ranksOf } from "../../core/numbers.js";
import { dayOf, isZone, localDate } from "../../core/time/zone.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";

/** An hour with the value by which it is ranked (any unit). */
export interface RankedHour {
  start: Date;
  value: number;
}

/** `ceil(4 * rank / count)`, also for days of 23 and 25 hours. */
function quartileOf(rank: number, count: number): Quartile {
  return Math.ceil((4 * rank) / count) as Quartile;
}

/** Quartile of each hour among all hours given. `hours` ascend in time. */
export function quartilesOverall(hours: readonly RankedHour[]): Quartile[] {
  return ranksOf(hours.map((hour) => hour.value)).map((rank) => quartileOf(rank, hours.length));
}

/**
 * Rank and quartile of each hour among the given hours of its local day in `zone`, ties to the earlier hour. `hours`
 * are in ascending order; an incomplete day is ranked over its given hours. Throws RangeError for a value that is not
 * a finite number.
 */
export function rankWithinDays(
  hours: readonly RankedHour[],
  zone: string,
): { rank: number; quartile: Quartile }[] {
  const days = new Map<string, number[]>();
  hours.forEach((hour, index) => {
    checkNumber(`hours[${index}].value`, hour.value);
    const date = localDate(hour.start, zone);
    const day = days.get(date);
    if (day === undefined) days.set(date, [index]);
    else day.push(index);
  });
  const ranked = new Array<{ rank: number; quartile: Quartile }>(hours.length);
  for (const indices of days.values()) {
    ranksOf(indices.map((index) => hours[index]!.value)).forEach((rank, place) => {
      ranked[indices[place]!] = { rank, quartile: quartileOf(rank, indices.length) };
    });
  }
  return ranked;
}

/**
 * Quartile of each hour within its local day (docs/spec/http-api.md section 6).
 *
 * @example
 * quartiles([{ start: new Date("2026-01-15T00:00:00Z"), value: 9.1 }], "Europe/Vienna"); // [4]
 */
export function quartiles(hours: readonly RankedHour[], timezone: string): Quartile[] {
  checkArray("hours", hours, " of { start, value }");
  for (const [index, hour] of hours.entries()) checkDate(`hours[${index}].start`, hour?.start);
  if (!isZone(timezone))
    throw new RangeError(
      `timezone must be an IANA name such as Europe/Vienna, but is "${String(timezone)}".`,
    );
  return rankWithinDays(hours, timezone).map((hour) => hour.quartile);
}

/** The quarter-hours before an instant that begin on the same local day and have a stored price; EUR/MWh. */
export function storedQuartersBefore(series: PriceSeries, at: Date, zone: string): RankedHour[] {
  const quarters: RankedHour[] = [];
  for (let startMs = dayOf(at, zone).start.getTime(); startMs < at.getTime(); startMs += QUARTER_MS) {
    const value = series.quarter(startMs);
    if (value !== undefined) quarters.push({ start: new Date(startMs), value });
  }
  return quarters;
}

/**
 * The hours before the one that contains `at` that begin on the same local day and have a stored price; EUR/MWh. They
 * complete the ranking of the current day. If midnight lies within an hour (zones with half hours), that hour belongs
 * to the day on which it begins, as in `rankWithinDays`.
 */
export function storedHoursBefore(series: PriceSeries, at: Date, zone: string): RankedHour[] {
  const hours: RankedHour[] = [];
  const hour = hourOf(at);
  for (
    let startMs = ceilTo(dayOf(hour, zone).start.getTime(), HOUR_MS);
    startMs < hour.getTime();
    startMs += HOUR_MS
  ) {
    const value = series.hour(startMs);
    if (value !== undefined) hours.push({ start: new Date(startMs), value });
  }
  return hours;
}
