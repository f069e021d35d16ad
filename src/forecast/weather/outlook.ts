import { HOUR_MS } from "../../core/domain/interval.js";
import { addDays, dayInterval, instantOf, localDate } from "../../core/time/zone.js";
import { complete, extraterrestrial } from "../solar/irradiance.js";
import { type Location, type SunTimes, sunPosition, sunTimes } from "../solar/sun.js";
import { type Condition, conditionOfClouds } from "./condition.js";
import {
  cloudsOfIrradiance,
  daylightShare,
  type FilledHour,
  filledHour,
  filledHours,
  MIN_CLEAR_SKY_GHI,
  type WeatherOrigin,
} from "./filled.js";
import type { WeatherSeries } from "./weather-series.js";

/** Threshold of direct irradiance for sunshine (WMO Guide to Instruments, No. 8, sunshine duration), W/m2. */
const SUNSHINE_DNI = 120;

/** Summary of the weather of a local day. */
export interface WeatherDay {
  date: string;
  temperatureMinC: number;
  temperatureMaxC: number;
  sunHours: number;
  /** Undefined if no source provides it. */
  precipitationMm: number | undefined;
  /** Undefined on days without a sunrise or sunset. */
  sunrise: Date | undefined;
  sunset: Date | undefined;
  condition: Condition;
  origin: WeatherOrigin;
}

export interface Outlook {
  current: FilledHour & { isDay: boolean };
  days: WeatherDay[];
}

/** The weather of the current hour and of `count` local days from today on. */
export function outlook(
  series: WeatherSeries,
  { place, zone, now, count }: { place: Location; zone: string; now: Date; count: number },
): Outlook {
  const today = localDate(now, zone);
  const startMs = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  return {
    current: {
      ...filledHour(series, place, startMs),
      isDay: sunPosition(now, place).altitudeDeg > 0,
    },
    days: Array.from({ length: count }, (_, index) => dayOf(series, place, zone, addDays(today, index))),
  };
}

function dayOf(series: WeatherSeries, place: Location, zone: string, date: string): WeatherDay {
  const { start, end } = dayInterval(date, zone);
  const hours = filledHours(series, place, start, end);
  const temperatures = hours.map(({ temperatureC }) => temperatureC);
  const precipitation = hours.flatMap(({ precipitationMm }) => precipitationMm ?? []);
  const times = sunTimes(instantOf(date, 12, zone), place);
  return {
    date,
    temperatureMinC: Math.min(...temperatures),
    temperatureMaxC: Math.max(...temperatures),
    sunHours: Math.min(
      hours.reduce((sum, hour) => sum + sunshine(hour, place), 0),
      dayLengthHours(times),
    ),
    precipitationMm: precipitation.length === 0 ? undefined : precipitation.reduce((sum, mm) => sum + mm, 0),
    ...times,
    condition: conditionOfDay(hours),
    origin: originOf(hours),
  };
}

/** Time from sunrise to sunset, rounded down to tenths of an hour like the sunshine duration; Infinity without them. */
function dayLengthHours({ sunrise, sunset }: SunTimes): number {
  if (sunrise === undefined || sunset === undefined) return Number.POSITIVE_INFINITY;
  return Math.floor(((sunset.getTime() - sunrise.getTime()) / HOUR_MS) * 10) / 10;
}

/**
 * Sunshine duration of an hour, hours: by the direct irradiance if a source provided irradiance, otherwise by the share of
 * the sky without clouds, because irradiance computed from clouds is a mean that would exceed the threshold.
 */
function sunshine(hour: FilledHour, place: Location): number {
  const daylight = daylightShare(hour.start.getTime(), place);
  if (daylight === 0) return 0;
  if (!hour.hasIrradiance) return daylight * (1 - hour.cloudCoverPct / 100);
  const middle = new Date(hour.start.getTime() + HOUR_MS / 2);
  const { dni } = complete(hour, sunPosition(middle, place).altitudeDeg, extraterrestrial(middle));
  return dni > SUNSHINE_DNI ? daylight : 0;
}

/**
 * Condition of a day from its hours of daylight (all hours of a polar night): thunderstorm in any hour, rain or snow in a
 * fifth of the hours, fog in half of them, otherwise by cloud cover.
 */
export function conditionOfDay(hoursOfDay: readonly FilledHour[]): Condition {
  const daylight = hoursOfDay.filter(({ clearGhi }) => clearGhi >= MIN_CLEAR_SKY_GHI);
  const hours = daylight.length > 0 ? daylight : hoursOfDay;
  const share = (condition: Condition) =>
    hours.filter((hour) => hour.condition === condition).length / hours.length;
  if (share("thunderstorm") > 0) return "thunderstorm";
  const [rain, snow] = [share("rain"), share("snow")];
  if (rain + snow >= 0.2) return snow >= rain ? "snow" : "rain";
  if (share("fog") >= 0.5) return "fog";
  return conditionOfClouds(cloudsOfDay(hours));
}

/** Mean cloud cover of a day; from the daily sum if only irradiance is known, which is more accurate with a low sun. */
function cloudsOfDay(hours: readonly FilledHour[]): number {
  const sumOf = (of: (hour: FilledHour) => number) => hours.reduce((sum, hour) => sum + of(hour), 0);
  const onlyIrradiance = hours.every(({ hasIrradiance, hasClouds }) => hasIrradiance && !hasClouds);
  const ofIrradiance = onlyIrradiance
    ? cloudsOfIrradiance(
        sumOf(({ ghi }) => ghi),
        sumOf(({ clearGhi }) => clearGhi),
      )
    : undefined;
  return ofIrradiance ?? sumOf(({ cloudCoverPct }) => cloudCoverPct) / hours.length;
}

/** The origin of most of the hours. */
export function originOf(hours: readonly { origin: WeatherOrigin }[]): WeatherOrigin {
  const usual = hours.filter(({ origin }) => origin === "climatology").length;
  return usual * 2 > hours.length ? "climatology" : "forecast";
}
