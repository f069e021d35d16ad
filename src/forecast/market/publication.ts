import type { ComponentSentence } from "../../core/domain/component-sentence.js";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../core/domain/interval.js";
import type { ComponentHealth } from "../../core/health-registry.js";
import type { SourceState } from "../../core/net/source-runner.js";
import { sourcesStatus } from "../../core/net/source-status.js";
import { addDays, dayInterval, instantOf, localDate, VIENNA } from "../../core/time/zone.js";
import type { PriceSeries } from "./price-series.js";

/** When prices become public and when to request them. All times of day are local time in Vienna. */

const POLL_INTERVAL_MS = 3 * MINUTE_MS;
const POLLING_BEGINS = "12:50";
/** Tomorrow's prices are normally published by then; from then on their absence is reported. */
const POLLING_ENDS = "14:30";

/** The instant of a local time `clock` (`HH:MM`) in Vienna on `date`. */
function timeOn(date: string, clock: string): Date {
  const [hour = 0, minute = 0] = clock.split(":").map(Number);
  return new Date(instantOf(date, hour, VIENNA).getTime() + minute * MINUTE_MS);
}

/** End of the prices that are public at `now` if each day's prices are published at `publishAt` (`HH:MM`) the day before. */
export function publicUntil(now: Date, publishAt: string): Date {
  const today = localDate(now, VIENNA);
  const published = now >= timeOn(today, publishAt);
  return dayInterval(published ? addDays(today, 1) : today, VIENNA).end;
}

/** When the prices of a day are usually published: on the day before. */
export function usuallyPublishedAt(date: string): Date {
  return timeOn(addDays(date, -1), POLLING_BEGINS);
}

/** When the prices of a day are usually all published: on the day before. */
export function usuallyCompleteAt(date: string): Date {
  return timeOn(addDays(date, -1), POLLING_ENDS);
}

/** The first publication after `now`. */
export function nextPublication(now: Date, publishAt: string): Date {
  const today = localDate(now, VIENNA);
  const todays = timeOn(today, publishAt);
  return todays > now ? todays : timeOn(addDays(today, 1), publishAt);
}

/**
 * When to request prices again: every 3 minutes from 12:50 to 14:30 until tomorrow is complete, else hourly, but not later
 * than the next 12:50, 14:30 or midnight. `random` (0 to 1) spreads the requests at 12:50 over a minute.
 */
export function nextFetchAt(now: Date, tomorrowComplete: boolean, random: () => number): Date {
  const today = localDate(now, VIENNA);
  const begins = timeOn(today, POLLING_BEGINS);
  const ends = timeOn(today, POLLING_ENDS);
  const polling = begins <= now && now < ends && !tomorrowComplete;
  const next = now.getTime() + (polling ? POLL_INTERVAL_MS : HOUR_MS);
  const bounds = [dayInterval(today, VIENNA).end.getTime()];
  if (now < begins) bounds.push(begins.getTime() + Math.floor(random() * MINUTE_MS));
  if (now < ends) bounds.push(ends.getTime());
  return new Date(Math.min(next, ...bounds));
}

/** Time up to which prices should be available at `now`: the end of today; from 14:30 (or a later `publishAt`) of tomorrow. */
export function dueUntil(now: Date, publishAt: string | null): Date {
  return publicUntil(now, publishAt !== null && publishAt > POLLING_ENDS ? publishAt : POLLING_ENDS);
}

/**
 * Time up to which the sources should provide prices at `now` if those of `series` are known: where these begin tomorrow, a gap within
 * it is no reason to wait for 14:30.
 */
export function wantedUntil(series: PriceSeries, now: Date, publishAt: string | null): Date {
  const knownMs = Math.min(series.endMs, daysToFetch(now).to.getTime());
  return new Date(Math.max(dueUntil(now, publishAt).getTime(), knownMs));
}

/** End of the prices without a gap from the current hour on; the start of that hour if it has none. */
export function coveredUntil(series: PriceSeries, now: Date): Date {
  let at = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  while (series.hour(at) !== undefined) at += HOUR_MS;
  return new Date(at);
}

/** True if all hours of the local day after that of `now` have a price. */
export function tomorrowComplete(series: PriceSeries, now: Date): boolean {
  const { start, end } = dayInterval(addDays(localDate(now, VIENNA), 1), VIENNA);
  return coveredUntil(series, start) >= end;
}

/** The range of a regular request: yesterday (for corrections) to the end of tomorrow, in whole local days. */
export function daysToFetch(now: Date): { from: Date; to: Date } {
  const today = localDate(now, VIENNA);
  return {
    from: dayInterval(addDays(today, -1), VIENNA).start,
    to: dayInterval(addDays(today, 1), VIENNA).end,
  };
}

/** The 60 local days before that range, for a forecast without any price history. */
export function daysToLearnFrom(now: Date): { from: Date; to: Date } {
  const { from: to } = daysToFetch(now);
  return { from: dayInterval(localDate(new Date(to.getTime() - 60 * DAY_MS), VIENNA), VIENNA).start, to };
}

export interface PriceSituation {
  /** In order of preference. */
  sources: SourceState[];
  now: Date;
  /** End of the prices without a gap from the current hour on; the start of that hour if there are none. */
  coveredUntil: Date;
  /** Time up to which prices should be available. */
  dueUntil: Date;
}

/** State and sentences for the status page, see `sourcesStatus`. */
export function priceStatus(situation: PriceSituation): Pick<ComponentHealth, "state" | "detail"> {
  return sourcesStatus({
    kind: "price",
    sources: situation.sources,
    available: availability(situation),
    short: situation.coveredUntil < situation.dueUntil ? { code: "prices_short" } : undefined,
  });
}

function availability({ now, coveredUntil }: PriceSituation): ComponentSentence {
  return coveredUntil <= now ? { code: "prices_missing" } : { code: "prices_held", until: coveredUntil };
}
