/** What a self-consumption inverter can be set to for a while; docs/planner.md says what each does. */
export const BATTERY_MODES = ["free", "hold", "block", "charge", "discharge"] as const;

export type BatteryMode = (typeof BATTERY_MODES)[number];

/** A mode that an installation may or may not be able to carry out. Every inverter can run `free`. */
export const CONTROLLED_MODES = ["charge", "hold", "block", "discharge"] as const;

export type ControlledMode = (typeof CONTROLLED_MODES)[number];

/** What an installation can carry out when its settings do not say. */
export const DEFAULT_CONTROLS: readonly ControlledMode[] = ["charge", "hold"];
