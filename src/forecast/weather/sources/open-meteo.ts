import { HOUR_MS, MINUTE_MS } from "../../../core/domain/interval.js";
import { FetchError } from "../../../core/net/fetch.js";
import { isRecord, setIfAbsent } from "../../../core/net/json.js";
import { conditionOfCode } from "../condition.js";
import { HourMeans } from "../hour-means.js";
import type { ParsedWeather, WeatherSource } from "../source.js";
import type { WeatherReading } from "../weather-series.js";
import { requestWeather, type WeatherHttpOptions } from "./http.js";

export const FREE_URL = "https://api.open-meteo.com/v1/forecast";
export const PAID_URL = "https://customer-api.open-meteo.com/v1/forecast";

const HOURLY =
  "shortwave_radiation,direct_normal_irradiance,diffuse_radiation,temperature_2m,cloud_cover,wind_speed_10m,weather_code,precipitation";

/** Weather of Open-Meteo (CC BY 4.0): free for non-commercial use, with a key otherwise. */
export function openMeteoSource({
  key,
  url: address = key === undefined ? FREE_URL : PAID_URL,
  timeoutMs,
}: WeatherHttpOptions & { key?: string | undefined } = {}): WeatherSource {
  return {
    name: "open_meteo",
    local: false,
    async fetch(request) {
      const url = new URL(address);
      setIfAbsent(url, "latitude", String(request.place.latitude));
      setIfAbsent(url, "longitude", String(request.place.longitude));
      setIfAbsent(url, "hourly", HOURLY);
      setIfAbsent(url, "forecast_days", "8");
      // The local day begins before the UTC day does.
      setIfAbsent(url, "past_days", "1");
      setIfAbsent(url, "timezone", "UTC");
      setIfAbsent(url, "wind_speed_unit", "ms");
      if (key !== undefined) setIfAbsent(url, "apikey", key);
      return requestWeather(url, request, { timeoutMs }, parseOpenMeteo);
    },
  };
}

/** Variables with the mean (or the sum) of the interval before their time. */
const BEFORE: Record<string, WeatherReading> = {
  shortwave_radiation: "ghi",
  direct_normal_irradiance: "dni",
  diffuse_radiation: "dhi",
  precipitation: "precipitationMm",
};

/** Variables with the value at their time. */
const AT: Record<string, WeatherReading> = {
  shortwave_radiation_instant: "ghi",
  direct_normal_irradiance_instant: "dni",
  diffuse_radiation_instant: "dhi",
  temperature_2m: "temperatureC",
  cloud_cover: "cloudCoverPct",
  wind_speed_10m: "windSpeedMs",
};

/** Factors for the conversion to m/s and mm. */
const FACTORS: Record<string, number> = {
  "km/h": 1 / 3.6,
  mph: 0.44704,
  "mp/h": 0.44704,
  kn: 0.514444,
  inch: 25.4,
};

/**
 * Reads an answer of `/v1/forecast`, hourly or in quarter-hours, in any zone, of one point (the first of several). Throws
 * FetchError if it contains no usable hour.
 */
export function parseOpenMeteo(body: unknown, from: string): ParsedWeather {
  const answer: unknown = Array.isArray(body) ? body[0] : body;
  const record = isRecord(answer) ? answer : {};
  const name = isRecord(record.hourly) ? "hourly" : "minutely_15";
  const block = record[name];
  if (!isRecord(block) || !Array.isArray(block.time))
    throw new FetchError(`${from} answered JSON without the list "hourly.time".`);
  const units = isRecord(record[`${name}_units`]) ? (record[`${name}_units`] as object) : {};
  const stepMs = name === "hourly" ? HOUR_MS : 15 * MINUTE_MS;
  const offsetMs = typeof record.utc_offset_seconds === "number" ? record.utc_offset_seconds * 1000 : 0;
  const times = block.time.map((time: unknown) => timeOf(time, offsetMs));
  const means = new HourMeans();
  const take = (variables: Record<string, WeatherReading>, shiftMs: number) => {
    for (const [variable, reading] of Object.entries(variables)) {
      const values = block[variable];
      const toUnit = unitOf((units as Record<string, unknown>)[variable]);
      if (Array.isArray(values))
        times.forEach((at, index) => void means.add(at + shiftMs, reading, toUnit(values[index])));
    }
  };
  take(BEFORE, -stepMs);
  take(AT, 0);
  const codes = Array.isArray(block.weather_code) ? block.weather_code : [];
  times.forEach((at, index) => {
    const code: unknown = codes[index];
    if (typeof code === "number") means.addCondition(at, conditionOfCode(code));
  });
  const hours = means.hours();
  if (hours.length === 0) throw new FetchError(`${from} answered without a usable hour of weather.`);
  return {
    hours,
    warnings: means.unusable === 0 ? [] : [`${from}: ${means.unusable} implausible values were ignored.`],
  };
}

/** A time in ms: local text without offset, or UNIX seconds; NaN for anything else. */
export function timeOf(time: unknown, offsetMs: number): number {
  if (typeof time === "number") return time * 1000;
  if (typeof time !== "string" || !/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(time)) return Number.NaN;
  return Date.parse(`${time}Z`) - offsetMs;
}

/** Conversion of values from a unit to m/s, mm or degrees Celsius. */
export function unitOf(unit: unknown): (value: unknown) => unknown {
  const factor = typeof unit === "string" ? FACTORS[unit] : undefined;
  return (value) => {
    if (typeof value !== "number") return value;
    if (unit === "°F") return (value - 32) / 1.8;
    return factor === undefined ? value : value * factor;
  };
}
