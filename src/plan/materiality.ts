import { HOUR_MS, type Interval } from "../domain/interval.js";
import type { SitePlan } from "./site-plan.js";

/** A change of the cap below this is rounding, kW. */
const CAP_TOLERANCE_KW = 0.01;

/**
 * The last day of the horizon moves on with every hour, and what is planned in it with it; nobody acts on that yet.
 */
const LOOK_AHEAD_MS = 144 * HOUR_MS;

function times(intervals: readonly Interval[], now: Date): string {
  // What is over is no change; what runs or comes is compared by its bounds.
  return intervals
    .filter((run) => run.end > now)
    .map((run) => `${run.start.getTime()}-${run.end.getTime()}`)
    .join();
}

function futureStarts(plan: SitePlan, now: Date): string {
  return plan.chargeHours
    .filter((run) => run.start > now && run.start.getTime() < now.getTime() + LOOK_AHEAD_MS)
    .map((run) => run.start.getTime())
    .join();
}

/**
 * Whether anyone has to act on `next` who acted on `pushed` (docs/spec/webhooks.md section 6): today's charge runs, the future
 * starts of the full plan (but for the last day of its horizon) or the discharge cap differ, or near_min_soc starts or ends. Hours that merely pass and
 * corrections of the SOC are no change. The first plan of all is material.
 */
export function isMaterial(pushed: SitePlan | undefined, next: SitePlan): boolean {
  if (pushed === undefined) return true;
  const now = next.issuedAt;
  // Another day has begun: yesterday's "today" says nothing about this one, the starts do.
  const sameDay = pushed.days[0]?.date === next.days[0]?.date;
  if (sameDay && times(pushed.chargeHoursToday, now) !== times(next.chargeHoursToday, now)) return true;
  if (futureStarts(pushed, now) !== futureStarts(next, now)) return true;
  const was = pushed.scalars;
  const is = next.scalars;
  if (Math.abs(was.dischargePowerKw - is.dischargePowerKw) > CAP_TOLERANCE_KW) return true;
  return (was.dischargeReason === "near_min_soc") !== (is.dischargeReason === "near_min_soc");
}
