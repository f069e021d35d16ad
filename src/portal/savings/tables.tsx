import type { SavingsPageDocument } from "../../api/documents/savings-page.js";
import { localDate } from "../../core/time/zone.js";
import type { Format } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import { periodText } from "../bill/format.js";
import type { SignedInContext } from "../context.js";
import { Scroll } from "../ui/scroll.js";
import { TableHead } from "../ui/table-head.js";

interface TableProps {
  context: SignedInContext;
  document: SavingsPageDocument;
  format: Format;
}

const COLUMNS = ["cost", "uncontrolled", "noBattery", "promised", "perfect", "stored", "saved"] as const;

type Amounts = SavingsPageDocument["total"];

function amounts(of: Amounts): Record<(typeof COLUMNS)[number], number | null> {
  return {
    cost: of.cost_eur,
    uncontrolled: of.uncontrolled_eur,
    noBattery: of.no_battery_eur,
    promised: of.promised_eur,
    perfect: of.perfect_eur,
    stored: of.stored_change_eur,
    saved: of.saved_eur,
  };
}

function Cells({ of, format }: { of: Amounts; format: Format }) {
  const values = amounts(of);
  return (
    <>
      {COLUMNS.map((name) => (
        <td key={name} class="number">
          {format.number(values[name])}
        </td>
      ))}
    </>
  );
}

function Head({ context, first }: { context: SignedInContext; first: string }) {
  const { columns } = textsOf(context.language).savings;
  return <TableHead columns={[first, ...COLUMNS.map((name) => ({ number: columns[name] }))]} />;
}

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
    <Scroll>
      <table>
        <caption>{texts.inEuro}</caption>
        <Head context={context} first={texts.day} />
        <tbody>
          {document.days.map((day) => (
            <tr key={day.date} class={day.before_installation ? "muted" : undefined}>
              <th scope="row">
                {weekday.format(new Date(`${day.date}T00:00:00Z`))}
                {day.negative_reason !== null && (
                  <span class="hint">{` ${texts.negative[day.negative_reason]}`}</span>
                )}
                {day.before_installation && <span class="hint">{` ${texts.earlier}`}</span>}
              </th>
              {day.complete || day.so_far ? (
                <Cells of={day} format={format} />
              ) : (
                <td colSpan={COLUMNS.length} class="muted">
                  {day.date === today ? texts.notOver : texts.incomplete}
                </td>
              )}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr class="total">
            <th scope="row">{texts.sum}</th>
            <Cells of={document.total} format={format} />
          </tr>
        </tfoot>
      </table>
    </Scroll>
  );
}

/** The months of the year. */
export function YearTable({ context, document, format }: TableProps) {
  const { savings: texts } = textsOf(context.language);
  return (
    <Scroll>
      <table>
        <caption>{texts.inEuro}</caption>
        <Head context={context} first={texts.month} />
        <tbody>
          {document.year.months.map((month) => (
            <tr key={month.month}>
              <th scope="row">
                <a href={`/savings?${new URLSearchParams({ site: document.site, month: month.month })}`}>
                  {periodText(context, month.month)}
                </a>
                {month.complete_days < month.days && (
                  <span class="hint">{` ${texts.daysKnown(month.complete_days, month.days)}`}</span>
                )}
              </th>
              <Cells of={month} format={format} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr class="total">
            <th scope="row">{texts.sum}</th>
            <Cells of={document.year.total} format={format} />
          </tr>
        </tfoot>
      </table>
    </Scroll>
  );
}

/** Savings that the plan expected each morning against those achieved, by month. */
export function PromiseTable({ context, document, format }: TableProps) {
  const { savings: texts } = textsOf(context.language);
  const months = document.year.months.filter(({ compared_days }) => compared_days > 0);
  if (months.length === 0) return <p class="muted">{texts.noPromise}</p>;
  return (
    <>
      <Scroll>
        <table>
          <caption>{texts.inEuro}</caption>
          <TableHead
            columns={[
              texts.month,
              { number: texts.promisedSaving },
              { number: texts.achievedSaving },
              { number: texts.comparedDays },
            ]}
          />
          <tbody>
            {months.map((month) => (
              <tr key={month.month}>
                <th scope="row">{periodText(context, month.month)}</th>
                <td class="number">{format.number(month.promised_saving_eur)}</td>
                <td class="number">{format.number(month.achieved_saving_eur)}</td>
                <td class="number">{format.number(month.compared_days, 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="muted">{texts.promiseNote}</p>
    </>
  );
}
