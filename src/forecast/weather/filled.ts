import { HOUR_MS } from "../../core/domain/interval.js";
import { cloudTransmission } from "../solar/irradiance.js";
import { type Location, sunPosition } from "../solar/sun.js";
import { clearSkyHour, usualWeather } from "./climatology.js";
import { type Condition, conditionOfClouds } from "./condition.js";
import type { WeatherSeries, WeatherSeriesHour } from "./weather-series.js";

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
  const known = series.from(startMs);
  const clear = clearSkyHour(startMs, place);
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
