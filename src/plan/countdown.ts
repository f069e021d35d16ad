import { minutesUntil } from "../domain/interval.js";
import type { SiteInput } from "./site-input.js";
import type { SitePlan } from "./site-plan.js";

/** What the mere passing of time changes in a plan; undefined when it changes nothing. */
export function advanceCountdown(
  plan: SitePlan,
  soc: SiteInput["soc"] | undefined,
  now: Date,
): SitePlan | undefined {
  const { scalars, chargeHours } = plan;
  const next = chargeHours.find((run) => run.start > now);
  const socAgeMinutes = soc?.ageMinutes ?? scalars.socAgeMinutes;
  const socStale = soc?.stale ?? scalars.socStale;
  const minutesToChargeStart =
    scalars.chargeNow === 1 ? 0 : next === undefined ? -1 : minutesUntil(next.start, now);
  const isSame =
    socAgeMinutes === scalars.socAgeMinutes &&
    socStale === scalars.socStale &&
    minutesToChargeStart === scalars.minutesToChargeStart;
  if (isSame) return undefined;
  return { ...plan, scalars: { ...scalars, socAgeMinutes, socStale, minutesToChargeStart }, material: false };
}
