import { CONTROLLED_MODES } from "../../core/domain/battery.js";
import { entry, flag, number, text } from "./kinds.js";

const properties = {
  capacity_kwh: number(
    { exclusiveMinimum: 0, maximum: 100_000, unit: "kWh", default: 10 },
    "Usable energy between 0 and 100 % state of charge.",
  ),
  min_soc_pct: number(
    { minimum: 0, maximum: 100, unit: "%", default: 10 },
    "The plan never discharges below this state of charge.",
  ),
  max_soc_pct: number(
    { minimum: 0, maximum: 100, unit: "%", default: 100 },
    "The plan never charges above this state of charge.",
  ),
  max_charge_power_kw: number(
    { exclusiveMinimum: 0, maximum: 100_000, unit: "kW", default: 5 },
    "Largest charging power, measured on the AC side.",
  ),
  max_discharge_power_kw: number(
    { exclusiveMinimum: 0, maximum: 100_000, unit: "kW", default: 5 },
    "Largest discharging power, measured on the AC side.",
  ),
  efficiency_pct: number(
    { minimum: 1, maximum: 100, unit: "%", default: 90 },
    "Round-trip efficiency, AC to AC.",
  ),
  reserve_pct: number(
    { minimum: 0, maximum: 100, unit: "%", default: 5 },
    "Reserve above min_soc_pct: within it discharging stops unless a recharge is planned before the next expensive period.",
  ),
  wear_ct_kwh: number(
    { minimum: 0, maximum: 1000, unit: "ct/kWh", default: 1 },
    "Cost of wear per kWh discharged; the battery is used only where it saves more.",
  ),
  grid_charge_allowed: flag(true, "The battery may be charged from the grid."),
  export_allowed: flag(false, "The battery may export to the grid."),
  controls: {
    type: ["array", "null"],
    maxItems: 5,
    uniqueItems: true,
    default: null,
    items: text({ enum: CONTROLLED_MODES }, "A mode of the battery."),
    description:
      "What the installation can do on command (docs/outputs.md); null: what its device can do, without one charge and hold.",
  },
} as const;

export const batterySchema = {
  type: ["object", "null"],
  description: "The battery of the site; null: none, or those of batteries.",
  additionalProperties: false,
  default: null,
  properties,
} as const;

const MAX_BATTERIES = 8;

export const batteriesSchema = {
  type: "array",
  maxItems: MAX_BATTERIES,
  default: [],
  description: "Several batteries, instead of battery.",
  items: entry("One of several batteries.", ["id"], {
    id: text({ format: "plant-id" }, "Identifier in topics and readings."),
    label: text({ maxLength: 100, default: "" }, "Display name; empty: the id."),
    ...properties,
  }),
} as const;
