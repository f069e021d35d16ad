import { DAY_MS, HOUR_MS, hourOf } from "../domain/interval.js";
import type { PriceSeries } from "../market/price-series.js";
import { publicUntil } from "../market/publication.js";
import type { ForecastHour } from "./forecast.js";
import { forecastWith } from "./model.js";
import { train } from "./train.js";
import type { TrainedModel } from "./trained-model.js";

/** Usual publication time of the next day's prices, local time in Vienna. */
const PUBLISHED_AT = "13:00";
const HORIZON_HOURS = 168;

/**
 * Reproduces past forecasts: at each instant the 168 hours from the current one on, from the prices that were public then
 * (tomorrow's from 13:00). Must be called in order of time: a run is used until the next publication, at most a day. The model
 * is trained every `trainEveryDays` (default 1); each run uses the newest prices in any case.
 */
export function rollingForecast(
  series: PriceSeries,
  { trainEveryDays = 1 } = {},
): (now: Date) => ForecastHour[] {
  let model: { trained: TrainedModel | undefined; untilMs: number } | undefined;
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
      const published = series.before(until);
      if (model === undefined || until.getTime() >= model.untilMs + trainEveryDays * DAY_MS) {
        model = { trained: train(published, now), untilMs: until.getTime() };
      }
      const { hours } = forecastWith(model.trained, published, { now, horizonHours: HORIZON_HOURS + 25 });
      run = { untilMs: until.getTime(), firstMs: nowMs, hours };
    }
    const from = (nowMs - run.firstMs) / HOUR_MS;
    return run.hours.slice(from, from + HORIZON_HOURS);
  };
}
