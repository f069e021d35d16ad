import { DAY_MS, HOUR_MS, MINUTE_MS } from "../domain/interval.js";
import { addDays, dayInterval, instantOf, localDate, VIENNA } from "../time/zone.js";
import type { PriceSeries } from "./price-series.js";

/** When prices become public, and when it is worth looking for them. All wall-clock times are Vienna's. */

const LOOK_EVERY_MS = 3 * MINUTE_MS;
const LOOKING_BEGINS = "12:50";
/** By then tomorrow's prices are out on any ordinary day; from then on their absence is a fault. */
const LOOKING_ENDS = "14:30";

/** The instant at which clocks in Vienna show `clock` (`HH:MM`) on `date`. */
function timeOn(date: string, clock: string): Date {
  const [hour = 0, minute = 0] = clock.split(":").map(Number);
  return new Date(instantOf(date, hour, VIENNA).getTime() + minute * MINUTE_MS);
}

/** End of what is public at `now` when each day's prices are published at `publishAt` (`HH:MM`) the day before. */
export function publicUntil(now: Date, publishAt: string): Date {
  const today = localDate(now, VIENNA);
  const published = now >= timeOn(today, publishAt);
  return dayInterval(published ? addDays(today, 1) : today, VIENNA).end;
}

/** The first publication after `now`. */
export function nextPublication(now: Date, publishAt: string): Date {
  const today = localDate(now, VIENNA);
  const todays = timeOn(today, publishAt);
  return todays > now ? todays : timeOn(addDays(today, 1), publishAt);
}

/**
 * When to look for prices again: every 3 minutes from 12:50 to 14:30 until tomorrow is complete, else hourly, but never
 * past the next 12:50, 14:30 or midnight. `random` (0 to 1) spreads the gateways that look at 12:50 over a minute.
 */
export function nextFetchAt(now: Date, tomorrowComplete: boolean, random: () => number): Date {
  const today = localDate(now, VIENNA);
  const begins = timeOn(today, LOOKING_BEGINS);
  const ends = timeOn(today, LOOKING_ENDS);
  const looking = begins <= now && now < ends && !tomorrowComplete;
  const next = now.getTime() + (looking ? LOOK_EVERY_MS : HOUR_MS);
  const bounds = [dayInterval(today, VIENNA).end.getTime()];
  if (now < begins) bounds.push(begins.getTime() + Math.floor(random() * MINUTE_MS));
  if (now < ends) bounds.push(ends.getTime());
  return new Date(Math.min(next, ...bounds));
}

/**
 * Up to when prices are due at `now`: the end of today, from 14:30 (or a later `publishAt`) on the end of tomorrow.
 */
export function dueUntil(now: Date, publishAt: string | null): Date {
  return publicUntil(now, publishAt !== null && publishAt > LOOKING_ENDS ? publishAt : LOOKING_ENDS);
}

/** End of the gapless prices from the hour in progress on; the start of that hour when it has none itself. */
export function coveredUntil(series: PriceSeries, now: Date): Date {
  let at = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  while (series.hour(at) !== undefined) at += HOUR_MS;
  return new Date(at);
}

/** True when every hour of the local day after `now`'s is held. */
export function tomorrowComplete(series: PriceSeries, now: Date): boolean {
  const { start, end } = dayInterval(addDays(localDate(now, VIENNA), 1), VIENNA);
  return coveredUntil(series, start) >= end;
}

/** What a source is asked for: yesterday (corrections) to the end of tomorrow, in whole local days. */
export function daysToFetch(now: Date): { from: Date; to: Date } {
  const today = localDate(now, VIENNA);
  return {
    from: dayInterval(addDays(today, -1), VIENNA).start,
    to: dayInterval(addDays(today, 1), VIENNA).end,
  };
}

/** The 60 local days before those: what a forecast without held history wants to learn from. */
export function daysToLearnFrom(now: Date): { from: Date; to: Date } {
  const { from: to } = daysToFetch(now);
  return { from: dayInterval(localDate(new Date(to.getTime() - 60 * DAY_MS), VIENNA), VIENNA).start, to };
}
