import { calendarDay } from "./calendar.js";
import type { MarketDays } from "./market-days.js";
import { type PriceUnits, toUnits, unitsOf } from "./price-units.js";

/** Lead days of the model: the k-th local day after the last one with published prices. */
export const LEADS = 7;
/** Hours of all leads: the length of a list by [lead - 1][hour]. */
export const CELLS = LEADS * 24;
/** Days before an origin that its features use. */
export const LOOKBACK_DAYS = 35;

/** Features of a row that are the same for all hours of a day; they come first. */
export const DAILY_FEATURES = 39;
const HOURLY_FEATURES = 9;
/** Features of a row without weather. */
export const FEATURES = DAILY_FEATURES + HOURLY_FEATURES;
/** Features per country and hour. */
export const WEATHER_FEATURES = 9;
/** Half-lives of the exponential means by type of day. */
const SHORT_DAYS = 5;
const LONG_DAYS = 12;

/** Inputs of the model for one origin, in the units of that origin. */
export interface OriginInputs {
  units: PriceUnits;
  /** [lead - 1][DAILY_FEATURES] */
  daily: Float64Array[];
  /** [lead - 1][hour][width]: the other features, those of the weather last. */
  hourly: Float64Array;
  /** Features per row of `hourly`. */
  width: number;
  /** [lead - 1][hour]: 1 where all weather is known; undefined for a model without weather. */
  withWeather: Uint8Array | undefined;
}

/** Weather features of one origin. */
export interface OriginWeather {
  countries: number;
  /** [lead - 1][hour][country][WEATHER_FEATURES]; 0, as in usual weather, where it is unknown. */
  values: Float64Array;
  /** [lead - 1][hour]: 1 where all required weather was known. */
  complete: Uint8Array;
}

/** First origin with all required lags. */
export function firstOrigin(days: MarketDays): number {
  return days.first + LOOKBACK_DAYS - 1;
}

/**
 * Inputs of an origin, the last day with published prices. They contain prices only up to that day; of the target day they
 * contain only the calendar and the forecast weather.
 */
export function originInputs(days: MarketDays, origin: number, weather?: OriginWeather): OriginInputs {
  const units = unitsOf(days, origin);
  const z = Float64Array.from(days.slice(origin - LOOKBACK_DAYS + 1, origin));
  for (let index = 0; index < z.length; index++) z[index] = toUnits(z[index]!, units);
  const at = (back: number, hour: number) => z[(LOOKBACK_DAYS - 1 - back) * 24 + hour]!;
  const short = typeMeans(z, origin, SHORT_DAYS);
  const long = typeMeans(z, origin, LONG_DAYS);
  const usualToday = long[calendarDay(origin).type]!;
  const shape = [...newestShape(z, units), mean(usualToday, 0, 24)];
  const weatherWidth = weather === undefined ? 0 : weather.countries * WEATHER_FEATURES;
  const width = HOURLY_FEATURES + weatherWidth;
  const daily: Float64Array[] = [];
  const hourly = new Float64Array(CELLS * width);
  for (let lead = 1; lead <= LEADS; lead++) {
    const { type } = calendarDay(origin + lead);
    daily.push(Float64Array.from([...shape, ...calendarFeatures(origin, lead)]));
    for (let hour = 0; hour < 24; hour++) {
      const cell = (lead - 1) * 24 + hour;
      let next = cell * width;
      hourly[next++] = at(0, hour);
      hourly[next++] = at(1, hour);
      hourly[next++] = at(2, hour);
      hourly[next++] = at(7 - lead, hour);
      hourly[next++] = at(0, Math.min(23, hour + 1));
      hourly[next++] = hour === 0 ? at(1, 23) : at(0, hour - 1);
      hourly[next++] = short[type]![hour]!;
      hourly[next++] = long[type]![hour]!;
      hourly[next++] = usualToday[hour]!;
      if (weather !== undefined) {
        const from = cell * weatherWidth;
        hourly.set(weather.values.subarray(from, from + weatherWidth), next);
      }
    }
  }
  return { units, daily, hourly, width, withWeather: weather?.complete };
}

/** 14 values: the newest day. */
function newestShape(z: Float64Array, units: PriceUnits): number[] {
  const from = (LOOKBACK_DAYS - 1) * 24;
  const newest = z.subarray(from, from + 24);
  return [
    mean(newest, 0, 24),
    newest.reduce((least, value) => Math.min(least, value), Infinity),
    newest.reduce((most, value) => Math.max(most, value), -Infinity),
    newest[23]!,
    mean(z, from - 24, from),
    Math.asinh(units.level / units.spread),
    ...Array.from({ length: 8 }, (_, block) => mean(newest, 3 * block, 3 * block + 3)),
  ];
}

/** 24 values: the calendar of the target day. */
function calendarFeatures(origin: number, lead: number): number[] {
  const target = calendarDay(origin + lead);
  const { sine, cosine, type, weekday } = target;
  const season = (when: boolean) => [cosine * flag(when), sine * flag(when)];
  return [
    ...Array.from({ length: 7 }, (_, one) => flag(weekday === one)),
    flag(target.germanHoliday),
    flag(target.bridge),
    flag(target.yearEnd),
    sine,
    cosine,
    // PV feed-in and low load coincide on weekends: the seasonal effect is different there.
    ...season(type === 1),
    ...season(type === 2),
    ...season(weekday === 0),
    ...season(calendarDay(origin).type > 0),
    flag(calendarDay(origin + lead - 1).type > 0),
    flag(calendarDay(origin + lead + 1).type === 2 && type === 0),
    flag(target.holidayInWeek),
    flag(calendarDay(origin + lead - 7).holidayInWeek),
  ];
}

function flag(value: boolean): number {
  return value ? 1 : 0;
}

/** By type of day: exponential mean by hour, `halfLife` in days. Five weeks contain days of every type. */
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
