import { tierOf } from "../accounts/access.js";
import { PLANS, type Plan } from "../domain/tier.js";
import type { QuotaTable } from "./services.js";

/** Who a plan applies to (docs/spec/http-api.md section 3). */
const WHO: Record<Plan, string> = {
  basic: "no key or invalid key",
  community: "registered key",
  trial: "registered key, 14 days",
  professional: "paid integrator",
  oem: "contract",
};

/** Window and scope of the decision limit of a plan (docs/spec/http-api.md section 4). */
const COUNTING: Record<Plan, { window: "hour" | "day"; scope: string }> = {
  basic: { window: "hour", scope: "ip" },
  community: { window: "day", scope: "api_key_day" },
  trial: { window: "hour", scope: "account" },
  professional: { window: "hour", scope: "account" },
  oem: { window: "hour", scope: "account" },
};

/** `access_model` of the status: every tier with its horizon and limits; null if a class is unavailable. */
export function accessModel(table: QuotaTable) {
  return {
    tiers: PLANS.map((plan) => ({
      ...tierOf(plan),
      who: WHO[plan],
      horizon_hours: plan === "basic" ? 48 : 168,
      full_version_available: plan !== "basic",
      decision_limit: table[plan].decision ?? null,
      decision_window: COUNTING[plan].window,
      decision_scope: COUNTING[plan].scope,
      telemetry_per_day: table[plan].telemetry ?? null,
      pv_per_day: table[plan].pv ?? null,
      weather_per_day: table[plan].weather ?? null,
    })),
  };
}
