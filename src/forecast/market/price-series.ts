import { floorTo, HOUR_MS, QUARTER_MS } from "../../core/domain/interval.js";
import type { PricePoint } from "../../core/domain/price.js";

/**
 * Published day-ahead prices, EUR/MWh, by quarter-hour. Immutable. A gap is never filled with zero or a neighbouring
 * price.
 */
export class PriceSeries {
  static readonly empty = new PriceSeries(0, new Float64Array(0));

  /** Start of the first quarter-hour (ms since the epoch). */
  readonly #firstMs: number;
  /** One price per quarter-hour; NaN is a gap. */
  readonly #values: Float64Array;

  private constructor(firstMs: number, values: Float64Array) {
    this.#firstMs = firstMs;
    this.#values = values;
  }

  static of(points: Iterable<PricePoint>): PriceSeries {
    return PriceSeries.empty.with(points);
  }

  /** This series with the values of `points` replaced; all other values are kept. */
  with(points: Iterable<PricePoint>): PriceSeries {
    const fresh = [...points].filter((point) => Number.isFinite(point.eurPerMwh));
    if (fresh.length === 0) return this;
    let firstMs = this.isEmpty ? Infinity : this.#firstMs;
    let endMs = this.isEmpty ? -Infinity : this.endMs;
    for (const point of fresh) {
      firstMs = Math.min(firstMs, point.start.getTime());
      endMs = Math.max(endMs, point.start.getTime() + point.minutes * 60_000);
    }
    const values = new Float64Array(Math.round((endMs - firstMs) / QUARTER_MS)).fill(NaN);
    values.set(this.#values, this.isEmpty ? 0 : (this.#firstMs - firstMs) / QUARTER_MS);
    for (const point of fresh) {
      const from = Math.round((point.start.getTime() - firstMs) / QUARTER_MS);
      values.fill(point.eurPerMwh, from, from + point.minutes / 15);
    }
    return new PriceSeries(firstMs, values);
  }

  /** The part of this series that starts before `end`. */
  before(end: Date): PriceSeries {
    const count = Math.ceil((end.getTime() - this.#firstMs) / QUARTER_MS);
    if (count >= this.#values.length) return this;
    return new PriceSeries(this.#firstMs, this.#values.subarray(0, Math.max(0, count)));
  }

  get isEmpty(): boolean {
    return this.#values.length === 0;
  }

  /** Start of the first quarter-hour, ms since the epoch. */
  get startMs(): number {
    return this.#firstMs;
  }

  /** End of the last quarter-hour, ms since the epoch. */
  get endMs(): number {
    return this.#firstMs + this.#values.length * QUARTER_MS;
  }

  /** Price of the quarter-hour that contains `atMs`, EUR/MWh; undefined where none is published. */
  quarter(atMs: number): number | undefined {
    const value = this.#values[Math.floor((atMs - this.#firstMs) / QUARTER_MS)];
    return value === undefined || Number.isNaN(value) ? undefined : value;
  }

  /** Mean price of the hour that contains `atMs`, EUR/MWh; undefined unless all four quarter-hours are published. */
  hour(atMs: number): number | undefined {
    const from = (floorTo(atMs, HOUR_MS) - this.#firstMs) / QUARTER_MS;
    let sum = 0;
    for (let index = from; index < from + 4; index++) sum += this.#values[index] ?? NaN;
    return Number.isNaN(sum) ? undefined : sum / 4;
  }
}

declare module "../../core/bus.js" {
  interface Events {
    /** The visible published prices changed (new day, correction, or a replay reached their publication). */
    "price.updated": [PriceSeries];
  }
}
