/** The signals of the quartiles 1 to 4 (docs/spec/http-api.md section 6). */
export const SIGNALS = ["cheap", "below_average", "above_average", "expensive"] as const;

export type Signal = (typeof SIGNALS)[number];

/** 1 = the cheapest quarter, 4 = the most expensive. */
export type Quartile = 1 | 2 | 3 | 4;

export function signalOf(quartile: Quartile): Signal {
  return SIGNALS[quartile - 1]!;
}
