import { PRICE_ORIGINS, SIGNALS } from "../core/domain/price.js";
import { TIERS } from "../core/domain/tier.js";

/** JSON Schema parts shared by several operations. */

/** `timezone`, a parameter of every answer that contains times. */
export const timezoneSchema = {
  type: "string",
  format: "iana-zone",
  description:
    "IANA time zone of the times in the answer, and of times without offset in the request. Default: the plant's zone with a valid key, else Europe/Vienna.",
} as const;

export const accessSchema = {
  type: "object",
  description: "Effective access of this call.",
  properties: {
    tier: { enum: TIERS },
    label: { type: "string" },
    full_version_available: { type: "boolean" },
    token_present: { type: "boolean" },
    token_valid: { type: "boolean" },
  },
  required: ["tier", "label", "full_version_available", "token_present", "token_valid"],
} as const;

export const errorSchema = {
  type: "object",
  properties: {
    code: { type: "string", description: "Stable code, see docs/errors.md." },
    message: { type: "string", description: "What is wrong and what to do." },
    details: {
      type: "array",
      items: objectOf({ field: { type: "string" }, message: { type: "string" } }),
    },
  },
  required: ["code", "message", "details"],
} as const;

export const timeSchema = { type: "string", format: "date-time" } as const;

/** An object schema in which every listed property is required. */
export function objectOf<Properties extends Record<string, object>>(
  properties: Properties,
  optional: Record<string, object> = {},
) {
  return {
    type: "object",
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
  };
}

export const resolutionSchema = {
  type: "integer",
  enum: [15, 60],
  default: 60,
  description: "Length of the entries of prices, minutes: 15 gives the published quarter-hours.",
} as const;

/** An answer that contains only the error and the access. */
export const notAvailableSchema = objectOf({ error: errorSchema, access: accessSchema });

const number = { type: "number" } as const;
const source = {
  enum: PRICE_ORIGINS,
  description: "Published auction price, the gateway's forecast, or its built-in climatology.",
} as const;

/** Members of an entry of `prices`. */
const priceEntry = {
  start: timeSchema,
  end: timeSchema,
  price_eur_mwh: number,
  price_ct_kwh: number,
  source,
};

const priceEntryOptional = {
  p10_ct_kwh: { ...number, description: "Forecast hours, with a valid key." },
  p90_ct_kwh: { ...number, description: "Forecast hours, with a valid key." },
  total_ct_kwh: { ...number, description: "All-in import price; plants with a tariff." },
  export_ct_kwh: { ...number, description: "Feed-in price; plants with a tariff." },
};

const quartile = { type: "integer", minimum: 1, maximum: 4 } as const;
const signal = { enum: SIGNALS } as const;

const forecastMembers = {
  issued_at: timeSchema,
  model_version: { type: "string" },
  trigger: { enum: ["scheduled", "day_ahead", "manual"] },
  timezone: { type: "string" },
  zone: { const: "AT" },
  currency: { const: "EUR" },
  resolution_minutes: { enum: [15, 60] },
  horizon_hours: { type: "integer", minimum: 1, maximum: 168 },
  first_forecast_start: {
    type: ["string", "null"],
    description: "Start of the first hour without a published price; null if all prices are published.",
  },
  access: accessSchema,
} as const;

export const forecastResponse = objectOf({
  schema: { const: "forecast_v1" },
  ...forecastMembers,
  prices: { type: "array", items: objectOf(priceEntry, priceEntryOptional) },
});

export const decisionResponse = objectOf({
  schema: { const: "decision_v1" },
  ...forecastMembers,
  current_quartile: quartile,
  current_signal: signal,
  prices: {
    type: "array",
    items: objectOf(
      {
        ...priceEntry,
        quartile,
        horizon_quartile: quartile,
        signal,
        rank_in_day: { type: "integer", minimum: 1, maximum: 25 },
      },
      priceEntryOptional,
    ),
  },
});

/** The reduced decision of a basic caller: the 48-hour forecast and the error. */
export const decisionReduced = objectOf({
  schema: { const: "decision_v1" },
  ...forecastMembers,
  error: errorSchema,
  prices: { type: "array", items: objectOf(priceEntry) },
});
