import { tariffPeriodSchema } from "./tariff-period.js";

const feedInSchema = {
  type: ["object", "null"],
  description: "Price paid for export; null: the market price.",
  additionalProperties: false,
  default: null,
  properties: {
    type: {
      type: "string",
      enum: ["spot", "fixed"],
      default: "spot",
      description: "spot: the market price; fixed: ct_kwh.",
    },
    ct_kwh: {
      type: ["number", "null"],
      minimum: -100,
      maximum: 1000,
      unit: "ct/kWh",
      default: null,
      description: "The fixed price; required with type fixed.",
    },
    deduct_ct_kwh: {
      type: "number",
      minimum: -100,
      maximum: 1000,
      unit: "ct/kWh",
      default: 0,
      description: "Deduction from that price.",
    },
    deduct_pct: {
      type: "number",
      minimum: 0,
      maximum: 100,
      unit: "%",
      default: 0,
      description: "Additional deduction, in percent of the absolute price.",
    },
  },
} as const;

const gridFeeSchema = {
  type: ["number", "array"],
  description:
    "Grid fee without VAT: one number, or a list of time windows in local time; the last match wins (no match: 0).",
  minimum: -100,
  maximum: 1000,
  unit: "ct/kWh",
  maxItems: 100,
  default: 0,
  items: {
    type: "object",
    description: "One time window of the grid fee.",
    additionalProperties: false,
    required: ["ct_kwh"],
    properties: {
      months: {
        type: "string",
        format: "month-range",
        default: "1-12",
        description: 'First and last month, inclusive: "4-9"; "10-3" crosses the new year.',
      },
      hours: {
        type: "string",
        format: "hour-range",
        default: "0-24",
        description: 'Local clock hours, the end excluded: "10-16"; "22-6" crosses midnight.',
      },
      ct_kwh: {
        type: "number",
        minimum: -100,
        maximum: 1000,
        unit: "ct/kWh",
        description: "The fee in that window.",
      },
    },
  },
} as const;

export const tariffSchema = {
  type: ["object", "array", "null"],
  description:
    "A list of periods (docs/tariffs.md), or in short form one price. Short form: import price = (spot + |spot| * markup_pct / 100 + markup + levies + grid fee) * (1 + vat_pct / 100); null: market prices are used.",
  additionalProperties: false,
  default: null,
  minItems: 1,
  maxItems: 100,
  items: tariffPeriodSchema,
  properties: {
    markup_ct_kwh: {
      type: "number",
      minimum: -100,
      maximum: 1000,
      unit: "ct/kWh",
      default: 0,
      description: "The supplier's markup, without VAT.",
    },
    markup_pct: {
      type: "number",
      minimum: -100,
      maximum: 1000,
      unit: "%",
      default: 0,
      description: "The supplier's markup in percent of the absolute market price.",
    },
    levies_ct_kwh: {
      type: "number",
      minimum: -100,
      maximum: 1000,
      unit: "ct/kWh",
      default: 0,
      description: "Levies and energy taxes, without VAT.",
    },
    grid_fee_ct_kwh: gridFeeSchema,
    vat_pct: {
      type: "number",
      minimum: 0,
      maximum: 100,
      unit: "%",
      default: 0,
      description: "Value added tax on the whole price; 0 if the prices above include it or none is due.",
    },
    feed_in: feedInSchema,
  },
} as const;
