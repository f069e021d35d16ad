import type { SavingsPageDocument } from "../../api/documents/savings-page.js";
import { localDate } from "../../core/time/zone.js";
import type { Format } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import { periodText } from "../bill/format.js";
import type { SignedInContext } from "../context.js";
import { columnsOf, DataTable } from "../ui/table.js";

interface TableProps {
  context: SignedInContext;
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
      scrolls
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
export function YearTable({ context, document, format }: TableProps) {
  const { savings: texts } = textsOf(context.language);
  return (
    <DataTable
      scrolls
      caption={texts.inEuro}
      rows={document.year.months}
      columns={(col) => [
        col.head(texts.month, ({ month, complete_days, days }) => (
          <>
            <a href={`/savings?${new URLSearchParams({ site: document.site, month })}`}>
              {periodText(context, month)}
            </a>
            {complete_days < days && <span class="hint">{` ${texts.daysKnown(complete_days, days)}`}</span>}
          </>
        )),
        ...amountColumns(format),
      ]}
      sums={sumsOf(document.year.total, format)}
    />
  );
}

/** Savings that the plan expected each morning against those achieved, by month. */
export function PromiseTable({ context, document, format }: TableProps) {
  const { savings: texts } = textsOf(context.language);
  const months = document.year.months.filter(({ compared_days }) => compared_days > 0);
  if (months.length === 0) return <p class="muted">{texts.noPromise}</p>;
  return (
    <>
      <DataTable
        scrolls
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
