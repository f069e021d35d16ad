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
  const failure = content.kind === "failed" ? whyNoBill(context, period, content) : undefined;
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
      {failure !== undefined && (
        <Notice kind={failure.kind}>
          <p>{failure.text}</p>
          {failure.link && linkLine(...failure.link)}
        </Notice>
      )}
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
      <input type="hidden" name="site" value={context.site.id} />
      <div class="columns">
        <SelectField name="month" label={bill.choose} value={period} options={options} />
      </div>
      <SubmitButton>{bill.show}</SubmitButton>
    </form>
  );
}

/** Why there is no bill, as a sentence, and where that can be changed. */
export function whyNoBill(
  context: SiteContext,
  period: string,
  { code, reason }: Extract<BillContent, { kind: "failed" }>,
): { kind: "info" | "warning" | "error"; text: string; link?: [href: string, text: string] } {
  const { bill } = textsOf(context.language);
  const shown = periodText(context, period);
  switch (code) {
    case "nothing_metered":
      return { kind: "info", text: bill.noMeter(shown), link: ["/meter", bill.importFirst] };
    case "no_prices":
      return { kind: "warning", text: bill.noPrices(shown) };
    case "wrong_month":
      return { kind: "error", text: bill.wrongMonth };
    default: {
      const text = code === "bad_tariff" ? bill.badTariff(reason ?? "") : bill.noTariff;
      return { kind: "warning", text, link: ["/settings/ems/tariff", bill.setTariff] };
    }
  }
}

/** The months of a year with their sums; each month leads to its bill. */
function billYear(context: SiteContext, bill: YearDocument) {
  const { bill: texts } = textsOf(context.language);
  const { eur, kwh } = amountsOf(context);
  const hasCommunity = bill.kwh.community > 0 || bill.community_eur !== 0;
  const columns: [label: string, cell: (of: AmountsOfBill) => string][] = [
    [texts.totalShort, (of) => eur(of.total_eur)],
    [texts.importKwh, (of) => kwh(of.kwh.import)],
    [texts.exportKwh, (of) => kwh(of.kwh.export)],
    [texts.grossShort, (of) => eur(of.gross_eur)],
    ...(hasCommunity
      ? [[texts.communityShort, (of) => eur(of.community_eur)] as (typeof columns)[number]]
      : []),
    [texts.feedInShort, (of) => eur(-of.feed_in_eur)],
  ];
  const later = bill.months.find((one) => one.later_prices_of !== null)?.later_prices_of;
  const months = [...bill.missing_months, ...bill.months.map(({ month }) => month)].sort();
  const billOf = (month: string) => bill.months.find((known) => known.month === month);
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
          ...columns.map(([label, cell]) => col.number(label, (month) => cell(billOf(month)!))),
        ]}
        sums={{ label: texts.sum, numbers: columns.map(([, cell]) => cell(bill)) }}
      />
    </section>
  );
}

type AmountsOfBill = Pick<YearDocument, "kwh" | "gross_eur" | "community_eur" | "feed_in_eur" | "total_eur">;
