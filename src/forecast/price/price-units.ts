import type { MarketDays } from "./market-days.js";

/** Level and spread of the price transformation z = asinh((price - level) / spread). EUR/MWh. */
export interface PriceUnits {
  level: number;
  spread: number;
}

/** Days before an origin whose prices determine its units. */
const UNIT_DAYS = 60;
/** Lower limit, for days with nearly constant prices. */
const LEAST_SPREAD = 3;

/**
 * Units of an origin: median and scaled median absolute deviation (1.4826 MAD, the deviation of a normal distribution;
 * Uniejewski, Weron and Ziel 2018, "Variance stabilizing transformations for electricity spot price forecasting") of its last
 * 60 days, or as many as are known.
 */
export function unitsOf(days: MarketDays, origin: number): PriceUnits {
  const values = Float64Array.from(days.slice(Math.max(days.first, origin - UNIT_DAYS + 1), origin));
  const level = medianInPlace(values);
  for (let index = 0; index < values.length; index++) values[index] = Math.abs(values[index]! - level);
  return { level, spread: Math.max(LEAST_SPREAD, 1.4826 * medianInPlace(values)) };
}

/** Transforms a price, EUR/MWh, to units. */
export function toUnits(price: number, { level, spread }: PriceUnits): number {
  return Math.asinh((price - level) / spread);
}

/** Transforms units back to a price, EUR/MWh. */
export function fromUnits(z: number, { level, spread }: PriceUnits): number {
  return level + spread * Math.sinh(z);
}

/** Median; reorders the values (quickselect, Hoare 1961). NaN for none. */
export function medianInPlace(values: Float64Array): number {
  const count = values.length;
  if (count === 0) return Number.NaN;
  const upper = select(values, count >> 1);
  if (count % 2 === 1) return upper;
  // All values below the middle are at most the middle value: the lower neighbour is their maximum.
  let lower = -Infinity;
  for (let index = 0; index < count >> 1; index++) lower = Math.max(lower, values[index]!);
  return (lower + upper) / 2;
}

function select(values: Float64Array, rank: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const pivot = values[(low + high) >> 1]!;
    let i = low;
    let j = high;
    while (i <= j) {
      while (values[i]! < pivot) i++;
      while (values[j]! > pivot) j--;
      if (i <= j) {
        const swap = values[i]!;
        values[i++] = values[j]!;
        values[j--] = swap;
      }
    }
    if (rank <= j) high = j;
    else if (rank >= i) low = i;
    else break;
  }
  return values[rank]!;
}
