import type { SunPosition } from "./sun.js";

/** What was measured and what the model said while the sun stood in one part of the sky, kWh, older days fading. */
export interface CalibrationBin {
  measuredKwh: number;
  modelledKwh: number;
}

/** By part of the sky. */
export type CalibrationBins = Readonly<Record<string, CalibrationBin>>;

/** An hour of the past: what the meter and the uncorrected model say of it, kWh. */
export interface ComparedHour {
  sun: SunPosition;
  measuredKwh: number;
  modelledKwh: number;
}

/** A correction stays within this, whatever was measured: beyond it something else is wrong. */
const LEAST_FACTOR = 0.3;
const LARGEST_FACTOR = 1.5;
/** Days after which what was seen counts half. */
const HALF_LIFE_DAYS = 30;
/** So many hours at full power must be seen in a part of the sky until they count as much as having seen nothing. */
const PRIOR_FULL_POWER_HOURS = 2;
const AZIMUTH_STEP_DEG = 20;
/** Where the bands of altitude begin: low sun meets other shadows than high sun. */
const ALTITUDE_BANDS_DEG = [10, 25, 45];

/** Part of the sky in which the sun stands. */
function partOf({ azimuthDeg, altitudeDeg }: SunPosition): string {
  const band = ALTITUDE_BANDS_DEG.filter((from) => altitudeDeg >= from).length;
  return `${Math.floor(azimuthDeg / AZIMUTH_STEP_DEG)}/${band}`;
}

/** The bins after a further day: what they held fades, the day's hours are added. */
export function learnDay(bins: CalibrationBins, hours: readonly ComparedHour[]): CalibrationBins {
  const fading = 0.5 ** (1 / HALF_LIFE_DAYS);
  const learnt: Record<string, CalibrationBin> = {};
  for (const [part, bin] of Object.entries(bins))
    learnt[part] = { measuredKwh: bin.measuredKwh * fading, modelledKwh: bin.modelledKwh * fading };
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
 * By what to multiply the model while the sun stands there: the measured over the modelled energy, drawn to 1 as long as
 * little was seen, from 0.3 to 1.5. `peakKw` is the plant's peak power.
 */
export function correction(bins: CalibrationBins, sun: SunPosition, peakKw: number): number {
  const bin = bins[partOf(sun)];
  if (bin === undefined || peakKw <= 0) return 1;
  const prior = peakKw * PRIOR_FULL_POWER_HOURS;
  const factor = (bin.measuredKwh + prior) / (bin.modelledKwh + prior);
  return Math.min(LARGEST_FACTOR, Math.max(LEAST_FACTOR, factor));
}
