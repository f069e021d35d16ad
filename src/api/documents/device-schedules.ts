import type { VehicleSettings } from "../../config/settings.js";
import { energyKwh, lengthHours, powerKw, sharePct } from "../../core/domain/rounding.js";
import { formatIso } from "../../core/time/zone.js";
import { SG_STATES } from "../../plan/windows/sg-ready.js";
import { deviceLabel, type SlotPlan, sgStateOf, slotMoment } from "../../plan/windows/slot-schedule.js";
import { chosenWindows } from "./windows.js";

/** Inputs of the slot documents besides the schedules. */
export interface SlotsView {
  now: Date;
  /** Zone of the times in the document. */
  zone: string;
}

/**
 * The schedule of one slot (docs/spec/http-api.md section 11): an entry of `recipes[]`, and the payload of its MQTT
 * topic.
 */
export function recipeDocument(plan: SlotPlan, { now, zone }: SlotsView): Record<string, unknown> {
  const { slot, settings, usual, result, plugged } = plan;
  const moment = slotMoment(plan, now);
  const kw = result?.powerKw ?? settings.power_kw;
  // That of the settings while a guest is there: what is announced of it stays.
  const vehicle = settings.vehicle ?? usual?.vehicle ?? null;
  return {
    slot_id: String(slot),
    output: `O${slot}`,
    label: deviceLabel(settings, "en"),
    kind: settings.kind,
    power_kw: kw === null ? null : powerKw(kw),
    window_start: result === undefined ? null : formatIso(result.window.start, zone),
    window_end: result === undefined ? null : formatIso(result.window.end, zone),
    demand_hours: lengthHours(result?.demandHours ?? 0),
    unmet_hours: lengthHours(result?.unmetHours ?? 0),
    charge_now: moment?.chargeNow ?? 0,
    set_power_kw: moment === undefined ? 0 : setPoint(moment.powerKw),
    ...(vehicle !== null && { power_source: plan.followedKw === undefined ? "plan" : "surplus" }),
    next_start: moment?.nextStart === undefined ? null : formatIso(moment.nextStart, zone),
    plugged,
    origin: plan.origin,
    override: plan.override?.action ?? "auto",
    override_until: plan.override === undefined ? null : formatIso(plan.override.until, zone),
    ...(plan.override?.energyKwh !== undefined && {
      override_energy_kwh: energyKwh(plan.override.energyKwh),
    }),
    ...(vehicle !== null && { vehicle: vehicleDocument(vehicle, plan.socPct) }),
    ...(plan.idleSince !== undefined && { idle_since: formatIso(plan.idleSince, zone) }),
    ...(settings.sg_ready !== null && { sg_ready: sgReadyDocument(plan, { now, zone }) }),
    windows: result === undefined ? [] : chosenWindows(result, zone),
  };
}

/** The SG Ready state with its number in the order of the BWP label, 1 to 4, and those planned. */
function sgReadyDocument(plan: SlotPlan, { now, zone }: SlotsView) {
  const state = sgStateOf(plan, now) ?? "normal";
  return {
    state,
    number: SG_STATES.indexOf(state) + 1,
    plan: (plan.sgReady?.spans ?? [])
      .filter(({ end }) => end > now)
      .map((span) => ({
        start: formatIso(span.start, zone),
        end: formatIso(span.end, zone),
        state: span.state,
      })),
  };
}

function vehicleDocument(
  { capacity_kwh, target_soc_pct, min_soc_pct, efficiency_pct, surplus }: VehicleSettings,
  soc: number | undefined,
) {
  const soc_pct = soc === undefined ? null : sharePct(soc);
  return { soc_pct, target_soc_pct, min_soc_pct, capacity_kwh, efficiency_pct, surplus };
}

function setPoint(kw: number | undefined): number | null {
  return kw === undefined ? null : powerKw(kw);
}

/** The document `device_schedules_v1`. */
export function deviceSchedulesDocument(
  plans: readonly SlotPlan[],
  view: SlotsView & { access?: Record<string, unknown> | undefined },
): Record<string, unknown> {
  return {
    schema: "device_schedules_v1",
    issued_at: formatIso(view.now, view.zone),
    ...(view.access === undefined ? {} : { access: view.access }),
    recipes: plans.map((plan) => recipeDocument(plan, view)),
  };
}
