import { outputsDocument, planScalarFields } from "../../api/documents/hours-demand.js";
import type { Site } from "../../config/site.js";
import { HOUR_MS, MINUTE_MS } from "../../core/domain/interval.js";
import { moneyEur, priceCtKwh, sharePct } from "../../core/domain/rounding.js";
import type { LiveState } from "../../core/domain/sample.js";
import { SLOT_NUMBERS } from "../../core/domain/slot.js";
import { planHash } from "../../plan/charge-runs.js";
import type { Present } from "../../plan/site-facts.js";
import type { PlanScalars, SitePlan } from "../../plan/site-plan.js";
import { type SlotPlan, slotMoment } from "../../plan/windows/slot-schedule.js";
import { ascii } from "./reply.js";

/** Plans are renewed every quarter-hour; an older one is reported as not reliable (OK=0). */
const PLAN_LIMIT_MS = HOUR_MS;
/** Value of an unknown number or age. */
const UNKNOWN = -1;

/** State of a site at a point in time. */
export interface ControllerSite {
  now: Date;
  site: Site;
  plan: SitePlan | undefined;
  present: Present | undefined;
  slots: readonly SlotPlan[];
  live: LiveState;
}

/** The values of a site as text: plain numbers with a decimal point, flags as 0 and 1. */
export interface SiteValues {
  /** The fields of the line, in its order, by their keys. */
  line: ReadonlyMap<string, string>;
  /** Further values by their API names. */
  others: ReadonlyMap<string, string>;
}

/** The values of `/line`, `/value` and `/on` (docs/controllers.md has the table). */
export function siteValues(facts: ControllerSite): SiteValues {
  const { now, site, live } = facts;
  const plan = facts.plan ?? withoutPlan(facts);
  const ageMs = facts.plan === undefined ? undefined : Math.max(0, now.getTime() - plan.issuedAt.getTime());
  const outputs = outputsDocument(plan);
  const scalars: Record<string, unknown> = planScalarFields(plan, { zone: site.plant.timezone, baseUrl: "" });
  // Controllers read numbers only; without a plan there is no time of issue.
  delete scalars.hours_demand_url;
  if (facts.plan === undefined) scalars.issued_at = "none";
  const socAt = live.soc_pct?.at.getTime();
  const socAgeMinutes =
    socAt === undefined ? UNKNOWN : Math.max(0, Math.floor((now.getTime() - socAt) / MINUTE_MS));
  const slots = new Map(facts.slots.map((slot) => [slot.slot, slotMoment(slot, now)]));

  const line = new Map<string, unknown>([
    ["OK", isReliable(facts, ageMs)],
    ["AGE", ageOf(facts, ageMs)],
    ...Object.entries(outputs),
    ["PRICE", outputs.O8],
    ["SOC", sharePct(live.soc_pct?.value ?? UNKNOWN)],
    ["SOC_AGE", socAgeMinutes],
    ["HOURS", scalars.hours_needed],
    ["HOURS_TODAY", scalars.hours_needed_today],
    ["NEXT", outputs.O6],
    ["CAP", scalars.discharge_power_kw],
    ...SLOT_NUMBERS.map((slot): [string, unknown] => [`S${slot}`, slots.get(slot)?.chargeNow ?? 0]),
    ...SLOT_NUMBERS.map((slot): [string, unknown] => [`N${slot}`, slots.get(slot)?.minutesToStart ?? -1]),
  ]);
  const others = new Map<string, unknown>([
    ...Object.entries(scalars),
    ["savings_eur", moneyEur(plan.savingsEur)],
    ["horizon_binding", plan.horizonBinding],
    ["soc_pct", line.get("SOC")],
    ["price_now_ct_kwh", outputs.O8],
    ["price_quartile", outputs.O7],
    ["minutes_to_start", outputs.O6],
    ...SLOT_NUMBERS.flatMap((slot): [string, unknown][] => [
      [`slot_${slot}`, line.get(`S${slot}`)],
      [`slot_${slot}_minutes_to_start`, line.get(`N${slot}`)],
    ]),
  ]);
  return { line: asTexts(line), others: asTexts(others) };
}

/** The line: `HG;KEY=value;…`. Each key occurs once, so a search for `;KEY=` is unambiguous. */
export function lineText(fields: ReadonlyMap<string, string>): string {
  return `HG;${[...fields].map(([key, value]) => `${key}=${value}`).join(";")}\n`;
}

/** A value by its key in the line or its API name, case-insensitive; undefined for an unknown name. */
export function namedValue({ line, others }: SiteValues, name: string): string | undefined {
  return line.get(name.toUpperCase()) ?? others.get(name.toLowerCase());
}

/** True for a number above 0; undefined for text. */
export function isOn(value: string): boolean | undefined {
  const number = Number(value);
  return Number.isNaN(number) ? undefined : number > 0;
}

/** True while the plan is current; for a plant without a battery, which has no plan, while its price is known. */
function isReliable({ site, plan, present }: ControllerSite, ageMs: number | undefined): boolean {
  if (plan === undefined || ageMs === undefined) return site.plant.battery === null && present !== undefined;
  return ageMs <= PLAN_LIMIT_MS && plan.scalars.dischargeReason !== "telemetry_lost";
}

/** Age of the plan in seconds; without a battery 0 while the price is known. */
function ageOf({ site, present }: ControllerSite, ageMs: number | undefined): number {
  if (ageMs !== undefined) return Math.floor(ageMs / 1000);
  return site.plant.battery === null && present !== undefined ? 0 : UNKNOWN;
}

function withoutPlan({ now, site, present }: ControllerSite): SitePlan {
  return {
    siteId: site.id,
    issuedAt: now,
    scalars: safeScalars(site, present, now),
    chargeHours: [],
    chargeHoursToday: [],
    days: [],
    steps: [],
    command: {
      mode: "free",
      chargePowerKw: 0,
      stopSocKwh: 0,
      dischargeCapKw: 0,
      chargeCapKw: 0,
      valueCtKwh: 0,
      reason: "no_price",
    },
    commandSince: now,
    expectation: { at: now, costEur: 0, costP10Eur: 0, costP90Eur: 0, savingEur: 0, savingDayEur: 0 },
    savingsEur: 0,
    savingsStoredEur: 0,
    horizonBinding: false,
    solver: { objectiveEur: 0, boundEur: 0, ms: 0 },
    material: false,
  };
}

/** Numbers are already rounded to at most 4 decimals, so their text never has an exponent. */
function asTexts(values: ReadonlyMap<string, unknown>): ReadonlyMap<string, string> {
  return new Map([...values].map(([name, value]) => [name, textOf(value)]));
}

function textOf(value: unknown): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "string" && value !== "") return ascii(value);
  return typeof value === "number" ? String(value) : String(UNKNOWN);
}

/** The current price in the format of the line. */
export const priceText = (ctKwh: number): string => textOf(priceCtKwh(ctKwh));

/**
 * The values without a plan (fail-safe of docs/spec/outputs-and-plan.md section 3): no charging from the grid, full
 * discharge power. An age of -1 means unknown.
 */
function safeScalars({ plant }: Site, present: Present | undefined, now: Date): PlanScalars {
  const { battery } = plant;
  return {
    hoursNeeded: 0,
    hoursNeededToday: 0,
    energyChargeKwh: 0,
    prefixHoursNeededToday: 0,
    prefixPeriodHoursToday: 0,
    prefixEnergyChargeKwh: 0,
    chargeNow: 0,
    chargeStopSocPct: battery?.max_soc_pct ?? 0,
    dischargePowerKw: battery?.max_discharge_power_kw ?? 0,
    dischargeReason: "telemetry_lost",
    adaptiveDischarge: false,
    minSocPct: battery?.min_soc_pct ?? 0,
    chargePowerKw: 0,
    gridChargeAllowed: battery?.grid_charge_allowed ?? false,
    chargeCapKw: battery?.max_charge_power_kw ?? 0,
    chargeCapReason: "full",
    feedInLimitKw: plant.grid.export_limit_kw,
    dischargeSetKw: 0,
    importTargetKw: null,
    following: "unknown",
    followingCause: "no_telemetry",
    followingSince: now,
    planHash: planHash([]),
    socAgeMinutes: -1,
    socStale: true,
    minutesToChargeStart: -1,
    currentQuartile: present?.currentQuartile ?? 3,
    currentPriceCtKwh: present?.currentPriceCtKwh ?? 0,
  };
}
