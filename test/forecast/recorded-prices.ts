import { readFileSync } from "node:fs";
import { type PricePoint, PriceSeries } from "../../src/market/price-series.js";
import { parsePriceFile } from "../../src/market/sources/file-format.js";

/** The recorded Austrian day-ahead prices from an instant (ISO) to before another. */
export function recordedPoints(from: string, until = "2026-03-01"): PricePoint[] {
  const csv = readFileSync(
    new URL("../../../shared/data/prices/at_day_ahead_hourly.csv", import.meta.url),
    "utf8",
  );
  return parsePriceFile(csv).points.filter(({ start }) => start >= new Date(from) && start < new Date(until));
}

export function recordedSeries(from: string, until?: string): PriceSeries {
  return PriceSeries.of(recordedPoints(from, until));
}
