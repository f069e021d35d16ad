import { hoursOf, type Interval, QUARTER_MS } from "../../core/domain/interval.js";
import type { PricedSlot } from "./prices.js";
import type { FlexRequest } from "./request.js";
import type { FlexResult } from "./result.js";
import type { RunLimits } from "./run-limits.js";
import { withinStoreLimits } from "./store-runs.js";

/** What a device costs the site, with PV and battery adapting, in the steps of the joint plan. */
export interface SlotCosts {
  steps: readonly Interval[];
  /** Of a kWh at full power, ct. */
  ctKwh: readonly number[];
  /** Planned energy of a vehicle or a heat store, kWh; left out: windows are chosen by `ctKwh`. */
  kwh?: readonly number[];
  /** Expected PV surplus that is left for the device, kWh. */
  surplusKwh?: readonly number[];
  /** Least power of the device, kW; with `kwh` only. */
  minPowerKw?: number;
  /** No more than the demand is used of `kwh`: a vehicle is full then. */
  upToDemand?: boolean;
}

/** A schedule stays while another is cheaper by no more than this, ct/kWh: costs move with every reading. */
const HYSTERESIS_CT = 0.3;

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

/**
 * Energies of quarter-hours from those of the steps: even where the least power allows it, else the first quarter-hours of a
 * step at the least power.
 */
export function quarterEnergies({ steps, kwh = [], minPowerKw = 0 }: SlotCosts): Map<number, number> {
  const energies = new Map<number, number>();
  for (const [t, step] of steps.entries()) {
    let left = kwh[t] ?? 0;
    if (left <= 1e-6) continue;
    const powerKw = Math.max(minPowerKw, left / hoursOf(step));
    for (let ms = step.start.getTime(); ms < step.end.getTime() && left > 1e-6; ) {
      const endMs = Math.min(step.end.getTime(), (Math.floor(ms / QUARTER_MS) + 1) * QUARTER_MS);
      const taken = Math.min(left, powerKw * hoursOf({ start: new Date(ms), end: new Date(endMs) }));
      const quarterMs = Math.floor(ms / QUARTER_MS) * QUARTER_MS;
      energies.set(quarterMs, (energies.get(quarterMs) ?? 0) + taken);
      left -= taken;
      ms = endMs;
    }
  }
  return energies;
}

/** The plan may be older than the demand: what is no longer needed is dropped, the dearest first. */
function dropBeyondDemand(
  energies: Map<number, number>,
  prices: readonly PricedSlot[],
  { endMs, wantedKwh }: { endMs: number; wantedKwh: number },
): void {
  const planned = prices.filter(({ start }) => start.getTime() < endMs && energies.has(start.getTime()));
  let left = planned.reduce((sum, { start }) => sum + energies.get(start.getTime())!, 0) - wantedKwh;
  for (const { start } of planned.sort((a, b) => b.importCtKwh - a.importCtKwh)) {
    const kwh = energies.get(start.getTime())!;
    // A quarter-hour of which most is needed stays.
    if (left < kwh / 2) continue;
    energies.delete(start.getTime());
    left -= kwh;
  }
}

/** Part of the planned energy that the expected surplus has to cover where the device is to follow it. */
const SURPLUS_SHARE = 0.5;

/** Whether the energy at a time is planned for surplus. */
function isFromSurplus({ steps, kwh, surplusKwh }: SlotCosts, at: Date): boolean {
  const t = steps.findIndex(({ end }) => end > at);
  const planned = kwh?.[t];
  const surplus = surplusKwh?.[t];
  return planned !== undefined && surplus !== undefined && surplus >= SURPLUS_SHARE * planned;
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

/** The answer of a device that stores: its planned quarter-hours in place of windows at full power. */
export function withStorePlan(
  result: FlexResult,
  prices: readonly PricedSlot[],
  costs: SlotCosts,
  { limits, mayWait }: { limits: RunLimits | undefined; mayWait: boolean },
): FlexResult {
  const endMs = result.window.end.getTime();
  let energies = quarterEnergies(costs);
  if (costs.upToDemand)
    dropBeyondDemand(energies, prices, { endMs, wantedKwh: result.demandEnergyKwh ?? Infinity });
  const inWindow = prices.filter(({ start }) => start.getTime() < endMs);
  if (limits !== undefined && inWindow.length > 0)
    energies = withinStoreLimits(energies, inWindow, { limits, mayWait, zone: result.zone });
  const slots = prices
    .filter(({ start }) => start.getTime() < endMs && energies.has(start.getTime()))
    .map((slot) => {
      const energyKwh = energies.get(slot.start.getTime())!;
      const setPointKw = Math.max(costs.minPowerKw ?? 0, energyKwh / hoursOf(slot));
      const fromSurplus = isFromSurplus(costs, slot.start);
      return { ...slot, rank: 0, energyKwh, setPointKw, ...(fromSurplus && { fromSurplus }) };
    });
  const order = [...slots].sort(
    (a, b) => a.importCtKwh - b.importCtKwh || a.start.getTime() - b.start.getTime(),
  );
  for (const [index, slot] of order.entries()) slot.rank = index + 1;
  const runs: (typeof slots)[] = [];
  for (const slot of slots) {
    const run = runs.at(-1);
    if (run?.at(-1)?.end.getTime() === slot.start.getTime()) run.push(slot);
    else runs.push([slot]);
  }
  const mean = (run: typeof slots) => run.reduce((sum, { importCtKwh }) => sum + importCtKwh, 0) / run.length;
  const windows = runs
    .map((run) => ({
      rank: 0,
      start: run[0]!.start,
      end: run.at(-1)!.end,
      hours: run.reduce((sum, slot) => sum + hoursOf(slot), 0),
      averageCtKwh: mean(run),
      energyKwh: run.reduce((sum, { energyKwh }) => sum + energyKwh, 0),
      segment: undefined,
    }))
    .sort((a, b) => a.averageCtKwh - b.averageCtKwh)
    .map((window, index) => ({ ...window, rank: index + 1 }));
  const plannedKwh = slots.reduce((sum, { energyKwh }) => sum + energyKwh, 0);
  const missingKwh = Math.max(0, (result.demandEnergyKwh ?? 0) - plannedKwh);
  return {
    ...result,
    slots,
    windows,
    segments: [],
    unmetHours: result.powerKw === undefined || missingKwh < 0.1 ? 0 : missingKwh / result.powerKw,
    averageCtKwh: slots.length === 0 ? undefined : mean(slots),
  };
}
