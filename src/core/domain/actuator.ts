export const ACTUATOR_PHASES = [
  "disabled",
  "dry_run",
  "waiting",
  "idle",
  "sending",
  "confirmed",
  "declined",
  "failed",
  "offline",
  "external",
  "released",
  "testing",
  "conflict",
  "misconfigured",
] as const;

/**
 * What an actuator does. `idle`: the device is left to itself as planned; `released`: because there is no usable plan;
 * `waiting`: its state is not read yet; `external`: somebody else changed it; `conflict`: another actuator drives it.
 */
export type ActuatorPhase = (typeof ACTUATOR_PHASES)[number];

/** Why a command had no effect. */
export const DEVICE_FAULTS = [
  "unauthorized",
  "not_found",
  "refused",
  "device_error",
  "timeout",
  "unreachable",
  "not_local",
  "no_broker",
  "unexpected_answer",
  "not_confirmed",
  "template",
  "budget",
  "storage",
] as const;

export type DeviceFault = (typeof DEVICE_FAULTS)[number];

/** Also the faults of an actuator that cannot run. */
export type ActuatorFault = DeviceFault | "conflict" | "misconfigured";
