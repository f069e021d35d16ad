/** Unit of an output; `flag` is 0 or 1, `min` is -1 when there is no such time, `quartile` is 1 to 4. */
export type OutputUnit = "flag" | "quartile" | "min" | "h" | "kW" | "kWh" | "%" | "ct/kWh";

interface OutputDefinition {
  /** Member of the plan's scalars with the value of the output. */
  scalar: string;
  /** Field of the hours-demand answer and name in the controllers' interface. */
  field: string;
  /** Topic below the site, in addition to `outputs/<name>`. */
  topic: string;
  unit: OutputUnit;
}

/**
 * The outputs of docs/spec/outputs-and-plan.md section 1. API schemas, MQTT, controllers, portal and the Node-RED
 * palette take their lists from here: a new output is one line here, a member of `PlanScalars` and its texts.
 */
export const OUTPUTS = {
  O1: { scalar: "chargeNow", field: "charge_now", topic: "charge_now", unit: "flag" },
  O2: { scalar: "chargePowerKw", field: "charge_power_kw", topic: "charge_power_kw", unit: "kW" },
  O3: { scalar: "hoursNeeded", field: "hours_needed", topic: "hours_needed", unit: "h" },
  O4: { scalar: "hoursNeededToday", field: "hours_needed_today", topic: "hours_needed_today", unit: "h" },
  O5: { scalar: "energyChargeKwh", field: "energy_charge_kwh", topic: "energy_charge_kwh", unit: "kWh" },
  O6: { scalar: "minutesToChargeStart", field: "minutes_to_start", topic: "outputs/O6", unit: "min" },
  O7: { scalar: "currentQuartile", field: "price_quartile", topic: "price/quartile", unit: "quartile" },
  O8: { scalar: "currentPriceCtKwh", field: "price_now_ct_kwh", topic: "price/now_ct_kwh", unit: "ct/kWh" },
  O9: { scalar: "chargeStopSocPct", field: "charge_stop_soc_pct", topic: "charge_stop_soc_pct", unit: "%" },
  O10: {
    scalar: "adaptiveDischarge",
    field: "adaptive_discharge",
    topic: "discharge/adaptive",
    unit: "flag",
  },
  O11: { scalar: "minSocPct", field: "min_soc_pct", topic: "min_soc_pct", unit: "%" },
  O12: { scalar: "dischargePowerKw", field: "discharge_power_kw", topic: "discharge/power_kw", unit: "kW" },
  O13: {
    scalar: "gridChargeAllowed",
    field: "grid_charge_allowed",
    topic: "grid_charge_allowed",
    unit: "flag",
  },
  O14: { scalar: "chargeCapKw", field: "charge_cap_kw", topic: "charge/cap_kw", unit: "kW" },
  O15: { scalar: "feedInLimitKw", field: "feed_in_limit_kw", topic: "feed_in/limit_kw", unit: "kW" },
  O16: { scalar: "dischargeSetKw", field: "discharge_set_kw", topic: "discharge/set_kw", unit: "kW" },
} as const satisfies Record<string, OutputDefinition>;

export type OutputName = keyof typeof OUTPUTS;

export const OUTPUT_NAMES = Object.keys(OUTPUTS) as OutputName[];
