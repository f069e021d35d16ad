import { HOUR_MS } from "../domain/interval.js";
import type { PriceSeries } from "../market/price-series.js";
import { addDays, dayInterval, localDate, VIENNA } from "../time/zone.js";

/** A replay may hold a whole future as published; no forecast needs to know where more than this of it ends. */
const LATEST_DAYS_ON = 10;

/**
 * The last local day `YYYY-MM-DD` whose prices are the past for a forecast made at `now`: today, or the newest later day of
 * which at most one hour is missing (a source may lack the 25th). Hours after it are nothing to learn from.
 */
export function lastPublishedDay(held: PriceSeries, now: Date): string {
  let last = localDate(now, VIENNA);
  for (let days = 1; days <= LATEST_DAYS_ON; days++) {
    const next = addDays(last, 1);
    const { start, end } = dayInterval(next, VIENNA);
    let missing = 0;
    for (let at = start.getTime(); at < end.getTime() && missing < 2; at += HOUR_MS)
      if (held.hour(at) === undefined) missing++;
    if (missing > 1) break;
    last = next;
  }
  return last;
}
