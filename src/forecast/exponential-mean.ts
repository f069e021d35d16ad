import { calendarDay } from "./calendar.js";
import { LEADS } from "./features.js";
import type { MarketDays } from "./market-days.js";

const HALF_LIFE_DAYS = 5;
/** 0.5 ** (90 / 5) is nothing. */
const LOOKBACK_DAYS = 90;

/**
 * Exponential mean of the same hour and type of day (workday, Saturday, Sunday with public holidays) up to an origin,
 * half-life 5 days of the calendar. EUR/MWh, [type][hour]; the mean of all days for a type that is not held.
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
  const made = new Float64Array(LEADS * 24);
  for (let lead = 0; lead < LEADS; lead++) made.set(means[calendarDay(origin + lead + 1).type]!, lead * 24);
  return made;
}
