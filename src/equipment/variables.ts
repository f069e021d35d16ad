/** Variables that every expression may name besides the parameters and values of its template. */
export const VARIABLES = [
  "state",
  "power_kw",
  "power_w",
  "soc_stop_pct",
  "soc_pct",
  "load_w",
  "pv_w",
  "battery_w",
  "actuator",
  "plant",
  "now_s",
  "tick",
  "found",
  "lease_s",
  "repeat_s",
] as const;
