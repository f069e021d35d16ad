/** Where a price comes from: the published auction, the gateway's own forecast, or the built-in climatology. */
export const PRICE_ORIGINS = ["day_ahead", "forecast", "climatology"] as const;

export type PriceOrigin = (typeof PRICE_ORIGINS)[number];

/** One published price of a source: 60 or 15 minutes long, on the UTC grid of its length. */
export interface PricePoint {
  start: Date;
  minutes: 60 | 15;
  eurPerMwh: number;
}

/** The signals of the quartiles 1 to 4 (docs/spec/http-api.md section 6). */
export const SIGNALS = ["cheap", "below_average", "above_average", "expensive"] as const;

export type Signal = (typeof SIGNALS)[number];

/** 1 = the cheapest quarter, 4 = the most expensive. */
export type Quartile = 1 | 2 | 3 | 4;

export function signalOf(quartile: Quartile): Signal {
  return SIGNALS[quartile - 1]!;
}
