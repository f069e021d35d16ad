import type { SitePlan } from "./site-plan.js";

/**
 * SOC that a plan expects at `at`, percent; undefined outside the time it covers. Within an hour the SOC is taken to
 * move evenly.
 */
export function plannedSocPct(plan: SitePlan, at: Date): number | undefined {
  let fromMs = plan.issuedAt.getTime();
  let socPct = plan.days[0]?.socStartPct;
  if (socPct === undefined || at.getTime() < fromMs) return undefined;
  for (const day of plan.days) {
    for (const hour of day.hours) {
      const endMs = hour.end.getTime();
      if (at.getTime() <= endMs) {
        const share = endMs > fromMs ? (at.getTime() - fromMs) / (endMs - fromMs) : 1;
        return socPct + share * (hour.socEndPct - socPct);
      }
      fromMs = endMs;
      socPct = hour.socEndPct;
    }
  }
  return undefined;
}
