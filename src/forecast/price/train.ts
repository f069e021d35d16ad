import type { PriceSeries } from "../market/price-series.js";
import {
  COUNTRIES,
  COUNTRY_READINGS,
  type Country,
  ForecastIssueSet,
  HOUR_WIDTH,
} from "./forecast-issue-set.js";
import { dayNumber, lastPublishedDay, MarketDays } from "./market-days.js";
import { type TrainedModel, Trainer, type TrainingWeather } from "./trainer.js";

/** Minimum history; with less the exponential mean is as accurate. */
export const LEAST_DAYS = 200;
/** Past forecasts are made for a year, from whose errors the band is learnt. */
const MEASURED_DAYS = 365;
/** Days before that which are used for learning only. */
const LEARNT_DAYS = 1005;
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

/** The trainers used last, the newest first. */
const trainers: Trainer[] = [];
const MOST_TRAINERS = 3;

/**
 * Trains the model on days from `trainingDays`; undefined if they are too few. Takes about half a second for four years. With
 * enough days of issued weather the model also has a tier with weather; the tier without is the same. Deterministic: days that
 * begin with those of a recent call only save time, and the same days again take none.
 */
export function trainOn(
  days: MarketDays,
  { weather = ForecastIssueSet.empty }: TrainOptions = {},
): TrainedModel | undefined {
  if (days.knownDays < LEAST_DAYS) return undefined;
  const from = measureFrom(days.last);
  const usable = trainingWeather(weather);
  const at = trainers.findIndex((one) => one.measureFrom === from && one.canReadOn(days, usable));
  const trainer = at === -1 ? new Trainer(from, usable.countries) : trainers.splice(at, 1)[0]!;
  trainers.unshift(trainer);
  trainers.length = Math.min(trainers.length, MOST_TRAINERS);
  trainer.read(days, usable.issues);
  return trainer.model();
}

export interface TrainOptions {
  /** All issues; for each origin only those issued by its time are used. */
  weather?: ForecastIssueSet | undefined;
}

/** Trains the model on the prices published at `now`; undefined with less than 200 days of history. */
export function train(
  published: PriceSeries,
  now: Date,
  weather?: ForecastIssueSet,
): TrainedModel | undefined {
  return trainOn(trainingDays(published, now), { weather });
}
