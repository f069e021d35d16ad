/** Result of a test whether the losses of one forecast are smaller than those of another. */
export interface DieboldMariano {
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
