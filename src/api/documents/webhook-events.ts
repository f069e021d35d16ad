import { formatIso } from "../../core/time/zone.js";
import type { ForecastRun } from "../../forecast/price/forecast.js";
import type { EventDocuments, ForecastEventView } from "../../messages/webhooks/event-documents.js";
import type { SitePlan } from "../../plan/site-plan.js";
import { serviceUrl } from "./format.js";
import { chargeHoursToday, type PlanView, payloadScalars } from "./hours-demand.js";

/**
 * The event `forecast.updated` with exactly the fields of docs/spec/webhooks.md section 4, in the order of its table.
 * It does not contain the forecast.
 */
export function forecastUpdatedDocument(
  run: Pick<ForecastRun, "modelVersion" | "trigger">,
  { issuedAt, zone, baseUrl, site }: ForecastEventView,
) {
  return {
    event: "forecast.updated" as const,
    issued_at: formatIso(issuedAt, zone),
    model_version: run.modelVersion,
    trigger: run.trigger,
    forecast_url: serviceUrl(baseUrl, "/v1/forecast"),
    ...(site !== undefined && {
      site: { api_key_id: site.api_key_id, label: site.label, customer_ref: site.customer_ref },
    }),
  };
}

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

/** The documents that webhooks send. */
export const webhookEvents: EventDocuments = {
  forecastUpdated: forecastUpdatedDocument,
  planUpdated: planUpdatedDocument,
};
