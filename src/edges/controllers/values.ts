import { outputsOf, type PlanFields, planFields, valueWithoutPlan } from "../../api/documents/plan-fields.js";
import type { Site } from "../../config/site.js";
import { HOUR_MS, MINUTE_MS } from "../../core/domain/interval.js";
import { FIELD_NAMES, type PriceScalars, planField } from "../../core/domain/plan-field-lists.js";
import { moneyEur, priceCtKwh, sharePct } from "../../core/domain/rounding.js";
import type { LiveState } from "../../core/domain/sample.js";
import { SLOT_NUMBERS } from "../../core/domain/slot.js";
import { formatIso } from "../../core/time/zone.js";
import type { SitePlan } from "../../plan/site-plan.js";
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
  present: PriceScalars | undefined;
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
  const { now, site, live, plan } = facts;
  const ageMs = plan === undefined ? undefined : Math.max(0, now.getTime() - plan.issuedAt.getTime());
  const zone = site.plant.timezone;
  const fields = plan === undefined ? fieldsWithoutPlan(facts) : planFields(plan.scalars, zone);
  const socAt = live.soc_pct?.at.getTime();
  const socAgeMinutes =
    socAt === undefined ? UNKNOWN : Math.max(0, Math.floor((now.getTime() - socAt) / MINUTE_MS));
  const slots = new Map(facts.slots.map((slot) => [slot.slot, slotMoment(slot, now)]));

  const line = new Map<string, unknown>([
    ["OK", isReliable(facts, ageMs)],
    ["AGE", ageOf(facts, ageMs)],
    ...Object.entries(outputsOf(fields)),
    ["PRICE", fields.price_now_ct_kwh],
    ["SOC", sharePct(live.soc_pct?.value ?? UNKNOWN)],
    ["SOC_AGE", socAgeMinutes],
    ["HOURS", fields.hours_needed],
    ["HOURS_TODAY", fields.hours_needed_today],
    ["NEXT", fields.minutes_to_start],
    ["CAP", fields.discharge_power_kw],
    ...SLOT_NUMBERS.map((slot): [string, unknown] => [`S${slot}`, slots.get(slot)?.chargeNow ?? 0]),
    ...SLOT_NUMBERS.map((slot): [string, unknown] => [`N${slot}`, slots.get(slot)?.minutesToStart ?? -1]),
  ]);
  const others = new Map<string, unknown>([
    ...Object.entries(fields),
    ["issued_at", plan === undefined ? "none" : formatIso(plan.issuedAt, zone)],
    ["savings_eur", plan && moneyEur(plan.savingsEur)],
    ["horizon_binding", plan?.horizonBinding],
    ["soc_pct", line.get("SOC")],
    ...SLOT_NUMBERS.flatMap((slot): [string, unknown][] => [
      [`slot_${slot}`, line.get(`S${slot}`)],
      [`slot_${slot}_minutes_to_start`, line.get(`N${slot}`)],
    ]),
  ]);
  return { line: asTexts(line), others: asTexts(others) };
}

/**
 * The fields without a plan (fail-safe of docs/spec/outputs-and-plan.md section 3): no charging from the grid, the limits of
 * the settings, and the price where it is known.
 */
function fieldsWithoutPlan({ site, present }: ControllerSite): PlanFields {
  const fields: PlanFields = {};
  for (const name of FIELD_NAMES)
    if (!planField(name).optional) fields[name] = valueWithoutPlan(name, site.plant);
  return { ...fields, ...planFields(present ?? {}, site.plant.timezone) };
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
