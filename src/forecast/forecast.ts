import type { PriceOrigin } from "../domain/price.js";

/** One elapsed hour of a forecast, EUR/MWh. For published hours p10 = p50 = p90. */
export interface ForecastHour {
  start: Date;
  p10: number;
  p50: number;
  p90: number;
  source: PriceOrigin;
}

/** Why a forecast was run. */
export type ForecastTrigger = "scheduled" | "day_ahead" | "manual";

/** The rungs of the ladder of models, the best first. */
export const FORECAST_TIERS = [
  "weather_ridge",
  "ridge",
  "exponential_mean",
  "recent_mean",
  "climatology",
] as const;

/** The best rung that served an hour that is not published. */
export type ForecastTier = (typeof FORECAST_TIERS)[number];

/** One forecast run: gapless hours from the hour in which it was issued. */
export interface ForecastRun {
  issuedAt: Date;
  trigger: ForecastTrigger;
  modelVersion: string;
  tier: ForecastTier;
  hours: ForecastHour[];
}
