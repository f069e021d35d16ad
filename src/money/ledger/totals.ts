import { AMOUNTS, type Amount, type DayFigures } from "./ledger-day.js";

/** Amounts of complete days only; the others are also of today so far. */
const COMPLETE: readonly Amount[] = ["promisedEur", "perfectEur"];

/** Sums over the days of a period that count: complete ones since the installation, and today so far. `days`: their number. */
export type SavingsTotal = { complete: boolean; days: number } & Record<Amount, number | null>;

/**
 * The sums of a period, the same wherever they are shown. A sum is null where no day has the amount, or where one of them lacks it:
 * sums over different days could not be compared. Days without a saving, such as those before there was a battery, do not hide the
 * others.
 */
export function totalOf(days: readonly DayFigures[]): SavingsTotal {
  const counted = days.filter((day) => !day.isEarlier && (day.complete || day.soFar));
  const compared = counted.filter((day) => day.savedEur !== null);
  const used = compared.length > 0 ? compared : counted;
  const sum = (amount: Amount, of: readonly DayFigures[]): number | null => {
    if (of.length === 0) return null;
    let total = 0;
    for (const day of of) {
      const value = day[amount];
      if (value === null) return null;
      total += value;
    }
    return total;
  };
  const over = used.filter((day) => day.complete);
  const amounts = Object.fromEntries(
    AMOUNTS.map((amount) => [amount, sum(amount, COMPLETE.includes(amount) ? over : used)]),
  ) as Record<Amount, number | null>;
  const complete = days.length > 0 && days.every((day) => day.complete);
  return { complete, days: used.length, ...amounts };
}
