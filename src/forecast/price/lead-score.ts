import type { Quantiles } from "./quantile.js";

/** Number of hours per day in the savings score. */
const CHEAPEST_HOURS = 6;

/** One target day of one origin: 24 local hours each, EUR/MWh. */
export interface DayOutcome {
  actual: readonly number[];
  forecast: readonly Quantiles[];
  lastWeek: readonly number[];
  exponentialMean: readonly number[];
}

/** Accuracy of the forecasts of one lead day; errors in EUR/MWh, shares 0 to 1. */
export interface LeadScore {
  lead: number;
  days: number;
  hours: number;
  /** Mean absolute error of the median. */
  mae: number;
  rmse: number;
  /** Mean of forecast minus outcome. */
  bias: number;
  maeLastWeek: number;
  maeExponentialMean: number;
  /** MAE divided by that of the same hour of last week. */
  rmaeLastWeek: number;
  /** MAE divided by that of the exponential mean of the same hour and type of day. */
  rmaeExponentialMean: number;
  /** Mean quantile loss of P10, P50 and P90. */
  pinball: number;
  /** Shares of outcomes from P10 to P90, below P10, and above P90. */
  coverage: number;
  below: number;
  above: number;
  /** Standard deviation of the forecasts divided by that of the outcomes. */
  spreadRatio: number;
  /** Recall and precision of negative prices. */
  negativeFound: number | null;
  negativeRight: number | null;
  /** Savings against the daily mean with the six cheapest forecast hours, as a share of those with the six cheapest hours. */
  savingShare: number;
  /** Tests of the daily absolute errors against those of the two reference forecasts. */
  againstLastWeek: DieboldMariano | undefined;
  againstExponentialMean: DieboldMariano | undefined;
}

/** Scores of one lead day from its outcomes in order of time; undefined without outcomes. */
export function scoreLead(lead: number, outcomes: readonly DayOutcome[]): LeadScore | undefined {
  if (outcomes.length === 0) return undefined;
  const pairs = outcomes.flatMap(({ actual, forecast }) =>
    actual.map((price, hour) => ({ price, ...forecast[hour]! })),
  );
  const mean = (value: (pair: (typeof pairs)[number]) => number) =>
    pairs.reduce((sum, pair) => sum + value(pair), 0) / pairs.length;
  const daily = (of: (outcome: DayOutcome, hour: number) => number) =>
    outcomes.map(
      (outcome) =>
        outcome.actual.reduce((sum, price, hour) => sum + Math.abs(price - of(outcome, hour)), 0) /
        outcome.actual.length,
    );
  const losses = daily(({ forecast }, hour) => forecast[hour]!.p50);
  const lossesLastWeek = daily(({ lastWeek }, hour) => lastWeek[hour]!);
  const lossesMean = daily(({ exponentialMean }, hour) => exponentialMean[hour]!);
  const average = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
  const mae = average(losses);
  const maeLastWeek = average(lossesLastWeek);
  const maeExponentialMean = average(lossesMean);
  const found = pairs.filter(({ price, p50 }) => price < 0 && p50 < 0).length;
  return {
    lead,
    days: outcomes.length,
    hours: pairs.length,
    mae,
    rmse: Math.sqrt(mean(({ price, p50 }) => (p50 - price) ** 2)),
    bias: mean(({ price, p50 }) => p50 - price),
    maeLastWeek,
    maeExponentialMean,
    rmaeLastWeek: mae / maeLastWeek,
    rmaeExponentialMean: mae / maeExponentialMean,
    pinball: mean(
      ({ price, p10, p50, p90 }) =>
        (quantileLoss(price, p10, 0.1) + quantileLoss(price, p50, 0.5) + quantileLoss(price, p90, 0.9)) / 3,
    ),
    coverage: mean(({ price, p10, p90 }) => (p10 <= price && price <= p90 ? 1 : 0)),
    below: mean(({ price, p10 }) => (price < p10 ? 1 : 0)),
    above: mean(({ price, p90 }) => (price > p90 ? 1 : 0)),
    spreadRatio: deviation(pairs.map(({ p50 }) => p50)) / deviation(pairs.map(({ price }) => price)),
    negativeFound: ratio(found, pairs.filter(({ price }) => price < 0).length),
    negativeRight: ratio(found, pairs.filter(({ p50 }) => p50 < 0).length),
    savingShare: savingShare(outcomes),
    againstLastWeek: dieboldMariano(losses, lossesLastWeek, lead),
    againstExponentialMean: dieboldMariano(losses, lossesMean, lead),
  };
}

/** Loss of a quantile forecast (Koenker and Bassett 1978). */
export function quantileLoss(price: number, forecast: number, share: number): number {
  return price >= forecast ? share * (price - forecast) : (1 - share) * (forecast - price);
}

function savingShare(outcomes: readonly DayOutcome[]): number {
  let saved = 0;
  let possible = 0;
  for (const { actual, forecast } of outcomes) {
    const mean = actual.reduce((sum, price) => sum + price, 0) / actual.length;
    const meanOfCheapest = (by: (hour: number) => number) =>
      actual
        .map((_, hour) => hour)
        .sort((a, b) => by(a) - by(b) || a - b)
        .slice(0, CHEAPEST_HOURS)
        .reduce((sum, hour) => sum + actual[hour]! / CHEAPEST_HOURS, 0);
    saved += mean - meanOfCheapest((hour) => forecast[hour]!.p50);
    possible += mean - meanOfCheapest((hour) => actual[hour]!);
  }
  return possible > 0 ? saved / possible : 1;
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function deviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}

/** Result of a test whether the losses of one forecast are smaller than those of another. */
interface DieboldMariano {
  /** Negative if the first forecast has smaller losses; standard normal if both are equally good. */
  statistic: number;
  /** Probability of a statistic at most this low if the first forecast is not better. */
  pValue: number;
}

/**
 * Diebold-Mariano test (Diebold and Mariano 1995, "Comparing predictive accuracy") on the daily losses of two forecasts: mean
 * loss difference divided by its standard error. Forecasts `lead` days ahead overlap, so that errors are correlated over
 * lead - 1 days: the long-run variance is that of Newey and West (1987) with Bartlett weights over that many lags. Undefined
 * for fewer than ten days or identical losses.
 */
export function dieboldMariano(
  first: readonly number[],
  second: readonly number[],
  lead: number,
): DieboldMariano | undefined {
  if (first.length !== second.length)
    throw new RangeError("Both forecasts need a loss for each day; the lists differ in length.");
  const count = first.length;
  if (count < 10) return undefined;
  const differences = first.map((loss, index) => loss - second[index]!);
  const mean = differences.reduce((sum, value) => sum + value, 0) / count;
  const covariance = (lag: number) => {
    let sum = 0;
    for (let index = lag; index < count; index++)
      sum += (differences[index]! - mean) * (differences[index - lag]! - mean);
    return sum / count;
  };
  let variance = covariance(0);
  for (let lag = 1; lag < lead; lag++) variance += 2 * (1 - lag / lead) * covariance(lag);
  if (!(variance > 0)) return undefined;
  const statistic = mean / Math.sqrt(variance / count);
  return { statistic, pValue: normalShareBelow(statistic) };
}

/** Share of the standard normal distribution below x (Abramowitz and Stegun 26.2.17, error below 7.5e-8). */
export function normalShareBelow(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const polynomial =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * polynomial;
  return x > 0 ? 1 - tail : tail;
}
