import { HOUR_MS, QUARTER_MS } from "../domain/interval.js";
import { clearSkyGhi } from "../solar/irradiance.js";
import { type Location, sunPosition } from "../solar/sun.js";

/** A table of what is usual in each month, with the mean of the year. */
function ofMonths(months: readonly number[]) {
  return { months, mean: months.reduce((sum, each) => sum + each, 0) / months.length };
}

/**
 * What the weather is like on an ordinary day of each month in the Austrian lowlands, January first, for when no source
 * tells. Rounded by us from the long-term means (1991 to 2020) that GeoSphere Austria publishes for its lowland stations:
 * coarse on purpose, every use of it is marked `climatology`.
 */
const TEMPERATURE_C = ofMonths([0, 2, 6, 11, 15, 19, 21, 20, 16, 10, 5, 1]);
/** Half the way from the coldest to the warmest hour of the day, K. */
const TEMPERATURE_SWING_K = ofMonths([2, 3, 4, 5, 5, 5, 6, 5.5, 5, 4, 2.5, 2]);
const CLOUD_COVER_PCT = ofMonths([75, 68, 63, 60, 58, 57, 52, 50, 54, 60, 74, 77]);
/** Share of the clear sky's irradiance (Haurwitz) that arrives: about 1160 kWh/m2 in a year. */
const TRANSMISSION = ofMonths([0.53, 0.59, 0.61, 0.66, 0.65, 0.65, 0.66, 0.68, 0.64, 0.58, 0.5, 0.47]);
/** Where the tables hold, degrees of latitude. */
const TABLE_LATITUDE = 48;
/**
 * How a year's mean temperature falls with the square of the latitude, K. Drawn by us through the means of the latitudes at
 * sea level: 27 degrees at the equator, 20 at 30, 9.5 at 48, -0.5 at 60.
 */
const COOLING_K = 0.0076;
/** The warmest hour of the day, solar time. */
const WARMEST_HOUR = 15;

const MONTH_MS = 30.44 * 24 * HOUR_MS;

/** Value of the day from the months' values, which hold in their middles. Towards the equator the seasons fade. */
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

/** Mean of the clear sky's global irradiance over an hour, W/m2. */
export function clearSkyHour(startMs: number, place: Location): number {
  const middles = [0.5, 1.5, 2.5, 3.5].map((quarter) => new Date(startMs + quarter * QUARTER_MS));
  return middles.reduce((sum, at) => sum + clearSkyGhi(sunPosition(at, place).altitudeDeg), 0) / 4;
}

/** What the weather of an hour usually is. */
export interface UsualWeather {
  /** W/m2. */
  ghi: number;
  temperatureC: number;
  cloudCoverPct: number;
}

/** The usual weather of the hour that begins at `startMs`; `clearSky` where the caller knows it already, W/m2. */
export function usualWeather(
  startMs: number,
  place: Location,
  clearSky = clearSkyHour(startMs, place),
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
