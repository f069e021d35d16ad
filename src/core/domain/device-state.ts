export const DEVICE_STATES = [
  "waiting",
  "ok",
  "degraded",
  "unreachable",
  "sleeping",
  "external",
  "misconfigured",
  "conflict",
  "disabled",
] as const;

/**
 * What a device does. `waiting`: not read yet; `degraded`: it answers, but values are missing for three readings; `sleeping`: off at
 * night; `external`: somebody else has changed it.
 */
export type ShownDeviceState = (typeof DEVICE_STATES)[number];
