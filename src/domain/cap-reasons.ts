/** Reasons of the discharge cap O12 (docs/spec/outputs-and-plan.md section 2). */
export const DISCHARGE_REASONS = [
  "full",
  "cheap_hold",
  "near_min_soc",
  "ev_charge_block",
  "ev_charge_limit",
  "telemetry_lost",
] as const;

export type DischargeReason = (typeof DISCHARGE_REASONS)[number];

/** Reasons of the charge cap O14; `pv_later`: capacity is reserved for later PV surplus of higher worth. */
export const CHARGE_CAP_REASONS = ["full", "pv_later"] as const;

export type ChargeCapReason = (typeof CHARGE_CAP_REASONS)[number];
