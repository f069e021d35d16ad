import type { Site } from "../../config/site.js";
import { localDate } from "../../core/time/zone.js";
import type { Ledger } from "./ledger.js";
import type { DayFigures } from "./ledger-day.js";
import type { LedgerService, SavingsNow } from "./service.js";
import type { MonthRecord } from "./stored-day.js";

/** What is known of the savings of a site, for a month and its year. */
export interface SavingsView {
  site: string;
  /** Local month, YYYY-MM. */
  month: string;
  /** The days of the year so far; those of the month are among them. */
  days: readonly DayFigures[];
  /** Savings promised and achieved by month. */
  records: readonly MonthRecord[];
  now: SavingsNow | undefined;
}

/** The savings of a month and its year as they are stored; nothing is computed. Throws StoreError. */
export async function savingsView(
  {
    ledger,
    savings,
  }: { ledger: Pick<Ledger, "days" | "months" | "firstDate">; savings: Pick<LedgerService, "now"> },
  site: Site,
  month: string,
  now: Date,
): Promise<SavingsView> {
  const today = localDate(now, site.plant.timezone);
  const end = `${month.slice(0, 4)}-12-31`;
  const days = await ledger.days(site, `${month.slice(0, 4)}-01-01`, end < today ? end : today, {
    compute: false,
  });
  const first = (await ledger.firstDate(site)) ?? today;
  return {
    site: site.id,
    month,
    days: days.filter(({ date }) => date >= first),
    records: await ledger.months(site),
    now: savings.now(site.id),
  };
}
