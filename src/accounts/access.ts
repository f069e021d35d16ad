import type { Site } from "../config/site.js";
import type { Plan, Tier } from "../core/domain/tier.js";

/** The effective access of one call. */
export interface Access {
  tier: Tier;
  plan: Plan;
  label: string;
  tokenPresent: boolean;
  tokenValid: boolean;
  /** Set if and only if the key is valid. */
  site?: Site;
  accountId?: string;
  /** Stable id of the key, for quotas; never the key itself. */
  keyId?: string;
  /** Limit on decision calls per hour of this key alone, if set. */
  hourlyLimit?: number;
  administrator: boolean;
}

const LABELS: Record<Plan, string> = {
  basic: "Basic (no key)",
  community: "Community",
  trial: "Full version (trial)",
  professional: "Full version (Professional)",
  oem: "Full version (OEM)",
};

const TIERS: Record<Plan, Tier> = {
  basic: "basic",
  community: "community",
  trial: "full_trial",
  professional: "full_active",
  oem: "full_active",
};

/** Tier and label of a plan. */
export function tierOf(plan: Plan): { tier: Tier; label: string } {
  return { tier: TIERS[plan], label: LABELS[plan] };
}

/** Access of a call without a valid key. */
export function basicAccess(tokenPresent: boolean): Access {
  return { ...tierOf("basic"), plan: "basic", tokenPresent, tokenValid: false, administrator: false };
}

/** The access object of docs/spec/http-api.md section 3. */
export function accessDocument(access: Access) {
  return {
    tier: access.tier,
    label: access.label,
    full_version_available: access.tier !== "basic",
    token_present: access.tokenPresent,
    token_valid: access.tokenValid,
  };
}
