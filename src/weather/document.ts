import { isRecord } from "../net/json.js";
import { CONDITIONS, type Condition } from "./condition.js";
import { READING_NAMES, usable, type WeatherHour, WeatherSeries } from "./weather-series.js";

/** What is kept of a place's weather over a restart. */
export interface HeldWeather {
  series: WeatherSeries;
  /** When a source last told something. */
  toldAt: Date | undefined;
}

export function weatherToJson({ series, toldAt }: HeldWeather): unknown {
  const hours = series.hours().map((hour) => ({ ...hour, start: hour.start.toISOString() }));
  return { told_at: toldAt?.toISOString() ?? null, hours };
}

/** Weather as it was kept; of anything else nothing. */
export function weatherFromJson(kept: unknown): HeldWeather {
  if (!isRecord(kept) || !Array.isArray(kept.hours))
    return { series: WeatherSeries.empty, toldAt: undefined };
  const hours = kept.hours.flatMap((entry: unknown) => (isRecord(entry) ? readHour(entry) : []));
  const toldAt = new Date(typeof kept.told_at === "string" ? kept.told_at : Number.NaN);
  return { series: WeatherSeries.of(hours), toldAt: Number.isNaN(toldAt.getTime()) ? undefined : toldAt };
}

function readHour(entry: Record<string, unknown>): WeatherHour[] {
  const start = new Date(typeof entry.start === "string" ? entry.start : Number.NaN);
  if (Number.isNaN(start.getTime())) return [];
  const hour: WeatherHour = { start };
  for (const reading of READING_NAMES) {
    const value = usable(reading, entry[reading]);
    if (value !== undefined) hour[reading] = value;
  }
  if (CONDITIONS.includes(entry.condition as Condition)) hour.condition = entry.condition as Condition;
  return [hour];
}
