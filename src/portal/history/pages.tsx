import {
  countedDays,
  daysCsv,
  HISTORY_PERIODS,
  type HistoryDay,
  type HistoryPeriod,
  type HistoryRow,
  historyRange,
  historyRows,
  hourRows,
  quartersCsv,
} from "../../api/documents/history.js";
import type { Site } from "../../config/site.js";
import { HOUR_MS } from "../../core/domain/interval.js";
import { addDays, dayInterval, localDate } from "../../core/time/zone.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import type { ForecastQuality } from "../../forecast/price/day-record.js";
import { type ForecastErrors, forecastErrors } from "../../money/ledger/forecast-errors.js";
import type { Ledger } from "../../money/ledger/ledger.js";
import type { SampleArchive } from "../../store/sample-archive.js";
import { plausibleReadings } from "../../telemetry/plausible-history.js";
import { readingLimits } from "../../telemetry/reading-limits.js";
import type { TelemetryService } from "../../telemetry/service.js";
import type { Page, SignedInContext } from "../context.js";
import { sitePage, titledPage } from "../page.js";
import { HISTORY_PATH } from "../ui/links.js";
import { historyPage } from "./page.js";
import type { HistoryData } from "./tables.js";

/** Services that the page "Energy and cost" uses. */
export interface HistoryPageOptions {
  ledger: Pick<Ledger, "days" | "firstDate" | "details" | "quartersSoFar">;
  /** Published prices. */
  prices(): Promise<PriceSeries> | PriceSeries;
  /** Stored readings. */
  samples: Pick<SampleArchive, "range">;
  /** Readings that were not used. */
  telemetry: Pick<TelemetryService, "leftOut">;
  /** How the forecasts of load and PV were met. */
  quality(siteId: string): ForecastQuality;
}

/** Days of the forecast quality, and as many before. */
const QUALITY_DAYS = 30;
/** An older state of charge is not that of an hour. */
const SOC_AGE_MS = HOUR_MS;

/** The history of a site by day, week, month or year, as a page and as CSV. */
export function historyPages(options: HistoryPageOptions): Page[] {
  return [
    titledPage(({ history: { title } }) => title).get(HISTORY_PATH, async (context, site) => ({
      page: historyPage(context, await dataOf(context, site, options)),
    })),
    sitePage.get(`${HISTORY_PATH}/csv`, async (context, site) => {
      const { period, date } = askedPeriod(context, site);
      const { from } = historyRange(period, date);
      const days = await daysOf(context, site, { period, date }, options);
      const quarters = days[0]?.quarters;
      const isDay = period === "day" && quarters !== undefined;
      const lines = isDay ? quartersCsv(quarters, dayInterval(date, site.plant.timezone)) : daysCsv(days);
      return {
        document: `${lines.join("\n")}\n`,
        type: "text/csv; charset=utf-8",
        headers: {
          "Content-Disposition": `attachment; filename="hourgate-${site.id}-${period}-${from}.csv"`,
        },
      };
    }),
  ];
}

interface AskedPeriod {
  period: HistoryPeriod;
  /** A local day of the period. */
  date: string;
}

/** The period of the address; anything unknown is today. */
function askedPeriod({ query, now }: SignedInContext, site: Site): AskedPeriod {
  const today = localDate(now, site.plant.timezone);
  const date = query.get("date") ?? today;
  const isDate = /^20\d{2}-(0[1-9]|1[0-2])-\d{2}$/.test(date) && addDays(date, 0) === date;
  return {
    period: HISTORY_PERIODS.find((one) => one === query.get("period")) ?? "day",
    date: isDate && date <= today ? date : today,
  };
}

/** The days of a period that are not in the future. */
async function daysOf(
  { now }: SignedInContext,
  site: Site,
  { period, date }: AskedPeriod,
  { ledger }: Pick<HistoryPageOptions, "ledger">,
): Promise<HistoryDay[]> {
  const { from, to } = historyRange(period, date);
  const today = localDate(now, site.plant.timezone);
  const first = (await ledger.firstDate(site)) ?? today;
  const start = from < first ? first : from;
  const end = to < today ? to : today;
  if (end < start) return [];
  const stored = await ledger.days(site, start, end, { compute: false });
  const days: HistoryDay[] = [];
  for (const figures of stored) {
    if (figures.date < today) {
      days.push({ figures, quarters: (await ledger.details(site.id, figures.date)).quarters });
      continue;
    }
    days.push({ figures, quarters: await ledger.quartersSoFar(site) });
  }
  return days;
}

async function dataOf(
  context: SignedInContext,
  site: Site,
  options: HistoryPageOptions,
): Promise<HistoryData> {
  const asked = askedPeriod(context, site);
  const days = countedDays(await daysOf(context, site, asked, options));
  const today = localDate(context.now, site.plant.timezone);
  return {
    ...asked,
    site,
    first: (await options.ledger.firstDate(site)) ?? today,
    now: context.now,
    isMoney: context.query.get("unit") === "eur",
    days,
    rows: asked.period === "day" ? await hoursOf(site, days[0], options) : historyRows(asked.period, days),
    quality: await qualityOf(context, site, options),
    qualityByDay: options.quality(site.id),
    leftOut: options.telemetry.leftOut(site.id),
  };
}

async function hoursOf(
  site: Site,
  day: HistoryDay | undefined,
  { ledger, samples }: HistoryPageOptions,
): Promise<HistoryRow[]> {
  if (day?.quarters === undefined) return [];
  const interval = dayInterval(day.figures.date, site.plant.timezone);
  const { promise } = await ledger.details(site.id, day.figures.date);
  const end = new Date(interval.end.getTime() + 1);
  const stored = await samples.range(site.id, "soc_pct", interval.start, end);
  const values = plausibleReadings(stored, readingLimits(site.plant).get("soc_pct"));
  const socAt = (at: Date) => {
    const last = values.findLast((value) => value.at <= at);
    return last === undefined || at.getTime() - last.at.getTime() > SOC_AGE_MS ? undefined : last.value;
  };
  return hourRows(day.quarters, { day: interval, steps: promise?.steps ?? [], socAt });
}

/** Errors of the last 30 days that are over, and of the 30 before. */
async function qualityOf(
  { now }: SignedInContext,
  site: Site,
  { ledger, prices }: HistoryPageOptions,
): Promise<{ last: ForecastErrors; before: ForecastErrors }> {
  const series = await prices();
  const priceCtKwh = (atMs: number) => {
    const eurPerMwh = series.quarter(atMs);
    return eurPerMwh === undefined ? undefined : eurPerMwh / 10;
  };
  const { timezone } = site.plant;
  const today = localDate(now, timezone);
  const errorsOf = async (firstBack: number) => {
    const dates = Array.from({ length: QUALITY_DAYS }, (_, index) => addDays(today, -firstBack - index));
    const days = await Promise.all(
      dates.map(async (date) => {
        const { forecast, quarters } = await ledger.details(site.id, date);
        return { startMs: dayInterval(date, timezone).start.getTime(), forecast, quarters };
      }),
    );
    return forecastErrors(days, priceCtKwh);
  };
  return { last: await errorsOf(1), before: await errorsOf(QUALITY_DAYS + 1) };
}
