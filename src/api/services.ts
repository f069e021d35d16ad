import type { Access, Plan } from "../accounts/access.js";
import type { QuotaClass } from "../accounts/quota-class.js";
import type { Site } from "../accounts/sites.js";
import type { SlotSettings } from "../config/settings.js";
import type { TariffPrices } from "../documents/forecast.js";
import type { FlexRequest } from "../flex/request.js";
import type { FlexResult } from "../flex/result.js";
import type { SlotPlan } from "../flex/slot-schedule.js";
import type { ForecastHour, ForecastRun } from "../forecast/forecast.js";
import type { HealthRegistry } from "../health-registry.js";
import type { PriceSeries } from "../market/price-series.js";
import type { PlanOverrides } from "../plan/overrides.js";
import type { SitePlan } from "../plan/site-plan.js";
import type { PvForecast } from "../pv/service.js";
import type { LiveState, Sample } from "../telemetry/sample.js";
import type { Clock } from "../time/clock.js";
import type { WeatherSeries } from "../weather/weather-series.js";

/** One call as the quotas see it. */
export interface QuotaRequest {
  access: Access;
  /** Client address, for callers without a key. */
  address: string;
  quotaClass: QuotaClass;
}

/** Where a caller stands in its window. */
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

/** What the operations need of the gateway. `gateway.ts` wires the real ones. */
export interface Services {
  clock: Clock;
  version: string;
  /** Address under which the gateway is reached, without a slash at its end; may be a getter (known after listening). */
  readonly baseUrl: string;
  components: HealthRegistry;
  /** Zone of answers to callers without a plant. */
  zoneDefault: string;
  forecast: {
    current(): ForecastRun | undefined;
    /** `count` hours from the hour in progress; undefined before the first run. */
    hours(count: number): ForecastHour[] | undefined;
  };
  prices: { published(): PriceSeries };
  plans: {
    current(siteId: string): SitePlan | undefined;
    /** A plan of the site with what the caller knows laid over it; throws PlanInputError. */
    decide(siteId: string, overrides: PlanOverrides): SitePlan;
  };
  flex: {
    /** The windows for a request of no slot; undefined before the first forecast. Throws FlexInputError, RangeError. */
    answer(siteId: string, ask: FlexRequest): FlexResult | undefined;
    /** The same for an assigned slot, whose recipe it becomes; on disk when it resolves. */
    request(siteId: string, slot: number, ask: FlexRequest): Promise<FlexResult | undefined>;
    isAssigned(siteId: string, slot: number): boolean;
    /** The settings of an assigned slot. */
    settings(siteId: string, slot: number): SlotSettings | undefined;
    /** What each assigned slot is to do. */
    current(siteId: string): SlotPlan[];
  };
  pv: {
    /** From today on; undefined for a plant without arrays or without a place. */
    forecast(siteId: string): PvForecast | undefined;
  };
  weather: {
    /** What is held of the weather at the plant; may be empty. */
    series(siteId: string): WeatherSeries;
    /** When a source last told something of it. */
    toldAt(siteId: string): Date | undefined;
  };
  telemetry: {
    /** Resolves when the samples are on disk. */
    ingest(
      siteId: string,
      samples: Sample[],
      options?: { thinSeconds?: number },
    ): Promise<{ accepted: number; duplicates: number; latest: LiveState }>;
    live(siteId: string): LiveState;
  };
  accounts: {
    access(key: string | undefined): Access;
    site(id: string): Site | undefined;
  };
  /** Answers at once where calls are counted in memory; to be awaited where gateways count together. Never rejects. */
  quotas: {
    /** Counts the call, unless it is refused. */
    consume(call: QuotaRequest): QuotaVerdict | Promise<QuotaVerdict>;
    /** The same without counting: `allowed` tells whether a call now would be. */
    peek(call: QuotaRequest): QuotaVerdict | Promise<QuotaVerdict>;
  };
  /** Limits for `access_model` of the status. */
  quotaTable: QuotaTable;
  /**
   * The plant's tariff, undefined without one. The same object as long as the settings stand: answers are kept by its
   * identity.
   */
  tariff(siteId: string): TariffPrices | undefined;
}
