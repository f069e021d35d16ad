import { LEADS } from "./features.js";
import { type Quantiles, quantile } from "./quantile.js";

/** Number of past origins whose errors determine the quantiles. */
const ORIGINS = 120;
/** Errors are collected by blocks of three hours. */
export const BLOCKS = 8;
const BLOCK_HOURS = 24 / BLOCKS;
/** Target share of outcomes below P10, and above P90. */
const SHARE = 0.1;
/** Step of the adaptive correction, as a share of the excess misses of a day. */
const ADAPTATION = 0.01;
const LEAST_LEVEL = 0.01;
const MOST_LEVEL = 0.25;

/** Minimum width to each side, EUR/MWh. */
const LEAST_REACH = 5;

/** Distances of P10 and P90 from the forecast, in spreads of the origin; [lead - 1][block]. */
export interface IntervalWidths {
  below: Float64Array;
  above: Float64Array;
}

/**
 * Determines the distances of P10 and P90 from a forecast: quantiles of the errors of the last 120 origins with known
 * outcomes, by lead day and block of three hours, in units of the spread of their origin's prices. Adaptive conformal
 * correction (Gibbs and Candes 2021, "Adaptive conformal inference under distribution shift"): where too many outcomes lie
 * outside, the level is widened until the target share lies inside.
 */
export class IntervalTracker {
  /** Errors in spreads by lead and block, the oldest first. */
  readonly #errors: number[][] = Array.from({ length: LEADS * BLOCKS }, () => []);
  readonly #lowLevels = new Float64Array(LEADS).fill(SHARE);
  readonly #highLevels = new Float64Array(LEADS).fill(SHARE);

  /** Number of origins with known outcomes for a lead (1 to 7), at most 120. */
  origins(lead: number): number {
    return this.#errors[(lead - 1) * BLOCKS]!.length / BLOCK_HOURS;
  }

  /** Adds the 24 errors (outcome minus forecast) of a lead day in spreads, with the widths that were forecast for it. */
  matured(lead: number, errors: ArrayLike<number>, forecast: IntervalWidths | undefined): void {
    let below = 0;
    let above = 0;
    for (let hour = 0; hour < 24; hour++) {
      const cell = (lead - 1) * BLOCKS + Math.floor(hour / BLOCK_HOURS);
      const error = errors[hour]!;
      if (forecast !== undefined && error < forecast.below[cell]!) below++;
      if (forecast !== undefined && error > forecast.above[cell]!) above++;
      const cellErrors = this.#errors[cell]!;
      cellErrors.push(error);
      if (cellErrors.length > ORIGINS * BLOCK_HOURS) cellErrors.shift();
    }
    if (forecast === undefined) return;
    const moved = (level: number, misses: number) =>
      Math.max(LEAST_LEVEL, Math.min(MOST_LEVEL, level + ADAPTATION * (SHARE - misses / 24)));
    this.#lowLevels[lead - 1] = moved(this.#lowLevels[lead - 1]!, below);
    this.#highLevels[lead - 1] = moved(this.#highLevels[lead - 1]!, above);
  }

  /** Undefined until each of the first `leads` leads has at least `least` outcomes; not meaningful for later leads. */
  reach(leads = LEADS, least = 10): IntervalWidths | undefined {
    if (leads < 1 || this.origins(leads) < least) return undefined;
    const below = new Float64Array(LEADS * BLOCKS);
    const above = new Float64Array(LEADS * BLOCKS);
    this.#errors.forEach((errors, cell) => {
      const lead = Math.floor(cell / BLOCKS);
      if (errors.length === 0) return;
      const ascending = Float64Array.from(errors).sort();
      below[cell] = Math.min(0, quantile(ascending, this.#lowLevels[lead]!));
      above[cell] = Math.max(0, quantile(ascending, 1 - this.#highLevels[lead]!));
    });
    return { below, above };
  }
}

/** The quantiles, EUR/MWh, around a forecast for an hour of a lead day (1 to 7); `spread`: that of the origin's prices. */
export function quantilesAround(
  p50: number,
  { reach, spread, lead, hour }: { reach: IntervalWidths; spread: number; lead: number; hour: number },
): Quantiles {
  const cell = (lead - 1) * BLOCKS + Math.floor(hour / BLOCK_HOURS);
  return {
    p10: p50 - Math.max(LEAST_REACH, -spread * reach.below[cell]!),
    p50,
    p90: p50 + Math.max(LEAST_REACH, spread * reach.above[cell]!),
  };
}
