import type { SitePlan } from "./site-plan.js";

/**
 * SOC that a plan expects at `at`, percent; undefined outside the time it covers. Within a step the SOC is taken to
 * move evenly.
 */
export function plannedSocPct(plan: SitePlan, at: Date): number | undefined {
  let fromMs = plan.issuedAt.getTime();
  let socPct = plan.days[0]?.socStartPct;
  if (socPct === undefined || at.getTime() < fromMs) return undefined;
  for (const step of plan.steps) {
    const endMs = step.end.getTime();
    if (at.getTime() <= endMs) {
      const share = endMs > fromMs ? (at.getTime() - fromMs) / (endMs - fromMs) : 1;
      return socPct + share * (step.socEndPct - socPct);
    }
    fromMs = endMs;
    socPct = step.socEndPct;
  }
  return undefined;
}
