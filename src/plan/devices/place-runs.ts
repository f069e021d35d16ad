import type { RunDemand } from "./device.js";
import type { DeviceStates } from "./with-battery.js";

/** Length and cost of running in a step. */
export interface RunSteps {
  hours(t: number): number;
  /** Cost of `kwh` in a step, ct. */
  ct(t: number, kwh: number): number;
}

/** Energy of a run that begins with step `first`, by step from `first` on; undefined where it does not end before `to`. */
export function runFrom(
  first: number,
  { to, kwh }: Pick<RunDemand, "to" | "kwh">,
  { powerKw, hours }: { powerKw: number; hours: (t: number) => number },
): number[] | undefined {
  const energies: number[] = [];
  let left = kwh;
  for (let t = first; left > TOLERANCE_KWH; t++) {
    if (t >= to) return undefined;
    const taken = Math.min(left, powerKw * hours(t));
    energies.push(taken);
    left -= taken;
  }
  return energies;
}

const TOLERANCE_KWH = 1e-9;
/** Of equal costs the earlier run is chosen, ct a step and kWh. */
const LATER_CT = 1e-6;

/** The energy of each step at least cost: the cheapest steps at full power, or the cheapest unbroken run. */
export function placeRuns(
  { powerKw, demands }: { powerKw: number; demands: readonly RunDemand[] },
  steps: RunSteps,
  count: number,
): number[] {
  const energies = new Array<number>(count).fill(0);
  // Long runs first: they have the fewest places.
  for (const demand of [...demands].sort(
    (a, b) => Number(b.unbroken) - Number(a.unbroken) || b.kwh - a.kwh,
  )) {
    const free = (t: number) => energies[t] === 0;
    const placed = demand.unbroken
      ? cheapestRun(demand, { powerKw, steps, free })
      : cheapestSteps(demand, { powerKw, steps, free });
    for (const [t, kwh] of placed) energies[t] = kwh;
  }
  return energies;
}

interface Place {
  powerKw: number;
  steps: RunSteps;
  free: (t: number) => boolean;
}

function cheapestRun(demand: RunDemand, { powerKw, steps, free }: Place): [number, number][] {
  let best: { ct: number; run: [number, number][] } | undefined;
  for (let first = demand.from; first < demand.to; first++) {
    const energies = runFrom(first, demand, { powerKw, hours: (t) => steps.hours(t) });
    if (energies === undefined) break;
    const run = energies.map((kwh, k): [number, number] => [first + k, kwh]);
    if (!run.every(([t]) => free(t))) continue;
    const ct = run.reduce((sum, [t, kwh]) => sum + steps.ct(t, kwh), 0);
    if (best === undefined || ct < best.ct - 1e-9) best = { ct, run };
  }
  return best?.run ?? cheapestSteps(demand, { powerKw, steps, free });
}

function cheapestSteps(demand: RunDemand, { powerKw, steps, free }: Place): [number, number][] {
  const candidates: { t: number; kwh: number; ctKwh: number }[] = [];
  for (let t = demand.from; t < demand.to; t++) {
    const kwh = powerKw * steps.hours(t);
    if (free(t) && kwh > 0) candidates.push({ t, kwh, ctKwh: steps.ct(t, kwh) / kwh });
  }
  candidates.sort((a, b) => a.ctKwh - b.ctKwh || a.t - b.t);
  const chosen: [number, number][] = [];
  let left = demand.kwh;
  for (const { t, kwh } of candidates) {
    if (left <= TOLERANCE_KWH) break;
    const taken = Math.min(left, kwh);
    chosen.push([t, taken]);
    left -= taken;
  }
  return chosen;
}

/**
 * A device with unbroken runs in windows that do not overlap, for planning it together with the battery. Its states are 0 before a
 * run, then the number of its steps that are over, and the last one after it. `moveCt` is the cost of an energy besides its price.
 * undefined for other demands.
 */
export function runStates(
  { powerKw, demands }: { powerKw: number; demands: readonly RunDemand[] },
  {
    hours,
    count,
    moveCt,
  }: { hours: (t: number) => number; count: number; moveCt: (t: number, kwh: number) => number },
): DeviceStates | undefined {
  const sorted = [...demands].sort((a, b) => a.from - b.from);
  if (!sorted.every(({ unbroken, from }, k) => unbroken && from >= (sorted[k - 1]?.to ?? 0)))
    return undefined;
  const demandAt = Array.from({ length: count }, (_, t) =>
    sorted.find(({ from, to }) => t >= from && t < to),
  );
  /** The run that begins in a step, by its energies. */
  const runs = demandAt.map((demand, t) => demand && runFrom(t, demand, { powerKw, hours }));
  const done = runs.reduce((most, run) => Math.max(most, run?.length ?? 0), 0);
  return {
    count: done + 1,
    start: 0,
    exactLevels: () => [],
    levels: (t) => {
      const energies = new Set([0]);
      for (let k = 0; k < done; k++) {
        const kwh = demandAt[t - k] === demandAt[t] ? runs[t - k]?.[k] : undefined;
        if (kwh !== undefined) energies.add(kwh);
      }
      return [...energies];
    },
    move: (t, state, kwh) => {
      const demand = demandAt[t];
      if (demand === undefined) return kwh === 0 && state === 0 ? { to: 0, ct: 0 } : undefined;
      let to = state;
      if (kwh > 0 || (state > 0 && state < done)) {
        const run = state === done || t - state < demand.from ? undefined : runs[t - state];
        if (run === undefined || run[state] !== kwh) return undefined;
        to = state + 1 === run.length ? done : state + 1;
      }
      const ct = moveCt(t, kwh) + LATER_CT * t * kwh;
      if (t < demand.to - 1) return { to, ct };
      return to === done ? { to: 0, ct } : undefined;
    },
    endCt: (state) => (state === 0 ? 0 : Number.POSITIVE_INFINITY),
  };
}
