import { CELLS, LEADS } from "./features.js";
import type { MarketDays } from "./market-days.js";
import { type Quantiles, quantile } from "./quantile.js";

/** Number of past origins whose errors determine the shape of the band. */
const ORIGINS = 365;
/** Errors are collected by blocks of three hours. */
const BLOCK_HOURS = 3;
const BLOCKS = 24 / BLOCK_HOURS;
/** Length of the lists of `BandWidths`. */
export const BAND_CELLS = LEADS * BLOCKS;
/** Target share of outcomes below P10, and above P90. */
const SHARE = 0.1;
/** Half-life of the recent error, days: after a turbulent week the band is narrow again within two weeks. */
const HALF_LIFE_DAYS = 7;
/** Lower limit of the recent error, and minimum width of the band to each side, EUR/MWh. */
const LEAST_ERROR = 3;
const LEAST_WIDTH = 5;
/** Minimum number of outcomes of each lead. */
const LEAST_OUTCOMES = 10;

/** Distances of P10 and P90 from the forecast, EUR/MWh, [lead - 1][block of three hours]. */
export interface BandWidths {
  below: Float64Array;
  above: Float64Array;
}

/** The forecasts of an origin, kept until all outcomes are known. */
interface PastForecast {
  /** EUR/MWh, [lead - 1][hour]; NaN where there is none. */
  prices: Float64Array;
  /** The recent error at the origin; undefined before the first outcome. */
  recent: number | undefined;
}

/**
 * Learns the band around a forecast from its past errors: the recent mean absolute error of all leads, times quantiles of the
 * errors of a year relative to the recent error at their origin, by lead and block of three hours. The recent error
 * follows the market within days, the quantiles change slowly. A forecast is used only after its day.
 */
export class ErrorBands {
  readonly #pending = new Map<number, PastForecast>();
  /** Relative errors by lead and block, the oldest first. */
  readonly #errors: number[][] = Array.from({ length: BAND_CELLS }, () => []);
  #sum = 0;
  #weight = 0;

  /** Adds the forecast of an origin, EUR/MWh, [lead - 1][hour], NaN where there is none. Origins must be in order. */
  add(origin: number, prices: Float64Array): void {
    this.#pending.set(origin, { prices, recent: this.#recent() });
  }

  /** Evaluates the forecasts for a day whose prices have become known. Days must be in order. */
  mature(days: MarketDays, day: number): void {
    let sum = 0;
    let count = 0;
    for (let lead = 1; lead <= LEADS && days.known(day); lead++) {
      const forecast = this.#pending.get(day - lead);
      if (forecast === undefined) continue;
      const errors = Array.from(
        { length: 24 },
        (_, hour) => days.price(day, hour) - forecast.prices[(lead - 1) * 24 + hour]!,
      );
      if (errors.some((error) => Number.isNaN(error))) continue;
      sum += errors.reduce((total, error) => total + Math.abs(error), 0) / 24;
      count++;
      if (forecast.recent !== undefined) this.#collect(lead, errors, forecast.recent);
    }
    this.#pending.delete(day - LEADS);
    if (count === 0) return;
    const decay = 0.5 ** (1 / HALF_LIFE_DAYS);
    this.#sum = decay * this.#sum + sum / count;
    this.#weight = decay * this.#weight + 1;
  }

  #recent(): number | undefined {
    return this.#weight === 0 ? undefined : Math.max(LEAST_ERROR, this.#sum / this.#weight);
  }

  #collect(lead: number, errors: readonly number[], recent: number): void {
    errors.forEach((error, hour) => {
      const cell = this.#errors[cellOf(lead, hour)]!;
      cell.push(error / recent);
      if (cell.length > ORIGINS * BLOCK_HOURS) cell.shift();
    });
  }

  /** Undefined until each of the first `leads` leads has ten outcomes; not meaningful for later leads. */
  widths(leads = LEADS): BandWidths | undefined {
    const recent = this.#recent();
    const outcomes = this.#errors[cellOf(leads, 0)]!.length / BLOCK_HOURS;
    if (recent === undefined || outcomes < LEAST_OUTCOMES) return undefined;
    const sorted = this.#errors.map((errors) => Float64Array.from(errors).sort());
    const width = (errors: Float64Array, share: number) =>
      errors.length === 0 ? LEAST_WIDTH : Math.max(LEAST_WIDTH, recent * share);
    return {
      below: Float64Array.from(sorted, (errors) => width(errors, -quantile(errors, SHARE))),
      above: Float64Array.from(sorted, (errors) => width(errors, quantile(errors, 1 - SHARE))),
    };
  }
}

function cellOf(lead: number, hour: number): number {
  return (lead - 1) * BLOCKS + Math.floor(hour / BLOCK_HOURS);
}

/** The quantiles, EUR/MWh, around a forecast for an hour of a lead day (1 to 7). */
export function quantilesAround(
  p50: number,
  { below, above }: BandWidths,
  lead: number,
  hour: number,
): Quantiles {
  const cell = cellOf(lead, hour);
  return { p10: p50 - below[cell]!, p50, p90: p50 + above[cell]! };
}

/** A list by [lead - 1][hour] without values. */
export function noForecast(): Float64Array {
  return new Float64Array(CELLS).fill(Number.NaN);
}
