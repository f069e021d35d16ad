import { HOUR_MS } from "../domain/interval.js";
import { complete, extraterrestrial } from "../solar/irradiance.js";
import { type Location, type SunTimes, sunPosition, sunTimes } from "../solar/sun.js";
import { addDays, dayInterval, instantOf, localDate } from "../time/zone.js";
import { type Condition, conditionOfClouds } from "./condition.js";
import {
  cloudsOfLight,
  daylightShare,
  type FilledHour,
  filledHour,
  filledHours,
  MIN_CLEAR_SKY_GHI,
  type WeatherOrigin,
} from "./filled.js";
import type { WeatherSeries } from "./weather-series.js";

/** The sun shines when its direct light exceeds this (WMO Guide to Instruments, No. 8, sunshine duration), W/m2. */
const SUNSHINE_DNI = 120;

/** A local day of weather in a few figures. */
export interface WeatherDay {
  date: string;
  temperatureMinC: number;
  temperatureMaxC: number;
  sunHours: number;
  /** Undefined where no source tells it. */
  precipitationMm: number | undefined;
  /** Undefined on days without one. */
  sunrise: Date | undefined;
  sunset: Date | undefined;
  condition: Condition;
  origin: WeatherOrigin;
}

export interface Outlook {
  current: FilledHour & { isDay: boolean };
  days: WeatherDay[];
}

/** The weather of the hour in progress and of `count` local days from today on. */
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
  const told = hours.flatMap(({ precipitationMm }) => precipitationMm ?? []);
  const times = sunTimes(instantOf(date, 12, zone), place);
  return {
    date,
    temperatureMinC: Math.min(...temperatures),
    temperatureMaxC: Math.max(...temperatures),
    sunHours: Math.min(
      hours.reduce((sum, hour) => sum + sunshine(hour, place), 0),
      dayLengthHours(times),
    ),
    precipitationMm: told.length === 0 ? undefined : told.reduce((sum, mm) => sum + mm, 0),
    ...times,
    condition: conditionOfDay(hours),
    origin: originOf(hours),
  };
}

/** From sunrise to sunset in whole tenths of an hour, as sunshine is told; without them nothing bounds it. */
function dayLengthHours({ sunrise, sunset }: SunTimes): number {
  if (sunrise === undefined || sunset === undefined) return Number.POSITIVE_INFINITY;
  return Math.floor(((sunset.getTime() - sunrise.getTime()) / HOUR_MS) * 10) / 10;
}

/**
 * Hours of sunshine in an hour: by the direct light where a source told the light, else the share of the sky that is free of
 * clouds, since light that was made from clouds is a mean and never falls short of the threshold.
 */
function sunshine(hour: FilledHour, place: Location): number {
  const daylight = daylightShare(hour.start.getTime(), place);
  if (daylight === 0) return 0;
  if (!hour.lightTold) return daylight * (1 - hour.cloudCoverPct / 100);
  const middle = new Date(hour.start.getTime() + HOUR_MS / 2);
  const { dni } = complete(hour, sunPosition(middle, place).altitudeDeg, extraterrestrial(middle));
  return dni > SUNSHINE_DNI ? daylight : 0;
}

/**
 * The weather that marks a day, by its hours of daylight, of a dark day by all: a thunderstorm at all, rain or snow in a
 * fifth of the hours, fog in half, else clouds.
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

/** Mean cloud cover of a day. Where light alone was told, its sum tells more than each hour: low sun is hard to judge. */
function cloudsOfDay(hours: readonly FilledHour[]): number {
  const sumOf = (of: (hour: FilledHour) => number) => hours.reduce((sum, hour) => sum + of(hour), 0);
  const onlyLight = hours.every(({ lightTold, cloudsTold }) => lightTold && !cloudsTold);
  const ofLight = onlyLight
    ? cloudsOfLight(
        sumOf(({ ghi }) => ghi),
        sumOf(({ clearGhi }) => clearGhi),
      )
    : undefined;
  return ofLight ?? sumOf(({ cloudCoverPct }) => cloudCoverPct) / hours.length;
}

/** What most of the hours stand on. */
export function originOf(hours: readonly { origin: WeatherOrigin }[]): WeatherOrigin {
  const usual = hours.filter(({ origin }) => origin === "climatology").length;
  return usual * 2 > hours.length ? "climatology" : "forecast";
}
