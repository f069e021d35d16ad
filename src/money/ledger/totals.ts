import type { DayFigures } from "./ledger-day.js";

const AMOUNTS = [
  "costEur",
  "uncontrolledEur",
  "noBatteryEur",
  "promisedEur",
  "perfectEur",
  "storedChangeEur",
  "savedEur",
] as const;

export type Amount = (typeof AMOUNTS)[number];

/** Sums over the complete days of a period. */
export type SavingsTotal = { complete: boolean; days: number } & Record<Amount, number | null>;

/**
 * The sums of a period. A sum is null where no complete day has the amount, or where one of them lacks it: sums over
 * different days could not be compared.
 */
export function totalOf(days: readonly DayFigures[]): SavingsTotal {
  const complete = days.filter((day) => day.complete);
  const sum = (amount: Amount): number | null => {
    if (complete.length === 0) return null;
    let total = 0;
    for (const day of complete) {
      const value = day[amount];
      if (value === null) return null;
      total += value;
    }
    return total;
  };
  const amounts = Object.fromEntries(AMOUNTS.map((amount) => [amount, sum(amount)])) as Record<
    Amount,
    number | null
  >;
  return { complete: complete.length === days.length && days.length > 0, days: complete.length, ...amounts };
}
