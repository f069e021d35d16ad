import { isDeepStrictEqual } from "node:util";
import type { PlantSettings } from "../../config/settings.js";
import { defaultPlant } from "../start/landing.js";

const BATTERY_FACTS = [
  "capacity_kwh",
  "max_charge_power_kw",
  "max_discharge_power_kw",
  "min_soc_pct",
] as const;
/** The shown facts in their order. */
export const SHOWN_FACTS = [...BATTERY_FACTS, "pv_peak_kw"] as const;
type FactName = (typeof SHOWN_FACTS)[number];

export type Facts = Readonly<Partial<Record<string, number>>>;

interface Filled {
  /** Sections of the plant. */
  plant: { battery?: object; pv?: object[] };
  /** The facts that these take. */
  taken: FactName[];
}

/**
 * What the facts of a device fill: a battery and PV that the settings do not have yet (the one of a new installation is not set by
 * anybody), and values of the battery that were never set.
 * `own`: the settings of the portal.
 */
export function filledBy(
  facts: Facts,
  { battery, batteries, pv }: Pick<PlantSettings, "battery" | "batteries" | "pv">,
  own: Readonly<Record<string, unknown>>,
): Filled {
  const filled: Filled = { plant: {}, taken: [] };
  const isUnset = battery === null || isDeepStrictEqual(battery, defaultPlant().battery);
  const isNew = isUnset && batteries.length === 0 && !Object.hasOwn(own, "battery");
  const set = typeof own.battery === "object" && own.battery !== null ? own.battery : undefined;
  if ((isNew && facts.capacity_kwh !== undefined) || set !== undefined) {
    const taken = BATTERY_FACTS.filter(
      (name) => facts[name] !== undefined && !Object.hasOwn(set ?? {}, name),
    );
    if (taken.length > 0) {
      filled.plant.battery = { ...set, ...Object.fromEntries(taken.map((name) => [name, facts[name]])) };
      filled.taken.push(...taken);
    }
  }
  if (pv.length === 0 && facts.pv_peak_kw !== undefined) {
    filled.plant.pv = [{ peak_kw: facts.pv_peak_kw }];
    filled.taken.push("pv_peak_kw");
  }
  return filled;
}
