import type { PlanFieldTexts } from "../plan-fields.js";

export const englishPlanFields: PlanFieldTexts = {
  charge_now: {
    portal: "Charge now",
    homeAssistant: "Charge now",
    loxone: "Charge battery",
    nodeRed: "charge now, 0 or 1",
  },
  charge_power_kw: {
    portal: "Charging power now",
    homeAssistant: "Charge power",
    loxone: "Charging power",
    nodeRed: "charging power now, kW",
  },
  hours_needed: {
    portal: "Total hours of charging",
    homeAssistant: "Hours needed",
    loxone: "Charging hours",
    nodeRed: "hours needed",
  },
  hours_needed_today: {
    portal: "Hours of charging today",
    homeAssistant: "Hours needed today",
    loxone: "Charging hours today",
    nodeRed: "hours needed today",
  },
  energy_charge_kwh: {
    portal: "Energy to charge",
    homeAssistant: "Energy to charge",
    loxone: "Energy to charge",
    nodeRed: "energy to charge, kWh",
  },
  minutes_to_start: {
    portal: "Time to the next charge",
    loxone: "Minutes to charging",
    nodeRed: "minutes to next start",
  },
  price_quartile: {
    portal: "Price quarter now (1 cheap, 4 expensive)",
    homeAssistant: "Price quartile",
    loxone: "Price quartile",
    nodeRed: "price quartile, 1 to 4",
  },
  price_now_ct_kwh: {
    portal: "Price now",
    homeAssistant: "Price",
    loxone: "Electricity price",
    nodeRed: "price now, ct/kWh",
  },
  charge_stop_soc_pct: {
    portal: "State of charge at the end of charging",
    homeAssistant: "Charge stop SOC",
    loxone: "Charge up to",
    nodeRed: "charge stop SOC, %",
  },
  adaptive_discharge: {
    portal: "Discharging is controlled",
    homeAssistant: "Adaptive discharge",
    loxone: "Adaptive discharge",
    nodeRed: "adaptive discharge, 0 or 1",
  },
  min_soc_pct: {
    portal: "Lowest state of charge",
    homeAssistant: "Minimum SOC",
    loxone: "Minimum state of charge",
    nodeRed: "minimum SOC, %",
  },
  discharge_power_kw: {
    portal: "Maximum discharge power",
    homeAssistant: "Discharge cap",
    loxone: "Discharge limit",
    nodeRed: "discharge cap, kW",
  },
  grid_charge_allowed: {
    portal: "Charging from the grid allowed",
    homeAssistant: "Grid charge allowed",
    loxone: "Grid charging allowed",
    nodeRed: "grid charging allowed, 0 or 1",
  },
  charge_cap_kw: {
    portal: "Maximum charge power from PV surplus",
    homeAssistant: "PV charge cap",
    loxone: "PV charge limit",
    nodeRed: "PV charge cap, kW",
  },
  feed_in_limit_kw: {
    portal: "Maximum feed-in power",
    homeAssistant: "Feed-in limit",
    loxone: "Feed-in limit",
    nodeRed: "feed-in limit, kW; empty: none",
  },
  discharge_set_kw: {
    portal: "Set discharge power",
    homeAssistant: "Set discharge power",
    loxone: "Set discharge power",
    nodeRed: "set discharge power, kW",
  },
  discharge_reason: {
    homeAssistant: "Discharge cap reason",
  },
  charge_cap_reason: {
    homeAssistant: "PV charge cap reason",
  },
  soc_age_minutes: {
    homeAssistant: "SOC age",
  },
  soc_stale: {
    homeAssistant: "SOC stale",
  },
  import_target_kw: {
    homeAssistant: "Import target",
  },
  following: {
    homeAssistant: "Follows commands",
  },
  following_cause: {
    homeAssistant: "Not following: cause",
  },
};
