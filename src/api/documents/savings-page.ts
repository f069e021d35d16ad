import { moneyEur } from "../../core/domain/rounding.js";
import type { SavingsView } from "../../money/ledger/savings-view.js";
import type { QuarterColumns } from "../../money/ledger/stored-day.js";
import { totalOf } from "../../money/ledger/totals.js";
import { savedDocument, savingsDocument } from "./savings.js";

/** The savings of a month, its year, and promise against result, as the portal serves them. */
export function savingsPageDocument({ site, month, days, records, now }: SavingsView) {
  const year = month.slice(0, 4);
  const months = [...new Set(days.map(({ date }) => date.slice(0, 7)))];
  const ofMonth = (name: string) => days.filter(({ date }) => date.startsWith(name));
  return {
    site,
    month,
    now: savedDocument(now),
    ...savingsDocument(ofMonth(month)),
    year: {
      year,
      months: months.map((name) => {
        const record = records.find((one) => one.month === name);
        const ofName = ofMonth(name);
        return {
          month: name,
          days: ofName.length,
          complete_days: ofName.filter(({ complete }) => complete).length,
          counted_days: totalOf(ofName).days,
          ...savingsDocument(ofName).total,
          promised_saving_eur: record === undefined ? null : moneyEur(record.promisedEur),
          achieved_saving_eur: record === undefined ? null : moneyEur(record.achievedEur),
          compared_days: record?.days ?? 0,
        };
      }),
      total: savingsDocument(days).total,
    },
  };
}

export type SavingsPageDocument = ReturnType<typeof savingsPageDocument>;

/** The quarter-hours of a day as the ledger has them, kWh and ct/kWh; null where a value is not known. */
export function ledgerDayDocument(site: string, date: string, columns: QuarterColumns) {
  return {
    site,
    date,
    import_kwh: columns.importKwh,
    export_kwh: columns.exportKwh,
    pv_kwh: columns.pvKwh,
    load_kwh: columns.loadKwh,
    charge_kwh: columns.chargeKwh,
    discharge_kwh: columns.dischargeKwh,
    import_ct_kwh: columns.importCtKwh,
    export_ct_kwh: columns.exportCtKwh,
    slots_kwh: columns.slots,
  };
}
