import type { Prices } from "./compile-tariff.js";

/** Market prices by instant (ms), EUR/MWh. */
export interface MarketPrices {
  hour(atMs: number): number | undefined;
  quarter(atMs: number): number | undefined;
}

/** The market price that settles a quarter-hour, ct/kWh. Tariffs that do not need one have 0; undefined: it is needed and not known. */
export function settledCtKwh(series: MarketPrices, prices: Prices, at: Date): number | undefined {
  const hourly = prices.settlementMinutes?.(at) === 60;
  const eurMwh = hourly ? series.hour(at.getTime()) : series.quarter(at.getTime());
  if (eurMwh !== undefined) return eurMwh / 10;
  const needsPrice =
    prices.importCtKwh(0, at) !== prices.importCtKwh(10, at) ||
    prices.exportCtKwh(0, at) !== prices.exportCtKwh(10, at);
  return needsPrice ? undefined : 0;
}
