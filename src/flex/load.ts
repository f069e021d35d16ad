import type { Interval } from "../domain/interval.js";
import { momentOf } from "./result.js";
import type { SlotPlan } from "./slot-schedule.js";

/**
 * Energy that the slots take from the house in each of the intervals, kWh: the chosen slots of plugged-in devices that
 * consume, as far as their power is known.
 */
export function flexLoadKwh(plans: readonly SlotPlan[], intervals: readonly Interval[]): number[] {
  const load = intervals.map(() => 0);
  for (const { result, plugged } of plans) {
    if (result === undefined || plugged === 0 || result.role !== "consume") continue;
    for (const { start, end, energyKwh } of result.slots) {
      if (energyKwh === undefined || energyKwh === 0) continue;
      const lengthMs = end.getTime() - start.getTime();
      for (const [index, interval] of intervals.entries()) {
        const sharedMs =
          Math.min(end.getTime(), interval.end.getTime()) -
          Math.max(start.getTime(), interval.start.getTime());
        if (sharedMs > 0) load[index]! += (energyKwh * sharedMs) / lengthMs;
      }
    }
  }
  return load;
}

/**
 * How long a wallbox is to charge in each of the intervals, hours, and what of its energy the house battery may give, kWh.
 */
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

/** The largest share that the house battery gives to a slot that charges now, percent; 0 without one. */
export function batterySharePct(plans: readonly SlotPlan[], now: Date): number {
  return plans.reduce((largest, { result, plugged }) => {
    if (result === undefined || momentOf({ ...result, plugged }, now).chargeNow === 0) return largest;
    return Math.max(largest, result.batterySharePct ?? 0);
  }, 0);
}
