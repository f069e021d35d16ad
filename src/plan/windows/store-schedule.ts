import {
  floorTo,
  HOUR_MS,
  hoursOf,
  type Interval,
  QUARTER_MS,
  quartersOf,
} from "../../core/domain/interval.js";
import { adjoining, meanImportCt } from "./adjoining.js";
import type { PricedSlot } from "./prices.js";
import type { FlexResult } from "./result.js";
import { beyondLimits, limitsInSlots, type RunLimits } from "./run-limits.js";
import { HYSTERESIS_CT, type SlotCosts, type SlotTank } from "./slot-costs.js";
import { countRuns } from "./soft-runs.js";
import { storeRuns } from "./store-runs.js";
import { tankRuns } from "./tank-runs.js";

/** The answer of a device that stores: its planned quarter-hours in place of windows at full power. */
export function withStorePlan(
  result: FlexResult,
  prices: readonly PricedSlot[],
  costs: SlotCosts,
  {
    limits,
    mayWait,
    previous,
  }: { limits: RunLimits | undefined; mayWait: boolean; previous?: FlexResult | undefined },
): FlexResult {
  const endMs = result.window.end.getTime();
  const { tank } = costs;
  let energies =
    tank === undefined
      ? quarterEnergies(costs)
      : tankEnergies(costs, tank, {
          limits,
          zone: result.zone,
          fromMs: prices[0]?.start.getTime(),
          previous,
        });
  if (costs.upToDemand)
    dropBeyondDemand(energies, prices, { endMs, wantedKwh: result.demandEnergyKwh ?? Infinity });
  const inWindow = prices.filter(({ start }) => start.getTime() < endMs);
  if (mayWait) fillCheapest(energies, inWindow, costs);
  // The runs of a tank keep to the limits already.
  if (limits !== undefined && tank === undefined && inWindow.length > 0)
    energies = inRuns(energies, inWindow, { costs, limits, mayWait, zone: result.zone });
  const slots = prices
    .filter(({ start }) => start.getTime() < endMs && energies.has(start.getTime()))
    .map((slot) => {
      const energyKwh = energies.get(slot.start.getTime())!;
      const setPointKw = Math.max(costs.minPowerKw ?? 0, energyKwh / hoursAhead(slot, costs));
      const fromSurplus = isFromSurplus(costs, slot.start);
      return { ...slot, rank: 0, energyKwh, setPointKw, ...(fromSurplus && { fromSurplus }) };
    });
  const order = [...slots].sort(
    (a, b) => a.importCtKwh - b.importCtKwh || a.start.getTime() - b.start.getTime(),
  );
  for (const [index, slot] of order.entries()) slot.rank = index + 1;
  const plannedKwh = slots.reduce((sum, { energyKwh }) => sum + energyKwh, 0);
  const missingKwh = Math.max(0, (result.demandEnergyKwh ?? 0) - plannedKwh);
  return {
    ...result,
    slots,
    windows: adjoining(slots),
    segments: [],
    unmetHours: result.powerKw === undefined || missingKwh < 0.1 ? 0 : missingKwh / result.powerKw,
    averageCtKwh: meanImportCt(slots),
  };
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

/** How far ahead the runs of a tank are planned, quarter-hours, and the time after it in which it could be heated instead, hours. */
const TANK_QUARTERS = 144;
const AFTER_HOURS = 12;

/** Energies of quarter-hours of a tank by what they cost the site, from `fromMs` on, the start of the one in progress. */
function tankEnergies(
  costs: SlotCosts,
  { storedKwh, maxKwh, stages }: SlotTank,
  {
    limits = {},
    zone,
    fromMs = 0,
    previous,
  }: {
    limits: RunLimits | undefined;
    zone: string;
    fromMs: number | undefined;
    previous: FlexResult | undefined;
  },
): Map<number, number> {
  const { steps, ctKwh, kwh = [], mostKwh = [], minPowerKw: powerKw = 0 } = costs;
  const chosen = new Set(previous?.slots.map(({ start }) => start.getTime()));
  const all = steps.flatMap((step, t) => {
    const { drawKwh, certainKwh = 0, leastKwh, available } = stages[t]!;
    const hours = hoursOf(step);
    const fits = kwh[t]! > 1e-6 || mostKwh[t]! >= powerKw * hours - 1e-6;
    return quartersOf(step).map(({ start, end }) => ({
      start,
      end,
      hours: hoursOf({ start, end }),
      ctKwh: ctKwh[t]! - (chosen.has(floorTo(start.getTime(), QUARTER_MS)) ? HYSTERESIS_CT : 0),
      drawKwh: (drawKwh * hoursOf({ start, end })) / hours,
      certainKwh: (certainKwh * hoursOf({ start, end })) / hours,
      leastKwh: end < step.end ? 0 : leastKwh,
      available: available && fits,
    }));
  });
  // The costs may be older than the limits: the run in progress has heated since then.
  const past = all.filter(({ end }) => end.getTime() <= fromMs);
  const open = all.slice(past.length);
  const quarters = open.slice(0, TANK_QUARTERS);
  const after = open.slice(TANK_QUARTERS - 1).slice(0, 4 * AFTER_HOURS);
  const runsFromMs = fromMs - (limits.runningHours ?? 0) * HOUR_MS;
  const heldKwh = past.reduce((kwh, { end, hours, drawKwh, certainKwh }) => {
    const heatedKwh = end.getTime() > runsFromMs ? powerKw * hours : 0;
    return Math.max(0, Math.min(Math.max(kwh, maxKwh + certainKwh), kwh + heatedKwh) - drawKwh);
  }, storedKwh);
  const energies = tankRuns({
    ...limitsInSlots(limits, { slots: quarters, slotHours: QUARTER_MS / HOUR_MS, timezone: zone }),
    quarters,
    storedKwh: heldKwh,
    maxKwh,
    powerKw,
    worthCtKwh: Math.max(
      0,
      Math.min(...(after.length > 0 ? after : quarters).map((quarter) => quarter.ctKwh)),
    ),
  });
  return new Map(
    quarters.flatMap(({ start }, k) =>
      energies[k]! > 1e-6 ? [[floorTo(start.getTime(), QUARTER_MS), energies[k]!] as const] : [],
    ),
  );
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

/** Hours of a slot that the plan covers: of the one in progress when it was made, the rest. */
function hoursAhead(slot: Interval, { steps }: SlotCosts): number {
  const first = steps[0];
  return first === undefined || first.start <= slot.start
    ? hoursOf(slot)
    : Math.max(1e-3, hoursOf({ start: first.start, end: slot.end }));
}

/**
 * Where importing earns money, or costs no more than at any later time, a vehicle charges at full power: it takes what is planned for later
 * quarter-hours that cost more, the dearest first; what is planned for surplus stays.
 */
function fillCheapest(energies: Map<number, number>, slots: readonly PricedSlot[], costs: SlotCosts): void {
  const planned = slots.flatMap((slot) => {
    const t = costs.steps.findIndex(({ end }) => end > slot.start);
    const step = costs.steps[t];
    if (step === undefined || !energies.has(slot.start.getTime())) return [];
    const mostKwh = ((costs.mostKwh?.[t] ?? 0) / hoursOf(step)) * hoursAhead(slot, costs);
    const isFree = isFromSurplus(costs, slot.start);
    return [{ ms: slot.start.getTime(), importCt: slot.importCtKwh, ct: costs.ctKwh[t]!, mostKwh, isFree }];
  });
  for (const [index, { ms, importCt, ct, mostKwh }] of planned.entries()) {
    const after = planned.slice(index + 1);
    if (importCt >= 0 && after.some((later) => later.importCt < importCt)) continue;
    // It may have been emptied for an earlier one.
    let taken = energies.get(ms);
    if (taken === undefined) continue;
    const dearer = after
      .filter((later) => !later.isFree && later.ct > ct + HYSTERESIS_CT)
      .sort((a, b) => b.ct - a.ct);
    for (const later of dearer) {
      const planned = energies.get(later.ms) ?? 0;
      const kwh = Math.min(mostKwh - taken, planned);
      if (kwh <= 1e-6) continue;
      taken += kwh;
      energies.set(ms, taken);
      const left = planned - kwh;
      if (left > 1e-6) energies.set(later.ms, left);
      else energies.delete(later.ms);
    }
  }
}

/** What a start of a vehicle has to gain: charging in pieces wears contactors, ct. */
const START_CT = 1;

/** The energies of a window in runs within the limits; those of later windows stay. */
function inRuns(
  energies: ReadonlyMap<number, number>,
  slots: readonly PricedSlot[],
  { costs, limits, mayWait, zone }: { costs: SlotCosts; limits: RunLimits; mayWait: boolean; zone: string },
): Map<number, number> {
  const inSlots = limitsInSlots(limits, { slots, slotHours: hoursOf(slots[0]!), timezone: zone });
  const quarters = slots.map((slot, index) => {
    const t = costs.steps.findIndex(({ end }) => end > slot.start);
    const step = costs.steps[t];
    const plannedKwh = energies.get(slot.start.getTime()) ?? 0;
    const joins = slots[index - 1]?.end.getTime() === slot.start.getTime();
    if (step === undefined) return { joins, ctKwh: slot.importCtKwh, plannedKwh, leastKwh: 1, mostKwh: 0 };
    const hours = hoursAhead(slot, costs);
    return {
      joins,
      ctKwh: costs.ctKwh[t]!,
      plannedKwh,
      leastKwh: (costs.minPowerKw ?? 0) * hours,
      mostKwh: ((costs.mostKwh?.[t] ?? 0) / hoursOf(step)) * hours,
    };
  });
  const chosen = quarters.flatMap(({ plannedKwh }, index) => (plannedKwh > 0 ? [index] : []));
  const joins = Uint8Array.from(quarters, ({ joins: after }) => (after ? 1 : 0));
  const isWithin = beyondLimits(chosen, joins, inSlots) === 0;
  const startCt = mayWait ? START_CT : 0;
  const runs = countRuns(chosen, joins);
  // One run, or one in progress, cannot have fewer starts.
  const isOne = runs <= 1 && (inSlots.running === undefined || chosen[0] === 0);
  if (isWithin && (startCt === 0 || isOne)) return new Map(energies);
  const within = storeRuns({ quarters, limits: inSlots, mayWait, startCt });
  const own = new Set(slots.map(({ start }) => start.getTime()));
  return new Map([
    ...[...energies].filter(([ms]) => !own.has(ms)),
    ...slots.flatMap(({ start }, index) =>
      within[index]! > 1e-6 ? [[start.getTime(), within[index]!] as const] : [],
    ),
  ]);
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
