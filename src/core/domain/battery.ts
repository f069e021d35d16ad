/** Modes of a self-consumption inverter; docs/planner.md describes each. */
export const BATTERY_MODES = ["free", "hold", "standby", "block", "charge", "discharge"] as const;

export type BatteryMode = (typeof BATTERY_MODES)[number];

/** The storage behind an inverter. Powers are kW on the AC side, energies kWh stored. */
export interface StorageLimits {
  minSocKwh: number;
  maxSocKwh: number;
  maxChargePowerKw: number;
  maxDischargePowerKw: number;
  /** Stored per AC kWh, in (0, 1]. */
  chargeEfficiency: number;
  /** AC kWh per stored kWh, in (0, 1]. */
  dischargeEfficiency: number;
}

/** Efficiency of charging, and of discharging, of a battery whose round trip has this efficiency, in (0, 1]. */
export function oneWayEfficiency(roundTripPct: number): number {
  return Math.sqrt(roundTripPct / 100);
}

/** A mode that an installation may or may not support. Every inverter supports `free`. */
export const CONTROLLED_MODES = ["charge", "hold", "standby", "block", "discharge"] as const;

export type ControlledMode = (typeof CONTROLLED_MODES)[number];

/** The modes of an installation whose settings do not name any. */
export const DEFAULT_CONTROLS: readonly ControlledMode[] = ["charge", "hold"];

/** The modes that settings name, else the usual ones. */
export function namedControls({
  controls,
}: {
  controls: readonly ControlledMode[] | null;
}): readonly ControlledMode[] {
  return controls ?? DEFAULT_CONTROLS;
}

/** Reasons of the discharge cap O12 (docs/spec/outputs-and-plan.md section 2). */
export const DISCHARGE_REASONS = [
  "full",
  "cheap_hold",
  "near_min_soc",
  "ev_charge_block",
  "ev_charge_limit",
  "telemetry_lost",
  "override",
] as const;

export type DischargeReason = (typeof DISCHARGE_REASONS)[number];

/**
 * Reasons of the charge cap O14; `pv_later`: capacity is reserved for later PV surplus of higher worth; `standby`: the battery keeps its
 * energy, and its inverter can stop discharging only together with charging.
 */
export const CHARGE_CAP_REASONS = ["full", "pv_later", "standby"] as const;

/** Whether the battery carries out its commands; `unknown` without readings that show it. */
export const FOLLOWING_STATES = ["yes", "no", "unknown"] as const;

export type FollowingState = (typeof FOLLOWING_STATES)[number];

/** How the battery deviates from its command, or why that is unknown; `none` while it follows. */
export const FOLLOWING_CAUSES = [
  "none",
  "no_telemetry",
  "command_changed",
  "not_charging",
  "discharges_despite_cap",
  "charges_despite_cap",
  "not_discharging",
  "charges_from_grid",
  // What switches the battery says why it cannot follow.
  "external",
  "offline",
  "declined",
] as const;

/** Why an actuator says that the battery does not follow. */
export type FollowingObstacle = Extract<FollowingCause, "external" | "offline" | "declined">;

export type FollowingCause = (typeof FOLLOWING_CAUSES)[number];
