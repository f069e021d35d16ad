import { type Energies, energiesBy } from "./ledger-day.js";
import type { QuarterColumns } from "./stored-day.js";

/** An hour of a day: its energies in kWh, and what they cost. */
export interface LedgerHour extends Readonly<Energies> {
  /** Mean all-in price of import, whether any was imported or not, ct/kWh; null: not known. */
  priceCtKwh: number | null;
  /** Energy and grid, less feed-in, without fixed amounts, EUR; null: a quarter-hour is not known. */
  costEur: number | null;
}

/** The four quarter-hours from `first` on; fewer at the end of a day so far. */
export function ledgerHour(quarters: QuarterColumns, first: number): LedgerHour {
  const part = (values: readonly (number | null)[]) => values.slice(first, first + 4);
  const sum = (values: readonly (number | null)[]) =>
    part(values).reduce<number>((all, one) => all + (one ?? 0), 0);
  const prices = part(quarters.importCtKwh).filter((ct) => ct !== null);
  const [exportKwh, exportCtKwh] = [part(quarters.exportKwh), part(quarters.exportCtKwh)];
  const costCt = part(quarters.importKwh).reduce<number | null>((ct, kwh, t) => {
    const priceCt = quarters.importCtKwh[first + t] ?? null;
    if (ct === null || kwh === null || priceCt === null) return null;
    return ct + kwh * priceCt - (exportKwh[t] ?? 0) * (exportCtKwh[t] ?? 0);
  }, 0);
  return {
    ...energiesBy((name) => sum(quarters[`${name}Kwh`])),
    priceCtKwh: prices.length === 0 ? null : prices.reduce((all, ct) => all + ct, 0) / prices.length,
    costEur: costCt === null ? null : costCt / 100,
  };
}
