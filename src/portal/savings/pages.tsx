import { ledgerDayDocument, savingsPageDocument } from "../../api/documents/savings-page.js";
import type { Site } from "../../config/site.js";
import { localDate, monthsBack } from "../../core/time/zone.js";
import type { Ledger } from "../../money/ledger/ledger.js";
import { savingsView } from "../../money/ledger/savings-view.js";
import type { Page, PageReply, SignedInContext } from "../context.js";
import { accountPage, sitePage, titledPage } from "../page.js";
import { MONEY_PATH } from "../ui/links.js";
import { savingsPage } from "./page.js";

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
