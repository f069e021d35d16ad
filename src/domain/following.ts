/** Whether the battery does what is commanded; `unknown` without readings that show it. */
export const FOLLOWING_STATES = ["yes", "no", "unknown"] as const;

export type FollowingState = (typeof FOLLOWING_STATES)[number];

/** What is seen where the battery does not follow, or why nothing is known; `none` while it follows. */
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
