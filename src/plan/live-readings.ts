import { type FreshnessLimits, freshness } from "../core/domain/freshness.js";
import { MINUTE_MS } from "../core/domain/interval.js";
import type { SiteInput } from "./site-input.js";
import type { SitePlan } from "./site-plan.js";

type LastReading = { value: number; at: Date } | undefined;

/** A fresh reading in its own unit; undefined if it is stale, lost or missing. */
export function freshValue(last: LastReading, now: Date, limits: FreshnessLimits): number | undefined {
  return last !== undefined && freshness(last.at, now, limits) === "fresh" ? last.value : undefined;
}

/** The SOC as read, or the planned one once the reading is stale (docs/spec/outputs-and-plan.md section 3). */
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

/** SOC that a plan expects at `at`, percent, interpolated within a step; undefined outside the time that it covers. */
export function plannedSocPct(plan: SitePlan, at: Date): number | undefined {
  const startPct = plan.days[0]?.socStartPct;
  if (startPct === undefined) return undefined;
  return plannedPct(plan, { startPct, endPct: plan.steps.map(({ socEndPct }) => socEndPct) }, at);
}

/** The same for a course of its own over the steps of the plan, such as that of one of several batteries. */
export function plannedPct(
  { issuedAt, steps }: Pick<SitePlan, "issuedAt" | "steps">,
  { startPct, endPct }: { startPct: number; endPct: readonly number[] },
  at: Date,
): number | undefined {
  let fromMs = issuedAt.getTime();
  let socPct = startPct;
  if (at.getTime() < fromMs) return undefined;
  for (const [index, step] of steps.entries()) {
    const endMs = step.end.getTime();
    const stepEndPct = endPct[index] ?? socPct;
    if (at.getTime() <= endMs) {
      const share = endMs > fromMs ? (at.getTime() - fromMs) / (endMs - fromMs) : 1;
      return socPct + share * (stepEndPct - socPct);
    }
    fromMs = endMs;
    socPct = stepEndPct;
  }
  return undefined;
}
