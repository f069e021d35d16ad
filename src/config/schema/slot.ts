import { sgReadySchema, storeSchema, vehicleSchema } from "./slot-device.js";

const clockHour = (description: string) =>
  ({
    type: ["integer", "null"],
    minimum: 0,
    maximum: 23,
    unit: "clock hour",
    default: null,
    description,
  }) as const;

export const slotSchema = {
  type: "object",
  description: "One flexible device.",
  additionalProperties: false,
  required: ["slot"],
  properties: {
    slot: {
      type: "integer",
      minimum: 1,
      maximum: 8,
      unit: "slot number",
      description: "Number of the slot for slot_id; unique.",
    },
    label: {
      type: "string",
      maxLength: 100,
      default: "",
      description: "Display name; empty: kind and number.",
    },
    kind: {
      type: "string",
      enum: ["wallbox", "heat_pump", "boiler", "other"],
      default: "wallbox",
      description: "Kind of device.",
    },
    power_kw: {
      type: ["number", "null"],
      exclusiveMinimum: 0,
      maximum: 100_000,
      unit: "kW",
      default: null,
      description: "Power while running; required to convert energy_kwh to hours.",
    },
    window_start_hour: clockHour("Local clock hour from which it may run; together with window_end_hour."),
    window_end_hour: clockHour(
      "Local clock hour of the deadline; a smaller value than the start crosses midnight.",
    ),
    energy_kwh: {
      type: ["number", "null"],
      exclusiveMinimum: 0,
      maximum: 100_000,
      unit: "kWh",
      default: null,
      description: "Energy required in each window; alternative to hours.",
    },
    hours: {
      type: ["number", "null"],
      exclusiveMinimum: 0,
      maximum: 168,
      unit: "hours",
      default: null,
      description: "Hours required in each window; alternative to energy_kwh.",
    },
    segments: {
      type: ["array", "null"],
      minItems: 1,
      maxItems: 32,
      default: null,
      description: "Lengths of the required runs; their sum is the demand.",
      items: {
        type: "number",
        exclusiveMinimum: 0,
        maximum: 168,
        unit: "hours",
        description: "Length of one run.",
      },
    },
    segment_consecutive: {
      type: "string",
      enum: ["off", "soft", "required"],
      default: "off",
      description:
        "Whether a segment is one unbroken run: off: any slots; soft: interruptions at a penalty; required: always.",
    },
    deadline_strict: {
      type: "boolean",
      default: false,
      description: "After the window's end the demand is 0 until the next one.",
    },
    battery_to_ev_pct: {
      type: ["number", "null"],
      minimum: 0,
      maximum: 100,
      unit: "%",
      default: null,
      description:
        "Share of the energy that may come from the home battery; null: none, discharging is blocked while the wallbox charges.",
    },
    enabled: { type: "boolean", default: true, description: "Plan this device." },
    optimise: {
      type: ["string", "null"],
      enum: ["price", "cost", null],
      default: null,
      description:
        "Quantity that the plan from these settings minimises. price: the price of electricity. cost: what the energy costs the site, PV surplus and battery included. null: cost with PV or a battery, otherwise price.",
    },
    vehicle: vehicleSchema,
    store: storeSchema,
    sg_ready: sgReadySchema,
  },
} as const;
