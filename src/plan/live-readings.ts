import { type FreshnessLimits, freshness } from "../domain/freshness.js";
import { MINUTE_MS } from "../domain/interval.js";
import type { SiteInput } from "./site-input.js";
import type { SitePlan } from "./site-plan.js";
import { plannedSocPct } from "./soc-estimate.js";

type LastReading = { value: number; at: Date } | undefined;

/** A reading that is not older than the fail-safe allows, in its own unit; undefined otherwise. */
export function freshValue(last: LastReading, now: Date, limits: FreshnessLimits): number | undefined {
  return last !== undefined && freshness(last.at, now, limits) === "fresh" ? last.value : undefined;
}

/** The SOC as read, or carried forward by the plan once the reading is stale (docs/spec/outputs-and-plan.md section 3). */
export function knownSoc(
  last: LastReading,
  { plan, now, limits }: { plan: SitePlan | undefined; now: Date; limits: FreshnessLimits },
): SiteInput["soc"] | undefined {
  if (last === undefined) return undefined;
  const age = freshness(last.at, now, limits);
  const ageMinutes = Math.max(0, Math.floor((now.getTime() - last.at.getTime()) / MINUTE_MS));
  const planned =
    age !== "fresh" && plan !== undefined && plan.issuedAt >= last.at ? plannedSocPct(plan, now) : undefined;
  return { pct: planned ?? last.value, ageMinutes, stale: age !== "fresh", lost: age === "lost" };
}
