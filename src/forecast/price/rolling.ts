import { DAY_MS, HOUR_MS, hourOf, type Interval } from "../../core/domain/interval.js";
import type { PriceSeries } from "../market/price-series.js";
import { publicUntil } from "../market/publication.js";
import type { ForecastHour } from "./forecast.js";
import { forecastWith } from "./model.js";
import { train } from "./train.js";
import type { TrainedModel } from "./trainer.js";

/** Usual publication time of the next day's prices, local time in Vienna. */
const PUBLISHED_AT = "13:00";
const HORIZON_HOURS = 168;

/** A past forecast: a horizon and a day of hours from `firstMs` on. */
export interface PastRun {
  firstMs: number;
  hours: ForecastHour[];
}

/**
 * Reproduces past forecasts: at each instant the 168 hours from the current one on, from the prices that were public then
 * (tomorrow's from 13:00). Must be called in order of time: a run is used until the next publication, at most a day.
 */
export function rollingForecast(series: PriceSeries): (now: Date) => ForecastHour[] {
  const runAt = rollingRuns(series, 1);
  return (now) => hoursFrom(runAt(now), now);
}

/**
 * The runs of a period, to be used several times. The model is trained every `trainEveryDays`; each run uses the newest prices in
 * any case. `onProgress` is called with the hours that are done.
 */
export function forecastRuns(
  series: PriceSeries,
  {
    start,
    end,
    trainEveryDays,
    onProgress,
  }: Interval & { trainEveryDays: number; onProgress: (hours: number) => void },
): PastRun[] {
  const runAt = rollingRuns(series, trainEveryDays);
  const runs = new Set<PastRun>();
  const firstMs = hourOf(start).getTime();
  for (let ms = firstMs; ms < end.getTime(); ms += HOUR_MS) {
    runs.add(runAt(new Date(ms)));
    onProgress((ms - firstMs) / HOUR_MS + 1);
  }
  return [...runs];
}

/** The forecast at an instant from runs in order of time. */
export function hoursOfRuns(runs: readonly PastRun[]): (now: Date) => ForecastHour[] {
  return (now) => {
    const at = now.getTime();
    let low = 0;
    let high = runs.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (runs[middle]!.firstMs <= at) low = middle;
      else high = middle - 1;
    }
    const run = runs[low];
    return run === undefined ? [] : hoursFrom(run, now);
  };
}

function hoursFrom({ firstMs, hours }: PastRun, now: Date): ForecastHour[] {
  const from = Math.max(0, (hourOf(now).getTime() - firstMs) / HOUR_MS);
  return hours.slice(from, from + HORIZON_HOURS);
}

function rollingRuns(series: PriceSeries, trainEveryDays: number): (now: Date) => PastRun {
  let model: { trained: TrainedModel | undefined; untilMs: number } | undefined;
  let last: (PastRun & { untilMs: number }) | undefined;
  return (now) => {
    const until = publicUntil(now, PUBLISHED_AT);
    const nowMs = hourOf(now).getTime();
    const holds =
      last !== undefined &&
      last.untilMs === until.getTime() &&
      nowMs >= last.firstMs &&
      nowMs <= last.firstMs + DAY_MS;
    if (last !== undefined && holds) return last;
    const published = series.before(until);
    if (model === undefined || until.getTime() >= model.untilMs + trainEveryDays * DAY_MS) {
      model = { trained: train(published, now), untilMs: until.getTime() };
    }
    const { hours } = forecastWith(model.trained, published, { now, horizonHours: HORIZON_HOURS + 25 });
    last = { untilMs: until.getTime(), firstMs: nowMs, hours };
    return last;
  };
}
