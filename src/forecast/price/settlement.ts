import { floorTo, HOUR_MS, QUARTER_MS } from "../../core/domain/interval.js";
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

/** What of a tariff says the length of its settlement periods. */
interface Settling {
  settlementMinutes?: ((at: Date) => 60 | 15 | undefined) | undefined;
}

/** The period that a price belongs to: the quarter-hour, unless prices or tariff are hourly. */
export function settlementMinutes(priceMinutes: 60 | 15, tariff: Settling | undefined, at: Date): 60 | 15 {
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
    tariff: Settling | undefined;
  },
): QuarterSpot {
  const isPublished = source === "day_ahead";
  const eurMwh =
    priceMinutes === 15 ? quarterPrice(series, { eurMwh: p50, isPublished }, start.getTime()) : p50;
  const isHourly = settlementMinutes(priceMinutes, tariff, start) === 60;
  return { spotCtKwh: eurMwh / 10, settledCtKwh: (isHourly ? p50 : eurMwh) / 10 };
}

/** What the prices of a site are made of. */
export interface SitePrices {
  /** The forecast hours, in order of time; undefined before the first forecast. */
  hours: readonly ForecastHour[] | undefined;
  /** Published market prices; left out: none. */
  published?: PriceSeries | undefined;
  /** Length of the periods of market prices; left out: an hour. */
  stepMinutes?: 60 | 15;
  tariff: (Settling & { importCtKwh(spotCtKwh: number, at: Date): number }) | undefined;
}

/** The import price of the settlement period at `at`, ct/kWh: all-in with a tariff; undefined where none is known. */
export function importPriceAt(
  { hours = [], published, stepMinutes = 60, tariff }: SitePrices,
  at: Date,
): number | undefined {
  const hour = hours.find(({ start }) => start <= at && at.getTime() < start.getTime() + HOUR_MS);
  if (hour === undefined) return undefined;
  const start = new Date(floorTo(at.getTime(), QUARTER_MS));
  const ctKwh =
    published === undefined
      ? hour.p50 / 10
      : quarterSpot(hour, start, { series: published, priceMinutes: stepMinutes, tariff }).settledCtKwh;
  return tariff?.importCtKwh(ctKwh, start) ?? ctKwh;
}
