import { calendarDay } from "./calendar.js";
import type { MarketDays } from "./market-days.js";
import { type PriceUnits, toUnits, type UnitSpan, unitsOf } from "./price-units.js";

/** Lead days of the models: the k-th local day after the last one with published prices. */
export const LEADS = 7;
/** Days before an origin that its features use. */
export const LOOKBACK_DAYS = 63;

/** Features per hour of the target day: past prices of the same local hour and its neighbours. */
export const HOURLY_FEATURES = 18;
/** The first of these, which have the most influence, are used by the profile features. */
export const PROFILE_FEATURES = 10;
/** Features per target day: the shape of the newest day, and the calendar. */
export const DAY_FEATURES = 43;

/** Inputs of the models for one origin, in the units of that origin. */
export interface OriginFeatures {
  units: PriceUnits;
  /** [lead - 1][hour][HOURLY_FEATURES] */
  hourly: Float64Array;
  /** [lead - 1][DAY_FEATURES] */
  daily: Float64Array;
}

/** First origin with all required lags. */
export function firstOrigin(days: MarketDays): number {
  return days.first + LOOKBACK_DAYS - 1;
}

/**
 * Features of an origin, the last day with published prices. They contain prices only up to that day; of the target day
 * they contain only the calendar.
 */
export function originFeatures(days: MarketDays, origin: number, span: UnitSpan): OriginFeatures {
  const units = unitsOf(days, origin, span);
  const z = days.slice(origin - LOOKBACK_DAYS + 1, origin).map((price) => toUnits(price, units));
  const at = (back: number, hour: number) => z[(LOOKBACK_DAYS - 1 - back) * 24 + hour]!;
  const week = meanOfDays(z, 7);
  const usual = {
    days5: typeMeans(z, origin, 5),
    days12: typeMeans(z, origin, 12),
    days30: typeMeans(z, origin, 30),
  };
  const today = calendarDay(origin);
  const shape = newestShape(z, units);
  const hourly = new Float64Array(LEADS * 24 * HOURLY_FEATURES);
  const daily = new Float64Array(LEADS * DAY_FEATURES);
  const ofToday = usual.days12[today.type]!;
  const [workdays, saturdays, sundays] = usual.days12 as [Float64Array, Float64Array, Float64Array];
  for (let lead = 1; lead <= LEADS; lead++) {
    const type = calendarDay(origin + lead).type;
    const expected = usual.days5[type]!;
    const expectedMean = mean(expected, 0, 24);
    const todayMean = mean(ofToday, 0, 24);
    for (let hour = 0; hour < 24; hour++) {
      let next = ((lead - 1) * 24 + hour) * HOURLY_FEATURES;
      hourly[next++] = at(0, hour);
      hourly[next++] = at(1, hour);
      hourly[next++] = at(2, hour);
      hourly[next++] = at(7 - lead, hour);
      hourly[next++] = at(14 - lead, hour);
      hourly[next++] = week[hour]!;
      hourly[next++] = expected[hour]!;
      hourly[next++] = usual.days12[type]![hour]!;
      hourly[next++] = at(0, Math.min(23, hour + 1));
      hourly[next++] = hour === 0 ? at(1, 23) : at(0, hour - 1);
      hourly[next++] = usual.days30[type]![hour]!;
      hourly[next++] = ofToday[hour]!;
      hourly[next++] = workdays[hour]! - sundays[hour]!;
      hourly[next++] = workdays[hour]! - saturdays[hour]!;
      hourly[next++] = expectedMean;
      hourly[next++] = todayMean;
      hourly[next++] = at(21 - lead, hour);
      hourly[next] = at(28 - lead, hour);
    }
    const sameWeekday = (LOOKBACK_DAYS - 1 - (7 - lead)) * 24;
    daily.set(shape, (lead - 1) * DAY_FEATURES);
    let next = (lead - 1) * DAY_FEATURES + shape.length;
    daily[next++] = mean(z, sameWeekday, sameWeekday + 24);
    for (const value of calendarFeatures(origin, lead)) daily[next++] = value;
  }
  return { units, hourly, daily };
}

/** 15 values: the newest day and its calendar. */
function newestShape(z: Float64Array, units: PriceUnits): number[] {
  const from = (LOOKBACK_DAYS - 1) * 24;
  const newest = z.subarray(from, from + 24);
  const blocks = Array.from({ length: 8 }, (_, block) => mean(newest, 3 * block, 3 * block + 3));
  return [
    mean(newest, 0, 24),
    newest.reduce((least, value) => Math.min(least, value), Infinity),
    newest.reduce((most, value) => Math.max(most, value), -Infinity),
    newest[23]!,
    mean(z, from - 24, from),
    Math.asinh(units.level / units.spread),
    ...blocks,
    Math.log(units.spread / 30),
  ];
}

/** 27 values: the calendar of the target day, and of the origin where the difference matters. */
function calendarFeatures(origin: number, lead: number): number[] {
  const target = calendarDay(origin + lead);
  const before = calendarDay(origin + lead - 1);
  const after = calendarDay(origin + lead + 1);
  const today = calendarDay(origin);
  const { sine, cosine, type } = target;
  const weekdays = Array.from({ length: 7 }, (_, weekday) => flag(target.weekday === weekday));
  const season = (when: boolean) => [cosine * flag(when), sine * flag(when)];
  return [
    ...weekdays,
    flag(target.germanHoliday),
    flag(target.bridge),
    flag(target.yearEnd),
    ...[0, 1, 2].map((one) => flag(today.type === one)),
    sine,
    cosine,
    // PV feed-in and low load coincide on weekends: the seasonal effect is different there.
    ...season(type === 1),
    ...season(type === 2),
    ...season(target.weekday === 0),
    ...season(today.type > 0),
    flag(before.type > 0),
    flag(after.type === 2 && type === 0),
    flag(target.holidayInWeek),
    flag(calendarDay(origin + lead - 7).holidayInWeek),
  ];
}

function flag(value: boolean): number {
  return value ? 1 : 0;
}

/** Mean by hour of the newest `count` days. */
function meanOfDays(z: Float64Array, count: number): Float64Array {
  const sums = new Float64Array(24);
  for (let index = (LOOKBACK_DAYS - count) * 24; index < z.length; index++)
    sums[index % 24]! += z[index]! / count;
  return sums;
}

/** By type of day: exponential mean by hour, `halfLife` in days. Nine weeks contain days of every type. */
function typeMeans(z: Float64Array, origin: number, halfLife: number): Float64Array[] {
  const sums = [new Float64Array(24), new Float64Array(24), new Float64Array(24)];
  const weights = [0, 0, 0];
  for (let index = 0; index < LOOKBACK_DAYS; index++) {
    const back = LOOKBACK_DAYS - 1 - index;
    const { type } = calendarDay(origin - back);
    const weight = 0.5 ** (back / halfLife);
    weights[type]! += weight;
    const sum = sums[type]!;
    for (let hour = 0; hour < 24; hour++) sum[hour]! += weight * z[index * 24 + hour]!;
  }
  return sums.map((sum, type) => sum.map((value) => value / weights[type]!));
}

function mean(values: Float64Array, from: number, until: number): number {
  let sum = 0;
  for (let index = from; index < until; index++) sum += values[index]!;
  return sum / (until - from);
}
