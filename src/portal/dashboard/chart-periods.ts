import { floorTo, HOUR_MS, type Interval, QUARTER_MS } from "../../core/domain/interval.js";
import type { Quartile } from "../../core/domain/price.js";
import type { Language } from "../../core/language.js";
import { dayInterval, localDate } from "../../core/time/zone.js";
import { quarterSpot, settlementMinutes } from "../../forecast/price/settlement.js";
import type { CommandName } from "../../plan/devices/command-history.js";
import type { PlanHour } from "../../plan/site-plan.js";
import { deviceRuns } from "../../plan/windows/device-runs.js";
import { quartiles } from "../../plan/windows/quartiles.js";
import { deviceLabel } from "../../plan/windows/slot-schedule.js";
import type { DashboardView } from "./view.js";

/** Selectable lengths of the chart, hours. */
export const CHART_HOURS = [24, 48, 168] as const;
export type ChartCount = (typeof CHART_HOURS)[number];

/** How much of a chart lies before the present hour, hours. */
const BEFORE_HOURS: Record<ChartCount, number> = { 24: 4, 48: 8, 168: 24 };

/** A settlement period of the chart; an hour in the chart of a week. */
export interface ChartPeriod extends Interval {
  /** All-in where a tariff is known. */
  priceCtKwh: number;
  isForecast: boolean;
  /** Price that one forecast in ten stays below, and that one in ten exceeds; only of forecast prices. */
  lowCtKwh?: number | undefined;
  highCtKwh?: number | undefined;
  /** Rank of the price within its local day: 1 is the cheapest quarter. */
  level: Quartile;
  /** State of charge at the end: measured before now, else planned; undefined: not known. */
  socPct: number | undefined;
  pvKw: number | undefined;
  /** What the home uses, devices included. */
  loadKw: number | undefined;
  /** The planned hour that it belongs to; undefined before now, and without a plan. */
  plan: PlanHour | undefined;
}

/** The periods of a chart, in order of time; those without a price are left out. */
export function chartPeriods(house: DashboardView, count: ChartCount): ChartPeriod[] {
  const { now, site, tariff, stepMinutes = 60 } = house;
  const minutes = count === 168 ? 60 : settlementMinutes(stepMinutes, tariff, now);
  const stepMs = minutes * 60_000;
  const fromMs = floorTo(now.getTime(), HOUR_MS) - BEFORE_HOURS[count] * HOUR_MS;
  const toMs = fromMs + count * HOUR_MS;
  const zone = site.plant.timezone;
  const firstMs = dayInterval(localDate(new Date(fromMs), zone), zone).start.getTime();
  const lastMs = dayInterval(localDate(new Date(toMs - 1), zone), zone).end.getTime();
  const planned = new Map(
    (house.plan?.days ?? [])
      .flatMap(({ hours }) => hours)
      .map((hour) => [floorTo(hour.start.getTime(), HOUR_MS), hour]),
  );
  const price = priceOf(house, minutes, planned);
  const priced: (Price & { startMs: number })[] = [];
  // Whole days, so that the rank of a price is that within its day.
  for (let startMs = firstMs; startMs < lastMs; startMs += stepMs) {
    const one = price(startMs);
    if (one !== undefined) priced.push({ startMs, ...one });
  }
  const levels = quartiles(
    priced.map(({ startMs, priceCtKwh }) => ({ start: new Date(startMs), value: priceCtKwh })),
    zone,
  );
  const soc = socOf(house);
  const energy = energyOf(house);
  return priced.flatMap(({ startMs, ...one }, index) => {
    if (startMs < fromMs || startMs >= toMs) return [];
    const endMs = startMs + stepMs;
    const plan = endMs > now.getTime() ? planned.get(floorTo(startMs, HOUR_MS)) : undefined;
    const measured = plan === undefined ? energy(startMs, endMs) : undefined;
    const hours = plan === undefined ? 1 : (plan.end.getTime() - plan.start.getTime()) / HOUR_MS;
    return {
      ...one,
      start: new Date(startMs),
      end: new Date(endMs),
      level: levels[index]!,
      socPct: soc(startMs, endMs) ?? plan?.socEndPct,
      pvKw: plan === undefined ? measured?.pvKw : plan.pvKwh / hours,
      loadKw: plan === undefined ? measured?.loadKw : plan.loadKwh / hours,
      plan,
    };
  });
}

type Price = Pick<ChartPeriod, "priceCtKwh" | "isForecast" | "lowCtKwh" | "highCtKwh">;

/** The price of a period: published, else by the forecast, else that of the plan. */
function priceOf(
  { tariff, published, hours = [], stepMinutes = 60 }: DashboardView,
  minutes: 15 | 60,
  planned: ReadonlyMap<number, PlanHour>,
): (startMs: number) => Price | undefined {
  const ahead = new Map(hours.map((hour) => [hour.start.getTime(), hour]));
  const allIn = (eurMwh: number, at: Date) => tariff?.importCtKwh(eurMwh / 10, at) ?? eurMwh / 10;
  return (startMs) => {
    const start = new Date(startMs);
    const hour = ahead.get(floorTo(startMs, HOUR_MS));
    const known = minutes === 60 ? published?.hour(startMs) : published?.quarter(startMs);
    if (known !== undefined) return { priceCtKwh: allIn(known, start), isForecast: false };
    if (hour !== undefined) {
      const eurMwh =
        minutes === 60 || published === undefined
          ? hour.p50
          : quarterSpot(hour, start, { series: published, priceMinutes: stepMinutes, tariff }).settledCtKwh *
            10;
      const isForecast = hour.source !== "day_ahead";
      const bound = (of: number) => (isForecast ? allIn(of + eurMwh - hour.p50, start) : undefined);
      return {
        priceCtKwh: allIn(eurMwh, start),
        isForecast,
        lowCtKwh: bound(hour.p10),
        highCtKwh: bound(hour.p90),
      };
    }
    const plan = planned.get(floorTo(startMs, HOUR_MS));
    return plan && { priceCtKwh: plan.totalCtKwh, isForecast: plan.source !== "day_ahead" };
  };
}

/** State of charge at the end of a period. */
function socOf({ now, plan, socHistory = [] }: DashboardView) {
  const steps = new Map(plan?.steps.map(({ end, socEndPct }) => [end.getTime(), socEndPct]));
  const measured = new Map(socHistory.map(({ at, value }) => [floorTo(at.getTime(), QUARTER_MS), value]));
  return (startMs: number, endMs: number): number | undefined => {
    if (endMs > now.getTime()) return steps.get(endMs);
    for (let ms = endMs - QUARTER_MS; ms >= startMs; ms -= QUARTER_MS) {
      const value = measured.get(ms);
      if (value !== undefined) return value;
    }
    return undefined;
  };
}

/** Mean measured powers of a period that is over, kW. */
function energyOf({ energy = [] }: DashboardView) {
  return (startMs: number, endMs: number): { pvKw: number; loadKw: number } | undefined => {
    const day = energy.findLast(({ start }) => start.getTime() <= startMs);
    if (day === undefined) return undefined;
    const from = (startMs - day.start.getTime()) / QUARTER_MS;
    const to = (endMs - day.start.getTime()) / QUARTER_MS;
    const meanKw = (values: readonly (number | null)[]) => {
      const known = values.slice(from, to).filter((kwh) => kwh !== null);
      return known.length === 0 ? undefined : (4 * known.reduce((sum, kwh) => sum + kwh, 0)) / known.length;
    };
    const [pvKw, loadKw] = [meanKw(day.quarters.pvKwh), meanKw(day.quarters.loadKwh)];
    return loadKw === undefined ? undefined : { pvKw: pvKw ?? 0, loadKw };
  };
}

/** Runs of a device, or of the battery from the grid, within the chart. */
export interface ChartRuns {
  /** Number of the slot. */
  name: "battery" | number;
  kind: "battery" | DashboardView["slots"][number]["settings"]["kind"];
  /** Of the device. */
  label: string | undefined;
  spans: Interval[];
}

/** What was in force, then what is planned; only what runs at all. */
export function chartRuns(house: DashboardView, language: Language, { start, end }: Interval): ChartRuns[] {
  const { now, past = [], plan, slots } = house;
  const before = (name: CommandName) =>
    past.filter((command) => command.name === name && command.end > start && command.start < end);
  const steps = (plan?.steps ?? []).filter(
    (step) => step.action === "grid_charge" && step.end > now && step.start < end,
  );
  return [
    {
      name: "battery" as const,
      kind: "battery" as const,
      label: undefined,
      spans: [...before("charge"), ...steps],
    },
    ...slots.map((slot) => ({
      name: slot.slot,
      kind: slot.settings.kind,
      label: deviceLabel(slot.settings, language),
      spans: [...before(slot.slot), ...deviceRuns(slot, now, end)],
    })),
  ]
    .map((runs) => ({ ...runs, spans: merged(runs.spans) }))
    .filter(({ spans }) => spans.length > 0);
}

/** Whether something runs in a period. */
export function runsIn({ spans }: ChartRuns, period: Interval): boolean {
  return spans.some((span) => span.start < period.end && span.end > period.start);
}

function merged(spans: readonly Interval[]): Interval[] {
  const all: Interval[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start.getTime() - b.start.getTime())) {
    const last = all.at(-1);
    if (last !== undefined && last.end >= start) last.end = last.end > end ? last.end : end;
    else all.push({ start, end });
  }
  return all;
}
