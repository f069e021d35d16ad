import type { ControlledMode } from "../core/domain/battery.js";
import type { BatterySettings, NamedBatterySettings } from "./settings.js";

/**
 * The battery that stands for all of `batteries` in the plan: energies and powers add up, the SOC band and the reserve are
 * energy-weighted, efficiency and wear weighted by capacity. What not every battery can do or may do, the sum cannot.
 */
export function aggregateBattery(batteries: readonly NamedBatterySettings[]): BatterySettings {
  const sum = (value: (battery: NamedBatterySettings) => number) =>
    batteries.reduce((total, battery) => total + value(battery), 0);
  const capacity = sum(({ capacity_kwh }) => capacity_kwh);
  const weighted = (value: (battery: NamedBatterySettings) => number) =>
    // Rounded, so that equal values stay what they are.
    Number((sum((battery) => value(battery) * battery.capacity_kwh) / capacity).toPrecision(12));
  const controls = batteries.map((battery) => battery.controls as readonly ControlledMode[]);
  return {
    capacity_kwh: capacity,
    min_soc_pct: weighted(({ min_soc_pct }) => min_soc_pct),
    max_soc_pct: weighted(({ max_soc_pct }) => max_soc_pct),
    max_charge_power_kw: sum(({ max_charge_power_kw }) => max_charge_power_kw),
    max_discharge_power_kw: sum(({ max_discharge_power_kw }) => max_discharge_power_kw),
    efficiency_pct: weighted(({ efficiency_pct }) => efficiency_pct),
    reserve_pct: weighted(({ reserve_pct }) => reserve_pct),
    wear_ct_kwh: weighted(({ wear_ct_kwh }) => wear_ct_kwh),
    grid_charge_allowed: batteries.every(({ grid_charge_allowed }) => grid_charge_allowed),
    export_allowed: batteries.every(({ export_allowed }) => export_allowed),
    controls: (controls[0] ?? []).filter((mode) => controls.every((own) => own.includes(mode))),
  };
}
