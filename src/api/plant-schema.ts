import { CONDITIONS } from "../forecast/weather/condition.js";
import { localeSchema } from "./language.js";
import { accessSchema, notAvailableSchema, objectOf, timeSchema, timezoneSchema } from "./schemas.js";

/** Schemas of the PV forecast and weather operations. */

const days = (usual: number) =>
  ({
    type: "integer",
    minimum: 1,
    maximum: 7,
    description: `Number of local days, starting today. Default: ${usual}.`,
  }) as const;

export const pvForecastRequest = {
  type: "object",
  properties: {
    granularity: {
      type: "string",
      enum: ["daily", "hourly", "both"],
      description: "Lists in the answer. Default: daily.",
    },
    days: days(7),
    timezone: timezoneSchema,
    locale: localeSchema,
  },
} as const;

export const weatherRequest = {
  type: "object",
  properties: { days: days(3), timezone: timezoneSchema, locale: localeSchema },
} as const;

const number = { type: "number" } as const;
const orUnknown = { type: ["number", "null"] } as const;
const energy = { type: "number", minimum: 0 } as const;
const date = { type: "string", format: "date" } as const;
const sunTime = {
  type: ["string", "null"],
  format: "date-time",
  description: "null on a day without sunrise or sunset (polar day or night).",
} as const;
const condition = { enum: CONDITIONS } as const;
const origin = {
  enum: ["forecast", "climatology"],
  description: "A weather source, or the average for that time of the year.",
} as const;

export const pvForecastResponse = objectOf(
  {
    schema: { const: "pv_forecast_v1" },
    issued_at: timeSchema,
    timezone: { type: "string" },
    peak_kw: energy,
    total_kwh: { ...energy, description: "Sum of the requested days." },
    source: { ...origin, description: `Of today. ${origin.description}` },
    access: accessSchema,
  },
  {
    daily: {
      type: "array",
      items: objectOf({
        date,
        kwh: { ...energy, description: "Sum of the day's hours." },
        p10_kwh: { ...energy, description: "10th percentile." },
        p90_kwh: { ...energy, description: "90th percentile." },
        source: origin,
        text: { type: "string" },
      }),
    },
    hourly: {
      type: "array",
      items: objectOf({ start: timeSchema, end: timeSchema, kwh: energy, power_kw: energy }),
    },
  },
);

export const weatherResponse = objectOf({
  schema: { const: "weather_v1" },
  issued_at: timeSchema,
  timezone: { type: "string" },
  source: { ...origin, description: `Of the hour in progress. ${origin.description}` },
  access: accessSchema,
  current: objectOf({
    time: timeSchema,
    temperature_c: number,
    cloud_cover_pct: { type: "number", minimum: 0, maximum: 100 },
    wind_speed_ms: { ...orUnknown, description: "null if no source provides it." },
    condition,
    text: { type: "string" },
    is_day: { type: "boolean" },
  }),
  daily: {
    type: "array",
    items: objectOf({
      date,
      temperature_min_c: number,
      temperature_max_c: number,
      sun_hours: { type: "number", minimum: 0, maximum: 25 },
      precipitation_mm: { ...orUnknown, description: "null if no source provides it." },
      sunrise: sunTime,
      sunset: sunTime,
      condition,
      source: origin,
      text: { type: "string" },
    }),
  },
});

/** The answer to a caller without a key, or whose plant lacks the required settings: access and error. */
export const plantReduced = notAvailableSchema;
