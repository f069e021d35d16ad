import type { Access } from "../accounts/access.js";
import type { QuotaClass } from "../accounts/quota-class.js";
import type { SlotSettings } from "../config/settings.js";
import type { Site } from "../config/site.js";
import type { LiveState, Sample } from "../core/domain/sample.js";
import type { Plan } from "../core/domain/tier.js";
import type { HealthRegistry } from "../core/health-registry.js";
import type { Clock } from "../core/time/clock.js";
import type { PriceSeries } from "../forecast/market/price-series.js";
import type { ForecastQuality } from "../forecast/price/day-record.js";
import type { ForecastHour, ForecastRun } from "../forecast/price/forecast.js";
import type { PvForecast } from "../forecast/pv/service.js";
import type { WeatherSeries } from "../forecast/weather/weather-series.js";
import type { BatteryOverrideRequest } from "../plan/battery-override.js";
import type { PlanOverrides } from "../plan/overrides.js";
import type { SitePlan } from "../plan/site-plan.js";
import type { OverrideRequest } from "../plan/windows/override.js";
import type { FlexRequest } from "../plan/windows/request.js";
import type { FlexResult } from "../plan/windows/result.js";
import type { SlotPlan } from "../plan/windows/slot-schedule.js";
import type { Ingested } from "../telemetry/service.js";
import type { TariffPrices } from "./documents/forecast.js";

/** One call to be counted. */
export interface QuotaRequest {
  access: Access;
  /** Client address, for callers without a key. */
  address: string;
  quotaClass: QuotaClass;
}

/** The state of a caller's limit. */
export interface QuotaVerdict {
  allowed: boolean;
  limit: number;
  remaining: number;
  resetAt: Date;
  scope: "ip" | "api_key" | "api_key_day" | "account";
  retryAfterSeconds?: number | undefined;
  softcapExceeded: boolean;
}

/** Calls allowed by plan and class, as configured under `quotas`. */
export type QuotaTable = Record<Plan, { readonly [quotaClass in Exclude<QuotaClass, "status">]?: number }>;

/** Services used by the operations; created in `app/`. */
export interface Services {
  clock: Clock;
  version: string;
  /** Public address of the gateway without a trailing slash; may be a getter (known after listening). */
  readonly baseUrl: string;
  /** Where live values are published; a getter, since the port is known after listening. */
  readonly mqtt: { url: string | null; port: number | null; prefix: string };
  components: HealthRegistry;
  /** Time zone of answers to callers without a plant. */
  zoneDefault: string;
  forecast: {
    current(): ForecastRun | undefined;
    /** `count` hours starting with the current hour; undefined before the first run. */
    hours(count: number): ForecastHour[] | undefined;
  };
  prices: { published(): PriceSeries };
  plans: {
    current(siteId: string): SitePlan | undefined;
    /** A plan of the site with the caller's values applied. Throws PlanInputError. */
    decide(siteId: string, overrides: PlanOverrides): SitePlan;
    /** Overrides the plan of a site's battery; on disk when it resolves. Throws PlanInputError. */
    override(siteId: string, request: BatteryOverrideRequest): Promise<void>;
    /** Plans and publishes what is due for a site. */
    settle(siteId: string): void;
  };
  flex: {
    /** The windows for a request without a slot; undefined before the first forecast. Throws FlexInputError, RangeError. */
    answer(siteId: string, ask: FlexRequest): FlexResult | undefined;
    /** The same for an assigned slot, and stores it as the slot's schedule; on disk when it resolves. */
    request(siteId: string, slot: number, ask: FlexRequest): Promise<FlexResult | undefined>;
    /** Overrides the schedule of a slot; on disk when it resolves. Throws FlexInputError. */
    override(siteId: string, slot: number, request: OverrideRequest): Promise<void>;
    isAssigned(siteId: string, slot: number): boolean;
    /** The settings of an assigned slot. */
    settings(siteId: string, slot: number): SlotSettings | undefined;
    /** The schedule of each assigned slot. */
    current(siteId: string): SlotPlan[];
  };
  pv: {
    /** Starting today; undefined for a plant without arrays or location. */
    forecast(siteId: string): PvForecast | undefined;
  };
  /** How the forecasts of load and PV were met; empty lists before the first comparison. */
  quality(siteId: string): ForecastQuality;
  weather: {
    /** The stored weather of the plant; may be empty. */
    series(siteId: string): WeatherSeries;
    /** When a source last updated it. */
    issuedAt(siteId: string): Date | undefined;
  };
  telemetry: {
    /** Resolves when the samples are on disk. */
    ingest(siteId: string, samples: Sample[], options?: { thinSeconds?: number }): Promise<Ingested>;
    live(siteId: string): LiveState;
  };
  accounts: {
    access(key: string | undefined): Access;
    site(id: string): Site | undefined;
  };
  /** Synchronous if calls are counted in memory, a promise if gateways share counters. Never rejects. */
  quotas: {
    /** Counts the call unless it is refused. */
    consume(call: QuotaRequest): QuotaVerdict | Promise<QuotaVerdict>;
    /** The same without counting: `allowed` is whether a call would be accepted now. */
    peek(call: QuotaRequest): QuotaVerdict | Promise<QuotaVerdict>;
  };
  /** Limits for `access_model` of the status. */
  quotaTable: QuotaTable;
  /**
   * The plant's tariff, undefined without one. The same object until the settings change: cached answers depend on its
   * identity.
   */
  tariff(siteId: string): TariffPrices | undefined;
}
