import { isRecord } from "../net/json.js";
import { CONDITIONS, type Condition } from "./condition.js";
import { usable, WEATHER_READING_NAMES, WeatherSeries, type WeatherSeriesHour } from "./weather-series.js";

/** What is kept of a place's weather over a restart. */
export interface StoredWeather {
  series: WeatherSeries;
  /** When a source last told something. */
  toldAt: Date | undefined;
}

export function weatherToJson({ series, toldAt }: StoredWeather): unknown {
  const hours = series.hours().map((hour) => ({ ...hour, start: hour.start.toISOString() }));
  return { told_at: toldAt?.toISOString() ?? null, hours };
}

/** Weather as it was kept; of anything else nothing. */
export function weatherFromJson(kept: unknown): StoredWeather {
  if (!isRecord(kept) || !Array.isArray(kept.hours))
    return { series: WeatherSeries.empty, toldAt: undefined };
  const hours = kept.hours.flatMap((entry: unknown) => (isRecord(entry) ? readHour(entry) : []));
  const toldAt = new Date(typeof kept.told_at === "string" ? kept.told_at : Number.NaN);
  return { series: WeatherSeries.of(hours), toldAt: Number.isNaN(toldAt.getTime()) ? undefined : toldAt };
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
