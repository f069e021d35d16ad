import { HOUR_MS } from "../../core/domain/interval.js";
import { addDays, localDate, parseTime } from "../../core/time/zone.js";
import type { OverrideAction } from "./override.js";
import type { SlotPlan } from "./slot-schedule.js";

/** When a device has all of its energy with `full`, where nobody names a time. */
const USUAL_DEADLINE = "07:00";

/**
 * The end of an override that a person asks for without a time: the run of the device is over, or the day; undefined: the default of the
 * override itself.
 */
export function usualEnd(
  action: OverrideAction,
  plan: SlotPlan | undefined,
  { zone, now }: { zone: string; now: Date },
): Date | undefined {
  if (action === "skip") return parseTime(`${addDays(localDate(now, zone), 1)}T00:00`, zone);
  if (action === "full") return nextTime(USUAL_DEADLINE, zone, now);
  return action === "run" && plan !== undefined ? usualRunEnd(plan, now) : undefined;
}

/** The end of a run that begins now; undefined: how long the device runs is not known. */
export function usualRunEnd(plan: SlotPlan, now: Date): Date | undefined {
  const hours = runHours(plan);
  return hours === undefined ? undefined : new Date(now.getTime() + Math.min(24, hours) * HOUR_MS);
}

/** Hours of a run of a device: what is left of its demand, or else a whole run by its settings. */
function runHours({ result, settings }: SlotPlan): number | undefined {
  if (result !== undefined && result.demandHours > 0) return result.demandHours;
  const { hours, energy_kwh: energyKwh, power_kw: powerKw } = settings;
  if (hours !== null && hours > 0) return hours;
  return energyKwh && powerKw ? energyKwh / powerKw : undefined;
}

/** The next moment with a local time `HH:MM`; undefined for another text. */
export function nextTime(time: string, zone: string, now: Date): Date | undefined {
  if (!/^\d{2}:\d{2}$/.test(time)) return undefined;
  const today = localDate(now, zone);
  const at = parseTime(`${today}T${time}`, zone);
  return at !== undefined && at <= now ? parseTime(`${addDays(today, 1)}T${time}`, zone) : at;
}
