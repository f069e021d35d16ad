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
] as const;

export type FollowingCause = (typeof FOLLOWING_CAUSES)[number];
