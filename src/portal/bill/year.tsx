import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { Notice } from "../ui/form.js";
import { Scroll } from "../ui/scroll.js";
import { TableHead } from "../ui/table.js";
import { amountsOf, periodText, type YearDocument } from "./format.js";

/** The months of a year with their sums; each month leads to its bill. */
export function BillYear({ context, bill }: { context: SignedInContext; bill: YearDocument }) {
  const { bill: texts } = textsOf(context.language);
  const { eur, kwh } = amountsOf(context);
  const hasCommunity = bill.kwh.community > 0 || bill.community_eur !== 0;
  // First what a phone shows without scrolling the table.
  const columns = [
    texts.totalShort,
    texts.importKwh,
    texts.exportKwh,
    texts.grossShort,
    ...(hasCommunity ? [texts.communityShort] : []),
    texts.feedInShort,
  ];
  const months = [...bill.missing_months, ...bill.months.map(({ month }) => month)].sort();
  const valuesOf = (one: AmountsOfBill) => [
    eur(one.total_eur),
    kwh(one.kwh.import),
    kwh(one.kwh.export),
    eur(one.gross_eur),
    ...(hasCommunity ? [eur(one.community_eur)] : []),
    eur(-one.feed_in_eur),
  ];
  const later = bill.months.find((one) => one.later_prices_of !== null)?.later_prices_of;
  return (
    <section class="card">
      {typeof later === "string" && <Notice kind="warning">{texts.laterPrices(later)}</Notice>}
      <Scroll>
        <table class="bill">
          <TableHead columns={[texts.month, ...columns.map((number) => ({ number }))]} />
          <tbody>
            {months.map((month) => {
              const one = bill.months.find((known) => known.month === month);
              return (
                <tr key={month}>
                  <th scope="row">
                    <a href={`/bill?${new URLSearchParams({ site: bill.site, month })}`}>
                      {periodText(context, month)}
                    </a>
                    {one?.complete === false && <span class="hint"> {texts.incomplete}</span>}
                  </th>
                  {one === undefined ? (
                    <td colSpan={columns.length} class="number">
                      {texts.notMetered}
                    </td>
                  ) : (
                    valuesOf(one).map((value, index) => (
                      <td key={columns[index]} class="number">
                        {value}
                      </td>
                    ))
                  )}
                </tr>
              );
            })}
            <tr class="total">
              <th scope="row">{texts.sum}</th>
              {valuesOf(bill).map((value, index) => (
                <td key={columns[index]} class="number">
                  {value}
                </td>
              ))}
            </tr>
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

type AmountsOfBill = Pick<YearDocument, "kwh" | "gross_eur" | "community_eur" | "feed_in_eur" | "total_eur">;
