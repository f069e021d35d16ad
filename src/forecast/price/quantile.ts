/** A point forecast and its 10 and 90 % quantiles, EUR/MWh; p10 <= p50 <= p90. */
export interface Quantiles {
  p10: number;
  p50: number;
  p90: number;
}

/**
 * Quantile `share` (0 to 1) of values in ascending order, linear between them (Hyndman and Fan 1996, type 7). NaN for
 * none.
 */
export function quantile(ascending: ArrayLike<number>, share: number): number {
  const position = (ascending.length - 1) * share;
  const below = ascending[Math.floor(position)] ?? Number.NaN;
  const above = ascending[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}
