import type { PlantSettings, PvSettings } from "../../config/settings.js";
import {
  DAY_MS,
  type EnergyStep,
  floorTo,
  HOUR_MS,
  type Interval,
  QUARTER_MS,
} from "../../core/domain/interval.js";
import { bandOf, type PastRatios } from "../../forecast/pv/band.js";
import { pvHours } from "../../forecast/pv/forecast.js";
import type { PvLearning } from "../../forecast/pv/learning.js";
import { locationOf } from "../../forecast/weather/place.js";
import type { WeatherSeries } from "../../forecast/weather/weather-series.js";
import { quarterLoad } from "../../telemetry/learned-load.js";

/** Days that the expected PV energy is the mean of. */
const PERSISTENCE_DAYS = 7;

/** PV of a simulated period, kWh by quarter-hour, and what was expected of steps at an instant. */
export interface SimulatedPv {
  actualPvKwh: number[];
  expectedPvKwh(now: Date, steps: readonly Interval[]): number[];
}

/**
 * Measured PV by quarter-hour from `start`, and the expectation of it at an instant, where the weather of the time is not
 * known: the mean of the same quarter-hour of the seven days measured last. Nothing after the instant is used.
 */
export function recordedPv(pv: readonly EnergyStep[], start: Date, count: number): SimulatedPv {
  const firstMs = start.getTime() - PERSISTENCE_DAYS * DAY_MS;
  const ahead = (PERSISTENCE_DAYS * DAY_MS) / QUARTER_MS;
  const measured = quarterLoad(pv, new Date(firstMs), ahead + count);
  const quarterAt = (at: Date) => Math.round((at.getTime() - firstMs) / QUARTER_MS);
  const expected = (now: number, quarter: number): number => {
    const days = Math.max(1, Math.ceil((quarter + 1 - now) / 96));
    let sumKwh = 0;
    let known = 0;
    for (let day = 0; day < PERSISTENCE_DAYS; day++) {
      const kwh = measured[quarter - 96 * (days + day)];
      if (kwh === undefined) continue;
      sumKwh += kwh;
      known++;
    }
    return sumKwh / Math.max(1, known);
  };
  return {
    actualPvKwh: measured.slice(ahead).map((kwh) => kwh ?? 0),
    expectedPvKwh: (now, steps) => {
      const nowQuarter = quarterAt(now);
      return steps.map((step) =>
        sumOf(quarterAt(step.start), quarterAt(step.end), (quarter) => expected(nowQuarter, quarter)),
      );
    },
  };
}

/**
 * PV where the weather of the time is recorded: measured where it was, elsewhere the yield of the arrays. What was expected of
 * a day is its energy with an error as large as that of the plant's own forecasts, spread as the arrays yield it.
 */
export function weatherPv(
  { plant, place, weather, learning, measured = [] }: ModelledPlant & { measured?: readonly EnergyStep[] },
  start: Date,
  count: number,
): SimulatedPv {
  const firstMs = floorTo(start.getTime(), DAY_MS);
  const skipped = (start.getTime() - firstMs) / QUARTER_MS;
  const days = Math.ceil((skipped + count) / 96) + FORECAST_DAYS_AFTER;
  const hours = pvHours(
    { place, plant, weather, bins: learning.bins },
    { start: new Date(firstMs), end: new Date(firstMs + days * DAY_MS) },
  );
  const modelled = Float64Array.from({ length: days * 96 }, (_, t) => hours[Math.floor(t / 4)]!.kwh / 4);
  const known = quarterLoad(measured, new Date(firstMs), days * 96);
  const scale = scaleOf(modelled, known);
  const limitKwh = sharedLimitKw(plant) / 4;
  const actual = Float64Array.from(modelled, (kwh, t) => known[t] ?? Math.min(limitKwh, kwh * scale));
  const dayKwh = (of: Float64Array, day: number) => sumOf(day * 96, (day + 1) * 96, (t) => of[t]!);
  const shares = Float64Array.from({ length: days }, (_, day) => {
    const shape = dayKwh(modelled, day);
    return shape > 0 ? dayKwh(actual, day) / shape : 0;
  });
  const quarterAt = (at: Date) => Math.round((at.getTime() - firstMs) / QUARTER_MS);
  return {
    actualPvKwh: [...actual.subarray(skipped, skipped + count)],
    expectedPvKwh: (now, steps) => {
      const today = Math.floor(quarterAt(now) / 96);
      return steps.map(({ start: from, end }) =>
        sumOf(quarterAt(from), quarterAt(end), (t) => {
          const day = Math.min(days - 1, Math.floor(t / 96));
          const error = errorOf(learning.ratios, day - today, firstMs / DAY_MS + day);
          return Math.min(limitKwh, ((modelled[t] ?? 0) * shares[day]!) / error);
        }),
      );
    },
  };
}

/** Arrays at a place, the weather recorded there, and what was learned of their forecasts. */
export interface ModelledPlant {
  plant: PvSettings;
  place: NonNullable<ReturnType<typeof locationOf>>;
  weather: WeatherSeries;
  learning: PvLearning;
}

/** What PV can be modelled with; undefined without arrays, coordinates, or weather recorded in half of the period's hours. */
export function modelledPlant(
  plant: PlantSettings,
  { weather, pvLearning: learning }: { weather: WeatherSeries; pvLearning: PvLearning },
  { start, end }: Interval,
): ModelledPlant | undefined {
  const place = locationOf(plant);
  if (place === undefined || plant.pv.length === 0) return undefined;
  const hours = (end.getTime() - start.getTime()) / HOUR_MS;
  let recorded = 0;
  for (let t = 0; t < hours; t++) {
    const hour = weather.hour(start.getTime() + t * HOUR_MS);
    if (hour?.ghi !== undefined || hour?.cloudCoverPct !== undefined) recorded++;
  }
  return recorded >= hours / 2 ? { plant, place, weather, learning } : undefined;
}

/** Days after the period that its last plans look into. */
const FORECAST_DAYS_AFTER = 9;

/** Most AC power of a plant whose arrays share inverters, kW; infinite without shared ones. */
function sharedLimitKw({ pv, inverters }: PvSettings): number {
  if (inverters.length === 0) return Number.POSITIVE_INFINITY;
  const single = pv.filter(({ inverter }) => inverter === null);
  return (
    inverters.reduce((sum, { kw }) => sum + kw, 0) +
    single.reduce((sum, { inverter_kw: kw }) => sum + (kw ?? Number.POSITIVE_INFINITY), 0)
  );
}

/** Measured over modelled energy of the quarter-hours that are measured; 1 without any. */
function scaleOf(modelled: Float64Array, known: readonly (number | undefined)[]): number {
  let [measuredKwh, modelledKwh] = [0, 0];
  known.forEach((kwh, t) => {
    if (kwh === undefined) return;
    measuredKwh += kwh;
    modelledKwh += modelled[t]!;
  });
  return modelledKwh > 0 ? measuredKwh / modelledKwh : 1;
}

/** Yield over forecast of a day: evenly spread, with the 10 and 90 % quantiles of the plant's own errors. The same each time. */
function errorOf(ratios: PastRatios, daysAhead: number, day: number): number {
  const { low, high } = bandOf(ratios, daysAhead, "forecast");
  // Multiples of the golden ratio are spread evenly, without a period.
  const quantile = (day * 0.618033988749895) % 1;
  const distance = (quantile - 0.5) / 0.4;
  return distance < 0 ? low ** -distance : high ** distance;
}

function sumOf(from: number, to: number, kwhOf: (t: number) => number): number {
  let kwh = 0;
  for (let t = from; t < to; t++) kwh += kwhOf(t);
  return kwh;
}
