import { HOUR_MS } from "../domain/interval.js";
import { isRecord } from "../net/json.js";
import { type CalibrationBins, type ComparedHour, learnDay } from "../solar/calibration.js";
import { type Location, sunPosition } from "../solar/sun.js";
import { addDays } from "../time/zone.js";
import { FORECAST_DAYS, type PastRatios, withDay } from "./band.js";
import type { PvHour } from "./forecast.js";

/** What a plant's PV has taught. Dates are local days. */
export interface PvLearning {
  bins: CalibrationBins;
  ratios: PastRatios;
  /** What was forecast of each day, kWh, by days ahead. */
  issued: Readonly<Record<string, readonly (number | null)[]>>;
  /** The last day that was looked at; none is learnt twice. */
  learntDate: string | null;
}

export const EMPTY_PV_LEARNING: PvLearning = { bins: {}, ratios: [], issued: {}, learntDate: null };

/** An hour whose model says less than this share of the peak power tells nothing of the plant. */
const LEAST_SHARE = 0.02;
/** So much of a day's modelled energy must have been measured for the day to judge its forecasts. */
const LEAST_DAY_COVER = 0.95;

/**
 * Keeps what is forecast on `today` of it and of the days after (undefined: nothing that could be judged); the first forecast
 * of a day about a day stands.
 */
export function recordDay(
  learning: PvLearning,
  today: string,
  dailyKwh: readonly (number | undefined)[],
): PvLearning {
  const issued: Record<string, readonly (number | null)[]> = {};
  for (const [date, told] of Object.entries(learning.issued))
    if (date >= addDays(today, -1)) issued[date] = told;
  dailyKwh.slice(0, FORECAST_DAYS).forEach((kwh, daysAhead) => {
    const date = addDays(today, daysAhead);
    const told = Array.from({ length: FORECAST_DAYS }, (_, index) => issued[date]?.[index] ?? null);
    told[daysAhead] ??= kwh ?? null;
    issued[date] = told;
  });
  return { ...learning, issued };
}

/** What is known after a day: its hours as modelled, beside what was measured (undefined where it was not). */
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
  let [modelled, covered, measured] = [0, 0, 0];
  hours.forEach(({ start, modelKwh, origin }, index) => {
    const kwh = measuredKwh[index];
    modelled += modelKwh;
    if (kwh === undefined) return;
    covered += modelKwh;
    measured += kwh;
    if (origin !== "forecast" || modelKwh < LEAST_SHARE * peakKw) return;
    const sun = sunPosition(new Date(start.getTime() + HOUR_MS / 2), place);
    compared.push({ sun, measuredKwh: kwh, modelledKwh: modelKwh });
  });
  const told = (learning.issued[date] ?? []).map((kwh) => kwh ?? undefined);
  const judges = modelled > LEAST_SHARE * peakKw && covered >= LEAST_DAY_COVER * modelled;
  return {
    ...learning,
    bins: compared.length > 0 ? learnDay(learning.bins, compared) : learning.bins,
    ratios: judges ? withDay(learning.ratios, measured, told) : learning.ratios,
    learntDate: date,
  };
}

/** What was learnt, as it was kept; of anything else nothing. */
export function learningFromJson(kept: unknown): PvLearning {
  if (!isRecord(kept)) return EMPTY_PV_LEARNING;
  const { bins, ratios, issued, learntDate } = kept;
  const isEnergy = (value: unknown): value is number =>
    typeof value === "number" && Number.isFinite(value) && value >= 0;
  const areBins =
    isRecord(bins) &&
    Object.values(bins).every(
      (bin) => isRecord(bin) && isEnergy(bin.measuredKwh) && isEnergy(bin.modelledKwh),
    );
  const areRatios =
    Array.isArray(ratios) && ratios.every((list) => Array.isArray(list) && list.every(isEnergy));
  const areIssued =
    isRecord(issued) &&
    Object.values(issued).every(
      (list) => Array.isArray(list) && list.every((kwh) => kwh === null || isEnergy(kwh)),
    );
  if (!areBins || !areRatios || !areIssued) return EMPTY_PV_LEARNING;
  return {
    bins: bins as PvLearning["bins"],
    ratios,
    issued: issued as PvLearning["issued"],
    learntDate: typeof learntDate === "string" ? learntDate : null,
  };
}
