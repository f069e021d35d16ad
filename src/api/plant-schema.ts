import { CONDITIONS } from "../weather/condition.js";
import { localeSchema } from "./language.js";
import { accessSchema, notAvailableSchema, objectOf, timeSchema, timezoneSchema } from "./schemas.js";

/** Schemas of the PV forecast and the weather. */

const days = (usual: number) =>
  ({
    type: "integer",
    minimum: 1,
    maximum: 7,
    description: `Local days from today on. Default: ${usual}.`,
  }) as const;

export const pvForecastRequest = {
  type: "object",
  properties: {
    granularity: {
      type: "string",
      enum: ["daily", "hourly", "both"],
      description: "Which lists the answer holds. Default: daily.",
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
  description: "null on a day without one, as in a polar summer or winter.",
} as const;
const condition = { enum: CONDITIONS } as const;
const origin = {
  enum: ["forecast", "climatology"],
  description: "A weather source, or what is usual at that time of the year.",
} as const;

export const pvForecastResponse = objectOf(
  {
    schema: { const: "pv_forecast_v1" },
    issued_at: timeSchema,
    timezone: { type: "string" },
    peak_kw: energy,
    total_kwh: { ...energy, description: "Sum of the days asked for." },
    source: { ...origin, description: `Of today. ${origin.description}` },
    access: accessSchema,
  },
  {
    daily: {
      type: "array",
      items: objectOf({
        date,
        kwh: { ...energy, description: "Sum of the day's hours." },
        p10_kwh: { ...energy, description: "One day in ten yields less." },
        p90_kwh: { ...energy, description: "One day in ten yields more." },
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
    wind_speed_ms: { ...orUnknown, description: "null where no source tells it." },
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
      precipitation_mm: { ...orUnknown, description: "null where no source tells it." },
      sunrise: sunTime,
      sunset: sunTime,
      condition,
      source: origin,
      text: { type: "string" },
    }),
  },
});

/** What a caller without a key gets, and one whose plant lacks the settings for it: access and error alone. */
export const plantReduced = notAvailableSchema;
