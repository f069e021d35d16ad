import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { Notice } from "../ui/form.js";
import { dateTimeText } from "../ui/format.js";
import { tableHead } from "../ui/table.js";
import { amountsOf, levyName, type MonthDocument } from "./format.js";

type Line = MonthDocument["lines"][number];

/** Intervals of a gap that are listed. */
const SHOWN_INTERVALS = 20;

const SUPPLIER = ["energy", "base_fee"];
const LEVIES = ["levy", "municipal_levy"];
const APART = ["community", "feed_in"];

/** The invoices of a month: supplier and grid, community, feed-in, and what is not certain. */
export function BillLinesSection({ context, bill }: { context: SignedInContext; bill: MonthDocument }) {
  const { bill: texts } = textsOf(context.language);
  const { eur } = amountsOf(context);
  const lines = (isShown: (line: Line) => boolean) => bill.lines.filter(isShown);
  const groups: [string, Line[]][] = [
    [texts.sections.supplier, lines(({ part }) => SUPPLIER.includes(part))],
    [texts.sections.grid, lines(({ part }) => ![...SUPPLIER, ...LEVIES, ...APART].includes(part))],
    [texts.sections.levies, lines(({ part }) => LEVIES.includes(part))],
  ];
  const community = lines(({ part }) => part === "community");
  const feedIn = lines(({ part }) => part === "feed_in");
  return (
    <>
      {gaps(context, bill)}
      <section class="card">
        <table class="lines">
          {tableHead([
            texts.part,
            { number: texts.quantity },
            { number: texts.price },
            { number: texts.net },
          ])}
          {groups
            .filter(([, group]) => group.length > 0)
            .map(([title, group]) => (
              <tbody key={title}>
                <tr>
                  <th colSpan={4} scope="rowgroup" class="group">
                    {title}
                  </th>
                </tr>
                {lineRows(context, group)}
              </tbody>
            ))}
          <tbody>
            {sum(texts.netSum, eur(bill.net_eur))}
            {sum(texts.vat, eur(bill.vat_eur))}
            {sum(texts.gross, eur(bill.gross_eur), true)}
          </tbody>
          {community.length > 0 && (
            <tbody>
              <tr>
                <th colSpan={4} scope="rowgroup" class="group">
                  {texts.communityTitle}
                </th>
              </tr>
              {lineRows(context, community)}
              {sum(texts.communityGross, eur(bill.community_eur), true)}
            </tbody>
          )}
          {feedIn.length > 0 && (
            <tbody>
              <tr>
                <th colSpan={4} scope="rowgroup" class="group">
                  {bill.feed_in_eur < 0 ? texts.feedInCost : texts.feedInTitle}
                </th>
              </tr>
              {lineRows(context, feedIn)}
              {sum(bill.feed_in_eur < 0 ? texts.feedInCost : texts.feedInSum, eur(-bill.feed_in_eur), true)}
            </tbody>
          )}
          <tbody>
            {sum(bill.total_eur < 0 ? texts.credit : texts.total, `${eur(Math.abs(bill.total_eur))} €`, true)}
          </tbody>
        </table>
        <p class="hint screen-only">{texts.print}</p>
      </section>
    </>
  );
}

function lineRows(context: SignedInContext, lines: readonly Line[]) {
  const { eur } = amountsOf(context);
  return (
    <>
      {lines.map((line, index) => (
        // A month with two periods has the same items twice.
        <tr key={`${line.part} ${line.name} ${index}`}>
          <th scope="row">{nameOf(context, line)}</th>
          <td class="number">{quantityOf(context, line)}</td>
          <td class="number">{priceOf(context, line)}</td>
          <td class="number">{eur(line.part === "feed_in" ? -line.net_eur : line.net_eur)}</td>
        </tr>
      ))}
    </>
  );
}

/** The levy; else the item with its window. */
function nameOf({ language }: SignedInContext, { part, name }: Line): string {
  const { bill } = textsOf(language);
  if (LEVIES.includes(part)) return levyName(name, language);
  const item = bill.parts[part];
  if (name === part) return item;
  if (part === "feed_in") return `${item} (${bill.communityFeedIn})`;
  return `${item} (${name === "community" ? bill.ofCommunity : bill.window(name)})`;
}

function quantityOf(context: SignedInContext, { quantity, unit }: Line): string {
  const { number } = amountsOf(context);
  if (unit === "month")
    return `${number(quantity, Number.isInteger(quantity) ? 0 : 3)} ${textsOf(context.language).bill.month}`;
  return `${number(quantity, unit === "kWh" ? 3 : 2)} ${unit}`;
}

function priceOf(context: SignedInContext, { price_ct: priceCt, unit }: Line): string {
  if (priceCt === null) return "";
  const { number } = amountsOf(context);
  return unit === "kWh" ? `${number(priceCt, 4)} ct` : `${number(priceCt / 100, 4)} €`;
}

function sum(label: string, value: string, isTotal = false) {
  return (
    <tr class={isTotal ? "total" : undefined}>
      <th scope="row" colSpan={3}>
        {label}
      </th>
      <td class="number">{value}</td>
    </tr>
  );
}

/** What is not certain, each with its amount and times. */
function gaps(context: SignedInContext, bill: MonthDocument) {
  const { bill: texts } = textsOf(context.language);
  const { eur, kwh, hours } = amountsOf(context);
  if (bill.gaps.length === 0 && bill.estimated_prices.length === 0 && bill.later_prices_of === null)
    return null;
  return (
    <Notice kind="warning">
      <h3>{texts.gapsTitle}</h3>
      {bill.estimated_prices.map((part) => (
        <p key={part}>{texts.estimatedPrice(part)}</p>
      ))}
      {bill.later_prices_of !== null && <p>{texts.laterPrices(bill.later_prices_of)}</p>}
      {bill.gaps.map((gap) => (
        <div key={gap.kind}>
          <p>
            {texts.gap(gap.kind, {
              hours: hours(gap.hours),
              kwh: kwh(gap.kwh),
              eur: gap.eur === null ? undefined : eur(gap.eur),
            })}
          </p>
          <details>
            <summary>{texts.intervals}</summary>
            <ul>
              {gap.intervals.slice(0, SHOWN_INTERVALS).map(({ start, end }) => (
                <li key={start}>
                  {dateTimeText(new Date(start), context)} – {dateTimeText(new Date(end), context)}
                </li>
              ))}
              {gap.intervals.length > SHOWN_INTERVALS && (
                <li>{texts.more(gap.intervals.length - SHOWN_INTERVALS)}</li>
              )}
            </ul>
          </details>
        </div>
      ))}
    </Notice>
  );
}
