import type { PlantSettings } from "../config/settings.js";
import { contains } from "../core/domain/interval.js";
import type { ChargeRun, Missing, PlanHour, SitePlan } from "./site-plan.js";

/** What is missing for a plan; undefined if there is one. */
export function missingFor({
  plan,
  plant,
  hasPrices,
}: {
  plan: SitePlan | undefined;
  plant: Pick<PlantSettings, "battery">;
  /** Prices are known. */
  hasPrices: boolean;
}): Missing | undefined {
  if (plan !== undefined) return undefined;
  if (plant.battery === null) return "battery";
  return hasPrices ? "soc" : "prices";
}

/** The current charge run and the next one. */
export function presentRuns(
  plan: SitePlan | undefined,
  now: Date,
): { current: ChargeRun | undefined; next: ChargeRun | undefined } {
  const runs = plan?.chargeHours ?? [];
  const current = plan?.scalars.chargeNow === 1 ? runs.find((run) => contains(run, now)) : undefined;
  return { current, next: runs.find((run) => run !== current && run.end > now) };
}

/** The planned action of the present step and its reason; of the hour in plans that were stored without it. */
export function presentAction(
  plan: SitePlan | undefined,
  now: Date,
): Pick<PlanHour, "action" | "reason"> | undefined {
  const step = plan?.steps.find((one) => contains(one, now));
  if (step?.reason !== undefined) return { action: step.action, reason: step.reason };
  return plan?.days.flatMap((day) => day.hours).find((one) => contains(one, now));
}
