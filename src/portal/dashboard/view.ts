import type { TariffPrices } from "../../api/documents/forecast.js";
import type { Services } from "../../api/services.js";
import type { Site } from "../../config/site.js";
import type { TimedValue } from "../../core/domain/counter.js";
import type { FreshnessLimits } from "../../core/domain/freshness.js";
import type { LiveState } from "../../core/domain/sample.js";
import type { ComponentHealth } from "../../core/health-registry.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import type { ForecastHour } from "../../forecast/price/forecast.js";
import type { SavingsNow } from "../../money/ledger/savings-view.js";
import type { PastCommand } from "../../plan/devices/command-history.js";
import { missingFor } from "../../plan/headline.js";
import type { Missing, SitePlan } from "../../plan/site-plan.js";
import type { SlotPlan } from "../../plan/windows/slot-schedule.js";
import type { Format } from "../../texts/format.js";
import type { MeasuredDay } from "./recent-readings.js";

/** Hours of the horizon. */
const HORIZON_HOURS = 168;

/**
 * EUR, by the number of the slot: what a run from now on costs; by the action of the battery: what it costs beside the plan. What is not
 * known or not allowed at present is left out.
 */
export type OverrideCosts = ReadonlyMap<number | "charge" | "hold", number>;

/** Data of the dashboard of a site at one moment. */
export interface DashboardView {
  now: Date;
  site: Site;
  plan: SitePlan | undefined;
  /** The forecast hours from the current hour without gaps; undefined before the first forecast. */
  hours: readonly ForecastHour[] | undefined;
  tariff: TariffPrices | undefined;
  /** Published market prices, for the hours that are over; left out: none. */
  published?: PriceSeries | undefined;
  /** Length of the periods of market prices; left out: an hour. */
  stepMinutes?: 60 | 15;
  /** Measured SOC of the last 24 hours, percent; left out: none. */
  socHistory?: readonly TimedValue[] | undefined;
  /** Commands of the last 24 hours; left out: none. */
  past?: readonly PastCommand[] | undefined;
  /** Measured quarter-hours of yesterday and today so far; today is the last one. Left out: none. */
  energy?: readonly MeasuredDay[];
  slots: readonly SlotPlan[];
  /** What the buttons of devices and battery cost; left out: not known. */
  runCosts?: OverrideCosts;
  /** For the forms of the devices; undefined: they cannot be overridden here. */
  csrfToken?: string | undefined;
  /** The page that shows it, which the forms lead back to; left out: the overview. */
  page?: "devices";
  live: LiveState;
  /** Age from which a reading is stale, and lost; left out: readings are not judged. */
  limits?: FreshnessLimits;
  components: readonly ComponentHealth[];
  /** Names of the connected devices by their ids; left out: none. */
  deviceNames?: ReadonlyMap<string, string>;
  /** Remaining calls of the key of the site; undefined if unknown. */
  quota: QuotaLeft | undefined;
  /** Savings so far; undefined before the first computation. */
  savings?: SavingsNow | undefined;
  /** Address of the gateway and MQTT topic for the SOC. */
  baseUrl: string;
  socTopic: string;
}

/** Services whose data a view has. */
export type ViewServices = Pick<
  Services,
  "clock" | "baseUrl" | "forecast" | "plans" | "prices" | "stepMinutes" | "flex" | "telemetry" | "tariff"
>;

/** The part of the data that all pages with parts of the dashboard have. */
export function viewOf(services: ViewServices, site: Site): DashboardView {
  return {
    now: services.clock.now(),
    site,
    plan: services.plans.current(site.id),
    hours: services.forecast.hours(HORIZON_HOURS),
    tariff: services.tariff(site.id),
    published: services.prices.published(),
    stepMinutes: services.stepMinutes,
    slots: services.flex.current(site.id),
    live: services.telemetry.live(site.id),
    components: [],
    quota: undefined,
    baseUrl: services.baseUrl,
    socTopic: "",
  };
}

/** Properties of every part of the page. */
export interface PartProps {
  house: DashboardView;
  format: Format;
}

export interface QuotaLeft {
  limit: number;
  remaining: number;
  resetAt: Date;
}

/** What is missing for a plan; undefined if there is one. */
export function missing({ plan, site, hours }: DashboardView): Missing | undefined {
  return missingFor({ plan, plant: site.plant, hasPrices: hours !== undefined });
}
