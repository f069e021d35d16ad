import type { PricePoint } from "../../../src/core/domain/price.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { parsePriceFile } from "../../../src/forecast/market/sources/file-format.js";
import { HOURLY_PRICES, recordedText } from "../../support/recorded-data.js";

/** The recorded Austrian day-ahead prices from an instant (ISO) to before another. */
export function recordedPoints(from: string, until = "2026-03-01"): PricePoint[] {
  const csv = recordedText(HOURLY_PRICES);
  return parsePriceFile(csv).points.filter(({ start }) => start >= new Date(from) && start < new Date(until));
}

export function recordedSeries(from: string, until?: string): PriceSeries {
  return PriceSeries.of(recordedPoints(from, until));
}
