import type { PlantSettings } from "../config/settings.js";
import { type CalibrationBins, correction } from "../solar/calibration.js";
import { pvYield } from "../solar/pv-yield.js";
import { type Location, sunPosition } from "../solar/sun.js";
import { HOUR_MS, type Interval } from "../time/interval.js";
import { type FilledHour, filledHours, type WeatherOrigin } from "../weather/filled.js";
import type { WeatherSeries } from "../weather/weather-series.js";

/** What a plant's PV yields in one elapsed hour. */
export interface PvHour {
  start: Date;
  /** AC energy, corrected by what was measured, kWh. */
  kwh: number;
  /** The same without the correction. */
  modelKwh: number;
  origin: WeatherOrigin;
  /** The weather it stands on. */
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

/** The yield of each elapsed hour of an interval: that of all arrays, each with its own inverter. */
export function pvHours(
  { place, arrays, weather, bins }: PvForecastInput,
  { start, end }: Interval,
): PvHour[] {
  const hours = filledHours(weather, place, start, end);
  const steps = hours.map((hour) => ({ ...hour, end: new Date(hour.start.getTime() + HOUR_MS) }));
  const limitKw = arrays.reduce((sum, array) => sum + (array.inverter_kw ?? Number.POSITIVE_INFINITY), 0);
  const peakKw = peakOf(arrays);
  const yields = arrays.map((array) =>
    pvYield({
      ...place,
      tiltDeg: array.tilt_deg,
      azimuthDeg: array.azimuth_deg,
      peakKw: array.peak_kw,
      lossesPct: array.losses_pct,
      ...(array.inverter_kw === null ? {} : { inverterKw: array.inverter_kw }),
      steps,
    }),
  );
  return hours.map((hour, index) => {
    const modelKwh = yields.reduce((sum, each) => sum + each[index]!.kwh, 0);
    const sun = sunPosition(new Date(hour.start.getTime() + HOUR_MS / 2), place);
    const kwh = Math.min(limitKw, modelKwh * correction(bins, sun, peakKw));
    return { start: hour.start, kwh, modelKwh, origin: hour.origin, weather: hour };
  });
}

/** Hourly energies laid over steps, kWh: an hour's energy is spread evenly over it; beyond the hours there is none. */
export function energyOfSteps(hours: readonly PvHour[], steps: readonly Interval[]): number[] {
  const byStart = new Map(hours.map(({ start, kwh }) => [start.getTime(), kwh]));
  return steps.map(({ start, end }) => {
    let kwh = 0;
    for (let at = Math.floor(start.getTime() / HOUR_MS) * HOUR_MS; at < end.getTime(); at += HOUR_MS) {
      const shareMs = Math.min(end.getTime(), at + HOUR_MS) - Math.max(start.getTime(), at);
      kwh += ((byStart.get(at) ?? 0) * shareMs) / HOUR_MS;
    }
    return kwh;
  });
}
