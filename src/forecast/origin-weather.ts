import { HOUR_MS } from "../domain/interval.js";
import { dayInterval, VIENNA } from "../time/zone.js";
import { LEADS } from "./features.js";
import {
  COUNTRIES,
  COUNTRY_READINGS,
  type Country,
  type ForecastIssueSet,
  HOUR_WIDTH,
} from "./forecast-issue-set.js";
import { dayDate } from "./market-days.js";
import { windPower } from "./wind-power.js";

/** Features per country and hour: six of wind, four of irradiance, four of temperature, and the daily means. */
export const WEATHER_FEATURES = 16;
/** Features per country and day, for models of a whole day. */
export const SUMMARY_FEATURES = 13;
/** Hours before and after the target hour at which wind is used: fronts may arrive early or late. */
const SIDE_HOURS = 3;
/** Days up to the origin over which the usual weather is averaged. */
const WEEK = 7;
/** Local hour at which the prices of the next day are published: past origins use the weather known then. */
const PUBLISHED_BEFORE_MS = 11 * HOUR_MS;

/** Weather features of one origin. */
export interface OriginWeather {
  /** Number of countries. */
  countries: number;
  /** [lead - 1][hour][country][WEATHER_FEATURES] */
  values: Float64Array;
  /** [lead - 1][country][SUMMARY_FEATURES], about 0 with a deviation about 1. */
  summary: Float64Array;
  /** [lead - 1][hour]: 1 where all required weather was known. */
  complete: Uint8Array;
}

/** Time of a past origin's forecast: when the prices of that day were published on the day before. */
export function originInstantMs(origin: number): number {
  return startOf(origin) - PUBLISHED_BEFORE_MS;
}

/**
 * Weather features of an origin (day number) as known at `nowMs`, by country: at the target hour t, at the same hour of the
 * origin and of the week before t, and the mean over the week of the origin, of the share of wind power (also three hours
 * before and after t), irradiance in kW/m2 and temperature in tens of degrees; and the means of wind and irradiance over the
 * target day.
 */
export function originWeather(
  issues: ForecastIssueSet,
  countries: readonly Country[],
  origin: number,
  nowMs: number,
): OriginWeather {
  const made: OriginWeather = {
    countries: countries.length,
    values: new Float64Array(LEADS * 24 * countries.length * WEATHER_FEATURES),
    summary: new Float64Array(LEADS * countries.length * SUMMARY_FEATURES),
    complete: new Uint8Array(LEADS * 24).fill(1),
  };
  const days = daysAround(origin);
  const startMs = days[0]![0]!;
  const hours = (days.at(-1)![23]! - startMs) / HOUR_MS + SIDE_HOURS + 1;
  const known = issues.knownAt(nowMs, startMs, hours);
  countries.forEach((country, index) => {
    const base = COUNTRIES.indexOf(country) * COUNTRY_READINGS.length;
    const series = COUNTRY_READINGS.map((_, reading) =>
      Float64Array.from({ length: hours }, (_, hour) => known[hour * HOUR_WIDTH + base + reading]!),
    ) as [Float64Array, Float64Array, Float64Array];
    writeCountry(
      made,
      { days, startMs, index },
      {
        wind: series[0].map((speed) => windPower(speed)),
        light: series[1].map((watts) => watts / 1000),
        warmth: series[2].map((degrees) => degrees / 10),
      },
    );
  });
  return made;
}

interface CountrySeries {
  /** By hour. */
  wind: Float64Array;
  light: Float64Array;
  warmth: Float64Array;
}

/** Mean and deviation of the summary values, for their standardization. */
const USUAL = { wind: [0.25, 0.12], light: [0.3, 0.15], warmth: [1, 0.8] } as const;
const DEVIATION = { wind: 0.17, light: 0.1, warmth: 0.35 } as const;

function writeCountry(
  made: OriginWeather,
  { days, startMs, index }: { days: number[][]; startMs: number; index: number },
  series: CountrySeries,
): void {
  const { wind, light, warmth } = series;
  const at = (day: number, hour: number) => (days[day]![hour]! - startMs) / HOUR_MS;
  const weekOf = (values: Float64Array) =>
    Float64Array.from({ length: 24 }, (_, hour) => {
      let sum = 0;
      for (let day = 0; day < WEEK; day++) sum += values[at(day, hour)]! / WEEK;
      return sum;
    });
  const usual = { wind: weekOf(wind), light: weekOf(light), warmth: weekOf(warmth) };
  const meanOf = (values: Float64Array, day: number, from = 0, until = 24) =>
    meanHours((hour) => values[at(day, hour)]!, from, until);
  const deviation = (name: keyof CountrySeries, day: number, from = 0, until = 24) =>
    meanHours((hour) => series[name][at(day, hour)]! - usual[name][hour]!, from, until) / DEVIATION[name];
  const level = (name: keyof CountrySeries, from = 0, until = 24) =>
    (meanHours((hour) => usual[name][hour]!, from, until) - USUAL[name][0]) / USUAL[name][1];
  const today = WEEK - 1;
  for (let lead = 1; lead <= LEADS; lead++) {
    const target = today + lead;
    const summary = [
      deviation("wind", target, 0, 6),
      deviation("wind", target, 6, 12),
      deviation("wind", target, 12, 18),
      deviation("wind", target, 18, 24),
      deviation("wind", today),
      level("wind"),
      deviation("light", target, 6, 12),
      deviation("light", target, 12, 18),
      deviation("light", today, 6, 18),
      level("light", 6, 18),
      deviation("warmth", target),
      deviation("warmth", today),
      level("warmth"),
    ];
    const whole = summary.every((value) => Number.isFinite(value));
    if (whole) made.summary.set(summary, ((lead - 1) * made.countries + index) * SUMMARY_FEATURES);
    const meanWind = meanOf(wind, target);
    const meanLight = meanOf(light, target);
    for (let hour = 0; hour < 24; hour++) {
      const cell = (lead - 1) * 24 + hour;
      const t = at(target, hour);
      const values = [
        wind[t]!,
        wind[t - SIDE_HOURS]!,
        wind[t + SIDE_HOURS]!,
        wind[at(today, hour)]!,
        wind[at(target - 7, hour)]!,
        usual.wind[hour]!,
        light[t]!,
        light[at(today, hour)]!,
        light[at(target - 7, hour)]!,
        usual.light[hour]!,
        warmth[t]!,
        warmth[at(today, hour)]!,
        warmth[at(target - 7, hour)]!,
        usual.warmth[hour]!,
        meanWind,
        meanLight,
      ];
      if (whole && values.every((value) => Number.isFinite(value)))
        made.values.set(values, (cell * made.countries + index) * WEATHER_FEATURES);
      else made.complete[cell] = 0;
    }
  }
}

function meanHours(of: (hour: number) => number, from: number, until: number): number {
  let sum = 0;
  for (let hour = from; hour < until; hour++) sum += of(hour);
  return sum / (until - from);
}

/** Instants of the 24 local hours of the days from six before the origin to seven after it; of a doubled hour the second. */
function daysAround(origin: number): number[][] {
  const starts = Array.from({ length: WEEK + LEADS + 1 }, (_, index) => startOf(origin - WEEK + 1 + index));
  return starts.slice(0, -1).map((startMs, index) => {
    const extraHours = (starts[index + 1]! - startMs) / HOUR_MS - 24;
    // Clocks change between two and three in the morning.
    return Array.from({ length: 24 }, (_, hour) => startMs + (hour > 2 ? hour + extraHours : hour) * HOUR_MS);
  });
}

/** Cache of midnights in Vienna: two weeks of origins use each day, and local time is expensive to compute. */
const midnights = new Map<number, number>();

function startOf(day: number): number {
  let startMs = midnights.get(day);
  if (startMs === undefined) {
    startMs = dayInterval(dayDate(day), VIENNA).start.getTime();
    if (midnights.size > 20_000) midnights.clear();
    midnights.set(day, startMs);
  }
  return startMs;
}
