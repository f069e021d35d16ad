import {
  HISTORY_PERIODS,
  type HistoryDay,
  type HistoryPeriod,
  type HistoryRow,
  historyRange,
  historySummary,
} from "../../api/documents/history.js";
import { HOUR_MS } from "../../core/domain/interval.js";
import { localDate } from "../../core/time/zone.js";
import { totalOf } from "../../money/ledger/totals.js";
import { type Format, formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SiteContext } from "../page.js";
import { BarChart, type ColumnLink } from "../ui/chart.js";
import { choicesRow } from "../ui/choices.js";
import { Layout } from "../ui/layout.js";
import { HISTORY_PATH, historyLink, moneyLink, whyLink } from "../ui/links.js";
import { Card } from "../ui/parts.js";
import { BalanceChart, SocChart } from "./charts.js";
import {
  DeviceBars,
  dayQualityTables,
  type HistoryData,
  HistoryTable,
  LeftOutTable,
  qualityTable,
} from "./tables.js";
import { historyViews } from "./views.js";

/** Below that nothing was imported in an hour. */
const LEAST_IMPORT_KWH = 0.05;

/** The page "Energy and cost": what a period brought, used, cost and saved. */
export function historyPage(context: SiteContext, data: HistoryData) {
  const { history: texts } = textsOf(context.language);
  const { site, period, days, rows } = data;
  const format = formatOf(context.language, site.plant.timezone);
  const hasRows = rows.some(({ load, pv, import: imported }) => load + pv + imported > 0);
  return (
    <Layout context={context} title={texts.title}>
      {historyViews(context, "energy")}
      <Periods data={data} format={format} />
      {hasRows ? (
        <>
          <p class="lead">{summaryText(days, format)}</p>
          {knownFacts(days, format)}
          <section class="card">
            <EnergyOrMoney data={data} format={format} />
          </section>
          {period === "day" && <DayCharts data={data} format={format} />}
          <Card title={texts.devices}>
            <DeviceBars data={data} format={format} />
          </Card>
          <details class="card">
            <summary>{texts.table}</summary>
            <HistoryTable data={data} format={format} />
            <p class="muted">
              {texts.amountsNote} <a href={moneyLink(site, data.date.slice(0, 7))}>{texts.amountsLink}</a>
            </p>
            <p>
              <a href={`${HISTORY_PATH}/csv?${queryOf(data)}`} download>
                {texts.download}
              </a>
            </p>
          </details>
        </>
      ) : (
        <p class="empty">{texts.nothing}</p>
      )}
      <details class="card">
        <summary>{texts.quality}</summary>
        {qualityTable(data.quality, format)}
        {dayQualityTables(data.qualityByDay, format)}
      </details>
      {data.leftOut.count > 0 && <LeftOutTable data={data} format={format} />}
    </Layout>
  );
}

interface PartProps {
  data: HistoryData;
  format: Format;
}

function queryOf({ site, period, date }: Pick<HistoryData, "site" | "period" | "date">): URLSearchParams {
  return new URLSearchParams({ site: site.id, period, date });
}

/** Links to the other periods, and to the one before and after, as far as there are readings. */
function Periods({ data, format }: PartProps) {
  const { history: texts } = textsOf(format.language);
  const { period, date, site, first, now } = data;
  const range = historyRange(period, date);
  return (
    <>
      {choicesRow(
        texts.period,
        HISTORY_PERIODS.map((one) => ({
          href: historyLink(site, one, date),
          text: texts.periods[one],
          isCurrent: one === period,
        })),
      )}
      <div class="turn">
        {range.previous >= first ? (
          <a href={historyLink(site, period, range.previous)} rel="prev" aria-label={texts.previous}>
            ‹
          </a>
        ) : (
          <span />
        )}
        <h2>{rangeText(data, format)}</h2>
        {range.next <= localDate(now, site.plant.timezone) ? (
          <a href={historyLink(site, period, range.next)} rel="next" aria-label={texts.next}>
            ›
          </a>
        ) : (
          <span />
        )}
      </div>
    </>
  );
}

/** What was paid and saved, and what the sun gave, in one sentence. */
function summaryText(days: readonly HistoryDay[], format: Format): string {
  const { summary } = textsOf(format.language).history;
  const { costEur, savedEur, sunPct } = historySummary(days);
  const amount = (eur: number) => format.number(Math.abs(eur));
  const parts = [
    ...(costEur === null
      ? []
      : [costEur < 0 ? summary.earned(amount(costEur)) : summary.paid(amount(costEur))]),
    ...(savedEur === null
      ? []
      : [savedEur < 0 ? summary.more(amount(savedEur)) : summary.saved(amount(savedEur))]),
  ];
  const sun = sunPct === null ? [] : [summary.sun(format.number(sunPct, 0))];
  return [parts.join(", "), ...sun].filter((part) => part !== "").join("; ");
}

/** How many days the amounts are of, and what is grey. */
function knownFacts(days: readonly HistoryDay[], format: Format) {
  const { history: texts } = textsOf(format.language);
  const known = totalOf(days.map(({ figures }) => figures)).days;
  const counted = days.filter(({ figures }) => !figures.isEarlier).length;
  return (
    <>
      {days.length > 1 && known < counted && <p class="muted">{texts.ofDays(known, counted)}</p>}
      {counted < days.length && <p class="muted">{texts.earlier}</p>}
    </>
  );
}

/** The one chart of a period: energies, or with the switch amounts. A tap leads to why, or to the day or month. */
function EnergyOrMoney({ data, format }: PartProps) {
  const { history: texts } = textsOf(format.language);
  const { rows, period, isMoney } = data;
  const labels = rows.map(({ key }) => shortLabel(key, period, format));
  const links = rows.map((row) => linkOf(row, data, format));
  return (
    <>
      {choicesRow(texts.unit, [
        { href: `${HISTORY_PATH}?${queryOf(data)}`, text: "kWh", isCurrent: !isMoney },
        { href: `${HISTORY_PATH}?${queryOf(data)}&unit=eur`, text: "€", isCurrent: isMoney },
      ])}
      {isMoney ? (
        <BarChart
          bars={rows.map((row, index) => ({
            label: labels[index]!,
            value: period === "day" ? (row.hourEur ?? null) : (row.amounts?.costEur ?? null),
            isFaint: row.isEarlier,
          }))}
          description={texts.costChart}
          unit="€"
          {...{ format, links }}
          meaning="cost"
        />
      ) : (
        <BalanceChart rows={rows} labels={labels} links={links} format={format} />
      )}
    </>
  );
}

/** Why, for an hour that is over; the day or the month. */
function linkOf({ key }: HistoryRow, { site, period, now }: HistoryData, format: Format): ColumnLink {
  const { history: texts } = textsOf(format.language);
  if (period === "day") {
    const at = new Date(key);
    return at.getTime() + HOUR_MS > now.getTime()
      ? undefined
      : { href: whyLink(site, at), label: texts.whyOf(format.time(at)) };
  }
  return period === "year"
    ? { href: historyLink(site, "month", `${key}-01`), label: format.month(key) }
    : { href: historyLink(site, "day", key), label: format.date(key) };
}

/** Price and state of charge of the hours of a day. */
function DayCharts({ data: { site, rows, period }, format }: PartProps) {
  const { history: texts } = textsOf(format.language);
  const labels = rows.map(({ key }) => shortLabel(key, period, format));
  return (
    <>
      <Card title={texts.price}>
        <BarChart
          bars={rows.map((row, index) => ({
            label: labels[index]!,
            value: row.priceCtKwh,
            isFaint: row.import < LEAST_IMPORT_KWH,
          }))}
          description={texts.priceChart}
          unit="ct/kWh"
          format={format}
          meaning="cost"
        />
      </Card>
      {site.plant.battery !== null && (
        <Card title={texts.soc}>
          <SocChart rows={rows} labels={labels} format={format} />
          {rows.every(({ plannedSocPct }) => plannedSocPct === undefined) && (
            <p class="muted">{texts.noPlan}</p>
          )}
        </Card>
      )}
    </>
  );
}

function rangeText({ period, date }: HistoryData, format: Format): string {
  const { history: texts } = textsOf(format.language);
  const { from, to } = historyRange(period, date);
  if (period === "day") return format.date(date);
  if (period === "week") return texts.week(format.date(from), format.date(to));
  return period === "month" ? format.month(date.slice(0, 7)) : date.slice(0, 4);
}

/** Hour, day of the month, or month, as the time axis has it. */
function shortLabel(key: string, period: HistoryPeriod, format: Format): string {
  if (period === "day") return format.time(new Date(key)).slice(0, 2);
  if (period === "year") return key.slice(5);
  return String(Number(key.slice(8)));
}
