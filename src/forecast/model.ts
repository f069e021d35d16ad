import type { PriceSeries } from "../market/price-series.js";
import { HOUR_MS, hourOf } from "../time/interval.js";
import { climatology } from "./climatology.js";
import type { ForecastHour, ForecastTier } from "./forecast.js";
import { learningWindow, recentMean } from "./recent-mean.js";

/** What a tier's hours are called outside; the number rises when the same history gives other figures. */
export const MODEL_VERSIONS: Record<ForecastTier, string> = {
  recent_mean: "recent-mean-1",
  climatology: "climatology-1",
};

export interface Forecast {
  modelVersion: string;
  tier: ForecastTier;
  hours: ForecastHour[];
}

/**
 * Prices of `horizonHours` elapsed hours from the hour in progress on, EUR/MWh: published ones as they are, the others
 * from the best tier that the held prices allow, hour by hour. Deterministic; takes all that is held as published.
 */
export function forecastFrom(held: PriceSeries, now: Date, horizonHours: number): Forecast {
  const startMs = hourOf(now).getTime();
  const window = learningWindow(held, now);
  const recent = recentMean(held, window);
  const usual = climatology(held, window.untilMs);
  const hours: ForecastHour[] = [];
  for (let index = 0; index < horizonHours; index++) {
    const at = startMs + index * HOUR_MS;
    const start = new Date(at);
    const published = held.hour(at);
    const learnt = published === undefined ? recent(at) : undefined;
    if (published !== undefined) {
      hours.push({ start, p10: published, p50: published, p90: published, source: "day_ahead" });
    } else if (learnt !== undefined) {
      hours.push({ start, ...learnt, source: "forecast" });
    } else {
      hours.push({ start, ...usual(at), source: "climatology" });
    }
  }
  const climate = hours.some(({ source }) => source === "climatology");
  const tier = climate && !hours.some(({ source }) => source === "forecast") ? "climatology" : "recent_mean";
  return { modelVersion: MODEL_VERSIONS[tier], tier, hours };
}

/** Start of the first hour that is not a published price; the end of the last hour when all are. */
export function firstForecastStart(hours: readonly ForecastHour[]): Date | undefined {
  const first = hours.find(({ source }) => source !== "day_ahead");
  if (first !== undefined) return first.start;
  const last = hours.at(-1);
  return last === undefined ? undefined : new Date(last.start.getTime() + HOUR_MS);
}
