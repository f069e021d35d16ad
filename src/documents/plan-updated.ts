import type { SitePlan } from "../plan/site-plan.js";
import { chargeHoursToday, type PlanView, payloadScalars } from "./hours-demand.js";

/**
 * The event `plant.plan_updated` with exactly the fields of docs/spec/webhooks.md section 5, in the order of its
 * table; the values are those of the hours-demand answer.
 */
export function planUpdatedDocument(plan: SitePlan, view: Pick<PlanView, "zone" | "baseUrl">) {
  const { issued_at, hours_needed, hours_needed_today, energy_charge_kwh, ...others } = payloadScalars(
    plan,
    view,
  );
  return {
    event: "plant.plan_updated" as const,
    issued_at,
    hours_needed,
    hours_needed_today,
    energy_charge_kwh,
    charge_hours_today: chargeHoursToday(plan, view.zone),
    ...others,
  };
}
