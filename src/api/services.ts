import type { Access } from "../accounts/access.js";
import type { QuotaClass } from "../accounts/quota-class.js";
import type { Site } from "../config/site.js";
import type { Plan } from "../core/domain/tier.js";
import type { HealthRegistry } from "../core/health-registry.js";
import type { Clock } from "../core/time/clock.js";
import type { DeviceView } from "../equipment/reading/view.js";
import type { PriceService } from "../forecast/market/price-service.js";
import type { ForecastQuality } from "../forecast/price/day-record.js";
import type { ForecastService } from "../forecast/price/service.js";
import type { PvService } from "../forecast/pv/service.js";
import type { WeatherService } from "../forecast/weather/weather-service.js";
import type { WhatIfService } from "../money/compare/service.js";
import type { WhyService } from "../money/why/why-service.js";
import type { DeviceService } from "../plan/devices/service.js";
import type { PlanService } from "../plan/service.js";
import type { FlexService } from "../plan/windows/service.js";
import type { CalendarService } from "../telemetry/calendar/calendar-service.js";
import type { LoadCorrections } from "../telemetry/load-corrections.js";
import type { LoadLearner } from "../telemetry/load-learner.js";
import type { PresenceService } from "../telemetry/presence-service.js";
import type { TelemetryService } from "../telemetry/service.js";
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
  /** Where live values of a site are published. */
  mqtt(siteId: string): { url: string | null; port: number | null; prefix: string };
  components: HealthRegistry;
  /** Time zone of answers to callers without a plant. */
  zoneDefault: string;
  forecast: Pick<ForecastService, "current" | "hours">;
  prices: Pick<PriceService, "published">;
  /** Resolution of the prices that are used: with 15 each quarter-hour has its own. */
  stepMinutes: 60 | 15;
  plans: Pick<PlanService, "current" | "decide" | "override" | "overrideCostEur" | "settle">;
  flex: Pick<FlexService, "sites" | "current">;
  /** Overrides of devices tried with a joint plan. */
  devicePlans: Pick<DeviceService, "tryOverride" | "prepareToTry">;
  pv: Pick<PvService, "forecast">;
  /** How the forecasts of load and PV were met; empty lists before the first comparison. */
  quality(siteId: string): ForecastQuality;
  weather: Pick<WeatherService, "series" | "issuedAt">;
  telemetry: Pick<TelemetryService, "ingest" | "leaveOut" | "live">;
  presence: Pick<PresenceService, "periods" | "inForce" | "add" | "remove" | "end">;
  calendars: Pick<CalendarService, "view" | "set" | "remove">;
  loads: Pick<LoadLearner, "model" | "absentSince">;
  corrections: Pick<LoadCorrections, "of" | "set">;
  /** Questions about the past of a site. */
  whatIf: Pick<
    WhatIfService,
    "begin" | "cancel" | "current" | "isBusy" | "prices" | "remove" | "results" | "tariffs"
  >;
  /** What was known and decided in past hours, and what came of it. */
  why: Pick<WhyService, "at">;
  /** What is read of a site's devices. */
  devices: { list(siteId: string): DeviceView[] };
  sites: { list(): readonly { id: string; accountId: string }[] };
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
