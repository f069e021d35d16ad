import { DAY_MS, HOUR_MS } from "../../core/domain/interval.js";
import { addDays, dayInterval, localDate, localTime, VIENNA } from "../../core/time/zone.js";
import type { PriceSeries } from "../market/price-series.js";

/** Day number of a calendar day `YYYY-MM-DD`: days since 1970-01-01. */
export function dayNumber(date: string): number {
  return Math.round(Date.parse(date) / DAY_MS);
}

/** The calendar day `YYYY-MM-DD` of a day number. */
export function dayDate(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Position of an hour in the local calendar of Vienna. */
export function dayAndHour(atMs: number): { day: number; hour: number } {
  const { date, hour } = localTime(new Date(atMs), VIENNA);
  return { day: dayNumber(date), hour };
}

/** Plain data of market days: structured-cloneable. */
export interface MarketDaysData {
  first: number;
  values: Float64Array;
  known: Uint8Array;
}

/** The market was decoupled on 2024-06-26: its prices are not representative. */
export const DECOUPLED_DAY = dayNumber("2024-06-26");

/**
 * Hourly prices, EUR/MWh, as local days of 24 hours, for features and training only: the gap of a 23-hour day is filled from
 * its neighbours, the doubled hour of a 25-hour day is a mean. A day with two or more missing hours is unknown; it has the
 * values of the same weekday before, and so has 2024-06-26.
 */
export class MarketDays {
  readonly first: number;
  /** The last day; a known one if there is any. */
  readonly last: number;
  /** 24 values per day from `first` on. */
  readonly #values: Float64Array;
  readonly #known: Uint8Array;
  readonly knownDays: number;

  private constructor(first: number, values: Float64Array, known: Uint8Array) {
    this.first = first;
    this.last = first + known.length - 1;
    this.#values = values;
    this.#known = known;
    this.knownDays = known.reduce((sum, one) => sum + one, 0);
  }

  /** The available days of a series from `fromDay` to `untilDay` (day numbers, both inclusive). */
  static of(series: PriceSeries, { fromDay, untilDay }: { fromDay: number; untilDay: number }): MarketDays {
    const nothing = new MarketDays(fromDay, new Float64Array(0), new Uint8Array(0));
    if (series.isEmpty) return nothing;
    let from = Math.max(fromDay, dayAndHour(series.startMs).day);
    let until = Math.min(untilDay, dayAndHour(series.endMs - 1).day);
    if (until < from) return nothing;
    const values = new Float64Array((until - from + 1) * 24);
    const known = new Uint8Array(until - from + 1);
    const day = new Float64Array(24);
    let startMs = dayInterval(dayDate(from), VIENNA).start.getTime();
    let plainUntilMs = startMs;
    for (let index = 0; index <= until - from; index++) {
      // Clocks change months apart, and local time is expensive to compute: four weeks without a change at once.
      if (startMs >= plainUntilMs && isMidnight(startMs + PLAIN_MS)) plainUntilMs = startMs + PLAIN_MS;
      const endMs = startMs < plainUntilMs ? startMs + DAY_MS : nextMidnight(startMs);
      known[index] = readDay(series, startMs, endMs, day) ? 1 : 0;
      values.set(day, index * 24);
      startMs = endMs;
    }
    const firstKnown = known.indexOf(1);
    if (firstKnown === -1) return nothing;
    const lastKnown = known.lastIndexOf(1);
    until = from + lastKnown;
    from += firstKnown;
    const cut = known.slice(firstKnown, lastKnown + 1);
    const cutValues = values.slice(firstKnown * 24, (lastKnown + 1) * 24);
    if (DECOUPLED_DAY >= from && DECOUPLED_DAY <= until) cut[DECOUPLED_DAY - from] = 0;
    fill(cutValues, cut);
    return new MarketDays(from, cutValues, cut);
  }

  /** The days as plain data, for another process. */
  data(): MarketDaysData {
    return { first: this.first, values: this.#values, known: this.#known };
  }

  static from({ first, values, known }: MarketDaysData): MarketDays {
    return new MarketDays(first, values, known);
  }

  /** True if the prices of the day are known and representative. */
  known(day: number): boolean {
    return this.#known[day - this.first] === 1;
  }

  /** Price of a local hour of a day from `first` to `last`. */
  price(day: number, hour: number): number {
    return this.#values[(day - this.first) * 24 + hour]!;
  }

  /** The values of the days `from` to `until` (inclusive), 24 per day; a read-only view. */
  slice(from: number, until: number): Float64Array {
    return this.#values.subarray((from - this.first) * 24, (until - this.first + 1) * 24);
  }

  /** True if both begin on the same day and agree on all days of the shorter one. */
  agreesWith(other: MarketDays): boolean {
    if (this.first !== other.first) return false;
    const days = Math.min(this.#known.length, other.#known.length);
    for (let index = 0; index < days; index++) if (this.#known[index] !== other.#known[index]) return false;
    for (let index = 0; index < days * 24; index++)
      if (this.#values[index] !== other.#values[index]) return false;
    return true;
  }
}

const PLAIN_MS = 28 * DAY_MS;

function isMidnight(atMs: number): boolean {
  return localTime(new Date(atMs), VIENNA).hour === 0;
}

function nextMidnight(startMs: number): number {
  const guess = startMs + DAY_MS;
  const { hour } = localTime(new Date(guess), VIENNA);
  return hour === 0 ? guess : hour === 23 ? guess + HOUR_MS : guess - hour * HOUR_MS;
}

/** Reads a local day into 24 values; false if two or more hours are missing. */
function readDay(series: PriceSeries, startMs: number, endMs: number, into: Float64Array): boolean {
  into.fill(Number.NaN);
  let missing = 0;
  const plain = endMs - startMs === DAY_MS;
  for (let at = startMs; at < endMs; at += HOUR_MS) {
    const price = series.hour(at);
    if (price === undefined) {
      missing++;
      continue;
    }
    const hour = plain ? (at - startMs) / HOUR_MS : localTime(new Date(at), VIENNA).hour;
    const before = into[hour]!;
    into[hour] = Number.isNaN(before) ? price : (before + price) / 2;
  }
  if (missing > 1) return false;
  for (let hour = 0; hour < 24; hour++) {
    if (!Number.isNaN(into[hour]!)) continue;
    const before = into[hour - 1] ?? Number.NaN;
    const after = into[hour + 1] ?? Number.NaN;
    into[hour] = Number.isNaN(before) ? after : Number.isNaN(after) ? before : (before + after) / 2;
  }
  return into.every((price) => Number.isFinite(price));
}

/** Fills unknown days with the values of the same weekday before them, or of the day before. */
function fill(values: Float64Array, known: Uint8Array): void {
  for (let index = 1; index < known.length; index++) {
    if (known[index] === 1) continue;
    const from = index >= 7 ? index - 7 : index - 1;
    values.copyWithin(index * 24, from * 24, from * 24 + 24);
  }
}

/** Limit of the search: in a replay all future prices may be published. */
const LATEST_DAYS_ON = 10;

/**
 * The last local day `YYYY-MM-DD` with published prices at `now`: today, or the newest later day with at most one missing
 * hour (a source may lack the 25th). Later hours are not used for learning.
 */
export function lastPublishedDay(prices: PriceSeries, now: Date): string {
  let last = localDate(now, VIENNA);
  for (let days = 1; days <= LATEST_DAYS_ON; days++) {
    const next = addDays(last, 1);
    const { start, end } = dayInterval(next, VIENNA);
    let missing = 0;
    for (let at = start.getTime(); at < end.getTime() && missing < 2; at += HOUR_MS)
      if (prices.hour(at) === undefined) missing++;
    if (missing > 1) break;
    last = next;
  }
  return last;
}
