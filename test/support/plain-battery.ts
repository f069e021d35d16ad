import type { PlantSettings } from "../../src/config/settings.js";

/** 10 kWh, of which 9 are used, 5 kW, 90 % one way, without wear. */
export const PLAIN_BATTERY: NonNullable<PlantSettings["battery"]> = {
  capacity_kwh: 10,
  min_soc_pct: 10,
  max_soc_pct: 100,
  max_charge_power_kw: 5,
  max_discharge_power_kw: 5,
  efficiency_pct: 81,
  reserve_pct: 0,
  wear_ct_kwh: 0,
  grid_charge_allowed: true,
  export_allowed: false,
  controls: ["charge", "hold", "block"],
};
