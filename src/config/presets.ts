import type { FlatTariffSettings } from "./settings.js";

/** Verified facts about Austrian electricity bills, each with its source and start date. */

/** Standard rate of value added tax in Austria, percent. Source: Umsatzsteuergesetz 1994, section 10 (1). */
export const AUSTRIAN_VAT_PCT = 20;

/**
 * Summer low energy price ("Sommer-Nieder-Arbeitspreis", SNAP): from 2026-04-01 on the energy part of the grid fee is
 * 20 % lower from 10:00 to 16:00 in April to September, if the meter's quarter-hour values are enabled.
 * Sources: regulation of E-Control as reported on 2026-03-08 by news.at ("Stromkosten lassen sich ab April durch
 * Netzrabatt senken"), and efriends.at/sparen-mit-snap.
 */
const AUSTRIAN_SUMMER_LOW_FEE = { months: "4-9", hours: "10-16", reductionPct: 20 } as const;

/** `grid_fee_ct_kwh` of a tariff with the summer low price: the normal fee (ct/kWh, without VAT), minus 20 % in its window. */
export function gridFeeWithSummerLow(
  feeCtKwh: number,
): Exclude<FlatTariffSettings["grid_fee_ct_kwh"], number> {
  const { months, hours, reductionPct } = AUSTRIAN_SUMMER_LOW_FEE;
  // Rounded, because 7.1 * 0.8 would be 5.680000000000001.
  const lowCtKwh = Math.round(feeCtKwh * (100 - reductionPct) * 1e4) / 1e6;
  return [
    { months: "1-12", hours: "0-24", ct_kwh: feeCtKwh },
    { months, hours, ct_kwh: lowCtKwh },
  ];
}
