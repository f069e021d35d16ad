import type { PriceSeries } from "../market/price-series.js";
import {
  COUNTRIES,
  COUNTRY_READINGS,
  type Country,
  ForecastIssueSet,
  HOUR_WIDTH,
} from "./forecast-issue-set.js";
import { dayNumber, lastPublishedDay, MarketDays } from "./market-days.js";
import type { TrainedModel } from "./trained-model.js";
import { Trainer, type TrainingWeather } from "./trainer.js";

/** Minimum history; with less the exponential mean is as accurate. */
export const LEAST_DAYS = 200;
/** Past forecasts are made for about half a year, so that 120 outcomes are known with weights from 60 origins. */
const MEASURED_DAYS = 190;
/** Days before that which are used for learning only. */
const LEARNT_DAYS = 1180;
/** The first day moves in steps, so that a trainer can continue from day to day for a quarter. */
const STEP_DAYS = 91;

/** First origin at which past forecasts are made, for training on days up to `last`. */
function measureFrom(last: number): number {
  return Math.floor((last - MEASURED_DAYS) / STEP_DAYS) * STEP_DAYS;
}

/** The training days: at most the newest four years up to the last published day at `now`. */
export function trainingDays(published: PriceSeries, now: Date): MarketDays {
  const last = dayNumber(lastPublishedDay(published, now));
  return MarketDays.of(published, { fromDay: measureFrom(last) - LEARNT_DAYS, untilDay: last });
}

/** Minimum number of issues with a country's weather; fewer would not be enough for any lead. */
const LEAST_ISSUES = 200;

/** The weather for a training: the countries with enough issues. */
export function trainingWeather(issues: ForecastIssueSet): TrainingWeather {
  return { issues, countries: COUNTRIES.filter((country) => issuesOf(issues, country) >= LEAST_ISSUES) };
}

function issuesOf(issues: ForecastIssueSet, country: Country): number {
  const slot = COUNTRIES.indexOf(country) * COUNTRY_READINGS.length;
  return issues.tables.filter(({ values }) => {
    for (let at = slot; at < values.length; at += HOUR_WIDTH) if (!Number.isNaN(values[at]!)) return true;
    return false;
  }).length;
}

let lastTrainer: Trainer | undefined;

/**
 * Trains the model on days from `trainingDays`; undefined if they are too few. Takes seconds for four years. With enough days
 * of issued weather the model also has a tier with weather; the tier without is the same. Deterministic: continuing from
 * the previous call, if the days begin with those of that call, only saves time.
 */
export function trainOn(
  days: MarketDays,
  { weather = ForecastIssueSet.empty, onProgress = () => {} }: TrainOptions = {},
): TrainedModel | undefined {
  if (days.knownDays < LEAST_DAYS) return undefined;
  const from = measureFrom(days.last);
  const usable = trainingWeather(weather);
  if (lastTrainer === undefined || lastTrainer.measureFrom !== from || !lastTrainer.canReadOn(days, usable))
    lastTrainer = new Trainer(from, usable.countries);
  const total = days.last - days.first + 1;
  lastTrainer.read(days, usable.issues, (day) => onProgress((day - days.first + 1) / total));
  return lastTrainer.model();
}

export interface TrainOptions {
  /** All issues; for each origin only those issued by its time are used. */
  weather?: ForecastIssueSet | undefined;
  onProgress?: ((share: number) => void) | undefined;
}

/** Trains the model on the prices published at `now`; undefined with less than 200 days of history. */
export function train(
  published: PriceSeries,
  now: Date,
  weather?: ForecastIssueSet,
): TrainedModel | undefined {
  return trainOn(trainingDays(published, now), { weather });
}
