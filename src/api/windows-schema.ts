import { accessSchema, errorSchema, objectOf, timeSchema, timezoneSchema } from "./schemas.js";

const clockHour = { type: "integer", minimum: 0, maximum: 23 } as const;
const MOST_KWH = 1_000_000;
/** A year of hours: what the horizon does not hold is reported as unmet, not refused. */
const MOST_HOURS = 8784;
/** 1 W; below it hours without end would come out of an energy. */
const LEAST_KW = 0.001;

/** The longest list of segments that is read. */
export const MAX_SEGMENTS = 32;
export const MAX_SEGMENT_HOURS = MOST_HOURS;

const common = {
  start: {
    type: "string",
    description:
      "ISO 8601 start of the window; left out: the slot in progress. Not together with window_* hours or flex_pack.",
  },
  end: {
    type: "string",
    description: "ISO 8601 end of the window, exclusive; left out: the end of the horizon.",
  },
  window_start_hour: {
    ...clockHour,
    description: "Clock hour at which the daily window starts; together with window_end_hour.",
  },
  window_end_hour: {
    ...clockHour,
    description:
      "Clock hour at which it ends, exclusive; a smaller one than the start wraps over midnight, an equal one means 24 h.",
  },
  flex_pack: {
    type: "integer",
    minimum: 0,
    maximum: 8_388_607,
    description:
      "Start hour, end hour << 5, segment << 10, hours done << 16, plugged << 22, combined by OR; 0: left out. See docs/windows.md.",
  },
  mode: { type: "string", enum: ["cheapest", "expensive"], description: "Default cheapest." },
  role: {
    type: "string",
    enum: ["consume", "export"],
    description: "Ranked by the import price (consume, default) or by what feed-in pays (export).",
  },
  count: { type: "integer", minimum: 0, maximum: MOST_HOURS, description: "Hours to choose." },
  energy_kwh: { type: "number", minimum: 0, maximum: MOST_KWH, description: "Energy to place." },
  max_power_kw: {
    type: "number",
    minimum: LEAST_KW,
    maximum: MOST_KWH,
    description:
      "Power while it runs; left out: the slot's, for energy_kwh else that of the plant's battery.",
  },
  timezone: timezoneSchema,
  segment_consecutive: {
    type: "string",
    enum: ["off", "soft", "required"],
    description:
      "Whether each segment is one unbroken run: off any slots (default), soft at a price for breaks, required always.",
  },
  hours_completed: {
    type: "number",
    minimum: 0,
    maximum: MOST_HOURS,
    description: "Hours that are done already; they use up the segments from the front.",
  },
  deadline_strict: {
    type: "boolean",
    description: "After the window's end demand and slots are 0; default false.",
  },
  repeat_daily: { type: "boolean", description: "Echoed; has no effect." },
  deadline_hour: {
    ...clockHour,
    description:
      "Latest clock hour in which a slot may start, inclusive, in the window's own order of hours.",
  },
} as const;

const slotId = "Slot of the plant's settings: 3, wallbox_3 and O3 all name slot 3 of 1 to 8.";
const segments = "Hours of each run, one number or several with commas: 2,5 are two segments.";

/** The query of GET. */
export const windowsQuery = {
  type: "object",
  properties: {
    ...common,
    segments: { type: "string", minLength: 1, maxLength: 400, description: segments },
    slot_id: { type: "string", minLength: 1, maxLength: 20, description: slotId },
  },
} as const;

/** The body of POST. */
export const windowsBody = {
  type: "object",
  properties: {
    ...common,
    segments: {
      type: ["number", "string"],
      minimum: 0,
      maximum: MAX_SEGMENT_HOURS,
      minLength: 1,
      maxLength: 400,
      description: segments,
    },
    slot_id: {
      type: ["integer", "string"],
      minimum: 1,
      maximum: 8,
      minLength: 1,
      maxLength: 20,
      description: slotId,
    },
    energy_delivered_kwh: {
      type: "number",
      minimum: 0,
      maximum: MOST_KWH,
      description: "Energy delivered already; taken off the demand.",
    },
    battery_to_ev_pct: {
      type: "number",
      minimum: 0,
      maximum: 100,
      description: "Share of the energy that the house battery gives; taken off the grid demand.",
    },
    plugged: {
      type: "number",
      minimum: 0,
      maximum: 1,
      description: "0: not plugged in, charge_now stays 0; default 1.",
    },
    allocation: {
      type: "string",
      enum: ["cheapest", "earliest", "latest", "even"],
      description:
        "Which slots are taken first; even splits the demand over the local days. Default cheapest.",
    },
  },
} as const;

const number = { type: "number" } as const;
const maybeNumber = { type: ["number", "null"] } as const;
const maybeTime = { type: ["string", "null"], description: "ISO 8601, or null for none." } as const;
const flag = { type: "integer", enum: [0, 1] } as const;
const count = { type: "integer", minimum: 0 } as const;
const rank = { type: "integer", minimum: 1, description: "1 is the best." } as const;
const interval = { start: timeSchema, end: timeSchema };

const slot = objectOf({
  rank,
  ...interval,
  price_ct_kwh: { ...number, description: "Market price." },
  total_ct_kwh: { ...number, description: "All-in import price; the market price without a tariff." },
  export_ct_kwh: { ...number, description: "What feed-in pays; the market price without a tariff." },
  energy_kwh: maybeNumber,
  quartile: { type: "integer", minimum: 1, maximum: 4 },
  source: { enum: ["day_ahead", "forecast", "climatology"] },
});

/** An entry of `windows[]`, here and in a recipe. */
const chosenWindow = objectOf({
  rank,
  ...interval,
  hours: number,
  average_price_ct_kwh: number,
  energy_kwh: maybeNumber,
  segment: { type: ["integer", "null"], description: "Number of the segment that it begins with, from 1." },
});

export const windowsResponse = objectOf({
  schema: { enum: ["windows_v1", "windows_v1.1"] },
  issued_at: timeSchema,
  timezone: { type: "string" },
  mode: { enum: ["cheapest", "expensive"] },
  role: { enum: ["consume", "export"] },
  deadline_strict: { type: "boolean" },
  repeat_daily: { type: "boolean" },
  window_start: timeSchema,
  window_end: timeSchema,
  demand_hours: { ...number, description: "Net of what is completed." },
  demand_energy_kwh: maybeNumber,
  slot_count: count,
  unmet_hours: number,
  feasible: { type: "boolean" },
  truncated: { type: "boolean", description: "The window ends beyond the horizon and is cut there." },
  charge_now: flag,
  next_start: maybeTime,
  minutes_to_start: { type: "integer", minimum: -1 },
  average_price_ct_kwh: maybeNumber,
  window_average_price_ct_kwh: maybeNumber,
  plugged: number,
  slot_id: { type: ["string", "null"] },
  allocation: { enum: ["cheapest", "earliest", "latest", "even"] },
  battery_to_ev_pct: maybeNumber,
  battery_energy_kwh: maybeNumber,
  access: accessSchema,
  slots: { type: "array", items: slot },
  windows: { type: "array", items: chosenWindow },
  segments: {
    type: "array",
    items: objectOf({
      segment: rank,
      hours: number,
      completed_hours: number,
      start: maybeTime,
      end: maybeTime,
    }),
  },
});

/** What a slot is to do, in device-schedules and in hours-demand. */
export const recipeSchema = objectOf({
  slot_id: { type: "string" },
  output: { type: "string" },
  label: { type: "string" },
  kind: { enum: ["wallbox", "heat_pump", "boiler", "other"] },
  power_kw: maybeNumber,
  window_start: maybeTime,
  window_end: maybeTime,
  demand_hours: number,
  unmet_hours: number,
  charge_now: flag,
  next_start: maybeTime,
  plugged: number,
  origin: { enum: ["settings", "request"] },
  windows: { type: "array", items: chosenWindow },
});

export const deviceSchedulesResponse = objectOf({
  schema: { const: "device_schedules_v1" },
  issued_at: timeSchema,
  access: accessSchema,
  recipes: { type: "array", items: recipeSchema },
});

/** What a basic caller gets. */
export const notAvailableAnswer = objectOf({ error: errorSchema, access: accessSchema });
