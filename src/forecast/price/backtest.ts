import { addDays, dayInterval, instantOf, localDate, VIENNA } from "../../core/time/zone.js";
import type { PriceSeries } from "../market/price-series.js";
import { LEADS } from "./features.js";
import type { ForecastTier } from "./forecast.js";
import type { ForecastIssueSet } from "./forecast-issue-set.js";
import { type DayOutcome, type LeadScore, scoreLead } from "./lead-score.js";
import { DECOUPLED_DAY, dayAndHour, dayNumber, MarketDays } from "./market-days.js";
import { exponentialMean } from "./mean-forecast.js";
import { forecastFrom } from "./model.js";
import type { Quantiles } from "./quantile.js";

/** Local hour in Vienna of each day's forecast: the prices of the next day are public then. */
const ORIGIN_HOUR = 14;
/** Hours from then to the end of the seventh day after the last published one, 25-hour days included. */
const HORIZON_HOURS = 10 + 24 * (LEADS + 1) + 1;
/** History of the exponential mean, the reference forecast. */
const MEAN_HISTORY_DAYS = 120;

export interface ForecastBacktestInput {
  /** All prices; the forecast of an origin sees only those that were public then. */
  series: PriceSeries;
  /** Issued weather; the forecast of an origin sees only what was issued by then. */
  weather?: ForecastIssueSet | undefined;
  /** Origins: each local day from the one that contains `from` to the one before `to`. */
  from: Date;
  to: Date;
  /** Completed origins and total number. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

export interface ForecastReport {
  /** First and last day of an origin, `YYYY-MM-DD`. */
  from: string;
  to: string;
  origins: number;
  /** Number of origins by the tier that was used. */
  tiers: Partial<Record<ForecastTier, number>>;
  /** By lead day 1 to 7, for known outcomes. */
  leads: LeadScore[];
}

/**
 * Rolling-origin accuracy of the forecast: each day at 14:00 in Vienna, from the prices that were public then, compared with
 * the prices published later. Days without prices are neither origins nor outcomes; 2024-06-26, when the market was
 * decoupled, is not an outcome. Takes seconds for the first origin and each quarter, then some hundredths of a second each.
 */
export function backtestForecast({
  series,
  weather,
  from,
  to,
  onProgress,
}: ForecastBacktestInput): ForecastReport {
  const origins = originDays(series, from, to);
  const outcomes: DayOutcome[][] = Array.from({ length: LEADS }, () => []);
  const tiers: Partial<Record<ForecastTier, number>> = {};
  const actuals = allDays(series);
  origins.forEach((date, index) => {
    const now = instantOf(date, ORIGIN_HOUR, VIENNA);
    const published = series.before(dayInterval(addDays(date, 1), VIENNA).end);
    const { hours, tier } = forecastFrom(published, now, HORIZON_HOURS, weather);
    tiers[tier] = (tiers[tier] ?? 0) + 1;
    const byDay = new Map<number, Quantiles[]>();
    for (const { start, p10, p50, p90, source } of hours) {
      if (source === "day_ahead") continue;
      const { day, hour } = dayAndHour(start.getTime());
      const list = byDay.get(day) ?? [];
      list[hour] = { p10, p50, p90 };
      byDay.set(day, list);
    }
    const last = dayNumber(addDays(date, 1));
    const known = MarketDays.of(series, { fromDay: last - MEAN_HISTORY_DAYS, untilDay: last });
    const usual = exponentialMean(known, known.last);
    for (let lead = 1; lead <= LEADS; lead++) {
      const outcome = outcomeOf(last + lead, { actuals, forecast: byDay.get(last + lead) });
      if (outcome === undefined) continue;
      const expected = [...usual.subarray((lead - 1) * 24, lead * 24)];
      outcomes[lead - 1]!.push({ ...outcome, exponentialMean: expected });
    }
    onProgress?.(index + 1, origins.length);
  });
  return {
    from: origins[0] ?? localDate(from, VIENNA),
    to: origins.at(-1) ?? localDate(to, VIENNA),
    origins: origins.length,
    tiers,
    leads: outcomes.flatMap((list, index) => scoreLead(index + 1, list) ?? []),
  };
}

function allDays(series: PriceSeries): MarketDays {
  return MarketDays.of(series, { fromDay: -Infinity, untilDay: Infinity });
}

/** Days from `from` to before `to` for which the next day's prices are known. */
function originDays(series: PriceSeries, from: Date, to: Date): string[] {
  const days: string[] = [];
  for (let date = localDate(from, VIENNA); dayInterval(date, VIENNA).start < to; date = addDays(date, 1)) {
    const day = dayNumber(addDays(date, 1));
    const next = MarketDays.of(series, { fromDay: day, untilDay: day });
    if (next.knownDays === 1 || day === DECOUPLED_DAY) days.push(date);
  }
  return days;
}

function outcomeOf(
  day: number,
  { actuals, forecast }: { actuals: MarketDays; forecast: Quantiles[] | undefined },
): Omit<DayOutcome, "exponentialMean"> | undefined {
  if (!actuals.known(day) || day - 7 < actuals.first || forecast === undefined) return undefined;
  const hours = Array.from({ length: 24 }, (_, hour) => hour).filter((hour) => forecast[hour] !== undefined);
  // A day with 23 hours lacks one; the neighbouring hour is used instead, as for the outcome.
  const filled = Array.from(
    { length: 24 },
    (_, hour) => forecast[hour] ?? forecast[hours.findLast((one) => one < hour) ?? hours[0]!]!,
  );
  return {
    actual: Array.from(actuals.slice(day, day)),
    forecast: filled,
    lastWeek: Array.from(actuals.slice(day - 7, day - 7)),
  };
}

/** The report as a text table. */
export function forecastReportText(report: ForecastReport): string {
  const { from, to, origins, tiers, leads } = report;
  const tierCounts = Object.entries(tiers).map(([tier, count]) => `${tier} ${count}`);
  const columns: [title: string, value: (score: LeadScore) => string][] = [
    ["lead", ({ lead }) => String(lead)],
    ["days", ({ days }) => String(days)],
    ["MAE", ({ mae }) => mae.toFixed(2)],
    ["RMSE", ({ rmse }) => rmse.toFixed(2)],
    ["bias", ({ bias }) => bias.toFixed(2)],
    ["last week", ({ maeLastWeek }) => maeLastWeek.toFixed(2)],
    ["rMAE", ({ rmaeLastWeek }) => rmaeLastWeek.toFixed(3)],
    ["DM", ({ againstLastWeek }) => test(againstLastWeek)],
    ["exp. mean", ({ maeExponentialMean }) => maeExponentialMean.toFixed(2)],
    ["rMAE", ({ rmaeExponentialMean }) => rmaeExponentialMean.toFixed(3)],
    ["DM", ({ againstExponentialMean }) => test(againstExponentialMean)],
    ["pinball", ({ pinball }) => pinball.toFixed(2)],
    ["P10-P90", ({ coverage }) => `${(100 * coverage).toFixed(1)} %`],
    ["spread", ({ spreadRatio }) => spreadRatio.toFixed(2)],
    ["neg. found", ({ negativeFound }) => percent(negativeFound)],
    ["neg. right", ({ negativeRight }) => percent(negativeRight)],
    ["saving", ({ savingShare }) => percent(savingShare)],
  ];
  const rows = [
    columns.map(([title]) => title),
    ...leads.map((score) => columns.map(([, value]) => value(score))),
  ];
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const table = rows.map((row) => row.map((cell, column) => cell.padStart(widths[column]!)).join("  "));
  return [
    `Price forecast, ${origins} origins at ${ORIGIN_HOUR}:00 from ${from} to ${to}, EUR/MWh (${tierCounts.join(", ") || "none"})`,
    ...table,
    "DM: Diebold-Mariano statistic on daily absolute errors; below -2.33 the forecast is better beyond 1 % doubt.",
  ].join("\n");
}

function test(result: LeadScore["againstLastWeek"]): string {
  return result === undefined ? "-" : result.statistic.toFixed(1);
}

function percent(share: number | null): string {
  return share === null ? "-" : `${(100 * share).toFixed(0)} %`;
}
