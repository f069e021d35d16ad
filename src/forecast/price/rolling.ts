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
  const runAt = schedule(1);
  const make = maker(series);
  let last: { planned: PlannedRun; run: PastRun } | undefined;
  return (now) => {
    const planned = runAt(now);
    if (last?.planned !== planned) last = { planned, run: make(planned) };
    return hoursFrom(last.run, now);
  };
}

/**
 * The runs of a period that are made in a part of it, to be used several times: those of all parts are the same however it is divided.
 * The model is trained every `trainEveryDays`; each run uses the newest prices in any case. `onProgress` is called with the hours that are
 * done of the part.
 */
export function forecastRuns(
  series: PriceSeries,
  {
    start,
    part,
    trainEveryDays,
    onProgress,
  }: { start: Date; part: Interval; trainEveryDays: number; onProgress: (hours: number) => void },
): PastRun[] {
  const runAt = schedule(trainEveryDays);
  const make = maker(series);
  const runs: PastRun[] = [];
  const firstMs = hourOf(part.start).getTime();
  let last: PlannedRun | undefined;
  for (let ms = hourOf(start).getTime(); ms < part.end.getTime(); ms += HOUR_MS) {
    const planned = runAt(new Date(ms));
    const isNew = planned !== last;
    last = planned;
    if (ms < firstMs) continue;
    if (isNew) runs.push(make(planned));
    onProgress((ms - firstMs) / HOUR_MS + 1);
  }
  return runs;
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

/** A run that is to be made: when, with the prices before `until`, and with which model. */
interface PlannedRun {
  now: Date;
  firstMs: number;
  until: Date;
  model: { now: Date; until: Date };
}

/** The run in force at instants in order of time. */
function schedule(trainEveryDays: number): (now: Date) => PlannedRun {
  let last: PlannedRun | undefined;
  return (now) => {
    const until = publicUntil(now, PUBLISHED_AT);
    const nowMs = hourOf(now).getTime();
    const holds =
      last !== undefined &&
      last.until.getTime() === until.getTime() &&
      nowMs >= last.firstMs &&
      nowMs <= last.firstMs + DAY_MS;
    if (last !== undefined && holds) return last;
    const keepsModel =
      last !== undefined && until.getTime() < last.model.until.getTime() + trainEveryDays * DAY_MS;
    const model = last !== undefined && keepsModel ? last.model : { now, until };
    last = { now, firstMs: nowMs, until, model };
    return last;
  };
}

/** Makes runs in order of time; a model is trained once for all runs with it. */
function maker(series: PriceSeries): (run: PlannedRun) => PastRun {
  let known: { model: PlannedRun["model"]; trained: TrainedModel | undefined } | undefined;
  return ({ now, firstMs, until, model }) => {
    if (known?.model !== model) known = { model, trained: train(series.before(model.until), model.now) };
    const published = series.before(until);
    const { hours } = forecastWith(known.trained, published, { now, horizonHours: HORIZON_HOURS + 25 });
    return { firstMs, hours };
  };
}
