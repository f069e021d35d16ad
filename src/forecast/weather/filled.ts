import { HOUR_MS, QUARTER_MS } from "../../core/domain/interval.js";
import { clearSkyGhi, cloudTransmission, extraterrestrial } from "../solar/irradiance.js";
import { type Location, type SunPosition, sunPosition } from "../solar/sun.js";
import { type Condition, conditionOfClouds } from "./condition.js";
import type { WeatherSeries, WeatherSeriesHour } from "./weather-series.js";

/** A table of monthly means with the mean of the year. */
function ofMonths(months: readonly number[]) {
  return { months, mean: months.reduce((sum, each) => sum + each, 0) / months.length };
}

/**
 * Mean weather of each month in the Austrian lowlands, January first; used where no source provides data. Rounded from the
 * long-term means (1991 to 2020) that GeoSphere Austria publishes for its lowland stations. Every use is marked
 * `climatology`.
 */
const TEMPERATURE_C = ofMonths([0, 2, 6, 11, 15, 19, 21, 20, 16, 10, 5, 1]);
/** Half the difference between the coldest and the warmest hour of the day, K. */
const TEMPERATURE_SWING_K = ofMonths([2, 3, 4, 5, 5, 5, 6, 5.5, 5, 4, 2.5, 2]);
const CLOUD_COVER_PCT = ofMonths([75, 68, 63, 60, 58, 57, 52, 50, 54, 60, 74, 77]);
/** Share of the clear-sky irradiance (Haurwitz) that reaches the ground: about 1160 kWh/m2 per year. */
const TRANSMISSION = ofMonths([0.53, 0.59, 0.61, 0.66, 0.65, 0.65, 0.66, 0.68, 0.64, 0.58, 0.5, 0.47]);
/** Latitude of the tables, degrees. */
const TABLE_LATITUDE = 48;
/**
 * Decrease of the annual mean temperature with the square of the latitude, K. Fitted to the means at sea level: 27 degrees
 * Celsius at the equator, 20 at 30 degrees, 9.5 at 48, -0.5 at 60.
 */
const COOLING_K = 0.0076;
/** The warmest hour of the day, solar time. */
const WARMEST_HOUR = 15;

const MONTH_MS = 30.44 * 24 * HOUR_MS;

/** Value of a day, interpolated between the middles of the months. The seasonal amplitude decreases towards the equator. */
function seasonal(table: ReturnType<typeof ofMonths>, months: number, latitude: number): number {
  const before = Math.floor(months);
  const value = (month: number) => table.months[((month % 12) + 12) % 12] ?? 0;
  const ofDay = value(before) + (value(before + 1) - value(before)) * (months - before);
  return table.mean + (ofDay - table.mean) * Math.min(1, Math.abs(latitude) / TABLE_LATITUDE);
}

/** Months since the middle of January; south of the equator half a year later. */
function monthsOf(atMs: number, latitude: number): number {
  const year = new Date(atMs).getUTCFullYear();
  return (atMs - Date.UTC(year, 0, 1)) / MONTH_MS - 0.5 + (latitude < 0 ? 6 : 0);
}

/** The sun in the middle of the four quarters of an hour. */
function sunOfHour(startMs: number, place: Location): SunPosition[] {
  return [0.5, 1.5, 2.5, 3.5].map((quarter) => sunPosition(new Date(startMs + quarter * QUARTER_MS), place));
}

/** Mean clear-sky global irradiance over an hour, W/m2. */
function clearSkyOf(sun: readonly SunPosition[]): number {
  return sun.reduce((sum, { altitudeDeg }) => sum + clearSkyGhi(altitudeDeg), 0) / sun.length;
}

/** Most light of the sky while the sun is below the horizon (civil twilight), and error of the mean of four times, W/m2. */
const TWILIGHT_WM2 = 20;
const TWILIGHT_DEG = -6;

/**
 * The irradiance of a source, limited to what is possible in an hour: none at night, on the ground never more than above the
 * atmosphere, and no part greater than the whole. More comes of another time zone or unit.
 */
function possible(
  { ghi, dni, dhi }: Partial<WeatherSeriesHour>,
  startMs: number,
  sun: readonly SunPosition[],
) {
  const normal = extraterrestrial(new Date(startMs));
  const isNight = sun.every(({ altitudeDeg }) => altitudeDeg < TWILIGHT_DEG);
  const heights = sun.map(({ altitudeDeg }) => Math.max(0, Math.sin((altitudeDeg * Math.PI) / 180)));
  const height = heights.reduce((sum, one) => sum + one, 0) / heights.length;
  const most = isNight ? 0 : normal * height + TWILIGHT_WM2;
  const ground = ghi === undefined ? undefined : Math.min(ghi, most);
  return {
    ghi: ground,
    dni: dni && Math.min(dni, normal),
    dhi: dhi && Math.min(dhi, ground ?? most),
  };
}

/** Climatological weather of an hour. */
interface UsualWeather {
  /** W/m2. */
  ghi: number;
  temperatureC: number;
  cloudCoverPct: number;
}

/** Climatological weather of the hour that begins at `startMs`; `clearSky` if the caller has computed it already, W/m2. */
export function usualWeather(
  startMs: number,
  place: Location,
  clearSky = clearSkyOf(sunOfHour(startMs, place)),
): UsualWeather {
  const months = monthsOf(startMs, place.latitude);
  const of = (table: ReturnType<typeof ofMonths>) => seasonal(table, months, place.latitude);
  const solarHour = ((startMs + HOUR_MS / 2) / HOUR_MS + place.longitude / 15) % 24;
  const swing = of(TEMPERATURE_SWING_K) * Math.cos(((solarHour - WARMEST_HOUR) * Math.PI) / 12);
  return {
    ghi: clearSky * of(TRANSMISSION),
    temperatureC: of(TEMPERATURE_C) + swing + COOLING_K * (TABLE_LATITUDE ** 2 - place.latitude ** 2),
    cloudCoverPct: of(CLOUD_COVER_PCT),
  };
}

/** Origin of weather data: a source, or the climatology. */
export type WeatherOrigin = "forecast" | "climatology";

/** One hour of weather; missing values are computed where possible. */
export interface FilledHour {
  start: Date;
  ghi: number;
  dni: number | undefined;
  dhi: number | undefined;
  temperatureC: number;
  cloudCoverPct: number;
  /** Wind and precipitation are only known from a source. */
  windSpeedMs: number | undefined;
  precipitationMm: number | undefined;
  condition: Condition;
  origin: WeatherOrigin;
  /** Clear-sky global irradiance, W/m2. */
  clearGhi: number;
  /** True if a source provided the irradiance. */
  hasIrradiance: boolean;
  /** True if a source provided the cloud cover. */
  hasClouds: boolean;
}

/**
 * The hour that begins at `startMs` with the values of a source; missing values are computed from the others (irradiance
 * from clouds, clouds from irradiance) or taken from the climatology.
 */
export function filledHour(series: WeatherSeries, place: Location, startMs: number): FilledHour {
  const sun = sunOfHour(startMs, place);
  const reading = series.from(startMs);
  const known = { ...reading, ...possible(reading, startMs, sun) };
  const clear = clearSkyOf(sun);
  const usual = usualWeather(startMs, place, clear);
  const hasIrradiance = known.ghi !== undefined;
  const hasClouds = known.cloudCoverPct !== undefined;
  const cloudCoverPct = known.cloudCoverPct ?? cloudsOfIrradiance(known.ghi, clear) ?? usual.cloudCoverPct;
  const computedGhi =
    known.cloudCoverPct === undefined ? usual.ghi : clear * cloudTransmission(known.cloudCoverPct);
  return {
    start: new Date(startMs),
    ghi: known.ghi ?? computedGhi,
    dni: hasIrradiance ? known.dni : undefined,
    dhi: hasIrradiance ? known.dhi : undefined,
    temperatureC: known.temperatureC ?? usual.temperatureC,
    cloudCoverPct,
    windSpeedMs: known.windSpeedMs,
    precipitationMm: known.precipitationMm,
    condition: known.condition ?? conditionOf(known, cloudCoverPct),
    origin: hasIrradiance || hasClouds ? "forecast" : "climatology",
    clearGhi: clear,
    hasIrradiance,
    hasClouds,
  };
}

/** Minimum clear-sky irradiance from which cloud cover can be computed, W/m2. */
export const MIN_CLEAR_SKY_GHI = 100;
/** Clear-sky formulas are accurate to about 5 %: a higher share of the clear-sky irradiance means no clouds. */
const CLEAR_SHARE = 0.95;

/** Cloud cover, percent, by the inverse of `cloudTransmission`; undefined in the dark. */
export function cloudsOfIrradiance(ghi: number | undefined, clear: number): number | undefined {
  if (ghi === undefined || clear < MIN_CLEAR_SKY_GHI) return undefined;
  const dimmed = Math.min(0.75, Math.max(0, 1 - ghi / (CLEAR_SHARE * clear)));
  return 100 * (dimmed / 0.75) ** (1 / 3.4);
}

/** Rain or snow from 0.1 mm per hour, snow up to 1 degree Celsius; otherwise by cloud cover. */
function conditionOf(
  { precipitationMm = 0, temperatureC }: Partial<WeatherSeriesHour>,
  clouds: number,
): Condition {
  if (precipitationMm < 0.1) return conditionOfClouds(clouds);
  return temperatureC !== undefined && temperatureC <= 1 ? "snow" : "rain";
}

/** The hours from `from` until `to`. */
export function filledHours(series: WeatherSeries, place: Location, from: Date, to: Date): FilledHour[] {
  const firstMs = from.getTime();
  const count = Math.max(0, Math.ceil((to.getTime() - firstMs) / HOUR_MS));
  return Array.from({ length: count }, (_, index) => filledHour(series, place, firstMs + index * HOUR_MS));
}

/** Share of an hour with the sun above the horizon, in twelfths. */
export function daylightShare(startMs: number, place: Location): number {
  const parts = Array.from({ length: 12 }, (_, part) => new Date(startMs + ((part + 0.5) / 12) * HOUR_MS));
  return parts.filter((at) => sunPosition(at, place).altitudeDeg > 0).length / 12;
}
