import type { FlatTariffSettings } from "../../config/settings.js";

type GridFee = FlatTariffSettings["grid_fee_ct_kwh"];
type FeeWindow = Exclude<GridFee, number>[number];

/** A grid fee as shown in the form: a base fee and the windows with another fee. */
export interface FeeParts {
  /** Undefined: no fee outside the windows. */
  baseCtKwh: number | undefined;
  windows: readonly FeeWindow[];
}

/** Splits the fee of the configuration, ct/kWh. A first window over the whole year is the base fee. */
export function feeParts(fee: GridFee): FeeParts {
  if (typeof fee === "number") return { baseCtKwh: fee, windows: [] };
  const [first, ...others] = fee;
  const isBase = first?.months === "1-12" && first.hours === "0-24";
  return isBase ? { baseCtKwh: first.ct_kwh, windows: others } : { baseCtKwh: undefined, windows: fee };
}

/**
 * The inverse of `feeParts`. Values are not checked; the validation of the configuration reports invalid ones.
 */
export function feeOf(base: unknown, windows: readonly unknown[]): unknown {
  if (windows.length === 0) return base;
  return base === undefined ? windows : [{ months: "1-12", hours: "0-24", ct_kwh: base }, ...windows];
}
