/** Modes of a self-consumption inverter; docs/planner.md describes each. */
export const BATTERY_MODES = ["free", "hold", "block", "charge", "discharge"] as const;

export type BatteryMode = (typeof BATTERY_MODES)[number];

/** A mode that an installation may or may not support. Every inverter supports `free`. */
export const CONTROLLED_MODES = ["charge", "hold", "block", "discharge"] as const;

export type ControlledMode = (typeof CONTROLLED_MODES)[number];

/** The modes of an installation whose settings do not name any. */
export const DEFAULT_CONTROLS: readonly ControlledMode[] = ["charge", "hold"];
