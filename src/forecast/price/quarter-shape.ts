import { DAY_MS, HOUR_MS, QUARTER_MS } from "../../core/domain/interval.js";
import { localTime, VIENNA } from "../../core/time/zone.js";
import type { PriceSeries } from "../market/price-series.js";

/** Days from which the shape is computed. */
const SHAPE_DAYS = 21;

/** A value of a quarter-hour, EUR/MWh; 0 if unknown. */
type OfQuarter = (quarterStartMs: number) => number;

interface QuarterShape {
  /** Usual difference to the mean of the hour. */
  above: OfQuarter;
  /** Standard deviation of that difference. */
  deviation: OfQuarter;
}

const FLAT: QuarterShape = { above: () => 0, deviation: () => 0 };
const shapes = new WeakMap<PriceSeries, QuarterShape>();

/**
 * Mean differences of the four quarter-hours of each local hour to the mean of the hour, from the last 21 days of
 * quarter-hourly prices: prices rise within the hour in the morning and fall in the afternoon. Hours published as hourly
 * prices are ignored. Cached per series, which is immutable.
 */
export function quarterShape(published: PriceSeries): OfQuarter {
  return shapeFor(published).above;
}

/** Standard deviation of the difference of a quarter-hour to the mean of its hour around that shape, EUR/MWh. */
export function quarterDeviation(published: PriceSeries): OfQuarter {
  return shapeFor(published).deviation;
}

function shapeFor(published: PriceSeries): QuarterShape {
  const known = shapes.get(published);
  if (known !== undefined) return known;
  const shape = shapeOf(published);
  shapes.set(published, shape);
  return shape;
}

function shapeOf(published: PriceSeries): QuarterShape {
  if (published.isEmpty) return FLAT;
  const sums = new Float64Array(24 * 4);
  const squares = new Float64Array(24 * 4);
  const counts = new Uint16Array(24);
  const endMs = Math.floor(published.endMs / HOUR_MS) * HOUR_MS;
  const firstMs = Math.ceil(Math.max(published.startMs, endMs - SHAPE_DAYS * DAY_MS) / HOUR_MS) * HOUR_MS;
  for (let startMs = firstMs; startMs < endMs; startMs += HOUR_MS) {
    const mean = published.hour(startMs);
    if (mean === undefined) continue;
    const above = [0, 1, 2, 3].map((index) => published.quarter(startMs + index * QUARTER_MS)! - mean);
    if (above.every((value) => value === 0)) continue;
    const { hour } = localTime(new Date(startMs), VIENNA);
    counts[hour]!++;
    above.forEach((value, index) => {
      sums[hour * 4 + index]! += value;
      squares[hour * 4 + index]! += value * value;
    });
  }
  if (counts.every((count) => count === 0)) return FLAT;
  const meanOf =
    (of: (cell: number, count: number) => number): OfQuarter =>
    (quarterStartMs) => {
      const hourMs = Math.floor(quarterStartMs / HOUR_MS) * HOUR_MS;
      const { hour } = localTime(new Date(hourMs), VIENNA);
      const count = counts[hour]!;
      return count === 0 ? 0 : of(hour * 4 + Math.floor((quarterStartMs - hourMs) / QUARTER_MS), count);
    };
  return {
    above: meanOf((cell, count) => sums[cell]! / count),
    deviation: meanOf((cell, count) =>
      Math.sqrt(Math.max(0, squares[cell]! / count - (sums[cell]! / count) ** 2)),
    ),
  };
}

/**
 * Published price of a quarter-hour, also of an hour that lacks others. Undefined where the hour is not published yet, although
 * it may be known, as in a simulation of the past.
 */
export function publishedQuarter(
  published: PriceSeries,
  isHourPublished: boolean,
  quarterStartMs: number,
): number | undefined {
  const isVisible = isHourPublished || published.hour(quarterStartMs) === undefined;
  return isVisible ? published.quarter(quarterStartMs) : undefined;
}

/**
 * Price of a quarter-hour, EUR/MWh: the published one, otherwise that of the hour plus the usual difference (the mean of the
 * four remains that of the hour).
 */
export function quarterPrice(
  published: PriceSeries,
  hour: { eurMwh: number; isPublished: boolean },
  quarterStartMs: number,
): number {
  const known = publishedQuarter(published, hour.isPublished, quarterStartMs);
  if (known !== undefined) return known;
  return hour.isPublished ? hour.eurMwh : hour.eurMwh + quarterShape(published)(quarterStartMs);
}
