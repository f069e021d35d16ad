/** Readings of the home, in whole W and %. */
export const LIVE_VARIABLES = ["soc_pct", "load_w", "pv_w", "battery_w", "grid_w"] as const;
export type LiveVariable = (typeof LIVE_VARIABLES)[number];

/** Variables that every expression may name besides the parameters and values of its template. */
export const VARIABLES = [
  "state",
  "power_kw",
  "power_w",
  "soc_stop_pct",
  ...LIVE_VARIABLES,
  "actuator",
  "plant",
  "now_s",
  "tick",
  "found",
  "device",
  "lease_s",
  "repeat_s",
] as const;
