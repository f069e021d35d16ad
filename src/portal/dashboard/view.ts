import type { TariffPrices } from "../../api/documents/forecast.js";
import type { Services } from "../../api/services.js";
import type { Site } from "../../config/site.js";
import type { TimedValue } from "../../core/domain/counter.js";
import type { FreshnessLimits } from "../../core/domain/freshness.js";
import { HOUR_MS, hoursOf } from "../../core/domain/interval.js";
import type { LiveState } from "../../core/domain/sample.js";
import type { ComponentHealth } from "../../core/health-registry.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import type { ForecastHour } from "../../forecast/price/forecast.js";
import type { MonthRecord } from "../../money/ledger/ledger-store.js";
import type { SavingsNow } from "../../money/ledger/service.js";
import type { PastCommand } from "../../plan/devices/command-history.js";
import { type HeadlineFacts, missingFor } from "../../plan/headline.js";
import type { Missing, PlanHour, SitePlan } from "../../plan/site-plan.js";
import type { SlotPlan } from "../../plan/windows/slot-schedule.js";
import type { Format } from "../../texts/format.js";

/** Hours of the horizon. */
const HORIZON_HOURS = 168;

/** Data of the dashboard of a site at one moment. */
export interface DashboardView {
  now: Date;
  site: Site;
  plan: SitePlan | undefined;
  /** The forecast hours from the current hour without gaps; undefined before the first forecast. */
  hours: readonly ForecastHour[] | undefined;
  tariff: TariffPrices | undefined;
  /** Published market prices, for the hours that are over; left out: none. */
  published?: Pick<PriceSeries, "hour"> | undefined;
  /** Measured SOC of the last 24 hours, percent; left out: none. */
  socHistory?: readonly TimedValue[] | undefined;
  /** Commands of the last 24 hours; left out: none. */
  past?: readonly PastCommand[] | undefined;
  slots: readonly SlotPlan[];
  /** For the forms of the devices; undefined: they cannot be overridden here. */
  csrfToken?: string | undefined;
  /** The page that shows it, which the forms lead back to; left out: the overview. */
  page?: "devices";
  live: LiveState;
  /** Age from which a reading is stale, and lost; left out: readings are not judged. */
  limits?: FreshnessLimits;
  components: readonly ComponentHealth[];
  /** Remaining calls of the key of the site; undefined if unknown. */
  quota: QuotaLeft | undefined;
  /** Savings so far; undefined before the first computation. */
  savings?: SavingsNow | undefined;
  /** Promised and achieved savings, oldest month first; left out: not shown. */
  calibration?: readonly MonthRecord[];
  /** Address of the gateway and MQTT topic for the SOC. */
  baseUrl: string;
  socTopic: string;
}

/** The part of the data that all pages with parts of the dashboard have. */
export function viewOf(
  services: Pick<
    Services,
    "clock" | "baseUrl" | "forecast" | "plans" | "prices" | "flex" | "telemetry" | "tariff"
  >,
  site: Site,
): DashboardView {
  return {
    now: services.clock.now(),
    site,
    plan: services.plans.current(site.id),
    hours: services.forecast.hours(HORIZON_HOURS),
    tariff: services.tariff(site.id),
    published: services.prices.published(),
    slots: services.flex.current(site.id),
    live: services.telemetry.live(site.id),
    components: [],
    quota: undefined,
    calibration: [],
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

/** What the headline is made of. */
export function headlineFacts({ now, site, plan, hours }: DashboardView): HeadlineFacts {
  return { now, plant: site.plant, plan, hasPrices: hours !== undefined };
}

/** What is missing for a plan; undefined if there is one. */
export function missing(house: DashboardView): Missing | undefined {
  return missingFor(headlineFacts(house));
}

/** One hour of the chart. Prices ct/kWh, all-in where a tariff is known; powers kW; undefined: not known. */
export interface ChartHour {
  start: Date;
  end: Date;
  priceCtKwh: number;
  isForecast: boolean;
  chargeKwh: number | undefined;
  socEndPct: number | undefined;
  /** SOC that one sampled load in ten stays below, and that one in ten exceeds. */
  socP10Pct: number | undefined;
  socP90Pct: number | undefined;
  pvKw: number | undefined;
  loadKw: number | undefined;
  plan: PlanHour | undefined;
}

/** The first `count` hours of the chart: those of the plan, else prices only. */
export function chartHours(house: DashboardView, count: number): ChartHour[] {
  if (house.plan !== undefined) {
    return house.plan.days
      .flatMap((day) => day.hours)
      .filter((hour) => hour.end > house.now)
      .slice(0, count)
      .map((hour) => {
        const hours = hoursOf(hour);
        return {
          start: hour.start,
          end: hour.end,
          priceCtKwh: hour.totalCtKwh,
          isForecast: hour.source !== "day_ahead",
          chargeKwh: hour.chargeKwh,
          socEndPct: hour.socEndPct,
          socP10Pct: hour.socP10Pct,
          socP90Pct: hour.socP90Pct,
          pvKw: hours > 0 ? hour.pvKwh / hours : 0,
          loadKw: hours > 0 ? hour.loadKwh / hours : 0,
          plan: hour,
        };
      });
  }
  return (house.hours ?? []).slice(0, count).map(({ start, p50, source }) => ({
    start,
    end: new Date(start.getTime() + HOUR_MS),
    priceCtKwh: house.tariff?.importCtKwh(p50 / 10, start) ?? p50 / 10,
    isForecast: source !== "day_ahead",
    chargeKwh: undefined,
    socEndPct: undefined,
    socP10Pct: undefined,
    socP90Pct: undefined,
    pvKw: undefined,
    loadKw: undefined,
    plan: undefined,
  }));
}

/** Whether all-in prices are known. */
export function isAllIn(house: DashboardView): boolean {
  return house.tariff !== undefined;
}

/** Consecutive hours from now on in which the battery is not discharged. */
export function holdSpells(house: DashboardView): { start: Date; end: Date; hour: PlanHour }[] {
  const spells: { start: Date; end: Date; hour: PlanHour }[] = [];
  for (const hour of house.plan?.days.flatMap((day) => day.hours) ?? []) {
    if (hour.action !== "hold" || hour.end <= house.now) continue;
    const last = spells.at(-1);
    if (last !== undefined && last.end.getTime() === hour.start.getTime()) last.end = hour.end;
    else spells.push({ start: hour.start, end: hour.end, hour });
  }
  return spells;
}
