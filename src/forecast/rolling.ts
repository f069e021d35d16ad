import { DAY_MS, HOUR_MS, hourOf } from "../domain/interval.js";
import type { PriceSeries } from "../market/price-series.js";
import { publicUntil } from "../market/publication.js";
import type { ForecastHour } from "./forecast.js";
import { forecastFrom } from "./model.js";

/** Usual publication time of the next day's prices, local time in Vienna. */
const PUBLISHED_AT = "13:00";
const HORIZON_HOURS = 168;

/**
 * Reproduces past forecasts: at each instant the 168 hours from the current one on, from the prices that were public then
 * (tomorrow's from 13:00). Must be called in order of time: a run is used until the next publication, at most a day.
 */
export function rollingForecast(series: PriceSeries): (now: Date) => ForecastHour[] {
  let run: { untilMs: number; firstMs: number; hours: ForecastHour[] } | undefined;
  return (now) => {
    const until = publicUntil(now, PUBLISHED_AT);
    const nowMs = hourOf(now).getTime();
    if (
      run === undefined ||
      run.untilMs !== until.getTime() ||
      nowMs < run.firstMs ||
      nowMs > run.firstMs + DAY_MS
    ) {
      const { hours } = forecastFrom(series.before(until), now, HORIZON_HOURS + 25);
      run = { untilMs: until.getTime(), firstMs: nowMs, hours };
    }
    const from = (nowMs - run.firstMs) / HOUR_MS;
    return run.hours.slice(from, from + HORIZON_HOURS);
  };
}
