import { hoursOf, QUARTER_MS } from "../../core/domain/interval.js";
import { localDays } from "./allocation.js";
import type { PricedSlot } from "./prices.js";
import { beyondLimits, dayOfStarts, limitsInSlots, type RunLimits } from "./run-limits.js";

/** A run of quarter-hours by their starts, ms since the epoch. */
type Run = number[];

/** Bounds of the runs of a device that stores. */
export interface StoreRunLimits {
  /** How far the runs, given by the starts of their quarter-hours, are beyond what the device allows; 0: they keep to it. */
  excess: (quarters: readonly number[]) => number;
  /** Cost of a kWh in a quarter-hour, ct; undefined: the device cannot run then. */
  ctKwh: (quarterMs: number) => number | undefined;
  /** A run is also moved next to another one where that costs less than this, ct; left out: only where the limits ask for it. */
  startCt?: number;
  /** Whether energy may also be taken later: a vehicle before its departure, not a tank that gets cold. */
  mayWait: boolean;
}

/**
 * Planned quarter-hours of a device that stores in fewer, longer runs: while they are beyond the limits, a run is moved next to another one,
 * or a short one gets a quarter-hour of another one, the cheapest move first. The energies stay as they are; earlier energy keeps the
 * store at least as full. Pure.
 */
export function withinRunLimits(
  energies: ReadonlyMap<number, number>,
  { excess, startCt, ctKwh, mayWait }: StoreRunLimits,
): Map<number, number> {
  let planned = new Map(energies);
  for (;;) {
    const runs = runsOf(planned);
    const beyond = excess(runs.flat());
    if (runs.length <= 1 || (beyond === 0 && startCt === undefined)) return planned;
    let best: { ct: number; planned: Map<number, number> } | undefined;
    const compare = (quarters: readonly number[], byMs: number, isWhole: boolean) => {
      const move = shifted(planned, quarters, byMs, ctKwh);
      if (move === undefined || (best !== undefined && move.ct >= best.ct)) return;
      if (isWhole || excess(sortedQuarters(move.planned)) < beyond) best = move;
    };
    for (const [index, after] of runs.entries()) {
      for (const before of runs.slice(0, index)) {
        const [first, last] = [after[0]!, before.at(-1)!];
        for (const quarter of [after.at(-1)!, first]) compare([quarter], last + QUARTER_MS - quarter, false);
        if (mayWait)
          for (const quarter of [before[0]!, last]) compare([quarter], first - QUARTER_MS - quarter, false);
      }
      const before = runs[index - 1];
      if (before === undefined) continue;
      const gapMs = after[0]! - before.at(-1)! - QUARTER_MS;
      compare(after, -gapMs, true);
      if (mayWait) compare(before, gapMs, true);
    }
    // Nothing can be moved: a plan that is switched more often is better than an empty store.
    if (best === undefined || (beyond === 0 && best.ct >= startCt!)) return planned;
    planned = best.planned;
  }
}

/** What a start of a vehicle has to gain: charging in pieces wears contactors, ct. */
const START_CT = 1;

/** The same for the candidates of a window, in order of time. */
export function withinStoreLimits(
  energies: ReadonlyMap<number, number>,
  slots: readonly PricedSlot[],
  { limits, mayWait, zone }: { limits: RunLimits; mayWait: boolean; zone: string },
): Map<number, number> {
  const days = localDays(slots, zone, (start) => dayOfStarts(start, zone, limits.dayBegins));
  const inSlots = limitsInSlots(limits, { slots, days, slotHours: hoursOf(slots[0]!), timezone: zone });
  const at = new Map(slots.map(({ start }, index) => [start.getTime(), index]));
  const joins = Uint8Array.from(slots, ({ start }, index) =>
    slots[index - 1]?.end.getTime() === start.getTime() ? 1 : 0,
  );
  // What is planned for later windows stays as it is.
  const [own, others] = [true, false].map((isOwn) => [...energies].filter(([ms]) => at.has(ms) === isOwn));
  const within = withinRunLimits(new Map(own), {
    excess: (quarters) =>
      beyondLimits(
        quarters.map((ms) => at.get(ms)!),
        { joins, days },
        inSlots,
      ),
    ctKwh: (ms) => {
      const slot = slots[at.get(ms) ?? -1];
      return slot?.costCtKwh ?? slot?.importCtKwh;
    },
    mayWait,
    ...(mayWait && { startCt: START_CT }),
  });
  return new Map([...within, ...others!]);
}

function sortedQuarters(energies: ReadonlyMap<number, number>): number[] {
  return [...energies.keys()].sort((a, b) => a - b);
}

function runsOf(energies: ReadonlyMap<number, number>): Run[] {
  const runs: Run[] = [];
  for (const quarter of sortedQuarters(energies)) {
    const run = runs.at(-1);
    if (run?.at(-1) === quarter - QUARTER_MS) run.push(quarter);
    else runs.push([quarter]);
  }
  return runs;
}

/** The plan with a run moved in time, and what that costs more, ct; undefined where the device cannot run then. */
function shifted(
  planned: ReadonlyMap<number, number>,
  run: readonly number[],
  byMs: number,
  ctKwh: StoreRunLimits["ctKwh"],
): { ct: number; planned: Map<number, number> } | undefined {
  const moved = new Map(planned);
  for (const quarter of run) moved.delete(quarter);
  let ct = 0;
  for (const quarter of run) {
    const [from, to] = [ctKwh(quarter), ctKwh(quarter + byMs)];
    if (from === undefined || to === undefined) return undefined;
    const kwh = planned.get(quarter)!;
    ct += kwh * (to - from);
    moved.set(quarter + byMs, kwh);
  }
  return { ct, planned: moved };
}
