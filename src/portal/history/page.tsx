import {
  HISTORY_PERIODS,
  type HistoryDay,
  type HistoryPeriod,
  historyRange,
  rowOf,
} from "../../api/documents/history.js";
import { localDate } from "../../core/time/zone.js";
import { type Format, formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import { periodText } from "../bill/format.js";
import type { SignedInContext } from "../context.js";
import { BarChart } from "../ui/chart.js";
import { Layout } from "../ui/layout.js";
import { NoSite } from "../ui/notices.js";
import { siteName } from "../ui/site-name.js";
import { BalanceChart, SocChart } from "./charts.js";
import {
  DayQualityTables,
  DeviceTable,
  type HistoryData,
  HistoryTable,
  LeftOutTable,
  QualityTable,
} from "./tables.js";

interface HistoryPageProps {
  context: SignedInContext;
  data: HistoryData | undefined;
}

/** The page "Energy and cost": what a period brought, used, cost and saved. */
export function HistoryPage({ context, data }: HistoryPageProps) {
  const { history: texts } = textsOf(context.language);
  if (data === undefined)
    return (
      <Layout context={context} title={texts.title}>
        <NoSite context={context} />
      </Layout>
    );
  const { site, period, days, rows } = data;
  const format = formatOf(context.language, site.plant.timezone);
  const labels = rows.map(({ key }) => shortLabel(key, period, format));
  const hasRows = rows.some(({ load, pv, import: imported }) => load + pv + imported > 0);
  const chart = { rows, labels, format };
  return (
    <Layout context={context} title={texts.title} stylesheets={["dashboard.css"]}>
      <PeriodLinks context={context} data={data} />
      <h2>{`${siteName(site)}, ${rangeText(context, data, format)}`}</h2>
      {!hasRows && <p class="empty">{texts.nothing}</p>}
      {hasRows && (
        <>
          <Figures days={days} format={format} />
          <section class="card">
            <h2>{texts.balance}</h2>
            <BalanceChart {...chart} />
          </section>
          <section class="card">
            <h2>{period === "day" ? texts.price : texts.costs}</h2>
            <BarChart
              bars={rows.map((row, index) => ({
                label: labels[index]!,
                value: period === "day" ? row.priceCtKwh : (row.amounts?.costEur ?? null),
              }))}
              description={period === "day" ? texts.priceChart : texts.costChart}
              unit={period === "day" ? "ct/kWh" : "€"}
              format={format}
              meaning="cost"
            />
          </section>
          {period === "day" && site.plant.battery !== null && (
            <section class="card">
              <h2>{texts.soc}</h2>
              <SocChart {...chart} />
              {rows.every(({ plannedSocPct }) => plannedSocPct === undefined) && (
                <p class="muted">{texts.noPlan}</p>
              )}
            </section>
          )}
          <section class="card">
            <h2>{texts.table}</h2>
            <HistoryTable data={data} format={format} />
            <p class="muted">
              {texts.amountsNote} <a href="/savings">{texts.amountsLink}</a>
            </p>
            <p>
              <a href={`/history/csv?${queryOf(data)}`} download>
                {texts.download}
              </a>
            </p>
          </section>
          <section class="card">
            <h2>{texts.devices}</h2>
            <DeviceTable data={data} format={format} />
          </section>
        </>
      )}
      <section class="card">
        <h2>{texts.quality}</h2>
        <QualityTable quality={data.quality} format={format} />
        <DayQualityTables quality={data.qualityByDay} format={format} />
      </section>
      {data.leftOut.count > 0 && <LeftOutTable data={data} format={format} />}
    </Layout>
  );
}

function queryOf({ site, period, date }: Pick<HistoryData, "site" | "period" | "date">): URLSearchParams {
  return new URLSearchParams({ site: site.id, period, date });
}

/** Links to the other periods, and to the one before and after. */
function PeriodLinks({ context, data }: { context: SignedInContext; data: HistoryData }) {
  const { history: texts } = textsOf(context.language);
  const { period, date, site } = data;
  const range = historyRange(period, date);
  const today = localDate(context.now, site.plant.timezone);
  const to = (change: Partial<HistoryData>) => `/history?${queryOf({ ...data, ...change })}`;
  return (
    <nav class="chart-head periods" aria-label={texts.period}>
      <ul>
        {HISTORY_PERIODS.map((one) => (
          <li key={one}>
            <a href={to({ period: one })} aria-current={one === period ? "true" : undefined}>
              {texts.periods[one]}
            </a>
          </li>
        ))}
      </ul>
      <ul>
        <li>
          <a href={to({ date: range.previous })} rel="prev">{`‹ ${texts.previous}`}</a>
        </li>
        {range.next <= today && (
          <li>
            <a href={to({ date: range.next })} rel="next">{`${texts.next} ›`}</a>
          </li>
        )}
      </ul>
    </nav>
  );
}

function rangeText(context: SignedInContext, { period, date }: HistoryData, format: Format): string {
  const { history: texts } = textsOf(context.language);
  const { from, to } = historyRange(period, date);
  if (period === "day") return format.date(date);
  if (period === "week") return texts.week(format.date(from), format.date(to));
  return periodText(context, date.slice(0, period === "month" ? 7 : 4));
}

/** Hour, day of the month, or month, as the time axis has it. */
function shortLabel(key: string, period: HistoryPeriod, format: Format): string {
  if (period === "day") return format.time(new Date(key)).slice(0, 2);
  if (period === "year") return key.slice(5);
  return String(Number(key.slice(8)));
}

function Figures({ days, format }: { days: readonly HistoryDay[]; format: Format }) {
  const { history: texts } = textsOf(format.language);
  const sum = rowOf("", days);
  // Today so far has amounts, but is not complete: they are shown for the day itself.
  const amounts = days.length === 1 ? days[0]?.figures : sum.amounts;
  const known = sum.amounts?.days ?? 0;
  const figures: [label: string, text: string][] = [
    [texts.figures.cost, `${format.number(amounts?.costEur)} €`],
    [texts.figures.saved, `${format.number(amounts?.savedEur)} €`],
    [texts.figures.paid, `${format.number(sum.priceCtKwh, 1)} ct`],
    [texts.figures.load, `${format.number(sum.load, 1)} kWh`],
    [texts.figures.pv, `${format.number(sum.pv, 1)} kWh`],
  ];
  return (
    <>
      <div class="figures compact">
        {figures.map(([label, text]) => (
          <section key={label} class="card">
            <h3>{label}</h3>
            <p class="big">{text}</p>
          </section>
        ))}
      </div>
      {days.length > 1 && known < days.length && <p class="muted">{texts.ofDays(known, days.length)}</p>}
    </>
  );
}
