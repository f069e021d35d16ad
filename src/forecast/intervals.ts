import { LEADS } from "./features.js";
import { type Quantiles, quantile } from "./quantile.js";

/** Origins whose errors the quantiles are taken from. */
const ORIGINS = 120;
/** Blocks of three hours have errors of their own. */
export const BLOCKS = 8;
const BLOCK_HOURS = 24 / BLOCKS;
/** Share of outcomes that is to lie below P10, and above P90. */
const SHARE = 0.1;
/** Step of the adaptive correction: a day's misses move the level by so much of their excess. */
const ADAPTATION = 0.01;
const LEAST_LEVEL = 0.01;
const MOST_LEVEL = 0.25;

/** However calm the past was, nobody knows a price better than this, EUR/MWh to each side. */
const LEAST_REACH = 5;

/** How far P10 and P90 lie from the forecast, in spreads of the origin; [lead - 1][block]. */
export interface IntervalWidths {
  below: Float64Array;
  above: Float64Array;
}

/**
 * Learns from past errors how far P10 and P90 must lie from a forecast: quantiles of the errors of the last 120 matured
 * origins by lead day and block of three hours, counted in the spread of their origin's prices. Adaptive conformal correction
 * (Gibbs and Candes 2021, "Adaptive conformal inference under distribution shift"): where too many outcomes lie outside, the
 * level moves outwards until the promised share lies inside, whatever the errors' distribution does.
 */
export class IntervalTracker {
  /** By lead and block: errors in spreads, the oldest first. */
  readonly #errors: number[][] = Array.from({ length: LEADS * BLOCKS }, () => []);
  readonly #lowLevels = new Float64Array(LEADS).fill(SHARE);
  readonly #highLevels = new Float64Array(LEADS).fill(SHARE);

  /** Origins whose outcome is known for a lead (1 to 7), at most 120. */
  origins(lead: number): number {
    return this.#errors[(lead - 1) * BLOCKS]!.length / BLOCK_HOURS;
  }

  /** Takes the 24 errors (outcome less forecast) of a lead day in spreads, and the reach that was told for it. */
  matured(lead: number, errors: ArrayLike<number>, told: IntervalWidths | undefined): void {
    let below = 0;
    let above = 0;
    for (let hour = 0; hour < 24; hour++) {
      const cell = (lead - 1) * BLOCKS + Math.floor(hour / BLOCK_HOURS);
      const error = errors[hour]!;
      if (told !== undefined && error < told.below[cell]!) below++;
      if (told !== undefined && error > told.above[cell]!) above++;
      const kept = this.#errors[cell]!;
      kept.push(error);
      if (kept.length > ORIGINS * BLOCK_HOURS) kept.shift();
    }
    if (told === undefined) return;
    const moved = (level: number, misses: number) =>
      Math.max(LEAST_LEVEL, Math.min(MOST_LEVEL, level + ADAPTATION * (SHARE - misses / 24)));
    this.#lowLevels[lead - 1] = moved(this.#lowLevels[lead - 1]!, below);
    this.#highLevels[lead - 1] = moved(this.#highLevels[lead - 1]!, above);
  }

  /** Undefined until each of the first `leads` leads has an outcome of at least `least` origins; of others it tells nothing. */
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

/** The quantiles, EUR/MWh, around a forecast for an hour of a lead day (1 to 7); `spread` of the origin's prices. */
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
