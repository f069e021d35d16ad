import { blend } from "./blend.js";
import { exponentialMean } from "./exponential-mean.js";
import { LEADS } from "./features.js";
import { quantilesAround } from "./intervals.js";
import { LEARNERS, learnerInputs, predict } from "./learner.js";
import type { MarketDays } from "./market-days.js";
import { unitsOf } from "./price-units.js";
import type { Quantiles } from "./quantile.js";
import type { TrainedModel } from "./trained-model.js";
import { SPREAD_DAYS } from "./trainer.js";

/**
 * Forecast by a trained model of the seven days after the last of `days`, EUR/MWh: by lead (1 to 7) and local hour; undefined
 * for other leads.
 */
export function trainedForecast(
  model: TrainedModel,
  days: MarketDays,
): (lead: number, hour: number) => Quantiles | undefined {
  const origin = days.last;
  const predictions = LEARNERS.map((settings, index) =>
    predict(settings, model.fits[index]!, learnerInputs(settings, days, origin)),
  );
  predictions.push(exponentialMean(days, origin));
  const blended = blend(predictions, (index) => model.weights[Math.floor(index / 24)]!);
  const { spread } = unitsOf(days, origin, SPREAD_DAYS);
  return (lead, hour) => {
    if (lead < 1 || lead > LEADS) return undefined;
    return quantilesAround(blended[(lead - 1) * 24 + hour]!, { reach: model.reach, spread, lead, hour });
  };
}
