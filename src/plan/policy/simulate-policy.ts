import type { BatteryMode } from "../../core/domain/battery.js";
import type { InverterFlows } from "../physics/inverter.js";
import { terminalWorthCt } from "../terminal-value.js";
import {
  type BatteryRun,
  type CourseSample,
  type RunStart,
  runPolicy,
  runUncontrolled,
  sampleCourses,
  uncontrolledAhead,
} from "./sample-runs.js";
import type { SolvedStages } from "./solved-stages.js";

/** How much is sampled. */
export interface SimulateInput extends RunStart {
  /** 0: only the expected course is simulated. */
  samples?: number;
  seed?: number;
  /** Load of each stage beside that of the policy, which its battery does not serve but an uncontrolled one does, kWh. */
  unservedKwh?: readonly number[];
}

/** A step of the plan that is shown. */
export interface PathStep {
  start: Date;
  /** Mode at expected load and PV. */
  mode: BatteryMode;
  /** The mode is forced. */
  forced: boolean;
  /** The price is a forecast: a charge planned here waits for it to be published. */
  provisional: boolean;
  /** Stored at the end of the step. */
  socKwh: { p10: number; mean: number; p90: number };
  /** Import less export of the step. */
  gridKwh: { mean: number };
  /** AC energies at expected load and PV, kWh. */
  expected: InverterFlows;
  /** Worth of one more kWh stored at the end of the step on that course, ct. */
  valueCtKwh: number;
  /** Mean worth of a kWh that holding keeps from the load of the step, ct. */
  keptValueCtKwh: number;
}

/** What the policy is expected to bring over its horizon. */
export interface Simulation {
  /** Import less export plus wear, ct. */
  expectedCostCt: number;
  /** Against the same battery in self-consumption alone; energy left at the end counts on both sides, ct. */
  expectedSavingCt: number;
  /** Cost that one sample in ten stays below, and that one in ten exceeds. */
  bandCt: [number, number];
  bill: BillExpectation;
  path: PathStep[];
}

/** The bill of all load, without wear: import less export. */
export interface BillExpectation {
  costCt: number;
  /** Cost that one sample in ten stays below, and that one in ten exceeds. */
  bandCt: [number, number];
  /**
   * Saving of each stage against the same battery in self-consumption, ct. Stored energy counts with what it is worth to a battery
   * that is left alone from then on, at the end of the horizon as there.
   */
  savingCt: Float64Array;
}

/** The policy at expected load and PV. */
export function expectedRun(solved: SolvedStages, start: RunStart): BatteryRun {
  const netKwh = solved.stages.map((stage) => stage.loadKwh - stage.pvKwh);
  return runPolicy(solved, start, [{ netKwh }])[0]!;
}

/** Runs the policy, and a battery in self-consumption, over sampled courses of load and PV. */
export function simulatePolicy(
  solved: SolvedStages,
  { socKwh, samples = 100, seed = 1, first, forced, unservedKwh }: SimulateInput,
): Simulation {
  const { stages, tranches } = solved;
  const worthCt = (stored: Float64Array) => terminalWorthCt(tranches, stored.at(-1) ?? socKwh);
  const expected = expectedRun(solved, { socKwh, first, forced });
  let savingCt = 0;
  const courses = sampleCourses(solved, samples, seed);
  const free = runUncontrolled(solved, socKwh, courses);
  const runs = runPolicy(solved, { socKwh, first, forced }, courses).map((run, index) => {
    const alone = free[index]!;
    savingCt += alone.costCt - run.costCt + worthCt(run.socKwh) - worthCt(alone.socKwh);
    return { ...run, netKwh: courses[index]!.netKwh };
  });
  // Without samples only the expected course is known.
  const known =
    runs.length > 0 ? runs : [{ ...expected, netKwh: stages.map((stage) => stage.loadKwh - stage.pvKwh) }];
  const costsCt = known.map((run) => run.costCt).sort((a, b) => a - b);
  return {
    expectedCostCt: meanOf(costsCt),
    expectedSavingCt: savingCt / known.length,
    bandCt: [quantile(costsCt, 0.1), quantile(costsCt, 0.9)],
    bill: billOf(solved, known, { socKwh, unservedKwh }),
    path: stages.map((stage, t) => {
      const soc = Float64Array.from(known, (run) => run.socKwh[t]!).sort();
      return {
        start: new Date(stage.startMs),
        mode: expected.modes[t]!,
        forced: t < expected.forcedStages,
        provisional: !stage.published,
        socKwh: { p10: quantile(soc, 0.1), mean: meanOf(soc), p90: quantile(soc, 0.9) },
        gridKwh: { mean: meanOf(known.map((run) => run.gridKwh[t]!)) },
        expected: expected.flows[t]!,
        valueCtKwh: expected.valuesCtKwh[t]!,
        keptValueCtKwh: expected.keptValuesCtKwh[t]!,
      };
    }),
  };
}

function billOf(
  solved: SolvedStages,
  runs: readonly (BatteryRun & Pick<CourseSample, "netKwh">)[],
  { socKwh, unservedKwh }: { socKwh: number; unservedKwh: readonly number[] | undefined },
): BillExpectation {
  const importedCt = solved.stages.map(({ importCt }, t) => importCt * (unservedKwh?.[t] ?? 0));
  const savingCt = new Float64Array(solved.stages.length);
  const costsCt = runs.map((run) => {
    const netKwh = run.netKwh.map((kwh, t) => kwh + (unservedKwh?.[t] ?? 0));
    const storedKwh = new Float64Array(savingCt.length + 1);
    storedKwh[0] = socKwh;
    storedKwh.set(run.socKwh, 1);
    const aloneCt = uncontrolledAhead(solved, netKwh, storedKwh);
    let costCt = 0;
    for (let t = 0; t < savingCt.length; t++) {
      const ct = run.billCt[t]! + importedCt[t]!;
      savingCt[t]! += (aloneCt[t]! - ct - aloneCt[t + 1]!) / runs.length;
      costCt += ct;
    }
    return costCt;
  });
  costsCt.sort((a, b) => a - b);
  return { costCt: meanOf(costsCt), bandCt: [quantile(costsCt, 0.1), quantile(costsCt, 0.9)], savingCt };
}

function meanOf(values: readonly number[] | Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / Math.max(1, values.length);
}

function quantile(sorted: readonly number[] | Float64Array, share: number): number {
  const at = share * (sorted.length - 1);
  const low = Math.floor(at);
  return sorted[low]! + (at - low) * ((sorted[low + 1] ?? sorted[low]!) - sorted[low]!);
}
