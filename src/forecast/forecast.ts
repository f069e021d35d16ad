import type { PriceSource } from "../market/price-series.js";

/** One elapsed hour of a forecast, EUR/MWh. For published hours p10 = p50 = p90. */
export interface ForecastHour {
  start: Date;
  p10: number;
  p50: number;
  p90: number;
  source: PriceSource;
}

/** Why a forecast was run. */
export type ForecastTrigger = "scheduled" | "day_ahead" | "manual";

/** Which rung of the ladder served the hours that are not published. */
export type ForecastTier = "recent_mean" | "climatology";

/** One forecast run: gapless hours from the hour in which it was issued. */
export interface ForecastRun {
  issuedAt: Date;
  trigger: ForecastTrigger;
  modelVersion: string;
  tier: ForecastTier;
  hours: ForecastHour[];
}
