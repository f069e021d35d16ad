import { hoursOf, QUARTER_MS } from "../../core/domain/interval.js";
import { localDays } from "./allocation.js";
import type { PricedSlot } from "./prices.js";
import { keepsLimits, limitsInSlots, type RunLimits } from "./run-limits.js";

/** A run of quarter-hours by their starts, ms since the epoch. */
type Run = number[];

/** Bounds of the runs of a device that stores. */
export interface StoreRunLimits {
  /** Whether the runs, given by the starts of their quarter-hours, keep to what the device allows. */
  isAllowed: (quarters: readonly number[]) => boolean;
  /** Cost of a kWh in a quarter-hour, ct; undefined: the device cannot run then. */
  ctKwh: (quarterMs: number) => number | undefined;
  /** Whether energy may also be taken later: a vehicle before its departure, not a tank that gets cold. */
  mayWait: boolean;
}

/**
 * Planned quarter-hours of a device that stores in fewer, longer runs: while the limits do not allow them, a run is moved next to
 * another one, the cheapest move first. Its energies stay as they are; earlier energy keeps the store at least as full. Pure.
 */
export function withinRunLimits(
  energies: ReadonlyMap<number, number>,
  { isAllowed, ctKwh, mayWait }: StoreRunLimits,
): Map<number, number> {
  let planned = new Map(energies);
  for (;;) {
    const runs = runsOf(planned);
    if (runs.length <= 1 || isAllowed(runs.flat())) return planned;
    let best: { ct: number; planned: Map<number, number> } | undefined;
    for (let index = 1; index < runs.length; index++) {
      const [before, after] = [runs[index - 1]!, runs[index]!];
      const gapMs = after[0]! - before.at(-1)! - QUARTER_MS;
      const moves = [
        shifted(planned, after, -gapMs, ctKwh),
        ...(mayWait ? [shifted(planned, before, gapMs, ctKwh)] : []),
      ];
      for (const move of moves)
        if (move !== undefined && (best === undefined || move.ct < best.ct)) best = move;
    }
    // Nothing can be moved: a plan that is switched more often is better than an empty store.
    if (best === undefined) return planned;
    planned = best.planned;
  }
}

/** The same for the candidates of a window, in order of time. */
export function withinStoreLimits(
  energies: ReadonlyMap<number, number>,
  slots: readonly PricedSlot[],
  { limits, mayWait, zone }: { limits: RunLimits; mayWait: boolean; zone: string },
): Map<number, number> {
  const days = localDays(slots, zone);
  const inSlots = limitsInSlots(limits, { slots, days, slotHours: hoursOf(slots[0]!), timezone: zone });
  const at = new Map(slots.map(({ start }, index) => [start.getTime(), index]));
  const joins = Uint8Array.from(slots, ({ start }, index) =>
    slots[index - 1]?.end.getTime() === start.getTime() ? 1 : 0,
  );
  // What is planned for later windows stays as it is.
  const [own, others] = [true, false].map((isOwn) => [...energies].filter(([ms]) => at.has(ms) === isOwn));
  const within = withinRunLimits(new Map(own), {
    isAllowed: (quarters) =>
      keepsLimits(
        quarters.map((ms) => at.get(ms)!),
        { joins, days },
        inSlots,
      ),
    ctKwh: (ms) => {
      const slot = slots[at.get(ms) ?? -1];
      return slot?.costCtKwh ?? slot?.importCtKwh;
    },
    mayWait,
  });
  return new Map([...within, ...others!]);
}

function runsOf(energies: ReadonlyMap<number, number>): Run[] {
  const runs: Run[] = [];
  for (const quarter of [...energies.keys()].sort((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run?.at(-1) === quarter - QUARTER_MS) run.push(quarter);
    else runs.push([quarter]);
  }
  return runs;
}

/** The plan with a run moved in time, and what that costs more, ct; undefined where the device cannot run then. */
function shifted(
  planned: ReadonlyMap<number, number>,
  run: Run,
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
