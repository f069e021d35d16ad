import { PERCENTAGE_BASES } from "../../tariff/tariff.js";
import { entry, integer, number, text } from "./kinds.js";

const CT = { type: "number", minimum: -100, maximum: 1000, unit: "ct/kWh" } as const;
const PERCENT = { type: "number", minimum: 0, maximum: 100, unit: "%" } as const;
const EUR = { type: "number", minimum: 0, maximum: 10_000 } as const;
const DATE = { type: "string", format: "date" } as const;

const windowTimes = {
  months: text(
    { format: "month-range" },
    'First and last month, inclusive: "4-9"; "10-3" crosses the new year; default: the whole year.',
  ),
  weekdays: text(
    { format: "weekday-range" },
    'First and last day of the week, inclusive, 1 = Monday: "1-5"; default: every day.',
  ),
  holidays: {
    type: "boolean",
    description: "true: only on Austrian public holidays; false: not on them; default: both.",
  },
  from: text({ format: "clock-time" }, "Local time from which on it applies; default 00:00."),
  to: text({ format: "clock-time" }, "Local time up to which it applies; default 24:00."),
} as const;

const windowsSchema = {
  type: "array",
  maxItems: 100,
  items: entry("One time window.", ["ct_kwh"], {
    name: text({ minLength: 1, maxLength: 100 }, "Its name on the bill."),
    ...windowTimes,
    ct_kwh: { ...CT, description: "The price in that window." },
  }),
} as const;

const monthsSchema = {
  type: "object",
  additionalProperties: { type: "number", minimum: -100, maximum: 1000 },
} as const;

const blocksSchema = {
  type: "array",
  minItems: 1,
  maxItems: 20,
  description: "Prices by amount, in rising order; the last one without up_to_kwh.",
  items: entry("One block.", ["ct_kwh"], {
    up_to_kwh: number(
      { exclusiveMinimum: 0, maximum: 1_000_000, unit: "kWh" },
      "Amount of a month up to which it applies.",
    ),
    ct_kwh: { ...CT, description: "The price in that block." },
  }),
} as const;

const PCT_OF = text(
  { enum: ["absolute", "signed"] },
  "A percentage of the market price is taken of its absolute value (default), or with its sign.",
);

const energySchema = entry("The supplier's price.", ["type"], {
  type: text(
    { enum: ["spot", "fixed", "monthly", "time_windows"] },
    "spot: market price with markups; fixed: ct_kwh or blocks; monthly: months; time_windows: windows.",
  ),
  markup_ct_kwh: { ...CT, description: "Markup on the price." },
  markup_pct: number({ minimum: -100, maximum: 1000, unit: "%" }, "Markup in percent of the market price."),
  pct_of: PCT_OF,
  settlement_minutes: integer(
    { enum: [15, 60], minimum: 15, maximum: 60, unit: "min" },
    "With 15 each quarter-hour has its price, with 60 the hourly product applies. Left out: as the prices come.",
  ),
  floor_ct_kwh: { ...CT, description: "The price with its markups is at least this." },
  cap_ct_kwh: { ...CT, description: "The price with its markups is at most this." },
  ct_kwh: { ...CT, description: "The fixed price; with time_windows the price outside of them." },
  months: {
    ...monthsSchema,
    description: 'Prices by month: "2026-07": 9.4. A missing month has the price of the one before.',
  },
  windows: { ...windowsSchema, description: "Prices by time; the last match wins." },
  blocks: blocksSchema,
});

const levySchema = {
  type: "array",
  maxItems: 50,
  items: entry("One levy: ct_kwh, eur_year or pct.", ["name"], {
    name: text({ minLength: 1, maxLength: 100 }, "Its name on the bill."),
    ct_kwh: { ...CT, description: "Amount per kWh drawn." },
    eur_year: { ...EUR, unit: "EUR", description: "Amount per year; a month has a twelfth." },
    pct: { ...PERCENT, description: "Percentage of the parts in pct_of." },
    pct_of: {
      type: "array",
      items: text({ enum: PERCENTAGE_BASES }, "One part."),
      description: "Parts of the bill that the percentage is taken of.",
    },
    valid_from: { ...DATE, description: "First day." },
    valid_to: { ...DATE, description: "Last day." },
  }),
} as const;

const periodFeedInSchema = {
  type: ["object", "null"],
  description: "Price paid for export; null: the market price.",
  additionalProperties: false,
  properties: {
    type: text(
      { enum: ["spot", "fixed", "monthly", "factor"] },
      "spot (default): market price less deductions; fixed: ct_kwh or blocks; monthly: months; factor: the higher of factor × market price and market price less deduct_ct_kwh.",
    ),
    ct_kwh: { ...CT, description: "The fixed price." },
    deduct_ct_kwh: { ...CT, description: "Deduction from the price." },
    deduct_pct: { ...PERCENT, description: "Additional deduction in percent." },
    pct_of: PCT_OF,
    factor: number({ minimum: 0, maximum: 2, unit: "1" }, "Factor on the market price; with type factor."),
    floor_ct_kwh: {
      type: ["number", "null"],
      minimum: -100,
      maximum: 1000,
      unit: "ct/kWh",
      description: "The price is at least this.",
    },
    months: {
      ...monthsSchema,
      description: "Prices by month, as in energy.",
    },
    blocks: blocksSchema,
  },
} as const;

/** One period of a tariff. */
export const tariffPeriodSchema = {
  type: "object",
  description: "What holds from a date on; amounts without VAT.",
  additionalProperties: false,
  properties: {
    valid_from: { ...DATE, description: "First day; the first period may leave it out." },
    known_until: {
      ...DATE,
      description: "Last day with known amounts; hourgate doctor warns 60 days before.",
    },
    energy: energySchema,
    energy_base_fee: entry("The supplier's base fee.", ["eur_month"], {
      eur_month: { ...EUR, unit: "EUR", description: "Amount per month." },
    }),
    grid_usage: {
      type: "object",
      description: "Grid usage fee and metering.",
      additionalProperties: false,
      properties: {
        ct_kwh: { ...CT, description: "Work price outside of the windows." },
        windows: { ...windowsSchema, description: "Work price by time; the last match wins." },
        flat_eur_year: { ...EUR, unit: "EUR", description: "Flat amount per year." },
        metering_eur_month: { ...EUR, unit: "EUR", description: "Metering fee per month." },
      },
    },
    grid_loss: entry("Grid loss fee.", ["ct_kwh"], { ct_kwh: { ...CT, description: "Amount per kWh." } }),
    grid_power: entry("Price on the highest mean import of a quarter-hour in a month.", ["eur_kw_year"], {
      eur_kw_year: { ...EUR, unit: "EUR/kW", description: "Price per kW and year; a month has a twelfth." },
      interval_minutes: integer(
        { enum: [15], minimum: 15, maximum: 15, unit: "min" },
        "Length over which the import is averaged.",
      ),
      min_kw: number({ minimum: 0, maximum: 1000, unit: "kW" }, "At least this power is charged."),
      window: {
        type: "object",
        description: "Only quarter-hours in this window count.",
        additionalProperties: false,
        properties: windowTimes,
      },
      steps: {
        type: "array",
        maxItems: 10,
        description: "Prices of power above a limit, in rising order.",
        items: entry("One step.", ["over_kw", "eur_kw_year"], {
          over_kw: number(
            { exclusiveMinimum: 0, maximum: 1000, unit: "kW" },
            "Power above which it applies.",
          ),
          eur_kw_year: { ...EUR, unit: "EUR/kW", description: "Price per kW and year above it." },
        }),
      },
    }),
    levies: { ...levySchema, description: "Levies and contributions." },
    municipal_levy: { ...levySchema, description: "Levy of the municipality." },
    vat_pct: { ...PERCENT, description: "Value added tax on all of it; default 0." },
    feed_in: periodFeedInSchema,
    community: {
      type: ["object", "null"],
      description: "Energy from an energy community.",
      additionalProperties: false,
      required: ["price_ct_kwh"],
      properties: {
        price_ct_kwh: { ...CT, description: "The community's price." },
        vat_pct: { ...PERCENT, description: "VAT on the community's invoice; default 0." },
        grid_usage_discount_pct: { ...PERCENT, description: "Discount on the grid usage fee." },
        levies_waived: {
          type: "array",
          maxItems: 50,
          items: text({ minLength: 1, maxLength: 100 }, "Name of one levy."),
          description: "Names of levies that its energy is free of.",
        },
        share_pct: {
          type: ["number", "array", "null"],
          minimum: 0,
          maximum: 100,
          minItems: 24,
          maxItems: 24,
          items: { ...PERCENT, description: "Share in one local hour." },
          unit: "%",
          description:
            "Expected share of the consumption: a number, or 24 by local hour; null: learned from imported values, else none.",
        },
        feed_in_ct_kwh: {
          type: ["number", "null"],
          minimum: -100,
          maximum: 1000,
          unit: "ct/kWh",
          description: "Paid by the community for what it takes.",
        },
      },
    },
  },
} as const;
