import { fixedBatteryShare } from "../../config/slot-rules.js";
import type { Interval } from "../../core/domain/interval.js";
import type { BatterySharePct } from "../site-input.js";
import { type ChosenSlot, type FlexResult, momentOf } from "./result.js";
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

/**
 * The chosen slots of a consuming device: those of the next window while it is plugged in, or from the time at which a vehicle is expected
 * back, and those of later windows.
 */
function plannedSlots({ result, later, plugged, returnsAt }: SlotPlan): ChosenSlot[] {
  const isThere = ({ start }: ChosenSlot) => plugged !== 0 || (returnsAt !== undefined && start >= returnsAt);
  const slotsOf = (of: FlexResult | undefined) => (of?.role === "consume" ? of.slots : []);
  return [...slotsOf(result).filter(isThere), ...later.flatMap(slotsOf)];
}

/**
 * Charging time of the wallboxes with a fixed share of the battery in each of the intervals, hours, and that part of their
 * energy, kWh.
 */
export function wallboxUse(
  plans: readonly SlotPlan[],
  intervals: readonly Interval[],
): { hours: number; fromBatteryKwh: number }[] {
  const uses = intervals.map(() => ({ hours: 0, fromBatteryKwh: 0 }));
  for (const plan of plans) {
    // Without a share of its own, the policy decides what the battery serves.
    if (plan.settings.kind !== "wallbox" || plan.result?.batterySharePct === undefined) continue;
    const share = plan.result.batterySharePct / 100;
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

/**
 * The share of the wallboxes' power that the battery may serve now: the largest of those that charge, percent; `auto` where
 * the policy decides. If none is planned to charge, a charging vehicle was started by hand: then that of the settings.
 */
export function batterySharePct(plans: readonly SlotPlan[], now: Date): BatterySharePct {
  const wallboxes = plans.filter(({ settings, plugged }) => settings.kind === "wallbox" && plugged !== 0);
  const charging = wallboxes.filter(
    ({ result, plugged }) => result !== undefined && momentOf({ ...result, plugged }, now).chargeNow === 1,
  );
  const shares =
    charging.length > 0
      ? charging.map(({ result }) => result?.batterySharePct)
      : wallboxes.map(({ settings }) => fixedBatteryShare(settings));
  return shares.includes(undefined) ? "auto" : Math.max(0, ...shares.filter((share) => share !== undefined));
}
