import type { PriceSeries } from "../market/price-series.js";
import {
  COUNTRIES,
  COUNTRY_READINGS,
  type Country,
  ForecastIssueSet,
  HOUR_WIDTH,
} from "./forecast-issue-set.js";
import { dayNumber, MarketDays } from "./market-days.js";
import { lastPublishedDay } from "./origin.js";
import type { TrainedModel } from "./trained-model.js";
import { Trainer, type TrainingWeather } from "./trainer.js";

/** With less history the exponential mean is as good. */
export const LEAST_DAYS = 200;
/** Past forecasts are made for about half a year, so that 120 origins have matured under weights learnt from 60. */
const MEASURED_DAYS = 190;
/** Days before those that are learnt from only. */
const LEARNT_DAYS = 1180;
/** Where reading begins moves in steps, so that a trainer can read on from day to day for a quarter. */
const STEP_DAYS = 91;

/** First origin at which past forecasts are made, for training on days up to `last`. */
function measureFrom(last: number): number {
  return Math.floor((last - MEASURED_DAYS) / STEP_DAYS) * STEP_DAYS;
}

/** The days that a model is trained on: at most the newest four years up to the last published one at `now`. */
export function trainingDays(published: PriceSeries, now: Date): MarketDays {
  const last = dayNumber(lastPublishedDay(published, now));
  return MarketDays.of(published, { fromDay: measureFrom(last) - LEARNT_DAYS, untilDay: last });
}

/** Issues with a country's weather before it counts: with fewer no lead would be served. */
const LEAST_ISSUES = 200;

/** The weather as a training takes it; no countries where too few issues are held for any. */
export function trainingWeather(book: ForecastIssueSet): TrainingWeather {
  return { book, countries: COUNTRIES.filter((country) => issuesOf(book, country) >= LEAST_ISSUES) };
}

function issuesOf(book: ForecastIssueSet, country: Country): number {
  const slot = COUNTRIES.indexOf(country) * COUNTRY_READINGS.length;
  return book.tables.filter(({ values }) => {
    for (let at = slot; at < values.length; at += HOUR_WIDTH) if (!Number.isNaN(values[at]!)) return true;
    return false;
  }).length;
}

let remembered: Trainer | undefined;

/**
 * Trains the model on days from `trainingDays`; undefined when they are too few. Takes seconds for four years. With weather held
 * of enough days the model has a tier that looks at it; what it says without is the same. Deterministic: that it reads on
 * where it stopped, when the days begin with those of the call before, changes only the time it takes.
 */
export function trainOn(
  days: MarketDays,
  { weather = ForecastIssueSet.empty, onProgress = () => {} }: TrainOptions = {},
): TrainedModel | undefined {
  if (days.knownDays < LEAST_DAYS) return undefined;
  const from = measureFrom(days.last);
  const taken = trainingWeather(weather);
  if (remembered === undefined || remembered.measureFrom !== from || !remembered.canReadOn(days, taken))
    remembered = new Trainer(from, taken.countries);
  const total = days.last - days.first + 1;
  remembered.read(days, taken.book, (day) => onProgress((day - days.first + 1) / total));
  return remembered.model();
}

export interface TrainOptions {
  /** All issues held; only what was issued by an origin's time is learnt from. */
  weather?: ForecastIssueSet | undefined;
  onProgress?: ((share: number) => void) | undefined;
}

/** Trains the model on what is published at `now`; undefined with less than 200 days of history. */
export function train(
  published: PriceSeries,
  now: Date,
  weather?: ForecastIssueSet,
): TrainedModel | undefined {
  return trainOn(trainingDays(published, now), { weather });
}
