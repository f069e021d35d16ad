import { HOUR_MS } from "../domain/interval.js";
import { cloudTransmission } from "../solar/irradiance.js";
import { type Location, sunPosition } from "../solar/sun.js";
import { clearSkyHour, usualWeather } from "./climatology.js";
import { type Condition, conditionOfClouds } from "./condition.js";
import type { WeatherSeries, WeatherSeriesHour } from "./weather-series.js";

/** Where weather stands on: what a source told, or what is usual. */
export type WeatherOrigin = "forecast" | "climatology";

/** One hour of weather without holes where the sun and the season can fill them. */
export interface FilledHour {
  start: Date;
  ghi: number;
  dni: number | undefined;
  dhi: number | undefined;
  temperatureC: number;
  cloudCoverPct: number;
  /** Nothing can tell wind or precipitation but a source. */
  windSpeedMs: number | undefined;
  precipitationMm: number | undefined;
  condition: Condition;
  origin: WeatherOrigin;
  /** Global irradiance of a clear sky, W/m2. */
  clearGhi: number;
  /** True where a source told the light itself, not only the clouds. */
  lightTold: boolean;
  cloudsTold: boolean;
}

/**
 * The hour that begins at `startMs` as a source told it; what it left out from what it did tell (light from clouds, clouds
 * from light), and from the climatology what nothing tells.
 */
export function filledHour(series: WeatherSeries, place: Location, startMs: number): FilledHour {
  const told = series.from(startMs);
  const clear = clearSkyHour(startMs, place);
  const usual = usualWeather(startMs, place, clear);
  const cloudCoverPct = told.cloudCoverPct ?? cloudsOfLight(told.ghi, clear) ?? usual.cloudCoverPct;
  const lightOfClouds =
    told.cloudCoverPct === undefined ? usual.ghi : clear * cloudTransmission(told.cloudCoverPct);
  const knowsSky = told.ghi !== undefined || told.cloudCoverPct !== undefined;
  return {
    start: new Date(startMs),
    ghi: told.ghi ?? lightOfClouds,
    dni: told.ghi === undefined ? undefined : told.dni,
    dhi: told.ghi === undefined ? undefined : told.dhi,
    temperatureC: told.temperatureC ?? usual.temperatureC,
    cloudCoverPct,
    windSpeedMs: told.windSpeedMs,
    precipitationMm: told.precipitationMm,
    condition: told.condition ?? conditionOf(told, cloudCoverPct),
    origin: knowsSky ? "forecast" : "climatology",
    clearGhi: clear,
    lightTold: told.ghi !== undefined,
    cloudsTold: told.cloudCoverPct !== undefined,
  };
}

/** A clear sky gives so much light, W/m2, that clouds can be told from it; with less it is dark or nearly so. */
export const MIN_CLEAR_SKY_GHI = 100;
/** No formula knows the clear sky of a day better than to 5 %: what gives more than the rest has no clouds. */
const CLEAR_SHARE = 0.95;

/** Cloud cover that lets so much of a clear sky's light through (Kasten and Czeplak, turned round); undefined in the dark. */
export function cloudsOfLight(ghi: number | undefined, clear: number): number | undefined {
  if (ghi === undefined || clear < MIN_CLEAR_SKY_GHI) return undefined;
  const dimmed = Math.min(0.75, Math.max(0, 1 - ghi / (CLEAR_SHARE * clear)));
  return 100 * (dimmed / 0.75) ** (1 / 3.4);
}

/** Rain or snow from 0.1 mm in the hour on, snow up to 1 degree; otherwise the clouds tell. */
function conditionOf(
  { precipitationMm = 0, temperatureC }: Partial<WeatherSeriesHour>,
  clouds: number,
): Condition {
  if (precipitationMm < 0.1) return conditionOfClouds(clouds);
  return temperatureC !== undefined && temperatureC <= 1 ? "snow" : "rain";
}

/** Hours without holes, one after the other from `from` on until `to` is reached. */
export function filledHours(series: WeatherSeries, place: Location, from: Date, to: Date): FilledHour[] {
  const firstMs = from.getTime();
  const count = Math.max(0, Math.ceil((to.getTime() - firstMs) / HOUR_MS));
  return Array.from({ length: count }, (_, index) => filledHour(series, place, firstMs + index * HOUR_MS));
}

/** Share of an hour for which the sun is above the horizon, to a twelfth. */
export function daylightShare(startMs: number, place: Location): number {
  const parts = Array.from({ length: 12 }, (_, part) => new Date(startMs + ((part + 0.5) / 12) * HOUR_MS));
  return parts.filter((at) => sunPosition(at, place).altitudeDeg > 0).length / 12;
}
