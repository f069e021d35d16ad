import type { BatterySettings, PlantSettings } from "../../config/settings.js";

/** Settings of a plant that a device's facts fill, where these are empty. */
export type FilledSettings = Partial<Pick<PlantSettings, "battery">>;

/** Standards of a battery, of which facts replace some. */
const USUAL_BATTERY: BatterySettings = {
  capacity_kwh: 10,
  min_soc_pct: 10,
  max_soc_pct: 100,
  max_charge_power_kw: 5,
  max_discharge_power_kw: 5,
  efficiency_pct: 90,
  reserve_pct: 5,
  wear_ct_kwh: 1,
  grid_charge_allowed: true,
  export_allowed: false,
  controls: ["charge", "hold"],
};

/** What a device says about itself, as settings of its plant; only what the plant does not have yet. */
export function settingsOfFacts(
  plant: Pick<PlantSettings, "battery" | "batteries">,
  device: { facts: Readonly<Record<string, number>>; reads: readonly string[] },
): FilledSettings {
  const { capacity_kwh: capacity, max_charge_power_kw, max_discharge_power_kw, min_soc_pct } = device.facts;
  const hasBattery = plant.battery !== null || plant.batteries.length > 0;
  if (hasBattery || capacity === undefined || !device.reads.includes("battery")) return {};
  return {
    battery: {
      ...USUAL_BATTERY,
      capacity_kwh: capacity,
      ...(max_charge_power_kw !== undefined && { max_charge_power_kw }),
      ...(max_discharge_power_kw !== undefined && { max_discharge_power_kw }),
      ...(min_soc_pct !== undefined && min_soc_pct < USUAL_BATTERY.max_soc_pct && { min_soc_pct }),
    },
  };
}
