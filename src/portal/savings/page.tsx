import {
  ledgerDayDocument,
  type SavingsPageDocument,
  savingsPageDocument,
} from "../../api/documents/savings-page.js";
import type { Site } from "../../config/site.js";
import { localDate, monthsBack } from "../../core/time/zone.js";
import type { Ledger } from "../../money/ledger/ledger.js";
import { savingsView } from "../../money/ledger/savings-view.js";
import { type Format, formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import { periodText } from "../bill/format.js";
import type { Page, PageReply, SignedInContext } from "../context.js";
import { historyViews } from "../history/views.js";
import { accountPage, type SiteContext, sitePage, titledPage } from "../page.js";
import { BarChart } from "../ui/chart.js";
import { SelectField, SubmitButton } from "../ui/form.js";
import { siteName } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { MONEY_PATH, moneyLink } from "../ui/links.js";
import { Card } from "../ui/parts.js";
import { columnsOf, DataTable } from "../ui/table.js";

interface TableProps {
  context: SiteContext;
  document: SavingsPageDocument;
  format: Format;
}

const COLUMNS = {
  cost: "cost_eur",
  uncontrolled: "uncontrolled_eur",
  noBattery: "no_battery_eur",
  promised: "promised_eur",
  perfect: "perfect_eur",
  stored: "stored_change_eur",
  saved: "saved_eur",
} as const;

type Amounts = SavingsPageDocument["total"];

/** A column for each amount, with those of a whole period in the last row. */
const amountColumns = (format: Format) => {
  const { columns } = textsOf(format.language).savings;
  const { number } = columnsOf<Amounts>();
  return Object.entries(COLUMNS).map(([name, key]) =>
    number(columns[name as keyof typeof COLUMNS], (of) => format.number(of[key])),
  );
};
const sumsOf = (total: Amounts, format: Format) => ({
  label: textsOf(format.language).savings.sum,
  numbers: amountColumns(format).map(({ cell }) => cell(total)),
});

/** The days of the month. */
export function DayTable({ context, document, format }: TableProps) {
  const { savings: texts, format: words } = textsOf(context.language);
  const today = localDate(context.now, format.zone);
  const weekday = new Intl.DateTimeFormat(words.locale, {
    weekday: "short",
    day: "numeric",
    month: "numeric",
    timeZone: "UTC",
  });
  return (
    <DataTable
      caption={texts.inEuro}
      rows={document.days}
      rowClass={(day) => (day.before_installation ? "muted" : undefined)}
      gap={(day) => {
        if (day.complete || day.so_far) return undefined;
        return day.date === today ? texts.notOver : texts.incomplete;
      }}
      columns={(col) => [
        col.head(texts.day, (day) => (
          <>
            {weekday.format(new Date(`${day.date}T00:00:00Z`))}
            {day.negative_reason !== null && (
              <span class="hint">{` ${texts.negative[day.negative_reason]}`}</span>
            )}
            {day.before_installation && <span class="hint">{` ${texts.earlier}`}</span>}
          </>
        )),
        ...amountColumns(format),
      ]}
      sums={sumsOf(document.total, format)}
    />
  );
}

/** The months of the year. */
function YearTable({ context, document, format }: TableProps) {
  const { savings: texts } = textsOf(context.language);
  return (
    <DataTable
      caption={texts.inEuro}
      rows={document.year.months}
      columns={(col) => [
        col.head(texts.month, ({ month, counted_days, days }) => (
          <>
            <a href={moneyLink({ id: document.site }, month)}>{periodText(context, month)}</a>
            {counted_days < days && <span class="hint">{` ${texts.daysKnown(counted_days, days)}`}</span>}
          </>
        )),
        ...amountColumns(format),
      ]}
      sums={sumsOf(document.year.total, format)}
    />
  );
}

/** Savings that the plan expected each morning against those achieved, by month. */
function PromiseTable({ context, document, format }: TableProps) {
  const { savings: texts } = textsOf(context.language);
  const months = document.year.months.filter(({ compared_days }) => compared_days > 0);
  if (months.length === 0) return <p class="muted">{texts.noPromise}</p>;
  return (
    <>
      <DataTable
        caption={texts.inEuro}
        rows={months}
        columns={(col) => [
          col.head(texts.month, ({ month }) => periodText(context, month)),
          col.number(texts.promisedSaving, (month) => format.number(month.promised_saving_eur)),
          col.number(texts.achievedSaving, (month) => format.number(month.achieved_saving_eur)),
          col.number(texts.comparedDays, (month) => format.number(month.compared_days, 0)),
        ]}
      />
      <p class="muted">{texts.promiseNote}</p>
    </>
  );
}

/** The page "Savings": what the days of a month and the year cost, and what was saved. */
export function savingsPage(context: SiteContext, months: readonly string[], document: SavingsPageDocument) {
  const { savings: texts } = textsOf(context.language);
  const { site } = context;
  const format = formatOf(context.language, site.plant.timezone);
  const props = { context, document, format };
  const { month, total, year, now } = document;
  const figures = [
    [texts.week, now?.week_eur],
    [texts.today, now?.today_eur],
    [texts.thisMonth, now?.month_eur],
    [texts.inYear(year.year), year.total.saved_eur],
  ] as const;
  return (
    <Layout context={context} title={texts.title}>
      {historyViews(context, "money")}
      <p>{texts.intro}</p>
      <div class="figures compact">
        {figures.map(([label, eur]) => (
          <Card title={label} key={label}>
            <p class="big">{`${format.number(eur)} €`}</p>
          </Card>
        ))}
      </div>
      <form method="get" action={MONEY_PATH} class="card">
        <input type="hidden" name="site" value={site.id} />
        <SelectField
          name="month"
          label={texts.month}
          value={month}
          options={months.map((value) => ({ value, label: periodText(context, value) }))}
        />
        <SubmitButton>{texts.show}</SubmitButton>
      </form>
      <Card title={`${siteName(site)}, ${periodText(context, month)}`}>
        {total.saved_eur === null ? (
          <p class="empty">{site.plant.battery === null ? texts.noBattery : texts.nothing}</p>
        ) : (
          <>
            <p class="lead">{texts.saved(format.number(total.saved_eur))}</p>
            {total.saved_devices_eur !== null && Math.abs(total.saved_devices_eur) >= 0.005 && (
              <p>
                {texts.parts(format.number(total.saved_battery_eur), format.number(total.saved_devices_eur))}
              </p>
            )}
            <BarChart
              bars={document.days.map((day) => ({
                label: String(Number(day.date.slice(8))),
                value: day.saved_eur,
                isFaint: day.before_installation,
              }))}
              description={texts.chart}
              unit="€"
              format={format}
            />
          </>
        )}
        <DayTable {...props} />
        <p class="muted">{texts.note}</p>
      </Card>
      <Card title={texts.inYear(year.year)}>
        {year.total.saved_eur !== null && (
          <BarChart
            bars={year.months.map((one) => ({ label: one.month.slice(5), value: one.saved_eur }))}
            description={texts.yearChart}
            unit="€"
            format={format}
          />
        )}
        <YearTable {...props} />
      </Card>
      <Card title={texts.promiseTitle}>
        <PromiseTable {...props} />
      </Card>
    </Layout>
  );
}

/** Services that the page "Savings" uses. */
export interface SavingsPageOptions {
  ledger: Pick<Ledger, "days" | "months" | "firstDate" | "quarters">;
}

const MOST_MONTHS = 60;
const JSON_TYPE = "application/json; charset=utf-8";

/** The savings of a month and its year, as a page and as JSON. */
export function savingsPages({ ledger }: SavingsPageOptions): Page[] {
  const documentOf = async ({ now }: SignedInContext, site: Site, month: string) =>
    savingsPageDocument(await savingsView(ledger, site, month, now));

  return [
    // The address of earlier versions.
    accountPage.get("/savings", ({ query }) => ({
      redirect: `${MONEY_PATH}${query.size > 0 ? `?${query}` : ""}`,
    })),
    titledPage(({ savings: texts }) => texts.title).get(MONEY_PATH, async (context, site) => {
      const months = await monthsOf(context, site, ledger);
      const asked = context.query.get("month");
      const month = asked !== null && months.includes(asked) ? asked : months[0]!;
      const document = await documentOf(context, site, month);
      return { page: savingsPage(context, months, document) };
    }),
    sitePage.get("/portal/savings", async (context, site): Promise<PageReply> => {
      const { query } = context;
      const date = query.get("date");
      if (date !== null) {
        const columns = /^\d{4}-\d{2}-\d{2}$/.test(date) ? await ledger.quarters(site.id, date) : undefined;
        if (columns === undefined) return { refuse: 404 };
        return { document: JSON.stringify(ledgerDayDocument(site.id, date, columns)), type: JSON_TYPE };
      }
      const month = query.get("month") ?? localDate(context.now, site.plant.timezone).slice(0, 7);
      if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) return { refuse: 404 };
      return { document: JSON.stringify(await documentOf(context, site, month)), type: JSON_TYPE };
    }),
  ];
}

/** Months from the first measurement to now, latest first. */
async function monthsOf(
  { now }: SignedInContext,
  site: Site,
  ledger: Pick<Ledger, "firstDate">,
): Promise<string[]> {
  const current = localDate(now, site.plant.timezone).slice(0, 7);
  const first = (await ledger.firstDate(site))?.slice(0, 7) ?? current;
  return monthsBack(current, first, MOST_MONTHS);
}
