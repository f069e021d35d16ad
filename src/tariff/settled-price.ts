import type { Prices } from "./compile-tariff.js";

/** Market prices by instant (ms), EUR/MWh. */
export interface MarketPrices {
  hour(atMs: number): number | undefined;
  quarter(atMs: number): number | undefined;
}

/** The prices of a quarter-hour, ct/kWh; undefined: the market price is not known. */
export interface SettledPrices {
  spotCtKwh: number | undefined;
  /** All-in price of one more kWh; known without a market price where the tariff needs none. */
  importCtKwh: number | undefined;
  exportCtKwh: number | undefined;
}

/** The market price that settles a quarter-hour, and the prices that follow from it or do not need it. */
export function settledPrices(series: MarketPrices, prices: Prices, at: Date): SettledPrices {
  const hourly = prices.settlementMinutes?.(at) === 60;
  const eurMwh = hourly ? series.hour(at.getTime()) : series.quarter(at.getTime());
  const spotCtKwh = eurMwh === undefined ? undefined : eurMwh / 10;
  const needs = prices.marketNeeds?.(at) ?? { imports: true, exports: true };
  const known = (needsMarket: boolean) => (needsMarket ? spotCtKwh : (spotCtKwh ?? 0));
  const [imports, exports] = [known(needs.imports), known(needs.exports)];
  return {
    spotCtKwh,
    importCtKwh: imports === undefined ? undefined : prices.importCtKwh(imports, at),
    exportCtKwh: exports === undefined ? undefined : prices.exportCtKwh(exports, at),
  };
}
