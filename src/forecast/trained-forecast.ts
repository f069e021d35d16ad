import { blend } from "./blend.js";
import { LEADS } from "./features.js";
import type { ForecastTier } from "./forecast.js";
import type { ForecastIssueSet } from "./forecast-issue-set.js";
import { type IntervalWidths, quantilesAround } from "./intervals.js";
import { LEARNERS, learnerInputs, predict, WEATHER_LEARNERS } from "./learner.js";
import type { MarketDays } from "./market-days.js";
import { exponentialMean } from "./mean-forecast.js";
import { originWeather } from "./origin-weather.js";
import { SPREAD_DAYS, unitsOf } from "./price-units.js";
import type { Quantiles } from "./quantile.js";
import type { TrainedModel, TrainedWeather } from "./trained-model.js";

/** Quantiles of an hour, EUR/MWh, and the tier they come from. */
export type TrainedHour = Quantiles & { tier: Extract<ForecastTier, "weather_ridge" | "ridge"> };

/** The weather for a forecast. */
export interface ForecastWeather {
  issues: ForecastIssueSet;
  /** Later issues are ignored. */
  now: Date;
}

/**
 * Forecast of the seven days after the last of `days` by a trained model, EUR/MWh: by lead (1 to 7) and local hour; undefined
 * for other leads. Hours with known weather, of leads trained with weather, come from the tier with weather.
 */
export function trainedForecast(
  model: TrainedModel,
  days: MarketDays,
  weather: ForecastWeather,
): (lead: number, hour: number) => TrainedHour | undefined {
  const origin = days.last;
  const predictions = LEARNERS.map((settings, index) =>
    predict(settings, model.fits[index]!, learnerInputs(settings, days, origin)),
  );
  predictions.push(exponentialMean(days, origin));
  const plain = mixed(predictions, model);
  const weathered =
    model.weather === undefined
      ? undefined
      : mixed([...predictions, ...withWeather(model.weather, days, weather)], model.weather);
  const { spread } = unitsOf(days, origin, SPREAD_DAYS);
  const quantiles = (p50: number, reach: IntervalWidths, lead: number, hour: number) =>
    quantilesAround(p50, { reach, spread, lead, hour });
  return (lead, hour) => {
    if (lead < 1 || lead > LEADS) return undefined;
    const cell = (lead - 1) * 24 + hour;
    const known = weathered?.[cell];
    if (
      model.weather !== undefined &&
      lead <= model.weather.leads &&
      known !== undefined &&
      !Number.isNaN(known)
    )
      return { tier: "weather_ridge", ...quantiles(known, model.weather.reach, lead, hour) };
    return { tier: "ridge", ...quantiles(plain[cell]!, model.reach, lead, hour) };
  };
}

function mixed(predictions: readonly Float64Array[], { weights }: { weights: number[][] }): Float64Array {
  return blend(predictions, (index) => weights[Math.floor(index / 24)]!);
}

/** Predictions of the learners with weather; NaN where the weather is unknown. */
function withWeather(
  { countries, fits }: TrainedWeather,
  days: MarketDays,
  { issues, now }: ForecastWeather,
): Float64Array[] {
  const features = originWeather(issues, countries, days.last, now.getTime());
  return WEATHER_LEARNERS.map((settings, index) =>
    predict(settings, fits[index]!, learnerInputs(settings, days, days.last, { weather: features })),
  );
}
