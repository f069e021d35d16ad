import { HOUR_MS, type Interval } from "../core/domain/interval.js";
import { LIMIT_SCALARS } from "../core/domain/plan-field-lists.js";
import { dayOf } from "../core/time/zone.js";
import { clipRuns } from "./charge-runs.js";
import type { SitePlan } from "./site-plan.js";

/** What is kept of a material plan. */
export type PushedPlan = Pick<SitePlan, "chargeHours" | "scalars">;

/** A change of a limit below this is rounding, kW. */
const CAP_TOLERANCE_KW = 0.01;

/** Starts later than this are ignored: the plan of the last day of the horizon changes hourly. */
const LOOK_AHEAD_MS = 144 * HOUR_MS;

/** Bounds of the current and future runs, for comparison. */
function boundsOf(intervals: readonly Interval[], now: Date): string {
  return intervals
    .filter((run) => run.end > now)
    .map((run) => `${run.start.getTime()}-${run.end.getTime()}`)
    .join();
}

function futureStarts(plan: PushedPlan, now: Date): string {
  return plan.chargeHours
    .filter((run) => run.start > now && run.start.getTime() < now.getTime() + LOOK_AHEAD_MS)
    .map((run) => run.start.getTime())
    .join();
}

/**
 * Whether a consumer that acted on `pushed` has to act on `next` (docs/spec/webhooks.md section 6): today's charge runs,
 * future starts of runs (except in the last day of the horizon) or a limit (O12, O14, O15, O16) differ, or near_min_soc
 * starts or ends. Today is that of `next` in `zone`, also where `pushed` is from the day before. Runs that have ended and
 * corrections of the SOC are not material. The first plan is.
 */
export function isMaterial(pushed: PushedPlan | undefined, next: SitePlan, zone: string): boolean {
  if (pushed === undefined) return true;
  const now = next.issuedAt;
  const pushedToday = clipRuns(pushed.chargeHours, dayOf(now, zone));
  if (boundsOf(pushedToday, now) !== boundsOf(next.chargeHoursToday, now)) return true;
  if (futureStarts(pushed, now) !== futureStarts(next, now)) return true;
  const was = pushed.scalars;
  const is = next.scalars;
  if (LIMIT_SCALARS.some((name) => Math.abs((was[name] ?? -1) - (is[name] ?? -1)) > CAP_TOLERANCE_KW))
    return true;
  return (was.dischargeReason === "near_min_soc") !== (is.dischargeReason === "near_min_soc");
}
