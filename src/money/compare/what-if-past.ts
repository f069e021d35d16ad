import type { Site } from "../../config/site.js";
import {
  DAY_MS,
  type EnergyStep,
  floorTo,
  HOUR_MS,
  type Interval,
  QUARTER_MS,
  quartersOf,
} from "../../core/domain/interval.js";
import { addDays, dayInterval, localDate, monthInterval } from "../../core/time/zone.js";
import { expectedLoad } from "../../forecast/load/load-profile.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import { peakOf } from "../../forecast/pv/forecast.js";
import type { Store } from "../../store/store.js";
import { LEARNING_DAYS } from "../../telemetry/learned-load.js";
import type { Ledger } from "../ledger/ledger.js";
import type { DayFigures } from "../ledger/ledger-day.js";
import { type MeteredInstead, meteredInstead } from "./metered-site.js";
import { pastEnergies } from "./past-energies.js";
import { modelledPlant } from "./past-pv.js";
import { type BacktestSite, type HeldData, LONGEST_DAYS, measuredSite, periodOf } from "./past-site.js";
import { standardPv } from "./site-change.js";

/** `year`: the newest 365 days; else a calendar year YYYY or a local month YYYY-MM. */
export type WhatIfPeriod = string;

/** The days of a site as the ledger has them. */
export type OwnPast = Pick<Ledger, "days" | "details">;

/** A measured load of less of the period is not that of the site's own past. */
const LEAST_SHARE = 0.9;
/** A month in which prices began later is not offered. */
const LEAST_DAYS = 7;

/** The part of a period that is over and has prices; undefined for less than a week. */
export function periodAsked(
  period: WhatIfPeriod,
  { series, now, site }: { series: PriceSeries; now: Date; site: Site },
): Interval | undefined {
  if (series.isEmpty) return undefined;
  const zone = site.plant.timezone;
  const today = dayInterval(localDate(now, zone), zone).start.getTime();
  const lastMs = Math.min(today, floorTo(series.endMs, HOUR_MS));
  const asked = period === "year" ? newestYear(lastMs, zone) : datesOf(period, zone);
  if (asked === undefined) return undefined;
  const startMs = Math.max(asked.start.getTime(), Math.ceil(series.startMs / HOUR_MS) * HOUR_MS);
  const endMs = Math.min(asked.end.getTime(), lastMs);
  return endMs - startMs < LEAST_DAYS * DAY_MS
    ? undefined
    : { start: new Date(startMs), end: new Date(endMs) };
}

function newestYear(endMs: number, zone: string): Interval {
  const end = dayInterval(localDate(new Date(endMs), zone), zone).start;
  return { start: dayInterval(addDays(localDate(end, zone), -LONGEST_DAYS), zone).start, end };
}

/** A calendar year or month. */
function datesOf(month: string, zone: string): Interval | undefined {
  if (/^20\d{2}$/.test(month))
    return {
      start: dayInterval(`${month}-01-01`, zone).start,
      end: dayInterval(`${month}-12-31`, zone).end,
    };
  return /^20\d{2}-(0[1-9]|1[0-2])$/.test(month) ? monthInterval(month, zone) : undefined;
}

/** Load and PV of a period, and its days in the ledger. */
interface WhatIfPast {
  /** The part of the period that is known. */
  period: Interval;
  site: BacktestSite;
  vehicle: EnergyStep[];
  basis: "measured" | "metered" | "standard";
  /** What the meter counted, where nothing else is known of the home. */
  metered?: MeteredInstead;
  /** Empty where the ledger does not know the period. */
  days: DayFigures[];
}

interface PastOptions {
  ledger: OwnPast;
  store: Pick<Store, "samples" | "meter" | "documents">;
  held: HeldData;
  annualKwh: number | undefined;
  /** Nothing but the tariff is changed: import and export alone are enough. */
  isTariffOnly: boolean;
}

/**
 * The load and PV of a site's own period: of the ledger, else of what is stored of it, and for a tariff also of a part of the period or
 * of the meter alone. Otherwise those of a usual household with the energy of the last bill. Throws StoreError.
 */
export async function pastOf(
  site: Site,
  period: Interval,
  { ledger, store, held, annualKwh, isTariffOnly }: PastOptions,
): Promise<WhatIfPast> {
  const { plant } = site;
  const zone = plant.timezone;
  const from = localDate(period.start, zone);
  const to = localDate(new Date(period.end.getTime() - 1), zone);
  const days = await ledger.days(site, from, to, { compute: false });
  const own = await ownEnergies(site, { from: addDays(from, -LEARNING_DAYS), to }, ledger);
  const known = own.load.filter(({ start }) => start >= period.start && start < period.end).length;
  if (known * QUARTER_MS >= LEAST_SHARE * (period.end.getTime() - period.start.getTime()))
    return {
      period,
      days,
      basis: "measured",
      vehicle: own.vehicle,
      site: {
        measured: own.load,
        name: "ledger",
        ...(own.pv.some(({ kwh }) => kwh > 0) && { pv: { measured: own.pv, name: "ledger" } }),
      },
    };
  const stored = await storedPast(site, period, { store, held });
  if (stored !== undefined && (isTariffOnly || stored.isWhole)) return stored;
  const whole = { start: new Date(period.start.getTime() - LEARNING_DAYS * DAY_MS), end: period.end };
  const peakKw = peakOf(plant);
  const isModelled = peakKw > 0 && modelledPlant(plant, held, period) !== undefined;
  return {
    period,
    days,
    basis: "standard",
    vehicle: [],
    site: {
      measured: standardLoad(site, whole, annualKwh),
      name: "standard",
      ...(peakKw > 0 &&
        !isModelled && { pv: { measured: standardPv(plant, whole, peakKw), name: "standard" } }),
    },
  };
}

/** What telemetry and imports have of a period; undefined for less than 14 days. */
async function storedPast(
  { id, plant }: Site,
  wanted: Interval,
  { store, held }: Pick<PastOptions, "store" | "held">,
): Promise<(WhatIfPast & { isWhole: boolean }) | undefined> {
  const of = { ...plant, id };
  const [from, to] = [wanted.start, wanted.end];
  const known = { ...held, ...(await pastEnergies(store, of, { series: held.series, from })) };
  const site = measuredSite(known);
  const metered = await meteredInstead(store, of, { held: known, wanted: { from, to } });
  const common = { site, vehicle: [], days: [] };
  if (metered !== undefined) return { ...common, period: metered, basis: "metered", metered, isWhole: false };
  if (site.measured.length === 0) return undefined;
  const period = periodOf({ from, to }, known, site);
  if (typeof period === "string") return undefined;
  const share = (period.end.getTime() - period.start.getTime()) / (to.getTime() - from.getTime());
  return { ...common, period, basis: "measured", isWhole: share >= LEAST_SHARE };
}

/** The quarter-hours of the ledger in which the load is known. */
async function ownEnergies(site: Site, { from, to }: { from: string; to: string }, ledger: OwnPast) {
  const { timezone: zone, slots } = site.plant;
  const wallboxes = slots.filter(({ kind }) => kind === "wallbox").map(({ slot }) => String(slot));
  const energies = { load: [] as EnergyStep[], pv: [] as EnergyStep[], vehicle: [] as EnergyStep[] };
  for (let date = from; date <= to; date = addDays(date, 1)) {
    const { quarters } = await ledger.details(site.id, date);
    if (quarters === undefined) continue;
    const startMs = dayInterval(date, zone).start.getTime();
    quarters.loadKwh.forEach((kwh, t) => {
      if (kwh === null) return;
      const step = {
        start: new Date(startMs + t * QUARTER_MS),
        end: new Date(startMs + (t + 1) * QUARTER_MS),
      };
      energies.load.push({ ...step, kwh: Math.max(0, kwh) });
      energies.pv.push({ ...step, kwh: quarters.pvKwh[t] ?? 0 });
      const vehicleKwh = wallboxes.reduce((sum, slot) => sum + (quarters.slots[slot]?.[t] ?? 0), 0);
      if (vehicleKwh > 0) energies.vehicle.push({ ...step, kwh: vehicleKwh });
    });
  }
  return energies;
}

/** A usual household with the energy of a year, by quarter-hour. */
function standardLoad({ plant }: Site, period: Interval, annualKwh: number | undefined): EnergyStep[] {
  const quarters = quartersOf(period);
  const dailyKwh = annualKwh === undefined ? plant.load.daily_kwh : annualKwh / 365;
  const profile = { dailyKwh, profile: plant.load.profile ?? undefined };
  return expectedLoad(quarters, profile, plant.timezone).map((kwh, t) => ({ ...quarters[t]!, kwh }));
}
