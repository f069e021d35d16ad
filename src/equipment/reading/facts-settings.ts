import { defaultSettings } from "../../config/load.js";
import type { PlantSettings } from "../../config/settings.js";
import type { ControlledMode } from "../../core/domain/battery.js";

const BATTERY_FACTS = [
  "capacity_kwh",
  "max_charge_power_kw",
  "max_discharge_power_kw",
  "min_soc_pct",
] as const;
/** The facts that fill settings, in their order. */
export const FILLING_FACTS = [...BATTERY_FACTS, "pv_peak_kw"] as const;
type FactName = (typeof FILLING_FACTS)[number];

export type Facts = Readonly<Partial<Record<string, number>>>;

/** What a device says about itself. */
export interface DeviceFacts {
  facts: Facts;
  /** What it can do with the battery that it controls; empty: it controls none, or that is not known. */
  modes?: readonly ControlledMode[];
}

export interface FilledSettings {
  /** Sections of the plant. */
  plant: { battery?: object; pv?: object[] };
  /** The facts that these take. */
  taken: FactName[];
  /** The modes of the battery, where these take them. */
  modes?: readonly ControlledMode[];
}

let builtIn: PlantSettings | undefined;

/** The plant of a gateway whose configuration has none. */
export function defaultPlant(): PlantSettings {
  builtIn ??= defaultSettings().plants[0]!;
  return builtIn;
}

/**
 * What the facts of a device fill: a battery and PV that the settings do not have yet (the one of a new installation is not set by
 * anybody), values of the battery that were never set, and its modes. `own`: the settings of the portal.
 */
export function settingsOfFacts(
  { facts, modes = [] }: DeviceFacts,
  { battery, batteries, pv }: Pick<PlantSettings, "battery" | "batteries" | "pv">,
  own: Readonly<Record<string, unknown>>,
): FilledSettings {
  const filled: FilledSettings = { plant: {}, taken: [] };
  const isUnset = battery === null || JSON.stringify(battery) === JSON.stringify(defaultPlant().battery);
  const isNew = isUnset && batteries.length === 0 && !Object.hasOwn(own, "battery");
  const set: Record<string, unknown> | undefined =
    typeof own.battery === "object" && own.battery !== null ? { ...own.battery } : undefined;
  if ((isNew && facts.capacity_kwh !== undefined) || set !== undefined) {
    const taken = BATTERY_FACTS.filter(
      (name) => facts[name] !== undefined && !Object.hasOwn(set ?? {}, name),
    );
    const controls = possibleModes(modes, set?.controls);
    if (taken.length > 0 || controls !== undefined) {
      filled.plant.battery = {
        ...set,
        ...Object.fromEntries(taken.map((name) => [name, facts[name]])),
        ...(controls && { controls }),
      };
      filled.taken.push(...taken);
      if (controls !== undefined) filled.modes = controls;
    }
  }
  if (pv.length === 0 && facts.pv_peak_kw !== undefined) {
    filled.plant.pv = [{ peak_kw: facts.pv_peak_kw }];
    filled.taken.push("pv_peak_kw");
  }
  return filled;
}

/** The modes of a device, of those that were chosen; undefined: nothing has to be set. */
function possibleModes(modes: readonly ControlledMode[], chosen: unknown): ControlledMode[] | undefined {
  if (modes.length === 0) return undefined;
  if (!Array.isArray(chosen)) return [...modes];
  const possible = modes.filter((mode) => chosen.includes(mode));
  if (possible.length === chosen.length) return undefined;
  return possible.length > 0 ? possible : [...modes];
}
