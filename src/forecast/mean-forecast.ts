import { calendarDay } from "./calendar.js";
import { exponentialMean, typeMeansAt } from "./exponential-mean.js";
import { LEADS } from "./features.js";
import { IntervalTracker, quantilesAround } from "./intervals.js";
import type { MarketDays } from "./market-days.js";
import { unitsOf } from "./price-units.js";
import type { Quantiles } from "./quantile.js";
import { SPREAD_DAYS } from "./trainer.js";

/** With fewer days a type of day is a matter of luck. */
const LEAST_MEAN_DAYS = 14;
const MEASURED_ORIGINS = 120;

/** A forecast for a local hour of a day, EUR/MWh; `widths`: how far P10 and P90 lie from the middle by another model. */
export type MeanForecast = (day: number, hour: number, widths: Quantiles | undefined) => Quantiles;

/**
 * Forecast by the exponential mean of the same hour and type of day, for any day; undefined with less than 14 known days. P10 and
 * P90 from its own errors over up to 120 origins of what is held; with too few of those as wide as `widths` says.
 */
export function meanForecast(days: MarketDays): MeanForecast | undefined {
  if (days.knownDays < LEAST_MEAN_DAYS) return undefined;
  const means = typeMeansAt(days, days.last);
  const reach = measure(days).reach();
  const { spread } = unitsOf(days, days.last, SPREAD_DAYS);
  return (day, hour, widths) => {
    const p50 = means[calendarDay(day).type]![hour]!;
    if (reach === undefined) {
      const below = widths === undefined ? 0 : widths.p50 - widths.p10;
      const above = widths === undefined ? 0 : widths.p90 - widths.p50;
      return { p10: p50 - below, p50, p90: p50 + above };
    }
    const lead = Math.max(1, Math.min(LEADS, day - days.last));
    return quantilesAround(p50, { reach, spread, lead, hour });
  };
}

/** The errors that the mean would have made from each of the newest origins that had a week of history. */
function measure(days: MarketDays): IntervalTracker {
  const keeper = new IntervalTracker();
  const from = Math.max(days.first + LEADS, days.last - MEASURED_ORIGINS - LEADS);
  for (let origin = from; origin < days.last; origin++) {
    const expected = exponentialMean(days, origin);
    const { spread } = unitsOf(days, origin, SPREAD_DAYS);
    for (let lead = 1; lead <= LEADS && origin + lead <= days.last; lead++) {
      if (!days.known(origin + lead)) continue;
      const errors = Array.from(
        { length: 24 },
        (_, hour) => (days.price(origin + lead, hour) - expected[(lead - 1) * 24 + hour]!) / spread,
      );
      keeper.matured(lead, errors, undefined);
    }
  }
  return keeper;
}
