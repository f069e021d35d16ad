import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { amountsOf, periodText, type YearDocument } from "./format.js";

/** The months of a year with their sums; each month leads to its bill. */
export function BillYear({ context, bill }: { context: SignedInContext; bill: YearDocument }) {
  const { bill: texts } = textsOf(context.language);
  const { eur, kwh } = amountsOf(context);
  const hasCommunity = bill.kwh.community > 0 || bill.community_eur !== 0;
  const columns = [
    texts.importKwh,
    texts.exportKwh,
    texts.grossShort,
    ...(hasCommunity ? [texts.communityShort] : []),
    texts.feedInShort,
    texts.totalShort,
  ];
  const months = [...bill.missing_months, ...bill.months.map(({ month }) => month)].sort();
  const valuesOf = (one: AmountsOfBill) => [
    kwh(one.kwh.import),
    kwh(one.kwh.export),
    eur(one.gross_eur),
    ...(hasCommunity ? [eur(one.community_eur)] : []),
    eur(-one.feed_in_eur),
    eur(one.total_eur),
  ];
  return (
    <section class="card">
      <div class="scroll">
        <table class="bill">
          <thead>
            <tr>
              <th scope="col">{texts.month}</th>
              {columns.map((column) => (
                <th key={column} scope="col" class="number">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
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
      </div>
    </section>
  );
}

type AmountsOfBill = Pick<YearDocument, "kwh" | "gross_eur" | "community_eur" | "feed_in_eur" | "total_eur">;
