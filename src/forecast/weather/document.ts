import { isRecord } from "../../core/net/json.js";
import { CONDITIONS, type Condition } from "./condition.js";
import { usable, WEATHER_READING_NAMES, WeatherSeries, type WeatherSeriesHour } from "./weather-series.js";

/** The weather of a place as stored on disk. */
export interface StoredWeather {
  series: WeatherSeries;
  /** When a source last answered. */
  issuedAt: Date | undefined;
}

export function weatherToJson({ series, issuedAt }: StoredWeather): unknown {
  const hours = series.hours().map((hour) => ({ ...hour, start: hour.start.toISOString() }));
  return { issued_at: issuedAt?.toISOString() ?? null, hours };
}

/** Reads stored weather; empty for anything else. The time was stored as `told_at` before version 0.2. */
export function weatherFromJson(stored: unknown): StoredWeather {
  if (!isRecord(stored) || !Array.isArray(stored.hours))
    return { series: WeatherSeries.empty, issuedAt: undefined };
  const hours = stored.hours.flatMap((entry: unknown) => (isRecord(entry) ? readHour(entry) : []));
  const time = stored.issued_at ?? stored.told_at;
  const issuedAt = new Date(typeof time === "string" ? time : Number.NaN);
  return {
    series: WeatherSeries.of(hours),
    issuedAt: Number.isNaN(issuedAt.getTime()) ? undefined : issuedAt,
  };
}

function readHour(entry: Record<string, unknown>): WeatherSeriesHour[] {
  const start = new Date(typeof entry.start === "string" ? entry.start : Number.NaN);
  if (Number.isNaN(start.getTime())) return [];
  const hour: WeatherSeriesHour = { start };
  for (const reading of WEATHER_READING_NAMES) {
    const value = usable(reading, entry[reading]);
    if (value !== undefined) hour[reading] = value;
  }
  if (CONDITIONS.includes(entry.condition as Condition)) hour.condition = entry.condition as Condition;
  return [hour];
}
