import { textsOf } from "../../texts/index.js";
import type { SiteContext } from "../page.js";
import { Notice, SelectField, SubmitButton } from "../ui/form.js";
import { dateTimeText, siteName } from "../ui/format.js";
import { Layout } from "../ui/layout.js";
import { COMPARE_LINK } from "../ui/links.js";
import { linkLine } from "../ui/parts.js";
import { DataTable } from "../ui/table.js";
import { amountsOf, type MonthDocument, periodText, type YearDocument } from "./format.js";
import { BillLinesSection } from "./lines.js";

/** What the page shows: a bill, or why there is none. */
export type BillContent =
  | { kind: "month"; bill: MonthDocument }
  | { kind: "year"; bill: YearDocument }
  | { kind: "failed"; code: string; reason?: string };

interface BillPageProps {
  context: SiteContext;
  /** Months to choose from, latest first. */
  months: readonly string[];
  /** The shown month `YYYY-MM` or year `YYYY`. */
  period: string;
  content: BillContent;
}

/** The page "Bill" of a month or a year. */
export function BillPage({ context, months, period, content }: BillPageProps) {
  const { bill } = textsOf(context.language);
  return (
    <Layout context={context} title={bill.title}>
      <p class="screen-only">{bill.intro}</p>
      <Chooser context={context} months={months} period={period} />
      <h2>{bill.of(siteName(context.site), periodText(context, period))}</h2>
      {content.kind === "month" && content.bill.until !== null && (
        <p>{bill.until(dateTimeText(new Date(content.bill.until), context))}</p>
      )}
      {content.kind === "month" && <BillLinesSection context={context} bill={content.bill} />}
      {content.kind === "year" && billYear(context, content.bill)}
      {content.kind === "failed" && noBill(context, period, content)}
      <p class="screen-only">
        <a href={COMPARE_LINK}>{bill.compare}</a>
        {" · "}
        <a href="/settings/ems/tariff">{bill.setTariff}</a>
      </p>
    </Layout>
  );
}

function Chooser({ context, months, period }: Omit<BillPageProps, "content">) {
  const { bill } = textsOf(context.language);
  const years = [...new Set(months.map((month) => month.slice(0, 4)))];
  const options = years.flatMap((year) => [
    { value: year, label: bill.year(year) },
    ...months
      .filter((month) => month.startsWith(year))
      .map((month) => ({ value: month, label: periodText(context, month) })),
  ]);
  return (
    <form method="get" action="/bill" class="card">
      {context.site !== undefined && <input type="hidden" name="site" value={context.site.id} />}
      <div class="columns">
        <SelectField name="month" label={bill.choose} value={period} options={options} />
      </div>
      <SubmitButton>{bill.show}</SubmitButton>
    </form>
  );
}

function noBill(context: SiteContext, period: string, content: Extract<BillContent, { kind: "failed" }>) {
  const { bill } = textsOf(context.language);
  switch (content.code) {
    case "nothing_metered":
      return (
        <Notice kind="info">
          <p>{bill.noMeter(periodText(context, period))}</p>
          {linkLine("/meter", bill.importFirst)}
        </Notice>
      );
    case "no_prices":
      return <Notice kind="warning">{bill.noPrices(periodText(context, period))}</Notice>;
    case "wrong_month":
      return <Notice kind="error">{bill.wrongMonth}</Notice>;
    default:
      return (
        <Notice kind="warning">
          <p>{content.code === "bad_tariff" ? bill.badTariff(content.reason ?? "") : bill.noTariff}</p>
          {linkLine("/settings/ems/tariff", bill.setTariff)}
        </Notice>
      );
  }
}

/** The months of a year with their sums; each month leads to its bill. */
function billYear(context: SiteContext, bill: YearDocument) {
  const { bill: texts } = textsOf(context.language);
  const { eur, kwh } = amountsOf(context);
  const hasCommunity = bill.kwh.community > 0 || bill.community_eur !== 0;
  const columns = [
    texts.totalShort,
    texts.importKwh,
    texts.exportKwh,
    texts.grossShort,
    ...(hasCommunity ? [texts.communityShort] : []),
    texts.feedInShort,
  ];
  const later = bill.months.find((one) => one.later_prices_of !== null)?.later_prices_of;
  const months = [...bill.missing_months, ...bill.months.map(({ month }) => month)].sort();
  const billOf = (month: string) => bill.months.find((known) => known.month === month);
  const valuesOf = (one: AmountsOfBill) => [
    eur(one.total_eur),
    kwh(one.kwh.import),
    kwh(one.kwh.export),
    eur(one.gross_eur),
    ...(hasCommunity ? [eur(one.community_eur)] : []),
    eur(-one.feed_in_eur),
  ];
  return (
    <section class="card">
      {typeof later === "string" && <Notice kind="warning">{texts.laterPrices(later)}</Notice>}
      <DataTable
        rows={months}
        gap={(month) => (billOf(month) === undefined ? texts.notMetered : undefined)}
        columns={(col) => [
          col.head(texts.month, (month) => (
            <>
              <a href={`/bill?${new URLSearchParams({ site: bill.site, month })}`}>
                {periodText(context, month)}
              </a>
              {billOf(month)?.complete === false && <span class="hint"> {texts.incomplete}</span>}
            </>
          )),
          ...columns.map((label, index) => col.number(label, (month) => valuesOf(billOf(month)!)[index])),
        ]}
        sums={{ label: texts.sum, numbers: valuesOf(bill) }}
      />
    </section>
  );
}

type AmountsOfBill = Pick<YearDocument, "kwh" | "gross_eur" | "community_eur" | "feed_in_eur" | "total_eur">;
