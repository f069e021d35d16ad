import { hoursOf, type Interval } from "../../core/domain/interval.js";
import { sumOfAll } from "../../core/numbers.js";
import { adjoining, meanImportCt } from "./adjoining.js";
import type { PricedSlot } from "./prices.js";
import type { FlexRequest } from "./request.js";
import type { FlexResult } from "./result.js";

/** What a device costs the site, with PV and battery adapting, in the steps of the joint plan. */
export interface SlotCosts {
  steps: readonly Interval[];
  /** Of a kWh at full power, ct. */
  ctKwh: readonly number[];
  /** Planned energy of a vehicle or a heat store, kWh; left out: windows are chosen by `ctKwh`. */
  kwh?: readonly number[];
  /** Expected PV surplus that is left for the device, kWh. */
  surplusKwh?: readonly number[];
  /** What load and other devices leave of the import limit, kWh; left out without a limit. */
  roomKwh?: readonly number[];
  /** Energy that the device may take at most, kWh; with `kwh` only. */
  mostKwh?: readonly number[];
  /** Least power of the device, kW; with `kwh` only. */
  minPowerKw?: number;
  /** No more than the demand is used of `kwh`: a vehicle is full then. */
  upToDemand?: boolean;
  /** A tank, whose runs are planned anew from the costs. */
  tank?: SlotTank;
}

/** A tank as the joint plan sees it; heat above the least temperature, kWh. */
export interface SlotTank {
  storedKwh: number;
  maxKwh: number;
  /** Of the steps: what is drawn and lost, its part that is certain, and what is wanted at the end. */
  stages: readonly { drawKwh: number; certainKwh?: number; leastKwh: number; available: boolean }[];
}

/** A schedule stays while another is cheaper by no more than this, ct/kWh: costs move with every reading. */
export const HYSTERESIS_CT = 0.3;

/** The slots with what they cost; those of the schedule so far are a little cheaper. Slots beyond the plan keep their price. */
export function withCosts(
  prices: readonly PricedSlot[],
  costs: SlotCosts,
  previous: FlexResult | undefined,
): PricedSlot[] {
  const chosen = new Set(previous?.slots.map(({ start }) => start.getTime()));
  let t = 0;
  return prices.map((slot) => {
    const ms = slot.start.getTime();
    while (t < costs.steps.length - 1 && costs.steps[t]!.end.getTime() <= ms) t++;
    const step = costs.steps[t];
    // The slot in progress began before the first step.
    if (step === undefined || ms >= step.end.getTime() || slot.end <= step.start) return slot;
    const bonus = chosen.has(ms) ? HYSTERESIS_CT : 0;
    return { ...slot, costCtKwh: costs.ctKwh[t]! - bonus };
  });
}

/** Below every price, ct/kWh. */
const AT_ONCE_CT = -10_000;

/** The slots with those first that energy due at once needs, from now on; they come before every other, whatever they cost. */
export function withAtOnce(
  slots: readonly PricedSlot[],
  { request, now, powerKw }: { request: FlexRequest; now: Date; powerKw: number | undefined },
): readonly PricedSlot[] {
  const { atOnceKwh = 0, plugged } = request;
  if (atOnceKwh === 0 || powerKw === undefined || plugged === 0) return slots;
  let left = atOnceKwh;
  return slots.map((slot) => {
    if (slot.end <= now || left <= 1e-9) return slot;
    left -= powerKw * hoursOf(slot);
    return { ...slot, costCtKwh: AT_ONCE_CT };
  });
}

/** Power that the import limit leaves the device in a slot, kW; infinite where there is none. */
export function roomKw({ start }: Interval, { steps = [], roomKwh }: Partial<SlotCosts> = {}): number {
  const t = steps.findIndex(({ end }) => end > start);
  const kwh = roomKwh?.[t];
  return kwh === undefined ? Number.POSITIVE_INFINITY : kwh / hoursOf(steps[t]!);
}

/** Less is rounding, kW. */
const ROUNDING_KW = 1e-6;

/** The answer without what the import limit leaves a device of one power too little for: slots, or a run that must not be interrupted. */
export function withinRoom(result: FlexResult, costs: SlotCosts): FlexResult {
  const { powerKw = 0, consecutive, windows } = result;
  const isOver = (slot: Interval) => roomKw(slot, costs) < powerKw - ROUNDING_KW;
  const over = result.slots.filter(isOver);
  if (over.length === 0) return result;
  const isWithin = (slot: Interval, { start, end }: Interval) => start <= slot.start && slot.end <= end;
  const broken = windows.filter((window) => over.some((slot) => isWithin(slot, window)));
  const slots = result.slots.filter((slot) =>
    consecutive === "required" ? !broken.some((window) => isWithin(slot, window)) : !isOver(slot),
  );
  const droppedHours = sumOfAll(result.slots.map(hoursOf)) - sumOfAll(slots.map(hoursOf));
  return {
    ...result,
    slots,
    windows: adjoining(slots).map((window) => ({
      ...window,
      segment: windows.find((whole) => isWithin(window, whole))?.segment,
    })),
    averageCtKwh: meanImportCt(slots),
    unmetHours: result.unmetHours + droppedHours,
    overLimitHours: droppedHours,
  };
}

/** The answer with the part of each slot's energy that the expected surplus covers. */
export function withSurplus(result: FlexResult, { steps, surplusKwh }: SlotCosts): FlexResult {
  const slots = result.slots.map((slot) => {
    const t = steps.findIndex(({ end }) => end > slot.start);
    const expected = surplusKwh?.[t];
    if (expected === undefined || slot.energyKwh === undefined) return slot;
    const surplus = (Math.max(0, expected) / hoursOf(steps[t]!)) * hoursOf(slot);
    return { ...slot, surplusKwh: Math.min(slot.energyKwh, surplus) };
  });
  return { ...result, slots };
}
