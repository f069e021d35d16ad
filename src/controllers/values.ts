import type { Site } from "../accounts/sites.js";
import { outputsDocument, planScalarFields } from "../documents/hours-demand.js";
import { HOUR_MS, MINUTE_MS } from "../domain/interval.js";
import { moneyEur, priceCtKwh, sharePct } from "../domain/rounding.js";
import type { LiveState } from "../domain/sample.js";
import { SLOT_NUMBERS } from "../domain/slot.js";
import { momentOf } from "../flex/result.js";
import type { SlotPlan } from "../flex/slot-schedule.js";
import type { Present } from "../plan/site-facts.js";
import type { SitePlan } from "../plan/site-plan.js";
import { ascii } from "./reply.js";
import { safeScalars } from "./safe-plan.js";

/** A plan is made on each quarter-hour; one that nothing has renewed for this long is not to be relied on. */
const PLAN_LIMIT_MS = HOUR_MS;
/** Stands for a number that is not known, and for an age of what never was. */
const UNKNOWN = -1;

/** What is known of a site at a moment. */
export interface ControllerSite {
  now: Date;
  site: Site;
  plan: SitePlan | undefined;
  present: Present | undefined;
  slots: readonly SlotPlan[];
  live: LiveState;
}

/** All that a controller can read of a site, as text: numbers plain with a decimal point, flags 0 and 1. */
export interface SiteValues {
  /** The fields of the line, in its order, by their keys. */
  line: ReadonlyMap<string, string>;
  /** Further values by the names of the interface. */
  others: ReadonlyMap<string, string>;
}

/** Reads the facts into the values that `/line`, `/value` and `/on` show (docs/controllers.md has the table). */
export function siteValues(facts: ControllerSite): SiteValues {
  const { now, site, live } = facts;
  const plan = facts.plan ?? withoutPlan(facts);
  const ageMs = facts.plan === undefined ? undefined : Math.max(0, now.getTime() - plan.issuedAt.getTime());
  const outputs = outputsDocument(plan);
  const scalars: Record<string, unknown> = planScalarFields(plan, { zone: site.plant.timezone, baseUrl: "" });
  // An address is of no use where only numbers can be read, and a time that never was is none.
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

/** The line: `HG;KEY=value;…`, each key once, so that a search for `;KEY=` finds that one value and no other. */
export function lineText(fields: ReadonlyMap<string, string>): string {
  return `HG;${[...fields].map(([key, value]) => `${key}=${value}`).join(";")}\n`;
}

/** A value by its name in the line or in the interface, whatever the letter case; undefined for an unknown name. */
export function namedValue({ line, others }: SiteValues, name: string): string | undefined {
  return line.get(name.toUpperCase()) ?? others.get(name.toLowerCase());
}

/** Whether a value says on: a number over 0. Undefined for text, which says neither. */
export function isOn(value: string): boolean | undefined {
  const number = Number(value);
  return Number.isNaN(number) ? undefined : number > 0;
}

/** 1 while the plan can be relied on; of a plant without battery, which has no plan, while its price is known. */
function isReliable({ site, plan, present }: ControllerSite, ageMs: number | undefined): boolean {
  if (plan === undefined || ageMs === undefined) return site.plant.battery === null && present !== undefined;
  return ageMs <= PLAN_LIMIT_MS && plan.scalars.dischargeReason !== "telemetry_lost";
}

/** Seconds since the plan was made; without a battery the price is looked up at each call. */
function ageOf({ site, present }: ControllerSite, ageMs: number | undefined): number {
  if (ageMs !== undefined) return Math.floor(ageMs / 1000);
  return site.plant.battery === null && present !== undefined ? 0 : UNKNOWN;
}

function withoutPlan({ now, site, present }: ControllerSite): SitePlan {
  return {
    siteId: site.id,
    issuedAt: now,
    scalars: safeScalars(site, present),
    chargeHours: [],
    chargeHoursToday: [],
    days: [],
    steps: [],
    savingsEur: 0,
    savingsStoredEur: 0,
    horizonBinding: false,
    solver: { objectiveEur: 0, boundEur: 0, ms: 0 },
    material: false,
  };
}

function slotMoment({ result, plugged }: SlotPlan, now: Date) {
  return result === undefined ? undefined : momentOf({ ...result, plugged }, now);
}

/** Figures come rounded to at most 4 places, so that their text never has an exponent. */
function asTexts(values: ReadonlyMap<string, unknown>): ReadonlyMap<string, string> {
  return new Map([...values].map(([name, value]) => [name, textOf(value)]));
}

function textOf(value: unknown): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "string" && value !== "") return ascii(value);
  return typeof value === "number" ? String(value) : String(UNKNOWN);
}

/** The price in progress as the line writes it. */
export const priceText = (ctKwh: number): string => textOf(priceCtKwh(ctKwh));
