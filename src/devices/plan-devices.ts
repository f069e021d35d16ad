import type { ExtraLoadCosts } from "../plan/policy/extra-load.js";
import { planPolicy } from "../plan/policy/plan-policy.js";
import type { PolicyInput } from "../plan/policy/policy-input.js";
import { defaultTerminal, rulesOf } from "../plan/policy/rules.js";
import type { Policy } from "../plan/policy/solved-policy.js";
import { stagesOf } from "../plan/policy/stages.js";
import type { TerminalTranche } from "../plan/terminal-value.js";
import type { Device } from "./device.js";
import { placeRuns } from "./place-runs.js";
import { planStore } from "./store-plan.js";

export interface DevicePlanInput {
  /** The problem of the battery without the devices. Its steps begin at `now` or later, the first one at `now`. */
  site: PolicyInput;
  socKwh: number;
  devices: readonly Device[];
  /** Energies of the devices to begin with, kWh a step: of a relaxed joint problem or of an earlier plan. */
  start?: readonly (readonly number[])[];
  /** Most passes over all devices; default 6. */
  sweeps?: number;
}

export interface DevicePlan {
  /** Energy of each device in each step, kWh. */
  kwh: number[][];
  /**
   * Expected cost of each device per kWh of a step it runs all through, with all others as planned, ct. Windows on a finer
   * grid are chosen by it.
   */
  costCtKwh: number[][];
  /** Expected cost to go less the worth of what is stored at the end, ct. */
  expectedCt: number;
}

/** A device moves only where that lowers the expected cost of the site by this, ct. */
const LEAST_GAIN_CT = 0.01;
/** Deviation from the energies so far that is tried, as a share of full power: first, at least, and after others moved. */
const REACH = { fromNothing: 1, fromStart: 0.5, least: 0.05, again: 0.25 };

/**
 * Devices and battery together: each device in turn moves within a reach of its energies by the marginal cost of the site
 * with all devices, where that lowers the expected cost of the site; the reach is halved where it does not. Pure.
 * Throws a RangeError that names the field for input that makes no sense.
 */
export function planDevices({ site, socKwh, devices, start, sweeps = 6 }: DevicePlanInput): DevicePlan {
  // The same worth of the energy left for all candidates, or their costs could not be compared.
  const problem = { ...site, terminal: site.terminal ?? terminalOf(site) };
  const solve = (loads: readonly (readonly number[])[]) => planPolicy(withLoads(problem, loads));
  const kwh = begin({ problem, devices, start, socKwh, solve });
  let policy = solve(kwh);
  let expectedCt = policy.costCt(socKwh);
  const reach = devices.map(() => (start === undefined ? REACH.fromNothing : REACH.fromStart));
  for (let sweep = 0; sweep < sweeps && reach.some((share) => share >= REACH.least); sweep++) {
    for (const [d, device] of devices.entries()) {
      if (reach[d]! < REACH.least) continue;
      const costs = policy.extraLoad({ socKwh });
      const next = place(device, costs, { own: kwh[d]!, reach: reach[d]! });
      const solved =
        next === undefined || isSame(next, kwh[d]!)
          ? undefined
          : solve(kwh.map((loads, k) => (k === d ? next : loads)));
      const candidateCt = solved?.costCt(socKwh) ?? Infinity;
      if (next === undefined || solved === undefined || candidateCt >= expectedCt - LEAST_GAIN_CT) {
        // Runs have no neighbourhood: they are placed anew or not at all.
        reach[d] = device.kind === "runs" || (next !== undefined && solved === undefined) ? 0 : reach[d]! / 2;
        continue;
      }
      kwh[d] = next;
      policy = solved;
      expectedCt = candidateCt;
      for (const other of reach.keys()) if (other !== d) reach[other] = Math.max(reach[other]!, REACH.again);
    }
  }
  return {
    kwh,
    costCtKwh: devices.map((device, d) => costsOf(device, d, { kwh, solve, socKwh })),
    expectedCt,
  };
}

/** Energies to begin with that each device can carry out. */
function begin(input: {
  problem: PolicyInput;
  devices: readonly Device[];
  start: DevicePlanInput["start"];
  socKwh: number;
  solve: (loads: readonly (readonly number[])[]) => Policy;
}): number[][] {
  const { problem, devices, start, socKwh, solve } = input;
  const kwh = devices.map((_, d) => [...(start?.[d] ?? problem.steps.map(() => 0))]);
  for (const [d, device] of devices.entries()) {
    const costs = solve(kwh).extraLoad({ socKwh });
    const own = kwh[d]!;
    const near = start === undefined ? undefined : place(device, costs, { own, reach: SNAP });
    kwh[d] = near ?? place(device, costs, { own, reach: undefined }) ?? own;
  }
  return kwh;
}

/** Less than this is rounding, kWh. */
const SHORT_KWH = 0.001;
/** How far the energies of a relaxed problem may be moved to what the device can carry out, as a share of full power. */
const SNAP = 0.3;

/**
 * The least-cost energies of a device by the marginal cost of the site, which contains its `own` so far; undefined where
 * nothing within reach is what its user wants.
 */
function place(
  device: Device,
  costs: ExtraLoadCosts,
  { own, reach }: { own: readonly number[]; reach: number | undefined },
): number[] | undefined {
  // What the own energy costs, then what another one would.
  const ct = (t: number, kwh: number) => costs.ct(t, kwh - own[t]!) - costs.ct(t, -own[t]!);
  if (device.kind === "runs") return placeRuns(device, { ct, hours: (t) => costs.hours(t) }, own.length);
  const near = reach === undefined ? {} : { near: { kwh: own, withinKwh: reach * device.store.maxPowerKw } };
  const { kwh, avoidableKwh } = planStore({ ...device.store, ...near, costCt: ct });
  return reach !== undefined && avoidableKwh > SHORT_KWH ? undefined : kwh;
}

function costsOf(
  device: Device,
  d: number,
  { kwh, solve, socKwh }: { kwh: number[][]; solve: (loads: number[][]) => Policy; socKwh: number },
): number[] {
  const powerKw = device.kind === "runs" ? device.powerKw : device.store.maxPowerKw;
  const costs = solve(kwh.filter((_, other) => other !== d)).extraLoad({ socKwh });
  return kwh[d]!.map((_, t) => costs.ctKwh(t, powerKw));
}

/** The problem with certain loads on top of the uncertain one. */
export function withLoads(site: PolicyInput, loads: readonly (readonly number[])[]): PolicyInput {
  const steps = site.steps.map((step, t) => ({
    ...step,
    loadKwh: loads.reduce((sum, kwh) => sum + (kwh[t] ?? 0), step.loadKwh),
  }));
  const ratios = site.steps.map((step, t) =>
    certainShare(site.ratios[t] ?? [], step.loadKwh, steps[t]!.loadKwh),
  );
  return { ...site, steps, ratios };
}

/** Factors on a load of which only the part `uncertainKwh` is uncertain. */
export function certainShare(
  row: readonly number[],
  uncertainKwh: number,
  totalKwh: number,
): readonly number[] {
  if (row.length === 0 || totalKwh <= uncertainKwh) return row;
  return row.map((ratio) => (uncertainKwh * ratio + totalKwh - uncertainKwh) / totalKwh);
}

function isSame(some: readonly number[], others: readonly number[]): boolean {
  return some.every((kwh, t) => Math.abs(kwh - others[t]!) < 1e-6);
}

function terminalOf(site: PolicyInput): TerminalTranche[] {
  const stages = stagesOf(site);
  return defaultTerminal(stages, rulesOf(site, stages));
}
