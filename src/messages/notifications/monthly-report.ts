import type { Site } from "../../config/site.js";
import { daysOfMonth } from "../../core/time/zone.js";
import { BillError, type BillService } from "../../money/bill/bill-service.js";
import type { Ledger } from "../../money/ledger/ledger.js";
import { totalOf } from "../../money/ledger/totals.js";
import { TariffError } from "../../tariff/tariff.js";
import type { MonthlyReport } from "./conditions.js";

/** The result of a month, `YYYY-MM`; undefined if nothing is known of it. Throws StoreError, TariffError. */
export async function monthlyReport(
  { ledger, bills }: { ledger: Pick<Ledger, "days">; bills: Pick<BillService, "month"> },
  site: Site,
  month: string,
): Promise<MonthlyReport | undefined> {
  const days = await ledger.days(site, ...daysOfMonth(month));
  const total = totalOf(days);
  const bill = await bills.month({ site: site.id, month, roundLines: true }).catch((error: unknown) => {
    if (!(error instanceof BillError || error instanceof TariffError)) throw error;
    return undefined;
  });
  if (total.savedEur === null && bill === undefined) return undefined;
  return {
    month,
    savedEur: total.savedEur,
    days: total.days,
    ofDays: days.length,
    billEur: bill?.bill.totalEur ?? null,
    missingHours: bill?.missingHours ?? 0,
  };
}
