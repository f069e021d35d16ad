import type { PlantSettings } from "../../config/settings.js";
import { HOUR_MS, type Interval } from "../../core/domain/interval.js";
import { type CalibrationBins, correction } from "../solar/calibration.js";
import { type PvStep, pvYield } from "../solar/pv-yield.js";
import { type Location, sunPosition } from "../solar/sun.js";
import { type FilledHour, filledHours, type WeatherOrigin } from "../weather/filled.js";
import type { WeatherSeries } from "../weather/weather-series.js";

/** PV yield of a plant in one hour. */
export interface PvHour {
  start: Date;
  /** AC energy with the learnt correction, kWh. */
  kwh: number;
  /** AC energy without the correction, kWh. */
  modelKwh: number;
  /** Clear-sky AC energy with the correction, kWh. */
  clearKwh: number;
  origin: WeatherOrigin;
  /** The underlying weather. */
  weather: FilledHour;
}

export interface PvForecastInput {
  place: Location;
  arrays: PlantSettings["pv"];
  weather: WeatherSeries;
  bins: CalibrationBins;
}

/** Peak power of all arrays, kW. */
export function peakOf(arrays: PlantSettings["pv"]): number {
  return arrays.reduce((sum, { peak_kw: peakKw }) => sum + peakKw, 0);
}

/** The total yield of all arrays in each hour of an interval; each array has its own inverter. */
export function pvHours(
  { place, arrays, weather, bins }: PvForecastInput,
  { start, end }: Interval,
): PvHour[] {
  const hours = filledHours(weather, place, start, end);
  const steps = hours.map((hour) => ({ ...hour, end: new Date(hour.start.getTime() + HOUR_MS) }));
  const clearSteps = steps.map(({ start, end, temperatureC, clearGhi }) => ({
    start,
    end,
    temperatureC,
    ghi: clearGhi,
  }));
  const limitKw = arrays.reduce((sum, array) => sum + (array.inverter_kw ?? Number.POSITIVE_INFINITY), 0);
  const peakKw = peakOf(arrays);
  const modelled = yieldOfAll(arrays, place, steps);
  const clear = yieldOfAll(arrays, place, clearSteps);
  return hours.map((hour, index) => {
    const modelKwh = modelled[index]!;
    const factor = correction(bins, sunPosition(new Date(hour.start.getTime() + HOUR_MS / 2), place), peakKw);
    return {
      start: hour.start,
      kwh: Math.min(limitKw, modelKwh * factor),
      modelKwh,
      clearKwh: Math.min(limitKw, clear[index]! * factor),
      origin: hour.origin,
      weather: hour,
    };
  });
}

/** Energy of all arrays in each step, kWh. */
function yieldOfAll(arrays: PlantSettings["pv"], place: Location, steps: readonly PvStep[]): number[] {
  const total = new Array<number>(steps.length).fill(0);
  for (const array of arrays) {
    const yields = pvYield({
      ...place,
      tiltDeg: array.tilt_deg,
      azimuthDeg: array.azimuth_deg,
      peakKw: array.peak_kw,
      lossesPct: array.losses_pct,
      ...(array.inverter_kw === null ? {} : { inverterKw: array.inverter_kw }),
      steps,
    });
    yields.forEach(({ kwh }, index) => {
      total[index]! += kwh;
    });
  }
  return total;
}

/** Energy of each step, kWh, from hourly energies that are distributed evenly over their hours; 0 outside of them. */
export function energyOfSteps(hours: readonly PvHour[], steps: readonly Interval[]): number[] {
  // An hour ends where the next one begins: in a zone that changes by half an hour two would overlap.
  const productive = hours.flatMap(({ start, kwh }, index) => {
    const nextMs = hours[index + 1]?.start.getTime() ?? Number.POSITIVE_INFINITY;
    const endMs = Math.min(start.getTime() + HOUR_MS, nextMs);
    return kwh > 0 ? [{ startMs: start.getTime(), endMs, kwh }] : [];
  });
  return steps.map(({ start, end }) =>
    productive.reduce((sum, { startMs, endMs, kwh }) => {
      const shareMs = Math.min(end.getTime(), endMs) - Math.max(start.getTime(), startMs);
      return shareMs > 0 ? sum + (kwh * shareMs) / (endMs - startMs) : sum;
    }, 0),
  );
}
