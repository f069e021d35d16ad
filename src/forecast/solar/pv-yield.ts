import { HOUR_MS } from "../../core/domain/interval.js";
import { complete, extraterrestrial, onPlane } from "./irradiance.js";
import { sunPosition } from "./sun.js";

/** The weather of one step: W/m2 as means over the step. Missing components are derived from the others. */
export interface PvStep {
  start: Date;
  end: Date;
  /** Global horizontal irradiance. */
  ghi: number;
  /** Direct normal irradiance. */
  dni?: number | undefined;
  /** Diffuse horizontal irradiance. */
  dhi?: number | undefined;
  temperatureC?: number | undefined;
}

/** Modules of one orientation. */
export interface PvArray {
  /** 0 = horizontal, 90 = vertical. */
  tiltDeg: number;
  /** 180 = south, 90 = east. */
  azimuthDeg: number;
  peakKw: number;
  /** All losses between modules and meter except temperature; default 14. */
  lossesPct?: number | undefined;
  /** Maximum AC power; default: no limit. */
  inverterKw?: number | undefined;
}

export interface PvYieldInput extends PvArray {
  latitude: number;
  longitude: number;
  steps: readonly PvStep[];
}

/** As PVWatts assumes: soiling, mismatch, wiring, light-induced degradation, inverter (NREL/TP-6A20-62641). */
const DEFAULT_LOSSES_PCT = 14;
/** Default air temperature, that of the test of the nominal cell temperature. */
const DEFAULT_TEMPERATURE_C = 20;
/**
 * Heating of the cells above air temperature, K per W/m2: nominal operating cell temperature of 45 degrees Celsius at 800 W/m2
 * and 20 degrees. Source: Ross 1980, Flat-plate photovoltaic array design optimization; IEC 61215.
 */
const HEATING_K_M2_W = (45 - 20) / 800;
/** Temperature coefficient of power of crystalline silicon, per kelvin above 25 degrees Celsius, from data sheets. */
const POWER_PER_K = -0.004;

/**
 * AC energy of one PV array in each step, kWh, never negative: irradiance on its plane (`onPlane`) with the sun at the
 * middle of the step, cell temperature, losses, inverter limit. Throws RangeError that names an invalid field.
 *
 * @example
 * pvYield({ latitude: 48.2, longitude: 16.4, tiltDeg: 30, azimuthDeg: 180, peakKw: 5,
 *           steps: [{ start: new Date("2026-06-21T11:00Z"), end: new Date("2026-06-21T12:00Z"), ghi: 850, temperatureC: 25 }] })
 */
export function pvYield(input: PvYieldInput): { kwh: number }[] {
  checkWeather(input);
  checkArray(input);
  return input.steps.map((step) => {
    const { start, end } = step;
    const middle = new Date((start.getTime() + end.getTime()) / 2);
    const sun = sunPosition(middle, input);
    const extraNormal = extraterrestrial(middle);
    const light = complete(step, sun.altitudeDeg, extraNormal);
    const { total } = onPlane(input, sun, light, extraNormal);
    const powerKw = acPowerKw(input, total, step.temperatureC ?? DEFAULT_TEMPERATURE_C);
    return { kwh: (powerKw * (end.getTime() - start.getTime())) / HOUR_MS };
  });
}

/** AC power of an array, kW, from the irradiance on its plane, W/m2, and the air temperature. */
function acPowerKw(
  { peakKw, lossesPct = DEFAULT_LOSSES_PCT, inverterKw = Number.POSITIVE_INFINITY }: PvArray,
  irradiance: number,
  temperatureC: number,
): number {
  const cellC = temperatureC + HEATING_K_M2_W * irradiance;
  const efficiency = Math.max(0, 1 + POWER_PER_K * (cellC - 25));
  const powerKw = peakKw * (irradiance / 1000) * efficiency * (1 - lossesPct / 100);
  return Math.min(Math.max(0, powerKw), inverterKw);
}

/** Checks place and weather, also of untyped JavaScript callers. */
export function checkWeather(input: Pick<PvYieldInput, "latitude" | "longitude" | "steps">): void {
  if (typeof input !== "object" || input === null)
    throw new RangeError("The input must be an object with place, array and steps.");
  checkPlace(input);
  if (!Array.isArray(input.steps)) throw new RangeError("steps must be a list of { start, end, ghi }.");
  for (const [index, step] of input.steps.entries()) checkStep(step, index);
}

function checkPlace({ latitude, longitude }: Pick<PvYieldInput, "latitude" | "longitude">): void {
  checkRange("latitude", latitude, -90, 90);
  checkRange("longitude", longitude, -180, 180);
}

function checkArray({ tiltDeg, azimuthDeg, peakKw, lossesPct, inverterKw }: PvArray): void {
  checkRange("tiltDeg", tiltDeg, 0, 180);
  checkRange("azimuthDeg", azimuthDeg, 0, 360);
  checkRange("peakKw", peakKw, 0, 1e9);
  if (lossesPct !== undefined) checkRange("lossesPct", lossesPct, 0, 100);
  if (inverterKw !== undefined) checkRange("inverterKw", inverterKw, 0, 1e9);
}

function checkStep(step: PvStep, index: number): void {
  if (typeof step !== "object" || step === null)
    throw new RangeError(`steps[${index}] must be { start, end, ghi }.`);
  const startMs = timeOf(step.start);
  const endMs = timeOf(step.end);
  if (Number.isNaN(startMs)) throw new RangeError(`steps[${index}].start must be a valid time.`);
  if (!(endMs > startMs)) throw new RangeError(`steps[${index}].end must be a time after its start.`);
  for (const name of ["ghi", "dni", "dhi"] as const) {
    const value = step[name];
    if (value === undefined && name !== "ghi") continue;
    if (!Number.isFinite(value))
      throw new RangeError(`steps[${index}].${name} must be a finite number of W/m2.`);
  }
  if (step.temperatureC !== undefined)
    checkRange(`steps[${index}].temperatureC`, step.temperatureC, -100, 100);
}

/** Milliseconds of a valid Date; NaN for anything else. */
function timeOf(value: unknown): number {
  return value instanceof Date ? value.getTime() : Number.NaN;
}

function checkRange(field: string, value: unknown, least: number, most: number): void {
  // A numeric text would pass the comparison and then be concatenated instead of added.
  if (!(typeof value === "number" && value >= least && value <= most))
    throw new RangeError(`${field} must be a number from ${least} to ${most}; found ${String(value)}.`);
}
