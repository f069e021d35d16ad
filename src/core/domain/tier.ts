/** Plans in the command line and the quota table; `basic` is the plan of a call without a valid key. */
export const PLANS = ["basic", "community", "trial", "professional", "oem"] as const;

export type Plan = (typeof PLANS)[number];

/** Plans that an administrator can give to an account. */
export const GIVEN_PLANS = ["community", "professional", "oem"] as const;

export type GivenPlan = (typeof GIVEN_PLANS)[number];

/** Access tiers of the API (docs/spec/http-api.md section 3). */
export const TIERS = ["basic", "community", "full_trial", "full_active"] as const;

export type Tier = (typeof TIERS)[number];
