import type { Interval } from "../../core/domain/interval.js";
import {
  BATTERY_FIELDS,
  FIELD_NAMES,
  OUTPUT_FIELDS,
  type OutputName,
  planField,
} from "../../core/domain/plan-field-lists.js";
import {
  energyKwh,
  lengthHours,
  moneyEur,
  powerKw,
  priceCtKwh,
  rounded,
  sharePct,
} from "../../core/domain/rounding.js";
import type { Language } from "../../core/language.js";
import { formatIso } from "../../core/time/zone.js";
import type { StepReason } from "../../plan/explain.js";
import { reasonText } from "../../plan/reason-text.js";
import type { ChargeRun, PlanDay, PlanHour, SitePlan } from "../../plan/site-plan.js";
import { batteryOverrideDocument } from "./battery-override.js";
import { serviceUrl } from "./format.js";
import { outputsOf, planFields } from "./plan-fields.js";

/** Inputs of a plan document besides the plan. */
export interface PlanView {
  /** Zone of the times in the document; the days are the plan's own. */
  zone: string;
  /** Public address of the gateway. */
  baseUrl: string;
  /** Language of the `reason_text` sentences. */
  language: Language;
  /** Schedules of the plant's flexible devices, as documents. */
  recipes?: readonly Record<string, unknown>[] | undefined;
  /** The access object; left out on MQTT. */
  access?: Record<string, unknown> | undefined;
  /** Fields of the request that replaced known values; left out or empty: the plan is the one in force. */
  otherValues?: readonly string[] | undefined;
}

const EVENT_FIELDS = FIELD_NAMES.filter((name) => planField(name).in === undefined);
const ANSWER_FIELDS = FIELD_NAMES.filter((name) => planField(name).in === "answer");

/** The scalars of the plan_updated payload (docs/spec/webhooks.md section 5) in its order, without `event`. */
export function payloadScalars(plan: SitePlan, view: Pick<PlanView, "zone" | "baseUrl">) {
  const fields = planFields(plan.scalars, view.zone, EVENT_FIELDS);
  const { hours_needed, hours_needed_today, energy_charge_kwh, ...others } = fields;
  return {
    issued_at: formatIso(plan.issuedAt, view.zone),
    hours_needed,
    hours_needed_today,
    energy_charge_kwh,
    hours_demand_url: serviceUrl(view.baseUrl, "/v1/decision/hours-demand"),
    ...others,
  };
}

/** The outputs as numbers or null, rounded like the corresponding scalars. */
export function outputsDocument({ scalars }: Pick<SitePlan, "scalars">): Record<OutputName, number | null> {
  return outputsOf(planFields(scalars, "UTC", Object.values(OUTPUT_FIELDS))) as Record<
    OutputName,
    number | null
  >;
}

/** The parts of several batteries; fields that the plan has too keep their names. */
export function batteriesDocument({ batteries = [] }: SitePlan, zone: string) {
  return batteries.map((part) => ({
    id: part.id,
    label: part.label,
    soc_pct: sharePct(part.socPct),
    ...planFields(part, zone, BATTERY_FIELDS),
  }));
}

/** `charge_hours_today`: the runs of the plan clipped to the local day. */
export function chargeHoursToday(plan: SitePlan, zone: string) {
  return plan.chargeHoursToday.map((run) => times(run, zone));
}

/** The document `hours_demand_v1.11` (docs/spec/http-api.md section 8). */
export function hoursDemandDocument(plan: SitePlan, view: PlanView): Record<string, unknown> {
  return {
    schema: "hours_demand_v1.11",
    timezone: view.zone,
    ...payloadScalars(plan, view),
    ...planFields(plan.scalars, view.zone, ANSWER_FIELDS),
    savings_eur: moneyEur(plan.savingsEur),
    horizon_binding: plan.horizonBinding,
    expectation: {
      cost_eur: moneyEur(plan.expectation.costEur),
      cost_p10_eur: moneyEur(plan.expectation.costP10Eur),
      cost_p90_eur: moneyEur(plan.expectation.costP90Eur),
      saving_eur: moneyEur(plan.expectation.savingEur),
    },
    ...(view.access === undefined ? {} : { access: view.access }),
    charge_hours: plan.chargeHours.map((run) => chargeEntry(run, view)),
    charge_hours_today: chargeHoursToday(plan, view.zone),
    day_plan: plan.days.map((day) => dayEntry(day, view)),
    outputs: outputsDocument(plan),
    ...(plan.override !== undefined && { battery_override: batteryOverrideDocument(plan, view.zone) }),
    ...(plan.batteries !== undefined && { batteries: batteriesDocument(plan, view.zone) }),
    ...(view.otherValues !== undefined && view.otherValues.length > 0 && { other_values: view.otherValues }),
    recipes: view.recipes ?? [],
    solver: {
      objective_eur: rounded(plan.solver.objectiveEur, 6),
      bound_eur: rounded(plan.solver.boundEur, 6),
      ms: rounded(plan.solver.ms, 2),
    },
  };
}

function times(interval: Interval, zone: string) {
  return { start: formatIso(interval.start, zone), end: formatIso(interval.end, zone) };
}

function reasonEntry(reason: StepReason, view: PlanView) {
  return { reason: reason.code, reason_text: reasonText(reason, view) };
}

function chargeEntry(run: ChargeRun, view: PlanView) {
  return {
    ...times(run, view.zone),
    energy_kwh: energyKwh(run.energyKwh),
    power_kw: powerKw(run.powerKw),
    price_ct_kwh: priceCtKwh(run.priceCtKwh),
    total_ct_kwh: priceCtKwh(run.totalCtKwh),
    prefix: run.prefix,
    provisional: run.provisional,
    ...reasonEntry(run.reason, view),
  };
}

function dayEntry(day: PlanDay, view: PlanView) {
  return {
    date: day.date,
    hours_needed: lengthHours(day.hoursNeeded),
    energy_charge_kwh: energyKwh(day.energyChargeKwh),
    load_kwh: energyKwh(day.loadKwh),
    pv_kwh: energyKwh(day.pvKwh),
    import_kwh: energyKwh(day.importKwh),
    export_kwh: energyKwh(day.exportKwh),
    soc_start_pct: sharePct(day.socStartPct),
    soc_end_pct: sharePct(day.socEndPct),
    soc_min_pct: sharePct(day.socMinPct),
    cost_eur: moneyEur(day.costEur),
    baseline_cost_eur: moneyEur(day.baselineCostEur),
    cover: day.cover,
    hours: day.hours.map((hour) => hourEntry(hour, view)),
  };
}

/** Written out: building 168 objects by spreading would take longer than planning. */
function hourEntry(hour: PlanHour, view: PlanView) {
  const { zone } = view;
  return {
    start: formatIso(hour.start, zone),
    end: formatIso(hour.end, zone),
    price_ct_kwh: priceCtKwh(hour.priceCtKwh),
    total_ct_kwh: priceCtKwh(hour.totalCtKwh),
    source: hour.source,
    load_kwh: energyKwh(hour.loadKwh),
    pv_kwh: energyKwh(hour.pvKwh),
    charge_kwh: energyKwh(hour.chargeKwh),
    discharge_kwh: energyKwh(hour.dischargeKwh),
    import_kwh: energyKwh(hour.importKwh),
    export_kwh: energyKwh(hour.exportKwh),
    soc_end_pct: sharePct(hour.socEndPct),
    soc_p10_pct: sharePct(hour.socP10Pct),
    soc_p90_pct: sharePct(hour.socP90Pct),
    mode: hour.mode,
    action: hour.action,
    reason: hour.reason.code,
    reason_text: reasonText(hour.reason, view),
  };
}
