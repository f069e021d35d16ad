import { choice, entry, nullableNumber, number, text } from "./kinds.js";
import { tariffPeriodSchema } from "./tariff-period.js";

const feedInSchema = {
  type: ["object", "null"],
  description: "Price paid for export; null: the market price.",
  additionalProperties: false,
  default: null,
  properties: {
    type: choice(["spot", "fixed"], "spot", "spot: the market price; fixed: ct_kwh."),
    ct_kwh: nullableNumber(
      { minimum: -100, maximum: 1000, unit: "ct/kWh" },
      "The fixed price; required with type fixed.",
    ),
    deduct_ct_kwh: number(
      { minimum: -100, maximum: 1000, unit: "ct/kWh", default: 0 },
      "Deduction from that price.",
    ),
    deduct_pct: number(
      { minimum: 0, maximum: 100, unit: "%", default: 0 },
      "Additional deduction in percent.",
    ),
  },
} as const;

const gridFeeSchema = {
  type: ["number", "array"],
  description: "Grid fee without VAT: a number, or windows in local time; the last match wins (no match: 0).",
  minimum: -100,
  maximum: 1000,
  unit: "ct/kWh",
  maxItems: 100,
  default: 0,
  items: entry("One time window of the grid fee.", ["ct_kwh"], {
    months: text(
      { format: "month-range", default: "1-12" },
      'First and last month, inclusive: "4-9"; "10-3" crosses the new year.',
    ),
    hours: text(
      { format: "hour-range", default: "0-24" },
      'Clock hours, the end excluded: "10-16"; "22-6" crosses midnight.',
    ),
    ct_kwh: number({ minimum: -100, maximum: 1000, unit: "ct/kWh" }, "The fee in that window."),
  }),
} as const;

export const tariffSchema = {
  type: ["object", "array", "null"],
  description: "A list of periods, or the short form (docs/tariffs.md); null: market prices.",
  additionalProperties: false,
  default: null,
  minItems: 1,
  maxItems: 100,
  items: tariffPeriodSchema,
  properties: {
    markup_ct_kwh: number(
      { minimum: -100, maximum: 1000, unit: "ct/kWh", default: 0 },
      "The supplier's markup, without VAT.",
    ),
    markup_pct: number(
      { minimum: -100, maximum: 1000, unit: "%", default: 0 },
      "The supplier's markup in percent of the absolute market price.",
    ),
    levies_ct_kwh: number(
      { minimum: -100, maximum: 1000, unit: "ct/kWh", default: 0 },
      "Levies and energy taxes, without VAT.",
    ),
    grid_fee_ct_kwh: gridFeeSchema,
    vat_pct: number(
      { minimum: 0, maximum: 100, unit: "%", default: 0 },
      "Value added tax on the whole price; 0 if the prices include it.",
    ),
    feed_in: feedInSchema,
  },
} as const;
