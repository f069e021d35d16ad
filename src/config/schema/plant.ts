import { actuatorSchema } from "./actuator.js";
import { batteriesSchema, batterySchema } from "./battery.js";
import { slotSchema } from "./slot.js";
import { tariffSchema } from "./tariff.js";

const powerLimit = (description: string) =>
  ({
    type: ["number", "null"],
    minimum: 0,
    maximum: 100_000,
    unit: "kW",
    default: null,
    description,
  }) as const;

const pvArraySchema = {
  type: "object",
  description: "One PV array: modules of one orientation.",
  additionalProperties: false,
  required: ["peak_kw"],
  properties: {
    peak_kw: {
      type: "number",
      exclusiveMinimum: 0,
      maximum: 100_000,
      unit: "kW",
      description: "Peak power of the modules.",
    },
    tilt_deg: {
      type: "number",
      minimum: 0,
      maximum: 90,
      unit: "degrees",
      default: 30,
      description: "Tilt: 0 is horizontal, 90 vertical.",
    },
    azimuth_deg: {
      type: "number",
      minimum: 0,
      maximum: 360,
      unit: "degrees",
      default: 180,
      description: "Orientation: 90 east, 180 south, 270 west.",
    },
    losses_pct: {
      type: "number",
      minimum: 0,
      maximum: 99,
      unit: "%",
      default: 14,
      description: "Total losses between modules and meter.",
    },
    inverter_kw: {
      type: ["number", "null"],
      exclusiveMinimum: 0,
      maximum: 100_000,
      unit: "kW",
      default: null,
      description: "Maximum AC power of the inverter; null: no limit.",
    },
    curtailable: {
      type: "boolean",
      default: false,
      description:
        "Feed-in can be limited by O15, and is where feeding in costs money. All arrays must allow it.",
    },
  },
} as const;

export const plantSchema = {
  type: "object",
  description: "One plant.",
  additionalProperties: false,
  required: ["id"],
  properties: {
    id: {
      type: "string",
      format: "plant-id",
      description: "Identifier in topics and on the command line.",
    },
    name: {
      type: "string",
      maxLength: 100,
      default: "",
      description: "Display name; empty: the id.",
    },
    latitude: {
      type: ["number", "null"],
      minimum: -90,
      maximum: 90,
      unit: "degrees",
      default: null,
      description: "Latitude, for weather and PV; null: not set.",
    },
    longitude: {
      type: ["number", "null"],
      minimum: -180,
      maximum: 180,
      unit: "degrees",
      default: null,
      description: "Longitude, east positive; together with latitude.",
    },
    timezone: {
      type: "string",
      format: "time-zone",
      default: "Europe/Vienna",
      description: "Local time zone, as an IANA name.",
    },
    tariff: tariffSchema,
    battery: batterySchema,
    batteries: batteriesSchema,
    pv: {
      type: "array",
      maxItems: 50,
      default: [],
      description: "PV arrays of the plant.",
      items: pvArraySchema,
    },
    grid: {
      type: "object",
      description: "Limits at the grid connection.",
      additionalProperties: false,
      default: {},
      properties: {
        import_limit_kw: powerLimit("Largest import; charging never adds to a breach. null: none."),
        export_limit_kw: powerLimit("Largest export; PV beyond it is curtailed. null: none."),
      },
    },
    load: {
      type: "object",
      description: "Load of the site, used while no telemetry is available.",
      additionalProperties: false,
      default: {},
      properties: {
        daily_kwh: {
          type: "number",
          minimum: 0,
          maximum: 1_000_000,
          unit: "kWh",
          default: 10,
          description: "Load of a day without vehicle and battery; 10 kWh a day are about 3650 kWh a year.",
        },
        profile: {
          type: ["array", "null"],
          minItems: 24,
          maxItems: 24,
          default: null,
          description:
            "Shape of the day: 24 weights by local clock hour, scaled to daily_kwh; null: a standard household.",
          items: {
            type: "number",
            minimum: 0,
            maximum: 1_000_000,
            unit: "weight",
            description: "Weight of one clock hour.",
          },
        },
      },
    },
    slots: {
      type: "array",
      maxItems: 8,
      default: [],
      description: "Flexible devices of the plant.",
      items: slotSchema,
    },
    actuators: {
      type: "array",
      maxItems: 30,
      default: [],
      description: "Devices that the gateway switches itself (docs/actuators.md).",
      items: actuatorSchema,
    },
  },
} as const;
