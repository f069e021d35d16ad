import { CONTROLLED_MODES } from "../../domain/battery.js";

const properties = {
  capacity_kwh: {
    type: "number",
    exclusiveMinimum: 0,
    maximum: 100_000,
    unit: "kWh",
    default: 10,
    description: "Usable energy between 0 and 100 % state of charge.",
  },
  min_soc_pct: {
    type: "number",
    minimum: 0,
    maximum: 100,
    unit: "%",
    default: 10,
    description: "The plan never discharges below this state of charge.",
  },
  max_soc_pct: {
    type: "number",
    minimum: 0,
    maximum: 100,
    unit: "%",
    default: 100,
    description: "The plan never charges above this state of charge.",
  },
  max_charge_power_kw: {
    type: "number",
    exclusiveMinimum: 0,
    maximum: 100_000,
    unit: "kW",
    default: 5,
    description: "Largest charging power, measured on the AC side.",
  },
  max_discharge_power_kw: {
    type: "number",
    exclusiveMinimum: 0,
    maximum: 100_000,
    unit: "kW",
    default: 5,
    description: "Largest discharging power, measured on the AC side.",
  },
  efficiency_pct: {
    type: "number",
    minimum: 1,
    maximum: 100,
    unit: "%",
    default: 90,
    description: "Round-trip efficiency, AC to AC: discharged energy divided by charged energy.",
  },
  reserve_pct: {
    type: "number",
    minimum: 0,
    maximum: 100,
    unit: "%",
    default: 5,
    description:
      "Reserve above min_soc_pct: within it, discharging stops if no recharge is planned before the next expensive period.",
  },
  wear_ct_kwh: {
    type: "number",
    minimum: 0,
    maximum: 1000,
    unit: "ct/kWh",
    default: 1,
    description: "Cost of wear per kWh discharged; the plan uses the battery only where it saves more.",
  },
  grid_charge_allowed: {
    type: "boolean",
    default: true,
    description: "The battery may be charged from the grid.",
  },
  export_allowed: { type: "boolean", default: false, description: "The battery may export to the grid." },
  controls: {
    type: "array",
    maxItems: 4,
    uniqueItems: true,
    default: ["charge", "hold"],
    items: { type: "string", enum: CONTROLLED_MODES, description: "A mode of the battery." },
    description:
      "What the installation can do on command. charge: charge from the grid. hold: stop discharging (O12 at 0). block: stop storing PV surplus (O14 at 0), so that the battery waits for negative prices or surplus that would otherwise be lost; it brings most in homes with PV. discharge: give a set power (O16), only with export_allowed. The plan uses no other modes.",
  },
} as const;

export const batterySchema = {
  type: ["object", "null"],
  description: "The battery of the site; null or omitted: none, or those of batteries.",
  additionalProperties: false,
  default: null,
  properties,
} as const;

/** Most batteries of a plant. */
const MAX_BATTERIES = 8;

export const batteriesSchema = {
  type: "array",
  maxItems: MAX_BATTERIES,
  default: [],
  description: "Several batteries, in place of battery; each has topics of its own.",
  items: {
    type: "object",
    description: "One of several batteries.",
    additionalProperties: false,
    required: ["id"],
    properties: {
      id: { type: "string", format: "plant-id", description: "Identifier in topics and readings." },
      label: { type: "string", maxLength: 100, default: "", description: "Display name; empty: the id." },
      ...properties,
    },
  },
} as const;
