import type { PlanOverrides } from "./overrides.js";
import type { SitePlan } from "./site-plan.js";
import { plannedSocPct } from "./soc-estimate.js";

/** What a reading may say too: it tells of the house as it is, not of another one. */
const READINGS: ReadonlySet<string> = new Set(["socPct", "loadPowerKw", "evPowerKw", "pvPowerKw"]);
/** A SOC further off the planned one tells of another situation, percent. */
const SOC_THRESHOLD_PCT = 2;

/**
 * Whether the plan that stands says anything about what a caller asks for. One who asks about another battery, another
 * load, other PV or quite another SOC gets the optimum for that, not what calm would keep of a plan made for this house.
 */
export function canReusePreviousPlan(standing: SitePlan, overrides: PlanOverrides, now: Date): boolean {
  const told = Object.entries(overrides).filter(([, value]) => value !== undefined);
  if (!told.every(([name]) => READINGS.has(name))) return false;
  if (overrides.socPct === undefined) return true;
  const planned = plannedSocPct(standing, now);
  return planned !== undefined && Math.abs(overrides.socPct - planned) <= SOC_THRESHOLD_PCT;
}
