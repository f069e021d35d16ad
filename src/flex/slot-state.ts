import type { SlotSettings } from "../config/settings.js";
import { HOUR_MS } from "../domain/interval.js";
import { type FlexRequest, fillFromSlot, requestOfSettings } from "./request.js";
import { type FlexResult, momentOf } from "./result.js";
import type { KeptSlot, SlotPlan, SlotSchedule } from "./slot-schedule.js";

/** An assigned slot while the gateway runs. */
export interface SlotState {
  settings: SlotSettings;
  plugged?: 0 | 1;
  recipe?: SlotSchedule;
  done?: NonNullable<KeptSlot["done"]>;
  /** The last request whose window has ended, and what was charged for it: it holds again when the clock is set back. */
  ended?: Pick<SlotState, "done"> & { recipe: SlotSchedule };
  result?: FlexResult;
  /** Why it cannot be planned, as the log says already. */
  trouble?: string;
}

/** What of a slot outlives the process. */
export function keptOf(slot: number, { plugged, recipe, done }: SlotState): KeptSlot {
  return {
    slot,
    ...(plugged !== undefined && { plugged }),
    ...(recipe !== undefined && { recipe }),
    ...(done !== undefined && { done }),
  };
}

/** Lets a request go whose window has ended at `now`, and takes it up again where the clock was set back before that. */
export function expire(held: SlotState, now: Date): void {
  const { recipe, done, ended } = held;
  if (recipe !== undefined && recipe.until <= now) {
    delete held.recipe;
    delete held.done;
    held.ended = { recipe, ...(done !== undefined && { done }) };
  } else if (recipe === undefined && ended !== undefined && ended.recipe.until > now) {
    delete held.ended;
    delete held.done;
    Object.assign(held, ended);
  }
}

/** What the request says, else what the device said last; without either it is plugged in. */
export function pluggedOf({ recipe, plugged }: SlotState): number {
  return recipe?.ask.plugged ?? plugged ?? 1;
}

/** What is to be solved for the slot: its request filled from its settings, else its settings; undefined for nothing. */
export function requestOf(held: SlotState): FlexRequest | undefined {
  const ask =
    held.recipe === undefined
      ? requestOfSettings(held.settings)
      : fillFromSlot(held.recipe.ask, held.settings);
  return ask && { ...ask, plugged: pluggedOf(held) };
}

/** The slot as the edges and the battery plan see it. */
export function slotPlan(slot: number, held: SlotState): SlotPlan {
  return {
    slot,
    settings: held.settings,
    origin: held.recipe === undefined ? "settings" : "request",
    plugged: pluggedOf(held),
    result: held.result,
  };
}

/** True while a run of a plan that asks for few or unbroken runs is under way. */
export function isInRun(result: FlexResult, now: Date): boolean {
  if (result.consecutive === "off") return false;
  return result.windows.some(({ start, end }) => start < now && now < end);
}

/**
 * Counts the chosen slots that ended after `from` and up to `to`: planned anew, they are not charged a second time. True
 * when there were any.
 */
export function countDone(held: SlotState, from: Date, to: Date): boolean {
  const { result } = held;
  if (result === undefined || pluggedOf(held) === 0) return false;
  const passed = result.slots.filter(({ end }) => end > from && end <= to);
  if (passed.length === 0) return false;
  const hours = passed.reduce((sum, slot) => sum + hoursOf(slot, result.powerKw), 0);
  const { windowStart = result.window.start, hours: before = 0 } = held.done ?? {};
  held.done = { windowStart, hours: before + hours, ...(isInRun(result, to) && { run: result }) };
  return true;
}

/** Hours at full power that a chosen slot stands for; less than its length where it carries the remainder. */
function hoursOf(
  { start, end, energyKwh }: FlexResult["slots"][number],
  powerKw: number | undefined,
): number {
  const hours = (end.getTime() - start.getTime()) / HOUR_MS;
  return energyKwh === undefined || powerKw === undefined ? hours : Math.min(hours, energyKwh / powerKw);
}

/** What the plans say, as a text that is equal as long as nobody has to act on them anew. */
export function summaryOf(plans: readonly SlotPlan[], now: Date): string {
  return JSON.stringify(
    plans.map(({ origin, plugged, result }) => {
      if (result === undefined) return [origin, plugged];
      const { chargeNow, nextStart } = momentOf({ ...result, plugged }, now);
      const { window, demandHours, unmetHours, windows } = result;
      return [
        origin,
        plugged,
        chargeNow,
        nextStart,
        window.start,
        window.end,
        demandHours,
        unmetHours,
        windows,
      ];
    }),
  );
}
