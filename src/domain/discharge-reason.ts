/** Why the discharge cap O12 is what it is (docs/spec/outputs-and-plan.md section 2). */
export const DISCHARGE_REASONS = [
  "full",
  "cheap_hold",
  "near_min_soc",
  "ev_charge_block",
  "ev_charge_limit",
  "telemetry_lost",
] as const;

export type DischargeReason = (typeof DISCHARGE_REASONS)[number];
