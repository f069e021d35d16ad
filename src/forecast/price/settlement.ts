import type { PriceSeries } from "../market/price-series.js";
import type { ForecastHour } from "./forecast.js";
import { quarterPrice } from "./quarter-shape.js";

/** Market prices of a quarter-hour, ct/kWh. */
export interface QuarterSpot {
  /** Of the quarter-hour itself. */
  spotCtKwh: number;
  /** What settles import and feed-in, as on the bill: a tariff that settles hours takes the mean of the hour. */
  settledCtKwh: number;
}

/** The period that a price belongs to: the quarter-hour, unless prices or tariff are hourly. */
export function settlementMinutes(
  priceMinutes: 60 | 15,
  tariff: { settlementMinutes?: ((at: Date) => 60 | 15 | undefined) | undefined } | undefined,
  at: Date,
): 60 | 15 {
  return priceMinutes === 15 && tariff?.settlementMinutes?.(at) !== 60 ? 15 : 60;
}

/** The market prices of a quarter-hour within its hour. */
export function quarterSpot(
  { p50, source }: Pick<ForecastHour, "p50" | "source">,
  start: Date,
  {
    series,
    priceMinutes,
    tariff,
  }: {
    series: PriceSeries;
    priceMinutes: 60 | 15;
    tariff: { settlementMinutes?: ((at: Date) => 60 | 15 | undefined) | undefined } | undefined;
  },
): QuarterSpot {
  const isPublished = source === "day_ahead";
  const eurMwh =
    priceMinutes === 15 ? quarterPrice(series, { eurMwh: p50, isPublished }, start.getTime()) : p50;
  const isHourly = settlementMinutes(priceMinutes, tariff, start) === 60;
  return { spotCtKwh: eurMwh / 10, settledCtKwh: (isHourly ? p50 : eurMwh) / 10 };
}
