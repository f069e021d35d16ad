import { certainShare } from "../certain-share.js";
import { planPolicy } from "../policy/plan-policy.js";
import type { PolicyInput } from "../policy/policy-input.js";
import { defaultTerminal, rulesOf } from "../policy/rules.js";
import type { Policy } from "../policy/solved-policy.js";
import type { PolicyRules } from "../policy/stage-costs.js";
import { type Stage, stagesOf } from "../policy/stages.js";
import { type TerminalTranche, terminalWorthCt } from "../terminal-value.js";
import { HYSTERESIS_CT } from "../windows/slot-costs.js";
import { type Device, type RunsDevice, runsAtKw, SHORT_KWH, type StoreDevice } from "./device.js";
import { placeRuns, runStates } from "./place-runs.js";
import { soonestKwh, storeCt, storeStates } from "./store-states.js";
import { gridCt, planWithBattery } from "./with-battery.js";

export interface DevicePlanInput {
  /** The problem of the battery without the devices. Its steps begin at `now` or later, the first one at `now`. */
  site: PolicyInput;
  socKwh: number;
  devices: readonly Device[];
  /** Energies of the devices to begin with, kWh a step: of the relaxed joint problem; left out: as soon as each can. */
  start?: readonly (readonly number[])[];
  /** Most passes over all devices, with each size of steps; default 3. */
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
/** Steps in which a vehicle's energy is moved, in sixteenths of a quarter-hour: far first, then near. */
const SCALES = [4, 1];

/**
 * Devices and battery together: each device in turn is placed anew with the battery adapting (`planWithBattery`), where that lowers
 * the expected cost of the site. Pure. Throws a RangeError that names the field for input that makes no sense.
 */
export function planDevices({ site, socKwh, devices, start, sweeps = 3 }: DevicePlanInput): DevicePlan {
  // The same worth of the energy left for all candidates, or their costs could not be compared.
  const joint = new JointProblem({ ...site, terminal: site.terminal ?? terminalOf(site) }, socKwh, devices);
  const free = devices.map(
    (device, d) =>
      start?.[d] ?? (device.kind === "store" ? soonestKwh(device.store) : site.steps.map(() => 0)),
  );
  const kept = free.map((energies, d) => energies.map((energy, t) => devices[d]!.keptKwh?.[t] ?? energy));
  const begins = (devices.some(({ keptKwh = [] }) => keptKwh.length > 0) ? [kept, free] : [free]).map(
    (kwhs) => {
      const kwh = kwhs.map((energies) => [...energies]);
      // The energies to begin with need not be such that the devices can carry them out.
      for (const d of devices.keys()) kwh[d] = joint.place(d, kwh, 1);
      return { kwh, ct: joint.objectiveCt(kwh) };
    },
  );
  let { kwh, ct } = begins.reduce((least, begin) => (begin.ct < least.ct ? begin : least));
  for (const scale of SCALES) {
    const settled = new Set<number>();
    for (let sweep = 0; sweep < sweeps && settled.size < devices.length; sweep++) {
      for (const d of devices.keys()) {
        if (settled.has(d)) continue;
        settled.add(d);
        const next = joint.place(d, kwh, scale);
        if (isSame(next, kwh[d]!)) continue;
        const moved = kwh.map((loads, k) => (k === d ? next : loads));
        const movedCt = joint.objectiveCt(moved);
        if (movedCt >= ct - LEAST_GAIN_CT) continue;
        kwh[d] = next;
        ct = movedCt;
        settled.clear();
      }
    }
  }
  return {
    kwh,
    costCtKwh: devices.map((_, d) => joint.costsOf(d, kwh)),
    expectedCt: joint.solve(kwh).expectedCt,
  };
}

/** A part of an hour at the least power has to gain this: short runs wear relays and compressors, ct. */
const SWITCHING_CT = 0.2;
/** Length of a part of a stage, hours. */
const PART_HOURS = 0.25;
/** Devices exceed the import limit only where nothing else is possible; above what a kWh that is missing in all steps costs, ct. */
const BREACH_CT_KWH = 1_000_000;
/** The same where windows are chosen by cost: above the difference of any prices, ct. */
const BREACH_COST_CT_KWH = 1000;

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
    const { site, importedCt } = withLoads(this.site, this.#loads(kwh, without));
    const policy = planPolicy(site);
    return { policy, expectedCt: policy.costCt(this.#socKwh) + importedCt };
  }

  #loads(kwh: readonly (readonly number[])[], without?: number): CertainLoad[] {
    const loads = kwh.map((energies, d) => ({
      kwh: energies,
      batteryServes: this.devices[d]!.batteryServes ?? true,
    }));
    return loads.filter((_, d) => d !== without);
  }

  /** Expected cost of the site and of what its devices miss, less the worth of what they hold at the end, ct. */
  objectiveCt(kwh: readonly (readonly number[])[]): number {
    const siteCt = this.site.steps.reduce(
      (sum, _, t) => sum + BREACH_CT_KWH * this.#breachKwh(t, this.#powerKw(t, kwh)),
      this.solve(kwh).expectedCt,
    );
    return this.devices.reduce((sum, device, d) => {
      const movedCt = kwh[d]!.reduce((ct, energy, t) => ct + this.#movedCt(d, t, energy), 0);
      return sum + movedCt + (device.kind === "store" ? storeCt(device.store, kwh[d]!) : 0);
    }, siteCt);
  }

  /** What an energy counts beside its cost because it was scheduled for another time, ct. */
  #movedCt(d: number, t: number, energy: number): number {
    return HYSTERESIS_CT * Math.max(0, energy - (this.devices[d]!.keptKwh?.[t] ?? energy));
  }

  /** Energy of a step by which load and devices exceed the import limit while they run, kWh: the battery is not counted on. */
  #breachKwh(t: number, devicesKw: number): number {
    const limitKw = this.site.grid?.importLimitKw;
    if (limitKw === undefined) return 0;
    const { minutes, loadKwh, pvKwh } = this.site.steps[t]!;
    const hours = minutes / 60;
    return Math.max(0, (loadKwh - pvKwh) / hours + devicesKw - limitKw) * hours;
  }

  /** Power of the devices while they run in a step, kW. */
  #powerKw(t: number, kwh: readonly (readonly number[])[], without?: number): number {
    return kwh.reduce(
      (sum, energies, d) => (d === without ? sum : sum + this.#runsAtKw(d, t, energies[t]!)),
      0,
    );
  }

  #runsAtKw(d: number, t: number, kwh: number): number {
    return runsAtKw(this.devices[d]!, kwh, this.site.steps[t]!.minutes / 60);
  }

  /** What each energy of a device costs in a step because load and devices exceed the import limit, ct. */
  #breachCt(
    d: number,
    kwh: readonly (readonly number[])[],
    ctKwh = BREACH_CT_KWH,
  ): (t: number, energy: number) => number {
    if (this.site.grid?.importLimitKw === undefined) return () => 0;
    const others = this.site.steps.map((_, t) => this.#powerKw(t, kwh, d));
    return (t, energy) =>
      ctKwh *
      (this.#breachKwh(t, others[t]! + this.#runsAtKw(d, t, energy)) - this.#breachKwh(t, others[t]!));
  }

  /** The least-cost energies of a device with the battery adapting; a vehicle's and a tank's near those it has. */
  place(d: number, kwh: readonly (readonly number[])[], scale: number): number[] {
    const device = this.devices[d]!;
    const certain = { ...this.site, ratios: [], pv: undefined };
    const { site } = withLoads(certain, this.#loads(kwh, d));
    const stages = stagesOf(site);
    const rules = rulesOf(site);
    const hours = (t: number) => stages[t]!.hours;
    const breachCt = this.#breachCt(d, kwh);
    const moveCt = (t: number, energy: number) => breachCt(t, energy) + this.#movedCt(d, t, energy);
    const limitKw = this.site.grid?.importLimitKw ?? 0;
    const surplusKwh = (t: number) => stages[t]!.pvKwh - stages[t]!.loadKwh;
    const states =
      device.kind === "runs"
        ? runStates(device, { hours, count: stages.length, moveCt })
        : storeStates(device.store, {
            near: kwh[d]!,
            scale,
            moveCt: (t, energy) =>
              this.#partCt(device, { stage: stages[t]!, rules, energy }) + moveCt(t, energy),
            roomsKwh: (t) => [surplusKwh(t), surplusKwh(t) + limitKw * hours(t)],
          });
    const tranches = site.terminal ?? [];
    const placed =
      states &&
      planWithBattery(states, {
        stages,
        rules,
        socKwh: this.#socKwh,
        endCt: (soc) => -terminalWorthCt(tranches, soc),
        isServed: device.batteryServes ?? true,
      });
    if (placed !== undefined) return placed;
    if (device.kind === "runs") return this.#placeByCost(d, device, kwh);
    // From the course without any energy every stage can be reached.
    return this.place(
      d,
      kwh.map((energies, k) => (k === d ? energies.map(() => 0) : energies)),
      scale,
    );
  }

  /** The least-cost energies of runs by what more load costs in each step. */
  #placeByCost(d: number, runs: Device & RunsDevice, kwh: readonly (readonly number[])[]): number[] {
    const held = runs.batteryServes === false;
    const costs = this.solve(kwh, d).policy.extraLoad({ socKwh: this.#socKwh });
    const breachCt = this.#breachCt(d, kwh);
    const ct = (t: number, energy: number) =>
      costs.ct(t, energy, held) + breachCt(t, energy) + this.#movedCt(d, t, energy);
    return placeRuns(runs, { ct, hours: (t) => costs.hours(t) }, this.site.steps.length);
  }

  /**
   * What an energy costs besides its price: below its least power a device runs for a part of the stage at this power, and only a
   * battery makes its mean count.
   */
  #partCt(
    { store, batteryServes }: StoreDevice & Pick<Device, "batteryServes">,
    { stage, rules, energy }: { stage: Stage; rules: PolicyRules; energy: number },
  ): number {
    const leastKwh = store.minPowerKw * stage.hours;
    if (energy < SHORT_KWH || energy > leastKwh - SHORT_KWH) return 0;
    const { minSocKwh, maxSocKwh } = rules.battery;
    if (batteryServes !== false && maxSocKwh - minSocKwh > store.minPowerKw * PART_HOURS) return SWITCHING_CT;
    const netKwh = stage.loadKwh - stage.pvKwh;
    const share = energy / leastKwh;
    const ct = (kwh: number) => gridCt(stage, rules, netKwh + kwh);
    return SWITCHING_CT + share * ct(leastKwh) + (1 - share) * ct(0) - ct(energy);
  }

  /** What a device costs in each step at its full power, ct/kWh; one that has no other power also where the import limit does not have it. */
  costsOf(d: number, kwh: readonly (readonly number[])[]): number[] {
    const device = this.devices[d]!;
    const powerKw = device.kind === "runs" ? device.powerKw : device.store.maxPowerKw;
    const costs = this.solve(kwh, d).policy.extraLoad({ socKwh: this.#socKwh });
    const breachCt = device.kind === "runs" ? this.#breachCt(d, kwh, BREACH_COST_CT_KWH) : () => 0;
    return kwh[d]!.map((_, t) => {
      const fullKwh = powerKw * costs.hours(t);
      return costs.ctKwh(t, powerKw, device.batteryServes === false) + breachCt(t, fullKwh) / fullKwh;
    });
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

function isSame(some: readonly number[], others: readonly number[]): boolean {
  return some.every((kwh, t) => Math.abs(kwh - others[t]!) < 1e-6);
}

function terminalOf(site: PolicyInput): TerminalTranche[] {
  const stages = stagesOf(site);
  return defaultTerminal(stages, rulesOf(site));
}
