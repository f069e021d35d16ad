import { ownBand, RECORD_DAYS } from "../price/day-record.js";
import type { WeatherOrigin } from "../weather/filled.js";

/** Range of a day's yield as factors of its forecast. */
export interface YieldBand {
  low: number;
  high: number;
}

/** Measured divided by forecast yield of past days, by days ahead (0 = the day itself), the oldest first. */
export type PastRatios = readonly (readonly number[])[];

/** Days that are forecast and evaluated. */
export const FORECAST_DAYS = RECORD_DAYS;
const MOST_RATIOS = 60;
/** Default factors of the 10 and 90 % quantiles, by days ahead. */
const DEFAULT_LOW = [0.7, 0.6, 0.55, 0.5, 0.45, 0.4, 0.4];
const DEFAULT_HIGH = [1.25, 1.3, 1.35, 1.4, 1.45, 1.5, 1.5];

/** Factors for a day without a weather forecast: a dark and a bright day relative to the climatology. */
const CLIMATOLOGY_BAND: YieldBand = { low: 0.35, high: 2 };
/**
 * Maximum of a day's yield relative to the clear-sky formulas; of 262 recorded days at 570 m (June 2025 to February 2026) one
 * in a hundred exceeds 1.13.
 */
export const CLEAR_MARGIN = 1.15;

/**
 * Bounded factors of the 10 and 90 % quantiles for a number of days ahead: from the plant's own past errors once there are
 * ten. Those are errors with a weather forecast and do not apply to a day with climatological weather.
 */
export function bandOf(ratios: PastRatios, daysAhead: number, origin: WeatherOrigin): YieldBand {
  if (origin === "climatology") return CLIMATOLOGY_BAND;
  const index = Math.min(Math.max(daysAhead, 0), FORECAST_DAYS - 1);
  return ownBand(ratios[index] ?? [], { low: DEFAULT_LOW[index]!, high: DEFAULT_HIGH[index]! });
}

/** 10 and 90 % quantiles of a day's yield, kWh, limited by the clear-sky yield. */
export function bandKwh(
  kwh: number,
  { low, high }: YieldBand,
  clearKwh: number,
): { p10Kwh: number; p90Kwh: number } {
  return { p10Kwh: kwh * low, p90Kwh: Math.max(kwh, Math.min(kwh * high, clearKwh * CLEAR_MARGIN)) };
}

/** Adds a day: its measured yield divided by each forecast for it; missing forecasts are skipped. */
export function withDay(
  ratios: PastRatios,
  measuredKwh: number,
  forecastKwh: readonly (number | undefined)[],
): PastRatios {
  return Array.from({ length: FORECAST_DAYS }, (_, index) => {
    const past = ratios[index] ?? [];
    const kwh = forecastKwh[index];
    return kwh === undefined || kwh <= 0 ? past : [...past, measuredKwh / kwh].slice(-MOST_RATIOS);
  });
}
