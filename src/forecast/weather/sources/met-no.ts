import { HOUR_MS } from "../../../core/domain/interval.js";
import { FetchError } from "../../../core/net/fetch.js";
import { isRecord, setIfAbsent } from "../../../core/net/json.js";
import { conditionOfSymbol } from "../condition.js";
import { HourMeans } from "../hour-means.js";
import type { ParsedWeather, WeatherSource } from "../source.js";
import type { WeatherReading } from "../weather-series.js";
import { requestWeather, type WeatherHttpOptions } from "./http.js";

const DEFAULT_URL = "https://api.met.no/weatherapi/locationforecast/2.0/complete";

/** Later days have steps of six hours; a longer step is a gap. */
const LONGEST_STEP_HOURS = 6;

/**
 * Weather of the Norwegian Meteorological Institute (CC BY 4.0), with clouds but without irradiance. `userAgent` names the
 * program and a contact address, as required by the terms of the service.
 */
export function metNoSource({
  url: address = DEFAULT_URL,
  timeoutMs,
  userAgent,
}: WeatherHttpOptions & { userAgent: string }): WeatherSource {
  return {
    name: "met_no",
    local: false,
    async fetch(request) {
      const url = new URL(address);
      // The service rejects more than four decimals.
      setIfAbsent(url, "lat", fourDecimals(request.place.latitude));
      setIfAbsent(url, "lon", fourDecimals(request.place.longitude));
      return requestWeather(url, request, { timeoutMs, headers: { "user-agent": userAgent } }, parseMetNo);
    },
  };
}

const fourDecimals = (degrees: number) => String(Math.round(degrees * 1e4) / 1e4);

const INSTANT: Record<string, WeatherReading> = {
  air_temperature: "temperatureC",
  cloud_area_fraction: "cloudCoverPct",
  wind_speed: "windSpeedMs",
};

/**
 * Reads an answer of Locationforecast 2.0: hourly at first, then in steps of six hours, within which readings are
 * interpolated and precipitation is distributed evenly. Throws FetchError if it contains no usable hour.
 */
export function parseMetNo(body: unknown, from: string): ParsedWeather {
  const properties = isRecord(body) ? body.properties : undefined;
  const entries = isRecord(properties) ? properties.timeseries : undefined;
  if (!Array.isArray(entries))
    throw new FetchError(`${from} answered JSON without the list "properties.timeseries".`);
  const times = entries.map((entry: unknown) => readEntry(entry));
  const means = new HourMeans();
  times.forEach((time, index) => {
    const next = times[index + 1];
    const hours = next === undefined ? 1 : (next.atMs - time.atMs) / HOUR_MS;
    const step = Number.isInteger(hours) && hours > 0 && hours <= LONGEST_STEP_HOURS ? hours : 1;
    const period = (step === 1 ? time.oneHour : undefined) ?? time.sixHours;
    for (let offset = 0; offset < step; offset++) {
      const atMs = time.atMs + offset * HOUR_MS;
      for (const [name, reading] of Object.entries(INSTANT))
        means.add(atMs, reading, between(time.details[name], next?.details[name], offset / step));
      means.addCondition(atMs, period?.condition);
      if (period?.precipitationMm !== undefined)
        means.add(atMs, "precipitationMm", period.precipitationMm / period.hours);
    }
  });
  const hours = means.hours();
  if (hours.length === 0) throw new FetchError(`${from} answered without a usable hour of weather.`);
  return {
    hours,
    warnings: means.unusable === 0 ? [] : [`${from}: ${means.unusable} implausible values were ignored.`],
  };
}

function between(value: unknown, next: unknown, share: number): unknown {
  if (share === 0 || typeof value !== "number") return value;
  return typeof next === "number" ? value + (next - value) * share : value;
}

function readEntry(entry: unknown) {
  const record = isRecord(entry) ? entry : {};
  const data = isRecord(record.data) ? record.data : {};
  const instant = isRecord(data.instant) ? data.instant : {};
  return {
    atMs: typeof record.time === "string" ? Date.parse(record.time) : Number.NaN,
    details: isRecord(instant.details) ? instant.details : {},
    oneHour: readPeriod(data.next_1_hours, 1),
    sixHours: readPeriod(data.next_6_hours, 6),
  };
}

function readPeriod(period: unknown, hours: number) {
  if (!isRecord(period)) return undefined;
  const { summary, details } = period;
  const symbol = isRecord(summary) ? summary.symbol_code : undefined;
  const amount = isRecord(details) ? details.precipitation_amount : undefined;
  return {
    hours,
    condition: typeof symbol === "string" ? conditionOfSymbol(symbol) : undefined,
    precipitationMm: typeof amount === "number" ? amount : undefined,
  };
}
