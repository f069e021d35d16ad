import { quantile } from "../forecast/quantile.js";
import type { WeatherOrigin } from "../weather/filled.js";

/** How a day's yield may differ from its forecast, as factors of it. */
export interface YieldBand {
  low: number;
  high: number;
}

/** Past days' measured yield over what was forecast of it, by days ahead (0 = the day itself), the oldest first. */
export type PastRatios = readonly (readonly number[])[];

/** Days that are forecast and judged. */
export const FORECAST_DAYS = 7;
const KEPT_RATIOS = 60;
/** Fewer past days tell nothing of a tenth. */
const LEAST_RATIOS = 10;
/** What 10 and 90 % are taken for until the plant's own days tell, by days ahead. */
const DEFAULT_LOW = [0.7, 0.6, 0.55, 0.5, 0.45, 0.4, 0.4];
const DEFAULT_HIGH = [1.25, 1.3, 1.35, 1.4, 1.45, 1.5, 1.5];

/** A dark and a bright day against a usual one: what a day may be of whose weather nobody told anything. */
const UNTOLD: YieldBand = { low: 0.35, high: 2 };
/**
 * By how much a bright day may exceed what the formulas of a clear sky give; of 262 recorded days at 570 m (June 2025 to
 * February 2026) one in a hundred exceeds 1.13.
 */
const CLEAR_MARGIN = 1.15;

/**
 * 10 and 90 % of the yield so many days ahead, bounded: from the plant's own past errors once there are ten; they are errors
 * of told weather and say nothing of a day that stands on the climatology.
 */
export function bandOf(ratios: PastRatios, daysAhead: number, origin: WeatherOrigin): YieldBand {
  if (origin === "climatology") return UNTOLD;
  const index = Math.min(Math.max(daysAhead, 0), FORECAST_DAYS - 1);
  const past = [...(ratios[index] ?? [])].sort((a, b) => a - b);
  if (past.length < LEAST_RATIOS) return { low: DEFAULT_LOW[index]!, high: DEFAULT_HIGH[index]! };
  return {
    low: Math.min(1, Math.max(0.1, quantile(past, 0.1))),
    high: Math.max(1, Math.min(2.5, quantile(past, 0.9))),
  };
}

/** A day's 10 and 90 % in kWh, around its yield: no day yields more than a clear sky gives. */
export function bandKwh(
  kwh: number,
  { low, high }: YieldBand,
  clearKwh: number,
): { p10Kwh: number; p90Kwh: number } {
  return { p10Kwh: kwh * low, p90Kwh: Math.max(kwh, Math.min(kwh * high, clearKwh * CLEAR_MARGIN)) };
}

/** The past with one more day: its measured yield over each forecast made of it; a forecast that is missing is skipped. */
export function withDay(
  ratios: PastRatios,
  measuredKwh: number,
  forecastKwh: readonly (number | undefined)[],
): PastRatios {
  return Array.from({ length: FORECAST_DAYS }, (_, index) => {
    const past = ratios[index] ?? [];
    const told = forecastKwh[index];
    return told === undefined || told <= 0 ? past : [...past, measuredKwh / told].slice(-KEPT_RATIOS);
  });
}
