import type { Services } from "../../api/services.js";
import type { Site } from "../../config/site.js";
import { HOUR_MS } from "../../core/domain/interval.js";
import { slotNumber } from "../../core/domain/slot.js";
import { numberFromText } from "../../core/number-text.js";
import { addDays, localDate, parseTime } from "../../core/time/zone.js";
import { BATTERY_OVERRIDE_ACTIONS } from "../../plan/battery-override.js";
import { PlanInputError } from "../../plan/overrides.js";
import { OVERRIDE_ACTIONS, type OverrideAction } from "../../plan/windows/override.js";
import { FlexInputError } from "../../plan/windows/request.js";
import type { SlotPlan } from "../../plan/windows/slot-schedule.js";
import type { FormBody } from "../form-body.js";

/** The field of the form that the plant's settings or the present state do not allow. */
export type RefusedField = "until" | "target_soc_pct" | "override" | "slot_id";

type OverrideServices = Pick<Services, "clock" | "flex" | "plans">;

/** `done`; `unknown`: the form does not name an action of the plant; else the field that does not fit. */
export type OverrideOutcome = "done" | "unknown" | RefusedField;

/** Carries out the form of an override of a device or of the battery. Throws StoreError. */
export async function takeOverride(
  { clock, flex, plans }: OverrideServices,
  site: Site,
  form: FormBody,
): Promise<OverrideOutcome> {
  const time = form.text("until");
  const until = time === "" ? undefined : nextTime(time, site.plant.timezone, clock.now());
  if (time !== "" && until === undefined) return "until";
  try {
    if (form.text("slot") === "battery") {
      const action = BATTERY_OVERRIDE_ACTIONS.find((one) => one === form.text("override"));
      if (action === undefined) return "unknown";
      const target = form.text("target_soc_pct");
      const targetSocPct = target === "" ? undefined : numberFromText(target);
      if (target !== "" && targetSocPct === undefined) return "target_soc_pct";
      await plans.override(site.id, { action, until, targetSocPct });
      return "done";
    }
    const slot = slotNumber(form.text("slot"));
    const action = OVERRIDE_ACTIONS.find((one) => one === form.text("override"));
    if (slot === undefined || action === undefined || !flex.isAssigned(site.id, slot)) return "unknown";
    if (action === "full" && until === undefined) return "unknown";
    const plan = flex.current(site.id).find((one) => one.slot === slot);
    const end = until ?? defaultEnd(action, plan, { zone: site.plant.timezone, now: clock.now() });
    await flex.override(site.id, slot, { action, until: end });
    return "done";
  } catch (error) {
    if (error instanceof FlexInputError || error instanceof PlanInputError)
      return error.field as RefusedField;
    throw error;
  }
}

/** The next moment with a local time `HH:MM`; undefined for another text. */
function nextTime(time: string, zone: string, now: Date): Date | undefined {
  if (!/^\d{2}:\d{2}$/.test(time)) return undefined;
  const today = localDate(now, zone);
  const at = parseTime(`${today}T${time}`, zone);
  return at !== undefined && at <= now ? parseTime(`${addDays(today, 1)}T${time}`, zone) : at;
}

/** The end of an override from a button: the run of the device is over, or the day; undefined: the service's default. */
function defaultEnd(
  action: OverrideAction,
  plan: SlotPlan | undefined,
  { zone, now }: { zone: string; now: Date },
): Date | undefined {
  if (action === "skip") return endOfDay(zone, now);
  const hours = action === "run" && plan !== undefined ? runHours(plan) : undefined;
  return hours === undefined ? undefined : new Date(now.getTime() + Math.min(24, hours) * HOUR_MS);
}

/** Hours of a run of a device: what is left of its demand, or else a whole run by its settings. */
function runHours({ result, settings }: SlotPlan): number | undefined {
  if (result !== undefined && result.demandHours > 0) return result.demandHours;
  const { hours, energy_kwh: energyKwh, power_kw: powerKw } = settings;
  if (hours !== null && hours > 0) return hours;
  return energyKwh && powerKw ? energyKwh / powerKw : undefined;
}

/** The next midnight of a zone. */
function endOfDay(zone: string, now: Date): Date | undefined {
  return parseTime(`${addDays(localDate(now, zone), 1)}T00:00`, zone);
}
