import type { PricePoint } from "../../../src/core/domain/price.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { parsePriceFile } from "../../../src/forecast/market/sources/file-format.js";
import { HOURLY_PRICES, recordedText } from "../../support/recorded-data.js";

let allPoints: readonly PricePoint[] | undefined;

/** The recorded Austrian day-ahead prices from an instant (ISO) to before another; eight years are read once. */
export function recordedPoints(from: string, until = "2026-03-01"): PricePoint[] {
  allPoints ??= parsePriceFile(recordedText(HOURLY_PRICES)).points;
  const [fromMs, untilMs] = [Date.parse(from), Date.parse(until)];
  return allPoints.filter(({ start }) => start.getTime() >= fromMs && start.getTime() < untilMs);
}

export function recordedSeries(from: string, until?: string): PriceSeries {
  return PriceSeries.of(recordedPoints(from, until));
}
