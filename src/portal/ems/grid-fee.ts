import type { FlatTariffSettings } from "../../config/settings.js";

type GridFee = FlatTariffSettings["grid_fee_ct_kwh"];
type FeeWindow = Exclude<GridFee, number>[number];

/** A grid fee as people see it: one fee for all the time, and the windows in which another one holds. */
export interface FeeParts {
  /** Undefined: none outside of the windows. */
  baseCtKwh: number | undefined;
  windows: readonly FeeWindow[];
}

/** Parts a fee as the configuration holds it, ct/kWh. A first window over the whole year is the base. */
export function feeParts(fee: GridFee): FeeParts {
  if (typeof fee === "number") return { baseCtKwh: fee, windows: [] };
  const [first, ...others] = fee;
  const isBase = first?.months === "1-12" && first.hours === "0-24";
  return isBase ? { baseCtKwh: first.ct_kwh, windows: others } : { baseCtKwh: undefined, windows: fee };
}

/**
 * The opposite of `feeParts`. Values are taken as they were typed: what does not fit is found by the check of the
 * configuration.
 */
export function feeOf(base: unknown, windows: readonly unknown[]): unknown {
  if (windows.length === 0) return base;
  return base === undefined ? windows : [{ months: "1-12", hours: "0-24", ct_kwh: base }, ...windows];
}
