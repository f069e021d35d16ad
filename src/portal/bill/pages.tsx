import { billDocument, yearBillDocument } from "../../api/documents/bill.js";
import { localDate, monthAfter, monthsBack } from "../../core/time/zone.js";
import { BillError, type BillRequest, type BillService } from "../../money/bill/bill-service.js";
import type { MeterArchive } from "../../store/meter-archive.js";
import { TariffError } from "../../tariff/tariff.js";
import type { Page, PageReply, SignedInContext } from "../context.js";
import { type SiteContext, sitePage, titledPage } from "../page.js";
import { type BillContent, BillPage, whyNoBill } from "./page.js";

/** Months without imports that the list offers: counters of the telemetry may cover them. */
const RECENT_MONTHS = 14;
const MOST_MONTHS = 120;

/** Services that the page "Bill" uses. */
export interface BillPageOptions {
  bills: Pick<BillService, "month" | "year">;
  imports: Pick<MeterArchive, "list">;
}

/** The bill of a month or a year, as a page and as JSON. */
export function billPages(options: BillPageOptions): Page[] {
  const contentOf = async (context: SiteContext, period: string): Promise<BillContent> => {
    try {
      return await documentOf(context, options, period);
    } catch (error) {
      if (error instanceof BillError) return { kind: "failed", code: error.code };
      if (error instanceof TariffError)
        return { kind: "failed", code: "bad_tariff", reason: error.text(context.language) };
      throw error;
    }
  };
  const show = async (context: SiteContext): Promise<PageReply> => {
    const { months, usual } = periodsOf(context, options);
    const asked = periodAsked(context);
    let period = asked ?? usual;
    let content = await contentOf(context, period);
    const [current] = months;
    // In the first month there is only this one.
    if (asked === undefined && isNotMeasured(content) && current !== undefined) {
      const now = await contentOf(context, current);
      if (!isNotMeasured(now)) [period, content] = [current, now];
    }
    const isWrong = content.kind === "failed" && content.code === "wrong_month";
    return {
      page: <BillPage context={context} months={months} period={period} content={content} />,
      status: isWrong ? 422 : 200,
    };
  };

  return [
    titledPage(({ bill }) => bill.title).get("/bill", show),
    sitePage.get("/portal/bill", async (context): Promise<PageReply> => {
      const asked = periodAsked(context) ?? periodsOf(context, options).usual;
      const content = await contentOf(context, asked);
      const type = "application/json; charset=utf-8";
      if (content.kind !== "failed") return { document: JSON.stringify(content.bill), type };
      const { code, reason } = content;
      const message = reason ?? whyNoBill(context, asked, content).text;
      return { document: JSON.stringify({ error: { code, message } }), type, status: 422 };
    }),
  ];
}

const isNotMeasured = (content: BillContent) =>
  content.kind === "failed" && content.code === "nothing_metered";

/** `month` or `year` of the query; `month` may also hold a year, as in the list of the page. */
function periodAsked({ query }: SignedInContext): string | undefined {
  return query.get("month") ?? query.get("year") ?? undefined;
}

async function documentOf(
  { site, query }: SiteContext,
  { bills }: BillPageOptions,
  period: string,
): Promise<BillContent> {
  const request: BillRequest = {
    roundLines: !["0", "false"].includes(query.getAll("round_lines").at(-1) ?? ""),
    site: site.id,
  };
  if (/^\d{4}$/.test(period))
    return { kind: "year", bill: yearBillDocument(await bills.year({ ...request, year: period })) };
  return { kind: "month", bill: billDocument(await bills.month({ ...request, month: period })) };
}

/** Months that the list offers, latest first, and the one shown first: the last that imports cover to its end. */
function periodsOf({ site, now }: SiteContext, { imports }: BillPageOptions) {
  const zone = site.plant.timezone;
  const monthOf = (at: Date) => localDate(at, zone).slice(0, 7);
  const current = monthOf(now);
  const series = imports.list(site.id).flatMap((one) => one.series);
  const firsts = series.map(({ firstStart }) => monthOf(new Date(firstStart)));
  const lasts = series.map(({ lastStart }) => monthOf(new Date(Date.parse(lastStart) - DAY_BEFORE_END_MS)));
  const first = [monthAfter(current, -RECENT_MONTHS), ...firsts].sort()[0]!;
  const last = lasts
    .filter((month) => month < current)
    .sort()
    .at(-1);
  return { months: monthsBack(current, first, MOST_MONTHS), usual: last ?? monthAfter(current, -1) };
}

/** An import that ends on the first day of a month is about the month before. */
const DAY_BEFORE_END_MS = 24 * 3_600_000;
