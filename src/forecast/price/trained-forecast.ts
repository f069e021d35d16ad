import { quantilesAround } from "./error-bands.js";
import { LEADS, originInputs } from "./features.js";
import type { ForecastTier } from "./forecast.js";
import type { ForecastIssueSet } from "./forecast-issue-set.js";
import type { MarketDays } from "./market-days.js";
import { originWeather } from "./origin-weather.js";
import type { Quantiles } from "./quantile.js";
import { predict, type TrainedModel } from "./trainer.js";

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
  { issues, now }: ForecastWeather,
): (lead: number, hour: number) => TrainedHour | undefined {
  const { weather } = model;
  const inputs = originInputs(
    days,
    days.last,
    weather && originWeather(issues, weather.countries, days.last, now.getTime()),
  );
  const plain = predict(model.coefficients, inputs, model);
  const withWeather = weather && predict(weather.coefficients, inputs, model);
  return (lead, hour) => {
    if (lead < 1 || lead > LEADS) return undefined;
    const cell = (lead - 1) * 24 + hour;
    if (weather !== undefined && lead <= weather.leads && inputs.withWeather![cell] === 1)
      return { tier: "weather_ridge", ...quantilesAround(withWeather![cell]!, weather.band, lead, hour) };
    return { tier: "ridge", ...quantilesAround(plain[cell]!, model.band, lead, hour) };
  };
}
