import type { ForecastRun } from "../../forecast/price/forecast.js";
import type { SitePlan } from "../../plan/site-plan.js";
import type { Payload } from "./dispatcher.js";

/** The site of a partner that an event refers to. */
export interface EventSite {
  /** Id of the site's key. */
  api_key_id: string;
  label: string;
  /** The partner's own reference for the site. */
  customer_ref: string;
}

/** Inputs of the event besides the forecast. */
export interface ForecastEventView {
  /** When the event is sent. */
  issuedAt: Date;
  zone: string;
  /** Public address of the gateway. */
  baseUrl: string;
  /** Partner accounts only. */
  site?: EventSite | undefined;
}

/** The contents of the events: documents of the API. */
export interface EventDocuments {
  forecastUpdated(run: ForecastRun, view: ForecastEventView): Payload;
  planUpdated(plan: SitePlan, view: Pick<ForecastEventView, "zone" | "baseUrl">): Payload;
}
