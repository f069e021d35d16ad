import type { Interval } from "../../core/domain/interval.js";
import { type ChosenSlot, momentOf } from "./result.js";
import type { SlotPlan } from "./slot-schedule.js";

/**
 * Energy of the slots in each of the intervals, kWh: the chosen slots of plugged-in consuming devices with a known
 * power.
 */
export function flexLoadKwh(plans: readonly SlotPlan[], intervals: readonly Interval[]): number[] {
  const load = intervals.map(() => 0);
  for (const { start, end, energyKwh } of plans.flatMap(plannedSlots)) {
    if (energyKwh === undefined || energyKwh === 0) continue;
    const lengthMs = end.getTime() - start.getTime();
    for (const [index, interval] of intervals.entries()) {
      if (interval.start >= end) break;
      const sharedMs =
        Math.min(end.getTime(), interval.end.getTime()) - Math.max(start.getTime(), interval.start.getTime());
      if (sharedMs > 0) load[index]! += (energyKwh * sharedMs) / lengthMs;
    }
  }
  return load;
}

/** The chosen slots of a consuming device: those of the next window while it is plugged in, and those of later ones. */
function plannedSlots({ result, later, plugged }: SlotPlan): ChosenSlot[] {
  const next = result !== undefined && plugged !== 0 ? [result] : [];
  return [...next, ...later].flatMap(({ role, slots }) => (role === "consume" ? slots : []));
}

/** Charging time of wallboxes in each of the intervals, hours, and the part of their energy from the battery, kWh. */
export function wallboxUse(
  plans: readonly SlotPlan[],
  intervals: readonly Interval[],
): { hours: number; fromBatteryKwh: number }[] {
  const uses = intervals.map(() => ({ hours: 0, fromBatteryKwh: 0 }));
  for (const plan of plans) {
    if (plan.settings.kind !== "wallbox" || plan.result === undefined) continue;
    const share = (plan.result.batterySharePct ?? 0) / 100;
    const load = flexLoadKwh([plan], intervals);
    for (const [index, kwh] of load.entries()) {
      if (kwh === 0) continue;
      const use = uses[index]!;
      use.hours = Math.max(use.hours, kwh / plan.result.powerKw!);
      use.fromBatteryKwh += kwh * share;
    }
  }
  return uses;
}

/** The largest battery share of the slots that charge now, percent; 0 without one. */
export function batterySharePct(plans: readonly SlotPlan[], now: Date): number {
  return plans.reduce((largest, { result, plugged }) => {
    if (result === undefined || momentOf({ ...result, plugged }, now).chargeNow === 0) return largest;
    return Math.max(largest, result.batterySharePct ?? 0);
  }, 0);
}
