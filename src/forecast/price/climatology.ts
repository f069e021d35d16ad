import { DAY_MS, floorTo, HOUR_MS } from "../../core/domain/interval.js";
import type { PriceSeries } from "../market/price-series.js";
import { type DayType, hourClass } from "./calendar.js";
import { CLIMATOLOGY } from "./climatology-table.js";
import type { Quantiles } from "./quantile.js";

/** Minimum and maximum history from which the level is computed. */
const LEAST_HOURS = 72;
const LEVEL_DAYS = 14;

type Kind = keyof typeof CLIMATOLOGY;

/** The table as numbers, by type of day, month, quantile and hour; parsed once. */
const table: Record<Kind, number[][][]> = {
  workday: read(CLIMATOLOGY.workday),
  weekend: read(CLIMATOLOGY.weekend),
};

function read(months: readonly (readonly string[])[]): number[][][] {
  return months.map((month) => month.map((row) => row.split(" ").map(Number)));
}

function cell(month: number, hour: number, type: DayType): Quantiles {
  const rows = table[type === "workday" ? "workday" : "weekend"][month - 1];
  return { p10: rows?.[0]?.[hour] ?? 0, p50: rows?.[1]?.[hour] ?? 0, p90: rows?.[2]?.[hour] ?? 0 };
}

/**
 * The climatological price, EUR/MWh, of the hour that starts at an instant (ms), by month, workday or weekend, and local
 * hour. With at least three days of prices before `untilMs` it is shifted to the level of their last (up to 14) days.
 */
export function climatology(prices: PriceSeries, untilMs: number): (atMs: number) => Quantiles {
  const shift = levelShift(prices, untilMs);
  return (atMs) => {
    const { month, hour, type } = hourClass(atMs);
    const { p10, p50, p90 } = cell(month, hour, type);
    return { p10: p10 + shift, p50: p50 + shift, p90: p90 + shift };
  };
}

/** Mean of the known prices minus the table for the same hours; 0 with less than three days of prices. */
function levelShift(prices: PriceSeries, untilMs: number): number {
  let sum = 0;
  let hours = 0;
  const endMs = Math.min(untilMs, floorTo(prices.endMs, HOUR_MS));
  for (let at = endMs - HOUR_MS; at >= endMs - LEVEL_DAYS * DAY_MS; at -= HOUR_MS) {
    const price = prices.hour(at);
    if (price === undefined) continue;
    const { month, hour, type } = hourClass(at);
    sum += price - cell(month, hour, type).p50;
    hours++;
  }
  return hours >= LEAST_HOURS ? sum / hours : 0;
}
