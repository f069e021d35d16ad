import type { TimedValue } from "../../core/domain/counter.js";
import { HOUR_MS, MINUTE_MS } from "../../core/domain/interval.js";
import { isRecord } from "../../core/net/json.js";
import { hasFields, isAmount, isListOf, isMapOf, isText } from "../../core/shape.js";
import { addDays } from "../../core/time/zone.js";
import {
  type DayForecast,
  type DayRecord,
  datesToCompare,
  EMPTY_RECORD,
  recordFromJson,
  withForecasts,
  withMeasured,
} from "../price/day-record.js";
import {
  type CalibrationBin,
  type CalibrationBins,
  type ComparedHour,
  learnDay,
} from "../solar/calibration.js";
import { type Location, sunPosition } from "../solar/sun.js";
import { type PastRatios, withDay } from "./band.js";
import type { PvHour } from "./forecast.js";
import { NODE_DAYS } from "./nodes.js";

/** Learnt data of a plant's PV. Dates are local days. */
export interface PvLearning {
  bins: CalibrationBins;
  ratios: PastRatios;
  /** Measured over expected energy of the daylight hours, by day, the oldest first. */
  hourRatios: readonly (readonly number[])[];
  /** The last processed day; no day is processed twice. */
  learntDate: string | null;
  /** The forecasts of each day, and how they were met. */
  record: DayRecord;
}

export const EMPTY_PV_LEARNING: PvLearning = {
  bins: {},
  ratios: [],
  hourRatios: [],
  learntDate: null,
  record: EMPTY_RECORD,
};

/** Minimum modelled power of an hour, as a share of the peak power. */
const LEAST_SHARE = 0.02;
/** Minimum share of a day's modelled energy in measured hours for the evaluation of its forecasts. */
const LEAST_DAY_COVER = 0.95;

/** Records the forecasts made on `today` for it and the following days (undefined: none to evaluate). */
export function recordDay(
  learning: PvLearning,
  today: string,
  daily: readonly (DayForecast | undefined)[],
): PvLearning {
  return { ...learning, record: withForecasts(learning.record, today, daily) };
}

/** Adds a day: its modelled hours and the measured energies (undefined for hours without a measurement). */
export function afterDay(
  learning: PvLearning,
  date: string,
  day: {
    hours: readonly PvHour[];
    measuredKwh: readonly (number | undefined)[];
    place: Location;
    peakKw: number;
  },
): PvLearning {
  const { hours, measuredKwh, place, peakKw } = day;
  const compared: ComparedHour[] = [];
  const hourRatios: number[] = [];
  let [modelled, covered, measured] = [0, 0, 0];
  hours.forEach(({ start, kwh: expectedKwh, modelKwh, origin, isLimited }, index) => {
    const kwh = measuredKwh[index];
    modelled += modelKwh;
    if (kwh === undefined) return;
    covered += modelKwh;
    measured += kwh;
    if (origin !== "forecast" || isLimited || modelKwh < LEAST_SHARE * peakKw) return;
    const sun = sunPosition(new Date(start.getTime() + HOUR_MS / 2), place);
    compared.push({ sun, measuredKwh: kwh, modelledKwh: modelKwh });
    if (expectedKwh > 0) hourRatios.push(Math.round((100 * kwh) / expectedKwh) / 100);
  });
  const forecasts = (learning.record.issued[date] ?? []).map((forecast) => forecast?.kwh);
  const isEvaluated = modelled > LEAST_SHARE * peakKw && covered >= LEAST_DAY_COVER * modelled;
  return {
    ...learning,
    bins: compared.length > 0 ? learnDay(learning.bins, compared) : learning.bins,
    hourRatios:
      hourRatios.length > 0 ? [...learning.hourRatios, hourRatios].slice(-NODE_DAYS) : learning.hourRatios,
    ratios: isEvaluated ? withDay(learning.ratios, measured, forecasts) : learning.ratios,
    record: datesToCompare(learning.record, addDays(date, 1)).reduce(
      (record, one) => withMeasured(record, one, one === date && isEvaluated ? measured : undefined),
      learning.record,
    ),
    learntDate: date,
  };
}

const isLearning = hasFields<Pick<PvLearning, "bins" | "ratios">>({
  bins: isMapOf(hasFields<CalibrationBin>({ measuredKwh: isAmount, modelledKwh: isAmount })),
  ratios: isListOf(isListOf(isAmount)),
});
const areHourRatios = isListOf(isListOf(isAmount));

/** Reads stored learnt data; empty for anything else. */
export function learningFromJson(stored: unknown): PvLearning {
  if (!isRecord(stored) || !isLearning(stored)) return EMPTY_PV_LEARNING;
  const { hourRatios = [], learntDate, record }: Record<string, unknown> = stored;
  if (!areHourRatios(hourRatios)) return EMPTY_PV_LEARNING;
  const { bins, ratios } = stored;
  return {
    bins,
    ratios,
    hourRatios,
    learntDate: isText(learntDate) ? learntDate : null,
    record: recordFromJson(record),
  };
}

/** A power reading is valid until the next one, but not longer than this. */
const VALID_MS = 15 * MINUTE_MS;
/** Minimum share of an hour that must be covered by readings. */
const LEAST_COVER = 0.8;

/** Energy of each hour from `startMs` on, kWh, from power readings in order of time; undefined for hours with too few. */
export function hourlyEnergies(
  readings: readonly TimedValue[],
  startMs: number,
  count: number,
): (number | undefined)[] {
  const energyKwh = new Array<number>(count).fill(0);
  const coverMs = new Array<number>(count).fill(0);
  readings.forEach(({ at, value }, index) => {
    const fromMs = at.getTime();
    const nextMs = readings[index + 1]?.at.getTime() ?? Number.POSITIVE_INFINITY;
    const toMs = Math.min(nextMs, fromMs + VALID_MS);
    const first = Math.max(0, Math.floor((fromMs - startMs) / HOUR_MS));
    for (let hour = first; hour < count && startMs + hour * HOUR_MS < toMs; hour++) {
      const hourMs = startMs + hour * HOUR_MS;
      const share = Math.max(0, Math.min(toMs, hourMs + HOUR_MS) - Math.max(fromMs, hourMs));
      energyKwh[hour]! += (Math.max(0, value) * share) / HOUR_MS;
      coverMs[hour]! += share;
    }
  });
  return energyKwh.map((kwh, hour) => {
    const cover = coverMs[hour]! / HOUR_MS;
    return cover >= LEAST_COVER ? kwh / cover : undefined;
  });
}
