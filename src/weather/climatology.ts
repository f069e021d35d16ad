import { clearSkyGhi } from "../solar/irradiance.js";
import { type Location, sunPosition } from "../solar/sun.js";
import { HOUR_MS, QUARTER_MS } from "../time/interval.js";

/**
 * What the weather is like on an ordinary day of each month in the Austrian lowlands, January first, for when no source
 * tells. Rounded by us from the long-term means (1991 to 2020) that GeoSphere Austria publishes for its lowland stations:
 * coarse on purpose, every use of it is marked `climatology`.
 */
const TEMPERATURE_C = [0, 2, 6, 11, 15, 19, 21, 20, 16, 10, 5, 1];
/** Half the way from the coldest to the warmest hour of the day, K. */
const TEMPERATURE_SWING_K = [2, 3, 4, 5, 5, 5, 6, 5.5, 5, 4, 2.5, 2];
const CLOUD_COVER_PCT = [75, 68, 63, 60, 58, 57, 52, 50, 54, 60, 74, 77];
/** Share of the clear sky's irradiance (Haurwitz) that arrives: about 1150 kWh/m2 in a year. */
const TRANSMISSION = [0.58, 0.6, 0.62, 0.65, 0.65, 0.66, 0.66, 0.67, 0.63, 0.58, 0.54, 0.54];
/** The warmest hour of the day, solar time. */
const WARMEST_HOUR = 15;

const MONTH_MS = 30.44 * 24 * HOUR_MS;

/** Value of the day from the months' values, which hold in their middles. South of the equator half a year later. */
function seasonal(table: readonly number[], atMs: number, latitude: number): number {
  const year = new Date(atMs).getUTCFullYear();
  const months = (atMs - Date.UTC(year, 0, 1)) / MONTH_MS - 0.5 + (latitude < 0 ? 6 : 0);
  const before = Math.floor(months);
  const value = (month: number) => table[((month % 12) + 12) % 12] ?? 0;
  return value(before) + (value(before + 1) - value(before)) * (months - before);
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
  const of = (table: readonly number[]) => seasonal(table, startMs, place.latitude);
  const solarHour = ((startMs + HOUR_MS / 2) / HOUR_MS + place.longitude / 15) % 24;
  const swing = of(TEMPERATURE_SWING_K) * Math.cos(((solarHour - WARMEST_HOUR) * Math.PI) / 12);
  return {
    ghi: clearSky * of(TRANSMISSION),
    temperatureC: of(TEMPERATURE_C) + swing,
    cloudCoverPct: of(CLOUD_COVER_PCT),
  };
}
