import type { PvSettings } from "../../config/settings.js";
import { HOUR_MS, type Interval } from "../../core/domain/interval.js";
import { type CalibrationBins, correction } from "../solar/calibration.js";
import { type InverterYield, yieldByInverter } from "../solar/plant-yield.js";
import type { PvStep } from "../solar/pv-yield.js";
import { type Location, sunPosition } from "../solar/sun.js";
import { type FilledHour, filledHours, type WeatherOrigin } from "../weather/filled.js";
import type { WeatherSeries } from "../weather/weather-series.js";
import { CLEAR_MARGIN } from "./band.js";

/** PV yield of a plant in one hour. */
export interface PvHour {
  start: Date;
  /** AC energy with the learnt correction, kWh. */
  kwh: number;
  /** AC energy without the correction, kWh. */
  modelKwh: number;
  /** Clear-sky AC energy with the correction, kWh; with `CLEAR_MARGIN` it still passes the shared inverters. */
  clearKwh: number;
  /** True if a shared inverter gives its power or nearly: what is measured does not say then what the arrays yield. */
  isLimited: boolean;
  origin: WeatherOrigin;
  /** The underlying weather. */
  weather: FilledHour;
}

export interface PvForecastInput {
  place: Location;
  plant: PvSettings;
  weather: WeatherSeries;
  bins: CalibrationBins;
}

/** Peak power of all arrays, kW. */
export function peakOf({ pv }: Pick<PvSettings, "pv">): number {
  return pv.reduce((sum, { peak_kw: peakKw }) => sum + peakKw, 0);
}

/** Share of a shared inverter's power from which single minutes of an hour with changing clouds probably reach it. */
const LIMITED_SHARE = 0.9;

/** The total yield of all arrays in each hour of an interval; arrays of one inverter give its power at most. */
export function pvHours(
  { place, plant, weather, bins }: PvForecastInput,
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
  const peakKw = peakOf(plant);
  const modelled = yieldOf(plant, place, steps);
  const clear = yieldOf(plant, place, clearSteps);
  return hours.map((hour, index) => {
    const factor = correction(bins, sunPosition(new Date(hour.start.getTime() + HOUR_MS / 2), place), peakKw);
    return {
      start: hour.start,
      kwh: limitedKwh(modelled, index, factor),
      modelKwh: limitedKwh(modelled, index, 1),
      clearKwh: limitedKwh(clear, index, factor, CLEAR_MARGIN),
      isLimited: modelled.some(
        ({ isShared, limitKw, kwh }) =>
          isShared && kwh[index]! * Math.max(1, factor) >= limitKw * LIMITED_SHARE,
      ),
      origin: hour.origin,
      weather: hour,
    };
  });
}

function yieldOf({ pv, inverters }: PvSettings, place: Location, steps: readonly PvStep[]): InverterYield[] {
  const arrays = pv.map((array) => ({
    tiltDeg: array.tilt_deg,
    azimuthDeg: array.azimuth_deg,
    peakKw: array.peak_kw,
    lossesPct: array.losses_pct,
    inverterKw: array.inverter_kw ?? undefined,
    inverter: array.inverter ?? undefined,
  }));
  return yieldByInverter({ ...place, arrays, inverters, steps });
}

/** Energy of an hour after correction and limits, kWh; `margin` is the factor that shared inverters leave room for. */
function limitedKwh(yields: readonly InverterYield[], index: number, factor: number, margin = 1): number {
  return yields.reduce(
    (sum, { kwh, limitKw, isShared }) =>
      sum + Math.min(isShared ? limitKw / margin : limitKw, kwh[index]! * factor),
    0,
  );
}

/** Energy of each step, kWh, from hourly energies that are distributed evenly over their hours; 0 outside of them. */
export function energyOfSteps(hours: readonly PvHour[], steps: readonly Interval[]): number[] {
  // An hour ends where the next one begins: in a zone that changes by half an hour two would overlap.
  const productive = hours.flatMap(({ start, kwh }, index) => {
    const nextMs = hours[index + 1]?.start.getTime() ?? Number.POSITIVE_INFINITY;
    const endMs = Math.min(start.getTime() + HOUR_MS, nextMs);
    return kwh > 0 ? [{ startMs: start.getTime(), endMs, kwh }] : [];
  });
  /** The first hour that ends after the start of the last step: steps are mostly in order of time. */
  let first = 0;
  return steps.map(({ start, end }) => {
    const [fromMs, untilMs] = [start.getTime(), end.getTime()];
    if ((productive[first - 1]?.endMs ?? fromMs) > fromMs) first = 0;
    while (first < productive.length && productive[first]!.endMs <= fromMs) first++;
    let sum = 0;
    for (let index = first; index < productive.length && productive[index]!.startMs < untilMs; index++) {
      const { startMs, endMs, kwh } = productive[index]!;
      const shareMs = Math.min(untilMs, endMs) - Math.max(fromMs, startMs);
      if (shareMs > 0) sum += (kwh * shareMs) / (endMs - startMs);
    }
    return sum;
  });
}
