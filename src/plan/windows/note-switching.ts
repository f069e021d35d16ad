import { dayBeginsOf } from "../../config/slot-rules.js";
import type { Interval } from "../../core/domain/interval.js";
import { type Delivered, ranIn } from "./delivered.js";
import { slotMoment } from "./slot-schedule.js";
import { countDone, type SlotState, slotPlan } from "./slot-state.js";
import { nextSwitching, ranByHand, type Switching } from "./switching.js";

/** Notes which devices are on from now on. True if that has changed. */
export function noteSwitching(slots: ReadonlyMap<number, SlotState>, now: Date, zone: string): boolean {
  const changed = [...slots].filter(([slot, state]) => {
    const isOn = slotMoment(slotPlan(slot, state), now)?.chargeNow === 1;
    return note(state, nextSwitching(state.switching, isOn, now, daysOf(state, zone)));
  });
  return changed.length > 0;
}

/** Counts what the devices did in a period that is over, and notes runs for which they were not asked. True if there was anything. */
export function countSlots(
  slots: ReadonlyMap<number, SlotState>,
  period: Interval,
  { deliveredOf, zone }: { deliveredOf: (slot: number) => Delivered | undefined; zone: string },
): boolean {
  const counted = [...slots].filter(([slot, state]) => {
    const delivered = deliveredOf(slot);
    const { switching, result } = state;
    const wasOff =
      switching === undefined || (switching.until !== undefined && switching.until <= period.start);
    const ranByItself = wasOff && result !== undefined && ranIn(result, period, delivered);
    if (ranByItself) note(state, ranByHand(switching, period, daysOf(state, zone)));
    return countDone(state, period, delivered) || ranByItself;
  });
  return counted.length > 0;
}

function daysOf({ settings }: SlotState, zone: string) {
  return { zone, dayBegins: dayBeginsOf(settings) };
}

function note(state: SlotState, switching: Switching | undefined): boolean {
  if (switching === undefined || switching === state.switching) return false;
  state.switching = switching;
  return true;
}
