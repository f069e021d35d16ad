import type { FollowingObstacle } from "./battery.js";

export const ACTUATOR_PHASES = [
  "disabled",
  "dry_run",
  "waiting",
  "idle",
  "sending",
  "accepted",
  "confirmed",
  "declined",
  "failed",
  "offline",
  "external",
  "released",
  "testing",
  "conflict",
  "standby",
  "misconfigured",
] as const;

/**
 * What an actuator does. `idle`: the device is left to itself as planned; `released`: because there is no usable plan;
 * `waiting`: its state is not read yet; `accepted`: the controller has the command; `confirmed`: the device shows it; `external`: somebody else changed it; `conflict`: another actuator drives it; `standby`: another gateway
 * with the installation id of this one does.
 */
export type ActuatorPhase = (typeof ACTUATOR_PHASES)[number];

/** Why a command had no effect. */
export const DEVICE_FAULTS = [
  "unauthorized",
  "not_found",
  // The device lacks what its settings name.
  "absent",
  "refused",
  "device_error",
  "timeout",
  "unreachable",
  "wrong_device",
  "not_local",
  "no_broker",
  "unexpected_answer",
  "not_confirmed",
  "no_reading",
  "not_applied",
  // The measured power does not show the state, with the probable cause.
  "effect_full",
  "effect_empty",
  "effect_cold",
  "effect_grid_charge",
  "effect_other",
  "template",
  "budget",
] as const;

export type DeviceFault = (typeof DEVICE_FAULTS)[number];

/** Also why an actuator does not switch its device. */
export type ActuatorFault = DeviceFault | "conflict" | "standby" | "misconfigured" | "external" | "offline";

/**
 * What the trial run of a battery has shown: `shown`: it charges; `missed`: it does not; `unmeasured`: nothing measures it; `failed`:
 * its device did not take the command; `ended`: stopped by the user who began it.
 */
export type TrialVerdict = "shown" | "missed" | "unmeasured" | "failed" | "ended";

/** An actuator whose state has changed, or that was removed. */
export interface ActuatorChange {
  siteId: string;
  id: string;
  controls: string;
  /** Why its device cannot follow the plan now; undefined: nothing is known against it. */
  obstacle: FollowingObstacle | undefined;
}
