import { type EnergyStep, HOUR_MS, type Interval } from "../../core/domain/interval.js";
import { addDays, dayInterval, localDate } from "../../core/time/zone.js";
import {
  type DayForecast,
  type DayRecord,
  datesToCompare,
  ownBand,
  RECORD_DAYS,
  ratiosOf,
  withForecasts,
  withMeasured,
} from "../price/day-record.js";
import { forecastLoad } from "./forecast-load.js";
import type { LoadModel } from "./load-model.js";

/** Band of a day's load before there are enough comparisons. */
const USUAL_BAND = { low: 0.7, high: 1.4 };
/** A forecast made later would know part of its first day. */
const LATEST_MS = 4 * HOUR_MS;
/** Minimum share of a day that must be measured. */
const LEAST_COVER = 0.95;

/**
 * The record with the days compared that are over, and once per local day, in its first hours, with the forecasts of that day
 * and the six after it. `measured`: in order of time, at least the days since the last call. The same object if nothing is new.
 */
export function loadRecord(
  record: DayRecord,
  given: { model: LoadModel; measured: readonly EnergyStep[]; now: Date; zone: string },
): DayRecord {
  const { model, measured, now, zone } = given;
  const today = localDate(now, zone);
  const compared = datesToCompare(record, today).reduce(
    (known, date) => withMeasured(known, date, measuredKwh(measured, dayInterval(date, zone))),
    record,
  );
  const isLate = now.getTime() - dayInterval(today, zone).start.getTime() >= LATEST_MS;
  if (isLate || compared.issued[today]?.[0]) return compared;
  const ratios = ratiosOf(compared);
  const forecasts = Array.from({ length: RECORD_DAYS }, (_, index): DayForecast => {
    const { start, end } = dayInterval(addDays(today, index), zone);
    const hours = (end.getTime() - start.getTime()) / HOUR_MS;
    const kwh = forecastLoad(model, { start, hours }).loadKwh.reduce((sum, one) => sum + one, 0);
    const { low, high } = ownBand(ratios[index]!, USUAL_BAND);
    return { kwh, p10Kwh: kwh * low, p90Kwh: kwh * high };
  });
  return withForecasts(compared, today, forecasts);
}

/** The measured energy of a day, with gaps filled at its mean; undefined if too much of it is missing. */
function measuredKwh(measured: readonly EnergyStep[], { start, end }: Interval): number | undefined {
  let kwh = 0;
  let coverMs = 0;
  for (const step of measured) {
    const lengthMs = step.end.getTime() - step.start.getTime();
    const withinMs =
      Math.min(end.getTime(), step.end.getTime()) - Math.max(start.getTime(), step.start.getTime());
    if (withinMs <= 0) continue;
    kwh += (step.kwh * withinMs) / lengthMs;
    coverMs += withinMs;
  }
  const cover = coverMs / (end.getTime() - start.getTime());
  return cover >= LEAST_COVER ? kwh / cover : undefined;
}
