import type { PriceOrigin } from "../../core/domain/price.js";

/** One elapsed hour of a forecast, EUR/MWh. For published hours p10 = p50 = p90. */
export interface ForecastHour {
  start: Date;
  p10: number;
  p50: number;
  p90: number;
  source: PriceOrigin;
}

/** Cause of a forecast run. */
export type ForecastTrigger = "scheduled" | "day_ahead" | "manual";

/** Model tiers, the best first. */
export const FORECAST_TIERS = [
  "weather_ridge",
  "ridge",
  "exponential_mean",
  "recent_mean",
  "climatology",
] as const;

/** The best tier used for an hour without a published price. */
export type ForecastTier = (typeof FORECAST_TIERS)[number];

/** One forecast run: hours without gaps from the hour in which it was issued. */
export interface ForecastRun {
  issuedAt: Date;
  trigger: ForecastTrigger;
  modelVersion: string;
  tier: ForecastTier;
  hours: ForecastHour[];
}

declare module "../../core/bus.js" {
  interface Events {
    /** A price forecast was computed. */
    "forecast.updated": [ForecastRun];
  }
}
