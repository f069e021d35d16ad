import { type EnergyStep, HOUR_MS } from "../../core/domain/interval.js";
import { PRICE_ORIGINS } from "../../core/domain/price.js";
import type { PastRun } from "../../forecast/price/rolling.js";

/**
 * Energies and forecasts as arrays of numbers: another thread has them in a few milliseconds, while copying as many objects keeps the
 * event loop waiting for a second.
 */

/** Start, end (ms) and kWh of each step. */
export type PackedSteps = Float64Array;

export function packSteps(steps: readonly EnergyStep[]): PackedSteps {
  const packed = new Float64Array(3 * steps.length);
  let at = 0;
  for (const { start, end, kwh } of steps) {
    packed[at++] = start.getTime();
    packed[at++] = end.getTime();
    packed[at++] = kwh;
  }
  return packed;
}

export function unpackSteps(packed: PackedSteps): EnergyStep[] {
  return Array.from({ length: packed.length / 3 }, (_, index) => ({
    start: new Date(packed[3 * index]!),
    end: new Date(packed[3 * index + 1]!),
    kwh: packed[3 * index + 2]!,
  }));
}

/** A forecast: p10, p50, p90 and the index of the origin of each hour from `firstMs` on. */
export interface PackedRun {
  firstMs: number;
  hours: Float64Array;
}

export function packRun({ firstMs, hours }: PastRun): PackedRun {
  const packed = new Float64Array(4 * hours.length);
  let at = 0;
  for (const { p10, p50, p90, source } of hours) {
    packed[at++] = p10;
    packed[at++] = p50;
    packed[at++] = p90;
    packed[at++] = PRICE_ORIGINS.indexOf(source);
  }
  return { firstMs, hours: packed };
}

export function unpackRun({ firstMs, hours }: PackedRun): PastRun {
  return {
    firstMs,
    hours: Array.from({ length: hours.length / 4 }, (_, index) => ({
      start: new Date(firstMs + index * HOUR_MS),
      p10: hours[4 * index]!,
      p50: hours[4 * index + 1]!,
      p90: hours[4 * index + 2]!,
      source: PRICE_ORIGINS[hours[4 * index + 3]!]!,
    })),
  };
}
