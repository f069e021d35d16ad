import { HOUR_MS } from "../../../core/domain/interval.js";
import { FetchError, fetchParsed, fetchText, parseJson } from "../../../core/net/fetch.js";
import { isRecord, setIfAbsent } from "../../../core/net/json.js";
import type { Source, SourceAnswer, SourceRequest } from "../../../core/net/source-runner.js";
import type { PointReadings } from "../market/aggregate.js";
import { MARKET_POINTS } from "../market/points.js";
import { usable } from "../weather-series.js";
import type { WeatherHttpOptions } from "./http.js";
import { FREE_URL, PAID_URL, timeOf, unitOf } from "./open-meteo.js";

const FREE_PAST_URL = "https://previous-runs-api.open-meteo.com/v1/forecast";
const PAID_PAST_URL = "https://customer-previous-runs-api.open-meteo.com/v1/forecast";
/** Days of a forecast including today: the seventh lead day after tomorrow's prices are published, and one more. */
const FORECAST_DAYS = 10;
/** The archive of past runs contains forecasts of one to seven days before. */
export const PAST_DAYS = 7;
/** An answer for many places and weeks takes long. */
const LEAST_PAST_TIMEOUT_MS = 60_000;

const VARIABLES = {
  windMs: "wind_speed_100m",
  irradianceWm2: "shortwave_radiation",
  temperatureC: "temperature_2m",
} as const;
type Reading = keyof typeof VARIABLES;

const AS_USABLE = { windMs: "windSpeedMs", irradianceWm2: "ghi", temperatureC: "temperatureC" } as const;

/** Readings of all places for the hours from `startMs` on. */
export interface PointsWeather {
  startMs: number;
  hours: number;
  /** In the order of `MARKET_POINTS`; undefined for a place without usable data. */
  places: (PointReadings | undefined)[];
}

export interface MarketWeatherAnswer extends SourceAnswer {
  weather?: PointsWeather;
}

export type MarketWeatherSource = Source<SourceRequest, MarketWeatherAnswer>;

type Options = WeatherHttpOptions & { key?: string | undefined };

/** The newest forecast for all places of the price model, from Open-Meteo in one request. */
export class OpenMeteoPointsSource implements MarketWeatherSource {
  readonly name = "open_meteo (market)";
  readonly local = false;
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  async fetch({ signal, validators }: SourceRequest): Promise<MarketWeatherAnswer> {
    const { key, timeoutMs, url: configured } = this.#options;
    const url = placesUrl(configured ?? (key === undefined ? FREE_URL : PAID_URL), key);
    setIfAbsent(url, "hourly", Object.values(VARIABLES).join(","));
    setIfAbsent(url, "forecast_days", String(FORECAST_DAYS));
    const { freshUntil: _, ...answer } = await fetchParsed<MarketWeatherAnswer>(
      url,
      { signal, validators, timeoutMs },
      (body, host) => ({ weather: parsePoints(body, host) }),
      {},
    );
    return answer;
  }
}

/** Forecasts made one to seven days before each hour: one entry per number of days, starting with one. */
export type PastRuns = PointsWeather[];

/** Open-Meteo's archive of past runs, which begins in 2024. */
export class OpenMeteoPastRuns {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Forecasts of the days (UTC, `YYYY-MM-DD`) from the first to the last one. Rejects with FetchError. */
  async load(firstDate: string, lastDate: string, signal: AbortSignal): Promise<PastRuns> {
    const { key, timeoutMs = 0, url: configured } = this.#options;
    const url = placesUrl(configured ?? (key === undefined ? FREE_PAST_URL : PAID_PAST_URL), key);
    const names = daysBefore.flatMap((days) =>
      Object.values(VARIABLES).map((name) => `${name}${suffixOf(days)}`),
    );
    setIfAbsent(url, "hourly", names.join(","));
    setIfAbsent(url, "start_date", firstDate);
    setIfAbsent(url, "end_date", lastDate);
    const { body } = await fetchText(url, { signal, timeoutMs: Math.max(timeoutMs, LEAST_PAST_TIMEOUT_MS) });
    const answer = parseJson(body, url.host);
    return daysBefore.map((days) => parsePoints(answer, url.host, suffixOf(days)));
  }
}

const daysBefore = Array.from({ length: PAST_DAYS }, (_, index) => index + 1);
const suffixOf = (days: number) => `_previous_day${days}`;

function placesUrl(address: string, key: string | undefined): URL {
  const url = new URL(address);
  setIfAbsent(url, "latitude", MARKET_POINTS.map(({ latitude }) => latitude).join(","));
  setIfAbsent(url, "longitude", MARKET_POINTS.map(({ longitude }) => longitude).join(","));
  setIfAbsent(url, "timezone", "UTC");
  setIfAbsent(url, "wind_speed_unit", "ms");
  if (key !== undefined) setIfAbsent(url, "apikey", key);
  return url;
}

/**
 * Reads an hourly answer for all places: a list in the order of the request. `suffix`: that of the variable names. Throws
 * FetchError if it is not such a list or contains no hour.
 */
function parsePoints(body: unknown, from: string, suffix = ""): PointsWeather {
  if (!Array.isArray(body) || body.length !== MARKET_POINTS.length)
    throw new FetchError(`${from} did not answer with a list of ${MARKET_POINTS.length} places.`);
  const blocks = body.map((entry: unknown) => blockOf(entry));
  const all = blocks.flatMap((block) => block?.times.filter((at) => !Number.isNaN(at)) ?? []);
  if (all.length === 0) throw new FetchError(`${from} answered without the lists "hourly.time".`);
  // Irradiance is the mean of the hour before its time: the table begins with that hour.
  const startMs = all.reduce((least, at) => Math.min(least, at)) - HOUR_MS;
  const hours = (all.reduce((most, at) => Math.max(most, at)) - startMs) / HOUR_MS + 1;
  if (hours > MOST_HOURS) throw new FetchError(`${from} answered with more than ${MOST_HOURS} hours.`);
  return {
    startMs,
    hours,
    places: blocks.map((block) => block && readPlace(block, { startMs, hours, suffix })),
  };
}

/** Half a year, more than is ever requested. */
const MOST_HOURS = 4400;

interface Block {
  times: number[];
  values: Record<string, unknown>;
  units: Record<string, unknown>;
}

function blockOf(entry: unknown): Block | undefined {
  const record = isRecord(entry) ? entry : {};
  const { hourly } = record;
  if (!isRecord(hourly) || !Array.isArray(hourly.time)) return undefined;
  const offsetMs = typeof record.utc_offset_seconds === "number" ? record.utc_offset_seconds * 1000 : 0;
  const times = hourly.time.map((time: unknown) => {
    const at = timeOf(time, offsetMs);
    return at % HOUR_MS === 0 ? at : Number.NaN;
  });
  return { times, values: hourly, units: isRecord(record.hourly_units) ? record.hourly_units : {} };
}

function readPlace(
  { times, values, units }: Block,
  { startMs, hours, suffix }: { startMs: number; hours: number; suffix: string },
): PointReadings {
  const read = (reading: Reading): Float64Array => {
    const name = `${VARIABLES[reading]}${suffix}`;
    const list = values[name];
    const toUnit = unitOf(units[name]);
    const shiftMs = reading === "irradianceWm2" ? -HOUR_MS : 0;
    const series = new Float64Array(hours).fill(Number.NaN);
    if (!Array.isArray(list)) return series;
    times.forEach((at, index) => {
      if (Number.isNaN(at)) return;
      const value = usable(AS_USABLE[reading], toUnit(list[index]));
      if (value !== undefined) series[(at + shiftMs - startMs) / HOUR_MS] = value;
    });
    return series;
  };
  return {
    windMs: read("windMs"),
    irradianceWm2: read("irradianceWm2"),
    temperatureC: read("temperatureC"),
  };
}
