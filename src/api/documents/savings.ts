import { moneyEur } from "../../core/domain/rounding.js";
import type { Amount, DayFigures } from "../../money/ledger/ledger-day.js";
import type { SavingsNow } from "../../money/ledger/savings-view.js";
import { totalOf } from "../../money/ledger/totals.js";

/** The savings of a period as `hourgate savings --json` prints them; EUR, null where a figure is not known. */
export function savingsDocument(days: readonly DayFigures[]) {
  const { complete, ...total } = totalOf(days);
  return {
    days: days.map((day) => ({
      date: day.date,
      complete: day.complete,
      ...amounts(day),
      negative_reason: day.isEarlier ? null : day.negativeReason,
      ...(day.soFar && { so_far: true }),
      ...(day.isEarlier && { before_installation: true }),
    })),
    total: { complete, ...amounts(total) },
  };
}

/** Savings so far, EUR; null where they are not known. */
export function savedDocument(now: SavingsNow | undefined) {
  if (now === undefined) return null;
  return {
    date: now.date,
    today_eur: eur(now.todayEur),
    week_eur: eur(now.weekEur),
    month_eur: eur(now.monthEur),
    total_eur: eur(now.totalEur),
  };
}

function amounts(of: Readonly<Record<Amount, number | null>>) {
  return {
    cost_eur: eur(of.costEur),
    uncontrolled_eur: eur(of.uncontrolledEur),
    no_battery_eur: eur(of.noBatteryEur),
    promised_eur: eur(of.promisedEur),
    perfect_eur: eur(of.perfectEur),
    stored_change_eur: eur(of.storedChangeEur),
    saved_eur: eur(of.savedEur),
    saved_battery_eur: eur(of.savedBatteryEur),
    saved_devices_eur: eur(of.savedDevicesEur),
  };
}

function eur(value: number | null): number | null {
  return value === null ? null : moneyEur(value);
}
