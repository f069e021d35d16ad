import { hoursOf } from "../../core/domain/interval.js";
import type { ChosenSlot, FlexResult } from "./result.js";
import type { SlotOverride } from "./slot-schedule.js";

/** Energy of a device and what it costs: the part that PV surplus covers at the price of feed-in, the rest at the import price. */
export interface RunCost {
  energyKwh: number;
  costEur: number;
}

/** What a device takes by an override, and what the plan would pay. */
export interface DeviceOverrideCost {
  override: RunCost;
  /** For a run: of as much of its energy as is planned at all; otherwise of all that the override replaces. */
  plan: RunCost;
  /** The energy of the override, taken from now on at full power; undefined for a run, which does, and where there is none. */
  atOnce?: RunCost | undefined;
}

/** What chosen slots still cost at `now`; undefined where the power of the device is not known. */
export function slotsCost(slots: readonly ChosenSlot[], now: Date): RunCost | undefined {
  const total = { energyKwh: 0, costEur: 0 };
  for (const slot of slots) {
    if (slot.energyKwh === undefined) return undefined;
    // Of the slot in progress only the rest.
    const left = Math.min(1, Math.max(0, (slot.end.getTime() - now.getTime()) / 3_600_000 / hoursOf(slot)));
    total.energyKwh += slot.energyKwh * left;
    total.costEur += left * slotEur(slot);
  }
  return total;
}

function slotEur({ energyKwh = 0, surplusKwh = 0, importCtKwh, exportCtKwh }: ChosenSlot): number {
  const fromSurplus = Math.min(energyKwh, surplusKwh);
  return (fromSurplus * exportCtKwh + (energyKwh - fromSurplus) * importCtKwh) / 100;
}

/** The cost of the first `mostKwh` of slots in order of time. */
export function firstKwh(slots: readonly ChosenSlot[], mostKwh: number, now: Date): RunCost | undefined {
  const total = { energyKwh: 0, costEur: 0 };
  for (const slot of slots) {
    const one = slotsCost([slot], now);
    if (one === undefined) return undefined;
    const share = one.energyKwh <= 0 ? 0 : Math.min(1, (mostKwh - total.energyKwh) / one.energyKwh);
    if (share <= 0) break;
    total.energyKwh += share * one.energyKwh;
    total.costEur += share * one.costEur;
  }
  return total;
}

/** Compares the schedules of a device without and with an override; undefined where its power is not known. */
export function overrideCost(
  override: SlotOverride | undefined,
  { now, before, after }: { now: Date; before: FlexResult | undefined; after: FlexResult | undefined },
): DeviceOverrideCost | undefined {
  const ahead = (result: FlexResult | undefined) => result?.slots.filter(({ end }) => end > now) ?? [];
  const [planned, changed] = [ahead(before), ahead(after)];
  const isWithin = ({ start }: ChosenSlot) => override !== undefined && start < override.until;
  const costs = ((): [RunCost | undefined, RunCost | undefined] => {
    switch (override?.action) {
      case "run": {
        const run = slotsCost(changed.filter(isWithin), now);
        return [run, run && firstKwh(planned, run.energyKwh, now)];
      }
      case "skip":
        return [{ energyKwh: 0, costEur: 0 }, slotsCost(planned.filter(isWithin), now)];
      default:
        return [slotsCost(changed, now), slotsCost(planned, now)];
    }
  })();
  return costs[0] && costs[1] && { override: costs[0], plan: costs[1] };
}
