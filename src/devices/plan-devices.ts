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
  const joint = new JointProblem({ ...site, terminal: site.terminal ?? terminalOf(site) }, socKwh, devices);
  const kwh = begin(joint, start);
  let solved = joint.solve(kwh);
  const reach = devices.map(() => (start === undefined ? REACH.fromNothing : REACH.fromStart));
  for (let sweep = 0; sweep < sweeps && reach.some((share) => share >= REACH.least); sweep++) {
    for (const [d, device] of devices.entries()) {
      if (reach[d]! < REACH.least) continue;
      const next = joint.place(d, { kwh, solved, reach: reach[d]! });
      const isMove = next !== undefined && !isSame(next, kwh[d]!);
      const candidate = isMove ? joint.solve(kwh.map((loads, k) => (k === d ? next : loads))) : undefined;
      if (!isMove || candidate === undefined || candidate.expectedCt >= solved.expectedCt - LEAST_GAIN_CT) {
        // Runs have no neighbourhood: they are placed anew or not at all.
        const isDone = device.kind === "runs" || (next !== undefined && !isMove);
        reach[d] = isDone ? 0 : reach[d]! / 2;
        continue;
      }
      kwh[d] = next;
      solved = candidate;
      for (const other of reach.keys()) if (other !== d) reach[other] = Math.max(reach[other]!, REACH.again);
    }
  }
  return {
    kwh,
    costCtKwh: devices.map((_, d) => joint.costsOf(d, kwh)),
    expectedCt: solved.expectedCt,
  };
}

/** Energies to begin with that each device can carry out. */
function begin(joint: JointProblem, start: DevicePlanInput["start"]): number[][] {
  const kwh = joint.devices.map((_, d) => [...(start?.[d] ?? joint.site.steps.map(() => 0))]);
  for (const d of joint.devices.keys()) {
    const solved = joint.solve(kwh);
    let near: number[] | undefined;
    for (const reach of start === undefined ? [] : SNAP) near ??= joint.place(d, { kwh, solved, reach });
    kwh[d] = near ?? joint.place(d, { kwh, solved }) ?? kwh[d]!;
  }
  return kwh;
}

/** A part of an hour at the least power has to gain this: short runs wear relays and compressors, ct. */
const SWITCHING_CT = 0.2;
/** Length of a part of a stage, hours. */
const PART_HOURS = 0.25;
/** Less than this is rounding, kWh. */
const SHORT_KWH = 0.001;
/** How far the energies of a relaxed problem may be moved to what the device can carry out, as a share of full power. */
const SNAP = [0.3, 0.6, 1];

/** The site with its devices in a certain arrangement. */
interface SolvedSite {
  policy: Policy;
  expectedCt: number;
}

/** The site, its battery and its devices. */
class JointProblem {
  readonly site: PolicyInput;
  readonly devices: readonly Device[];
  readonly #socKwh: number;

  constructor(site: PolicyInput, socKwh: number, devices: readonly Device[]) {
    this.site = site;
    this.#socKwh = socKwh;
    this.devices = devices;
  }

  /** The best policy with the devices as its load. */
  solve(kwh: readonly (readonly number[])[], without?: number): SolvedSite {
    const loads = kwh.map((energies, d) => ({
      kwh: energies,
      batteryServes: this.devices[d]!.batteryServes ?? true,
    }));
    const { site, importedCt } = withLoads(
      this.site,
      loads.filter((_, d) => d !== without),
    );
    const policy = planPolicy(site);
    return { policy, expectedCt: policy.costCt(this.#socKwh) + importedCt };
  }

  /**
   * The least-cost energies of a device by the marginal cost of the site; undefined where nothing within reach is what its
   * user wants.
   */
  place(
    d: number,
    { kwh, solved, reach }: { kwh: readonly (readonly number[])[]; solved: SolvedSite; reach?: number },
  ): number[] | undefined {
    const device = this.devices[d]!;
    const own = kwh[d]!;
    const held = device.batteryServes === false;
    // A device that holds the battery is priced on the site without it, any other by the difference to its present energy.
    const { policy } = held ? this.solve(kwh, d) : solved;
    const costs = policy.extraLoad({ socKwh: this.#socKwh });
    const ct = held
      ? (t: number, energy: number) => costs.ct(t, energy, true)
      : (t: number, energy: number) => costs.ct(t, energy - own[t]!) - costs.ct(t, -own[t]!);
    if (device.kind === "runs") return placeRuns(device, { ct, hours: (t) => costs.hours(t) }, own.length);
    const { minPowerKw } = device.store;
    const { minSocKwh, maxSocKwh } = this.site.battery;
    const isBuffered = !held && maxSocKwh - minSocKwh > minPowerKw * PART_HOURS;
    // Below its least power a device runs for a part of the stage at this power; only a battery makes its mean count.
    const partCt = (t: number, energy: number) => {
      const leastKwh = minPowerKw * costs.hours(t);
      if (energy > leastKwh - SHORT_KWH) return ct(t, energy);
      return SWITCHING_CT + (isBuffered ? ct(t, energy) : (energy / leastKwh) * ct(t, leastKwh));
    };
    const near =
      reach === undefined ? {} : { near: { kwh: own, withinKwh: reach * device.store.maxPowerKw } };
    const placed = planStore({ ...device.store, ...near, costCt: partCt });
    return reach !== undefined && placed.avoidableKwh > SHORT_KWH ? undefined : placed.kwh;
  }

  /** What a device costs in each step at its full power, ct/kWh. */
  costsOf(d: number, kwh: readonly (readonly number[])[]): number[] {
    const device = this.devices[d]!;
    const powerKw = device.kind === "runs" ? device.powerKw : device.store.maxPowerKw;
    const costs = this.solve(kwh, d).policy.extraLoad({ socKwh: this.#socKwh });
    return kwh[d]!.map((_, t) => costs.ctKwh(t, powerKw, device.batteryServes === false));
  }
}

/** Certain energy of a device, kWh a step, and whether the battery may serve it. */
export interface CertainLoad {
  kwh: readonly number[];
  batteryServes: boolean;
}

/**
 * The problem with certain loads on top of the uncertain one. Where a load runs that the battery does not serve, the battery is
 * held: what PV leaves of all loads is imported, and `importedCt` is its cost.
 */
export function withLoads(
  site: PolicyInput,
  loads: readonly CertainLoad[],
): { site: PolicyInput; importedCt: number } {
  let importedCt = 0;
  const ratios: (readonly number[])[] = [];
  const steps = site.steps.map((step, t) => {
    const certainKwh = loads.reduce((sum, { kwh }) => sum + (kwh[t] ?? 0), 0);
    const totalKwh = step.loadKwh + certainKwh;
    const isHeld = loads.some(({ kwh, batteryServes }) => !batteryServes && (kwh[t] ?? 0) > 0);
    const importedKwh = isHeld ? Math.max(0, totalKwh - step.pvKwh) : 0;
    importedCt += importedKwh * step.importCtKwh;
    ratios.push(importedKwh > 0 ? [] : certainShare(site.ratios[t] ?? [], step.loadKwh, totalKwh));
    return { ...step, loadKwh: totalKwh - importedKwh };
  });
  return { site: { ...site, steps, ratios }, importedCt };
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
