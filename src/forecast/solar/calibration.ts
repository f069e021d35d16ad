import type { SunPosition } from "./sun.js";

/** Measured and modelled energy for one part of the sky, kWh, with exponentially decreasing weight of older days. */
export interface CalibrationBin {
  measuredKwh: number;
  modelledKwh: number;
}

/** By part of the sky. */
export type CalibrationBins = Readonly<Record<string, CalibrationBin>>;

/** A past hour: measured energy and energy of the uncorrected model, kWh. */
export interface ComparedHour {
  sun: SunPosition;
  measuredKwh: number;
  modelledKwh: number;
}

/** Limits of the correction; a larger deviation has another cause. */
const LEAST_FACTOR = 0.3;
const LARGEST_FACTOR = 1.5;
/** Half-life of past days. */
const HALF_LIFE_DAYS = 30;
/** Weight of the prior (factor 1), in hours at full power. */
const PRIOR_FULL_POWER_HOURS = 2;
const AZIMUTH_STEP_DEG = 20;
/** Lower limits of the altitude bands: shading differs between low and high sun. */
const ALTITUDE_BANDS_DEG = [10, 25, 45];

/** Part of the sky that contains the sun. */
function partOf({ azimuthDeg, altitudeDeg }: SunPosition): string {
  const band = ALTITUDE_BANDS_DEG.filter((from) => altitudeDeg >= from).length;
  return `${Math.floor(azimuthDeg / AZIMUTH_STEP_DEG)}/${band}`;
}

/** The bins after another day: the old values are reduced, the hours of the day are added. */
export function learnDay(bins: CalibrationBins, hours: readonly ComparedHour[]): CalibrationBins {
  const decay = 0.5 ** (1 / HALF_LIFE_DAYS);
  const learnt: Record<string, CalibrationBin> = {};
  for (const [part, bin] of Object.entries(bins))
    learnt[part] = { measuredKwh: bin.measuredKwh * decay, modelledKwh: bin.modelledKwh * decay };
  for (const { sun, measuredKwh, modelledKwh } of hours) {
    const part = partOf(sun);
    const before = learnt[part] ?? { measuredKwh: 0, modelledKwh: 0 };
    learnt[part] = {
      measuredKwh: before.measuredKwh + Math.max(0, measuredKwh),
      modelledKwh: before.modelledKwh + modelledKwh,
    };
  }
  return learnt;
}

/**
 * Correction factor of the model for a position of the sun: measured divided by modelled energy, shrunk towards 1 with few
 * data, from 0.3 to 1.5. `peakKw` is the plant's peak power.
 */
export function correction(bins: CalibrationBins, sun: SunPosition, peakKw: number): number {
  const bin = bins[partOf(sun)];
  if (bin === undefined || peakKw <= 0) return 1;
  const prior = peakKw * PRIOR_FULL_POWER_HOURS;
  const factor = (bin.measuredKwh + prior) / (bin.modelledKwh + prior);
  return Math.min(LARGEST_FACTOR, Math.max(LEAST_FACTOR, factor));
}
