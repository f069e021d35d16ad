import { PRICE_ORIGINS } from "../core/domain/price.js";
import { BATTERY_OVERRIDE_ACTIONS } from "../plan/battery-override.js";
import { OVERRIDE_ACTIONS } from "../plan/windows/override.js";
import { SG_STATES } from "../plan/windows/sg-ready.js";
import { accessSchema, errorSchema, objectOf, timeSchema, timezoneSchema } from "./schemas.js";

const clockTime = { type: "string", format: "time" } as const;
const clockHour = { type: "integer", minimum: 0, maximum: 23 } as const;
const energy = { type: "number", minimum: 0, maximum: 1_000_000 } as const;
/** One year; hours beyond the horizon are reported as unmet, not rejected. */
const MOST_HOURS = 8784;
/** 1 W; a smaller power would result in an unbounded number of hours. */
const LEAST_KW = 0.001;

/** Maximum number of segments. */
export const MAX_SEGMENTS = 32;
export const MAX_SEGMENT_HOURS = MOST_HOURS;

const common = {
  start: {
    ...clockTime,
    description:
      "ISO 8601 start of the window; default: the current slot. Not together with window_* hours or flex_pack.",
  },
  end: {
    ...clockTime,
    description: "ISO 8601 end of the window, exclusive; default: the end of the horizon.",
  },
  window_start_hour: {
    ...clockHour,
    description: "Clock hour at which the daily window starts; together with window_end_hour.",
  },
  window_end_hour: {
    ...clockHour,
    description:
      "Clock hour at which it ends, exclusive; if smaller than the start, it wraps over midnight; if equal, it is 24 h.",
  },
  flex_pack: {
    type: "integer",
    minimum: 0,
    maximum: 8_388_607,
    description:
      "Start hour, end hour << 5, segment << 10, hours done << 16, plugged << 22, combined by OR; 0: not given. See docs/windows.md.",
  },
  mode: { type: "string", enum: ["cheapest", "expensive"], description: "Default cheapest." },
  role: {
    type: "string",
    enum: ["consume", "export"],
    description: "Ranked by the import price (consume, default) or by the feed-in price (export).",
  },
  count: { type: "integer", minimum: 0, maximum: MOST_HOURS, description: "Hours to choose." },
  energy_kwh: { ...energy, description: "Energy to place." },
  max_power_kw: {
    type: "number",
    minimum: LEAST_KW,
    maximum: energy.maximum,
    description:
      "Power while running; default: that of the slot, and for energy_kwh that of the plant's battery.",
  },
  timezone: timezoneSchema,
  segment_consecutive: {
    type: "string",
    enum: ["off", "soft", "required"],
    description:
      "Whether each segment is one unbroken run: off (any slots, default), soft (breaks have a penalty) or required.",
  },
  hours_completed: {
    type: "number",
    minimum: 0,
    maximum: MOST_HOURS,
    description: "Completed hours; they are deducted from the segments in order.",
  },
  deadline_strict: {
    type: "boolean",
    description: "After the end of the window, demand and slots are 0; default false.",
  },
  repeat_daily: { type: "boolean", description: "Echoed; has no effect." },
  deadline_hour: {
    ...clockHour,
    description:
      "Latest clock hour in which a slot may start, inclusive, in the order of the window's hours.",
  },
} as const;

/** A slot in a body, without its description. */
export const bodySlotId = {
  type: ["integer", "string"],
  minimum: 1,
  maximum: 8,
  minLength: 1,
  maxLength: 20,
} as const;
const slotId = "Slot of the plant's settings: 3, wallbox_3 and O3 all name slot 3 of 1 to 8.";
const segments = "Hours of each run, one number or several separated by commas: 2,5 are two segments.";

/** What a slot may be called; controllers that send decimals write `3.0`. */
export const SLOT_ID_PATTERN = "^(?:(?:wallbox_|O)?[1-8]|[1-8][.,]0+)$";
const HOURS = "(?:[0-9]{1,3}|[1-7][0-9]{3}|8[0-6][0-9]{2}|87[0-7][0-9]|878[0-3])(?:[.][0-9]{1,3})?|8784";
export const SEGMENTS_PATTERN = `^(?:${HOURS})(?:,(?:${HOURS})){0,${MAX_SEGMENTS - 1}}$`;

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
    slot_id: { ...bodySlotId, description: slotId },
    energy_delivered_kwh: {
      ...energy,
      description: "Energy already delivered; deducted from the demand.",
    },
    battery_to_ev_pct: {
      type: "number",
      minimum: 0,
      maximum: 100,
      description: "Share of the energy supplied by the home battery; deducted from the grid demand.",
    },
    plugged: {
      type: "number",
      minimum: 0,
      maximum: 1,
      description: "0: not plugged in, charge_now remains 0; default 1.",
    },
    allocation: {
      type: "string",
      enum: ["cheapest", "earliest", "latest", "even", "cost"],
      description:
        "Which slots are chosen first; even splits the demand over the local days, cost is what the energy costs the site with PV and battery (with slot_id). Default cheapest.",
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
  export_ct_kwh: { ...number, description: "Feed-in price; the market price without a tariff." },
  energy_kwh: maybeNumber,
  quartile: { type: "integer", minimum: 1, maximum: 4 },
  source: { enum: PRICE_ORIGINS },
});

/** An entry of `windows[]`, here and in a slot's schedule. */
const chosenWindow = objectOf({
  rank,
  ...interval,
  hours: number,
  average_price_ct_kwh: number,
  energy_kwh: maybeNumber,
  segment: { type: ["integer", "null"], description: "Number of its first segment, starting at 1." },
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
  truncated: { type: "boolean", description: "The window extends beyond the horizon and is cut there." },
  charge_now: flag,
  next_start: maybeTime,
  minutes_to_start: { type: "integer", minimum: -1 },
  average_price_ct_kwh: maybeNumber,
  window_average_price_ct_kwh: maybeNumber,
  plugged: number,
  slot_id: { type: ["string", "null"] },
  allocation: { enum: ["cheapest", "earliest", "latest", "even", "cost"] },
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

/** The override of the battery. */
export const batteryOverrideSchema = objectOf({
  override: { enum: BATTERY_OVERRIDE_ACTIONS },
  override_until: maybeTime,
  target_soc_pct: { ...maybeNumber, description: "State of charge at which charge ends; else null." },
});

/** The schedule of a slot, in device-schedules and in hours-demand. */
export const recipeSchema = objectOf(
  {
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
    set_power_kw: maybeNumber,
    next_start: maybeTime,
    plugged: number,
    origin: { enum: ["settings", "request"] },
    override: { enum: OVERRIDE_ACTIONS },
    override_until: maybeTime,
    windows: { type: "array", items: chosenWindow },
  },
  {
    vehicle: {
      ...objectOf({
        soc_pct: {
          ...maybeNumber,
          description: "Reported or estimated state of charge; null: not known, or a guest is there.",
        },
        target_soc_pct: { ...number, description: "As in the plant's settings, or by an override." },
        min_soc_pct: { ...number, description: "Up to it the vehicle is charged immediately." },
        capacity_kwh: number,
        efficiency_pct: number,
        surplus: {
          enum: ["only", "prefer", "ignore"],
          description: "How the vehicle uses PV surplus, as in the plant's settings, or by an override.",
        },
      }),
      description: "Only of a slot with a vehicle in the plant's settings.",
    },
    override_energy_kwh: { ...number, description: "Only with guest: energy for the vehicle." },
    sg_ready: {
      ...objectOf({
        state: { enum: SG_STATES },
        number: {
          type: "integer",
          minimum: 1,
          maximum: 4,
          description: "1 block, 2 normal, 3 encourage, 4 force.",
        },
        plan: {
          type: "array",
          items: objectOf({ start: timeSchema, end: timeSchema, state: { enum: SG_STATES } }),
        },
      }),
      description: "Only of a heat pump with sg_ready in the plant's settings.",
    },
    idle_since: {
      ...timeSchema,
      description:
        "Only while the device has been switched on and has taken no energy, as measured: since when. Its energy is still due.",
    },
    power_source: {
      enum: ["plan", "surplus"],
      description:
        "Only with a vehicle. surplus: set_power_kw and charge_now follow the measured PV surplus.",
    },
  },
);

export const deviceSchedulesResponse = objectOf({
  schema: { const: "device_schedules_v1" },
  issued_at: timeSchema,
  access: accessSchema,
  recipes: { type: "array", items: recipeSchema },
});

/** The schedules after an override, and what it costs. */
export const deviceOverridesResponse = objectOf(
  { ...deviceSchedulesResponse.properties },
  {
    battery: batteryOverrideSchema,
    preview: {
      ...recipeSchema,
      description: "Only with preview, and not of the battery: the slot as the override would plan it.",
    },
    cost: {
      description:
        "What the override costs, EUR; null where the power of the device is not known. PV surplus counts with the price of feed-in.",
      anyOf: [
        {
          ...objectOf(
            {
              energy_kwh: number,
              cost_eur: number,
              plan_energy_kwh: {
                ...number,
                description:
                  "run: as much of energy_kwh as is planned at all. Otherwise the planned energy that the override replaces.",
              },
              plan_cost_eur: number,
            },
            {
              at_once_cost_eur: {
                ...number,
                description: "Not with run and skip: what energy_kwh cost when taken now, at full power.",
              },
            },
          ),
          description: "Of a device.",
        },
        {
          ...objectOf({ more_than_plan_eur: number }),
          description: "Of the battery: over the horizon, with what is stored at its end at its worth.",
        },
        { type: "null" },
      ],
    },
  },
);

/** The answer to a basic caller. */
export const notAvailableAnswer = objectOf({ error: errorSchema, access: accessSchema });
