import type { DayFigures } from "./ledger-day.js";

/** Amounts of the days that are over and of today so far. */
const SO_FAR = [
  "costEur",
  "uncontrolledEur",
  "noBatteryEur",
  "storedChangeEur",
  "savedEur",
  "savedBatteryEur",
  "savedDevicesEur",
] as const;
/** Amounts of complete days only. */
const COMPLETE = ["promisedEur", "perfectEur"] as const;

export type Amount = (typeof SO_FAR | typeof COMPLETE)[number];

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
  const amounts = Object.fromEntries([
    ...SO_FAR.map((amount) => [amount, sum(amount, used)]),
    ...COMPLETE.map((amount) => [amount, sum(amount, over)]),
  ]) as Record<Amount, number | null>;
  const complete = days.length > 0 && days.every((day) => day.complete);
  return { complete, days: used.length, ...amounts };
}
