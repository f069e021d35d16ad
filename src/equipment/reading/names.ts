import type { TemplateReadingSpec } from "./reading-schema.js";

/** What a device may give readings of. */
export const ROLES = ["grid", "pv", "battery", "load", "slot"] as const;
export type Role = (typeof ROLES)[number];

/** A reading of a template: its role, its unit, and what it is in the telemetry of a site. */
export interface DeviceReadingName {
  role: Role;
  unit: "kW" | "kWh" | "%" | "°C" | "";
  /** Powers: what a positive value means. */
  positive?: string;
  isCounter?: true;
  /** Shown of the device under this name. */
  shown?: string;
}

const power = (role: Role, positive: string): DeviceReadingName => ({ role, unit: "kW", positive });
const counter = (role: Role): DeviceReadingName => ({ role, unit: "kWh", isCounter: true });

/** The readings that a template may have. */
export const DEVICE_READINGS: Readonly<Record<string, DeviceReadingName>> = {
  grid_power_kw: power("grid", "import"),
  import_kwh: counter("grid"),
  export_kwh: counter("grid"),
  grid_power_l1_kw: power("grid", "import"),
  grid_power_l2_kw: power("grid", "import"),
  grid_power_l3_kw: power("grid", "import"),
  pv_power_kw: power("pv", "production"),
  pv_kwh: counter("pv"),
  soc_pct: { role: "battery", unit: "%" },
  battery_power_kw: power("battery", "charging"),
  charge_kwh: counter("battery"),
  discharge_kwh: counter("battery"),
  battery_temperature_c: { role: "battery", unit: "°C" },
  load_power_kw: power("load", "consumption"),
  load_kwh: counter("load"),
  power_kw: power("slot", "consumption"),
  energy_kwh: counter("slot"),
  connected: { role: "slot", unit: "" },
  vehicle_soc_pct: { role: "slot", unit: "%", shown: "soc_pct" },
  temperature_c: { role: "slot", unit: "°C" },
};

/** Facts of a device that fill empty settings. */
export const FACT_UNITS: Readonly<Record<string, DeviceReadingName["unit"]>> = {
  capacity_kwh: "kWh",
  max_charge_power_kw: "kW",
  max_discharge_power_kw: "kW",
  min_soc_pct: "%",
  pv_peak_kw: "kW",
  max_power_kw: "kW",
};

export const IDENTITY_KEYS = ["manufacturer", "model", "serial", "firmware"] as const;
export type IdentityKey = (typeof IDENTITY_KEYS)[number];
/** The time that the device has, which is not shown: Unix time in seconds, or a text with its zone. */
export const CLOCK = "clock";

/** The roles of a template's readings, in the usual order. */
export function rolesOf(readings: Readonly<Record<string, TemplateReadingSpec>>): Role[] {
  const roles = new Set(Object.keys(readings).map((name) => DEVICE_READINGS[name]?.role));
  return ROLES.filter((role) => roles.has(role));
}
