import type { Site } from "../../accounts/sites.js";
import type { TariffPrices } from "../../documents/forecast.js";
import { contains, HOUR_MS, hoursOf } from "../../domain/interval.js";
import type { LiveState } from "../../domain/sample.js";
import type { SlotPlan } from "../../flex/slot-schedule.js";
import type { ForecastHour } from "../../forecast/forecast.js";
import type { ComponentHealth } from "../../health-registry.js";
import type { ChargeRun, PlanHour, SitePlan } from "../../plan/site-plan.js";

/** The data of the dashboard at one time. */
export interface DashboardView {
  now: Date;
  site: Site;
  plan: SitePlan | undefined;
  /** The horizon without gaps from the current hour; undefined before the first forecast. */
  hours: readonly ForecastHour[] | undefined;
  tariff: TariffPrices | undefined;
  slots: readonly SlotPlan[];
  live: LiveState;
  components: readonly ComponentHealth[];
  /** Remaining calls of the site's key; undefined if unknown. */
  quota: QuotaLeft | undefined;
  /** Address of the gateway, and the topic for the SOC. */
  baseUrl: string;
  socTopic: string;
}

export interface QuotaLeft {
  limit: number;
  remaining: number;
  resetAt: Date;
}

/** Why there is no plan yet. */
export type Missing = "battery" | "prices" | "soc";

/** What is missing for a plan; undefined if there is one. */
export function missing(view: DashboardView): Missing | undefined {
  if (view.plan !== undefined) return undefined;
  if (view.site.plant.battery === null) return "battery";
  return view.hours === undefined ? "prices" : "soc";
}

/** The current charge run and the next one. */
export function chargeRunsAt(view: DashboardView): {
  current: ChargeRun | undefined;
  next: ChargeRun | undefined;
} {
  const runs = view.plan?.chargeHours ?? [];
  const current =
    view.plan?.scalars.chargeNow === 1 ? runs.find((run) => contains(run, view.now)) : undefined;
  return { current, next: runs.find((run) => run !== current && run.end > view.now) };
}

/** One hour of the chart. Prices ct/kWh, all-in where a tariff is known; powers kW; undefined: not known. */
export interface ChartHour {
  start: Date;
  end: Date;
  priceCtKwh: number;
  isForecast: boolean;
  chargeKwh: number | undefined;
  socEndPct: number | undefined;
  pvKw: number | undefined;
  loadKw: number | undefined;
  plan: PlanHour | undefined;
}

/** The first `count` hours of the chart: those of the plan, else prices only. */
export function chartHours(view: DashboardView, count: number): ChartHour[] {
  if (view.plan !== undefined) {
    return view.plan.days
      .flatMap((day) => day.hours)
      .filter((hour) => hour.end > view.now)
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
          pvKw: hours > 0 ? hour.pvKwh / hours : 0,
          loadKw: hours > 0 ? hour.loadKwh / hours : 0,
          plan: hour,
        };
      });
  }
  return (view.hours ?? []).slice(0, count).map(({ start, p50, source }) => ({
    start,
    end: new Date(start.getTime() + HOUR_MS),
    priceCtKwh: view.tariff?.importCtKwh(p50 / 10, start) ?? p50 / 10,
    isForecast: source !== "day_ahead",
    chargeKwh: undefined,
    socEndPct: undefined,
    pvKw: undefined,
    loadKw: undefined,
    plan: undefined,
  }));
}

/** Whether prices include the tariff. */
export function isAllIn(view: DashboardView): boolean {
  return view.tariff !== undefined;
}

/** Consecutive hours in which the battery keeps its energy, from now on. */
export function holdSpells(view: DashboardView): { start: Date; end: Date; hour: PlanHour }[] {
  const spells: { start: Date; end: Date; hour: PlanHour }[] = [];
  for (const hour of view.plan?.days.flatMap((day) => day.hours) ?? []) {
    if (hour.action !== "hold" || hour.end <= view.now) continue;
    const last = spells.at(-1);
    if (last !== undefined && last.end.getTime() === hour.start.getTime()) last.end = hour.end;
    else spells.push({ start: hour.start, end: hour.end, hour });
  }
  return spells;
}
