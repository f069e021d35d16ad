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

/** Markup of a supplier on the market price, without VAT, with the price sheet as its source. */
export interface SupplierTariff {
  name: string;
  /** Percent of the absolute market price. */
  markupPct: number;
  markupCtKwh: number;
  /** Month of the price sheet, `YYYY-MM`. Suppliers change their markups: users should compare with their own price sheet. */
  asOf: string;
  source: string;
}

/**
 * Hourly tariffs of Austrian suppliers, energy part only. Only tariffs whose markup is confirmed by two independent public
 * comparisons that refer to the price sheet (seen 2026-11-21).
 */
export const SUPPLIER_TARIFFS = {
  awattar_hourly: {
    name: "aWATTar HOURLY",
    markupPct: 3,
    markupCtKwh: 1.5,
    asOf: "2023-07",
    source:
      "https://web.archive.org/web/20230903185216/https://api.awattar.at/v1/templates/bba9e568-777c-43a7-b181-79de2188439f/content?accept-override=application/pdf",
  },
  smartenergy_smartcontrol: {
    name: "smartENERGY smartCONTROL",
    markupPct: 0,
    markupCtKwh: 1.2,
    asOf: "2023-10",
    source:
      "https://web.archive.org/web/20231103201719/https://www.smartenergy.at/fileadmin/user_upload/downloads/Kundeninformation_und_Preisblatt_-_smartCONTROL.pdf",
  },
  aae_spot_stunde: {
    name: "AAE Naturstrom SPOT Stunde II",
    markupPct: 0,
    markupCtKwh: 1.3,
    asOf: "2024-10",
    source: "https://aae.at/wp-content/uploads/2024/10/Preisblatt_Naturstrom_SPOT_Stunde_II_p.pdf",
  },
} as const satisfies Record<string, SupplierTariff>;
