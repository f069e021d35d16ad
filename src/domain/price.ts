/** Where a price comes from: the published auction, the gateway's own forecast, or the built-in climatology. */
export const PRICE_ORIGINS = ["day_ahead", "forecast", "climatology"] as const;

export type PriceOrigin = (typeof PRICE_ORIGINS)[number];

/** One published price of a source: 60 or 15 minutes long, on the UTC grid of its length. */
export interface PricePoint {
  start: Date;
  minutes: 60 | 15;
  eurPerMwh: number;
}
