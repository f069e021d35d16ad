import { quantile } from "../forecast/quantile.js";

/** How a day's yield may differ from its forecast, as factors of it. */
export interface Band {
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

/** 10 and 90 % of the yield so many days ahead: from the plant's own past errors once there are ten, bounded. */
export function bandOf(ratios: PastRatios, daysAhead: number): Band {
  const index = Math.min(Math.max(daysAhead, 0), FORECAST_DAYS - 1);
  const past = [...(ratios[index] ?? [])].sort((a, b) => a - b);
  if (past.length < LEAST_RATIOS) return { low: DEFAULT_LOW[index]!, high: DEFAULT_HIGH[index]! };
  return {
    low: Math.min(1, Math.max(0.1, quantile(past, 0.1))),
    high: Math.max(1, Math.min(2.5, quantile(past, 0.9))),
  };
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
