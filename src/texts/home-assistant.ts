/**
 * Names of the entities in Home Assistant by their key. English only: discovery has one announcement for all users, and
 * Home Assistant lets each user rename entities.
 */
export const HOME_ASSISTANT_TEXTS = {
  model: "Energy gateway",
  entities: {
    price: "Price",
    price_quartile: "Price quartile",
    price_signal: "Price signal",
    charge_now: "Charge now",
    grid_charge_allowed: "Grid charge allowed",
    charge_power: "Charge power",
    charge_stop_soc: "Charge stop SOC",
    min_soc: "Minimum SOC",
    hours_needed: "Hours needed",
    hours_needed_today: "Hours needed today",
    energy_charge: "Energy to charge",
    discharge_power: "Discharge cap",
    discharge_reason: "Discharge cap reason",
    adaptive_discharge: "Adaptive discharge",
    savings_today: "Savings today",
    savings_month: "Savings this month",
    soc_age: "SOC age",
    soc_stale: "SOC stale",
    charge_cap: "PV charge cap",
    charge_cap_reason: "PV charge cap reason",
    feed_in_limit: "Feed-in limit",
    discharge_set: "Set discharge power",
    import_target: "Import target",
    following: "Battery follows commands",
    following_cause: "Battery not following: cause",
  },
  slotChargeNow: (device: string) => `${device}: charge now`,
  slotNextStart: (device: string) => `${device}: next start`,
  slotPlugged: (device: string) => `${device}: plugged in`,
};
