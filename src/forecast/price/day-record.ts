import { hasFields, isAmount, isListOf, isMapOf, isNullOr } from "../../core/shape.js";
import { addDays } from "../../core/time/zone.js";
import { quantile } from "./quantile.js";

/** Days that are forecast and evaluated: the day of the forecast (day 1) and the six after it. */
export const RECORD_DAYS = 7;
/** Outcomes kept for each of them. */
const MOST_OUTCOMES = 60;
/** Minimum number of outcomes for a band of their own. */
const LEAST_OUTCOMES = 10;
/** Limits of a band's factors. */
const LEAST_FACTOR = 0.1;
const MOST_FACTOR = 2.5;

/** Forecast energy of a local day with its 10 and 90 % quantiles. */
export interface DayForecast {
  kwh: number;
  p10Kwh: number;
  p90Kwh: number;
}

/** What was forecast for a day and what was measured. */
export interface ForecastOutcome extends DayForecast {
  measuredKwh: number;
}

/** The track record of a site's forecasts of daily energy. */
export interface DayRecord {
  /** Forecasts of days that are not over, by local date, then by day 1 to 7. */
  issued: Readonly<Record<string, readonly (DayForecast | null)[]>>;
  /** By day 1 to 7, the oldest first. */
  outcomes: readonly (readonly ForecastOutcome[])[];
}

/** Accuracy of the forecasts for day 1 to 7. */
export interface DayScore {
  day: number;
  days: number;
  maeKwh: number;
  /** Mean of forecast minus measurement. */
  biasKwh: number;
  /** Mean measured energy. */
  meanKwh: number;
  /** Share of days from P10 to P90, 0 to 1. */
  coverage: number;
}

/** The accuracy of a site's forecasts of load and PV; empty lists before the first comparison. */
export interface ForecastQuality {
  load: DayScore[];
  pv: DayScore[];
}

export const EMPTY_RECORD: DayRecord = {
  issued: {},
  outcomes: Array.from({ length: RECORD_DAYS }, () => []),
};

/** Adds the forecasts made on `today` for day 1 to 7; the first forecast made on a day for another one is kept. */
export function withForecasts(
  record: DayRecord,
  today: string,
  forecasts: readonly (DayForecast | undefined)[],
): DayRecord {
  const issued: Record<string, readonly (DayForecast | null)[]> = { ...record.issued };
  forecasts.slice(0, RECORD_DAYS).forEach((forecast, index) => {
    const date = addDays(today, index);
    issued[date] = Array.from(
      { length: RECORD_DAYS },
      (_, at) => issued[date]?.[at] ?? (at === index ? (forecast ?? null) : null),
    );
  });
  return { ...record, issued };
}

/** Compares the forecasts of a day that is over; `measuredKwh` undefined: it was not measured, and they are dropped. */
export function withMeasured(record: DayRecord, date: string, measuredKwh: number | undefined): DayRecord {
  const { [date]: forecasts = [], ...issued } = record.issued;
  if (measuredKwh === undefined) return { ...record, issued };
  return {
    issued,
    outcomes: record.outcomes.map((outcomes, index) => {
      const forecast = forecasts[index];
      return forecast ? [...outcomes, { ...forecast, measuredKwh }].slice(-MOST_OUTCOMES) : outcomes;
    }),
  };
}

/** Local dates before `today` whose forecasts have not been compared. */
export function datesToCompare(record: DayRecord, today: string): string[] {
  return Object.keys(record.issued)
    .filter((date) => date < today)
    .sort();
}

/** Accuracy by day 1 to 7 of the last 60 comparisons, for the days with any. */
export function scoresOf({ outcomes }: DayRecord): DayScore[] {
  return outcomes.flatMap((list, index) => {
    if (list.length === 0) return [];
    const mean = (value: (outcome: ForecastOutcome) => number) =>
      list.reduce((sum, outcome) => sum + value(outcome), 0) / list.length;
    return {
      day: index + 1,
      days: list.length,
      maeKwh: mean(({ kwh, measuredKwh }) => Math.abs(kwh - measuredKwh)),
      biasKwh: mean(({ kwh, measuredKwh }) => kwh - measuredKwh),
      meanKwh: mean(({ measuredKwh }) => measuredKwh),
      coverage: mean(({ p10Kwh, p90Kwh, measuredKwh }) =>
        p10Kwh <= measuredKwh && measuredKwh <= p90Kwh ? 1 : 0,
      ),
    };
  });
}

/** Measured divided by forecast energy of the compared days, by day 1 to 7. */
export function ratiosOf({ outcomes }: DayRecord): number[][] {
  return outcomes.map((list) =>
    list.filter(({ kwh }) => kwh > 0).map(({ kwh, measuredKwh }) => measuredKwh / kwh),
  );
}

/**
 * Factors of the 10 and 90 % quantiles of a day's energy: from past ratios of measured to forecast energy once there are ten,
 * otherwise `usual`. The quantiles are those of the next value, not of the sample (Hyndman and Fan 1996, type 6): with
 * few ratios they lie near the extremes, so that 80 % of the days lie within whatever their number. From 0.1 to 1 and from 1 to 2.5.
 */
export function ownBand(
  ratios: readonly number[],
  usual: { low: number; high: number },
): { low: number; high: number } {
  if (ratios.length < LEAST_OUTCOMES) return usual;
  const ascending = [...ratios].sort((a, b) => a - b);
  // `quantile` places the extremes at 0 and 1.
  const share = (0.1 * (ascending.length + 1) - 1) / (ascending.length - 1);
  return {
    low: Math.min(1, Math.max(LEAST_FACTOR, quantile(ascending, share))),
    high: Math.max(1, Math.min(MOST_FACTOR, quantile(ascending, 1 - share))),
  };
}

const FORECAST_FIELDS = { kwh: isAmount, p10Kwh: isAmount, p90Kwh: isAmount };
const isRecordOfDays = hasFields<DayRecord>({
  issued: isMapOf(isListOf(isNullOr(hasFields<DayForecast>(FORECAST_FIELDS)))),
  outcomes: isListOf(isListOf(hasFields<ForecastOutcome>({ ...FORECAST_FIELDS, measuredKwh: isAmount }))),
});

/** Reads a stored record; empty for anything else. */
export function recordFromJson(stored: unknown): DayRecord {
  return isRecordOfDays(stored) && stored.outcomes.length === RECORD_DAYS ? stored : EMPTY_RECORD;
}
