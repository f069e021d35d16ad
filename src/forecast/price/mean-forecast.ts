import { calendarDay } from "./calendar.js";
import { ErrorBands, quantilesAround } from "./error-bands.js";
import { CELLS, LEADS } from "./features.js";
import type { MarketDays } from "./market-days.js";
import type { Quantiles } from "./quantile.js";

/** Minimum number of known days. */
const LEAST_MEAN_DAYS = 14;
const MEASURED_ORIGINS = 120;

/** A forecast for a local hour of a day, EUR/MWh; `widths`: distances of P10 and P90 from P50 by another model. */
export type MeanForecast = (day: number, hour: number, widths: Quantiles | undefined) => Quantiles;

/**
 * Forecast by the exponential mean of the same hour and type of day, for any day; undefined with fewer than 14 known days.
 * P10 and P90 from its errors over up to 120 past origins; with too few of them from `widths`.
 */
export function meanForecast(days: MarketDays): MeanForecast | undefined {
  if (days.knownDays < LEAST_MEAN_DAYS) return undefined;
  const means = typeMeansAt(days, days.last);
  const band = measured(days).widths();
  return (day, hour, widths) => {
    const p50 = means[calendarDay(day).type]![hour]!;
    if (band === undefined) {
      const below = widths === undefined ? 0 : widths.p50 - widths.p10;
      const above = widths === undefined ? 0 : widths.p90 - widths.p50;
      return { p10: p50 - below, p50, p90: p50 + above };
    }
    const lead = Math.max(1, Math.min(LEADS, day - days.last));
    return quantilesAround(p50, band, lead, hour);
  };
}

/** The errors of the mean at the newest origins with at least a week of history. */
function measured(days: MarketDays): ErrorBands {
  const bands = new ErrorBands();
  for (
    let day = Math.max(days.first + LEADS, days.last - MEASURED_ORIGINS - LEADS);
    day <= days.last;
    day++
  ) {
    bands.mature(days, day);
    bands.add(day, exponentialMean(days, day));
  }
  return bands;
}

const HALF_LIFE_DAYS = 5;
/** Older days have negligible weight: 0.5 ** (90 / 5). */
const LOOKBACK_DAYS = 90;

/**
 * Exponential mean of the same hour and type of day (workday, Saturday, Sunday with public holidays) up to an origin, with a
 * half-life of 5 calendar days. EUR/MWh, [type][hour]; the mean of all days for a type without data.
 */
export function typeMeansAt(days: MarketDays, origin: number): Float64Array[] {
  const sums = [0, 1, 2, 3].map(() => new Float64Array(24));
  const weights = [0, 0, 0, 0];
  for (let day = Math.max(days.first, origin - LOOKBACK_DAYS); day <= origin; day++) {
    if (!days.known(day)) continue;
    const weight = 0.5 ** ((origin - day) / HALF_LIFE_DAYS);
    for (const kind of [calendarDay(day).type, 3]) {
      weights[kind]! += weight;
      for (let hour = 0; hour < 24; hour++) sums[kind]![hour]! += weight * days.price(day, hour);
    }
  }
  const means = sums.map((sum, kind) => sum.map((value) => value / weights[kind]!));
  return [0, 1, 2].map((type) => (weights[type]! > 0 ? means[type]! : means[3]!));
}

/** Prices of the seven days after an origin by that mean, EUR/MWh, [lead - 1][hour]. */
export function exponentialMean(days: MarketDays, origin: number): Float64Array {
  const means = typeMeansAt(days, origin);
  const made = new Float64Array(CELLS);
  for (let lead = 0; lead < LEADS; lead++) made.set(means[calendarDay(origin + lead + 1).type]!, lead * 24);
  return made;
}
