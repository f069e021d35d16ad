import type { BatteryMode } from "../../core/domain/battery.js";
import { DAY_MS } from "../../core/domain/interval.js";
import type { InverterFlows } from "../physics/inverter.js";
import { terminalWorthCt } from "../terminal-value.js";
import type { Command, ForcedMode } from "./policy-input.js";
import { runPolicy, runUncontrolled, type SolvedStages, sampleLoads } from "./sample-runs.js";

/** Stored energy now, and how much is sampled. */
export interface SimulateInput {
  socKwh: number;
  /** 0: only the expected course is simulated. */
  samples?: number;
  seed?: number;
  /** The command of the first step; left out: the policy decides. */
  first?: Command;
  /** A mode in place of the policy's decisions, until it ends; left out: none. */
  forced?: ForcedMode | undefined;
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
  /** The part of the saving within the first 24 hours; energy stored then counts at its marginal worth, ct. */
  savingDayCt: number;
  path: PathStep[];
}

/** Runs the policy, and a battery in self-consumption, over sampled loads. */
export function simulatePolicy(
  solved: SolvedStages,
  { socKwh, samples = 100, seed = 1, first, forced }: SimulateInput,
): Simulation {
  const { stages, tranches } = solved;
  const worthCt = (stored: Float64Array) => terminalWorthCt(tranches, stored.at(-1) ?? socKwh);
  const netKwh = stages.map((stage) => stage.loadKwh - stage.pvKwh);
  const expected = runPolicy(solved, { socKwh, netKwh, first, forced });
  const dayEndMs = (stages[0]?.startMs ?? 0) + DAY_MS;
  const day = stages.findLastIndex(({ endMs }) => endMs <= dayEndMs);
  let savingCt = 0;
  let savingDayCt = 0;
  const runs = sampleLoads(stages, samples, seed).map((sample) => {
    const run = runPolicy(solved, { socKwh, ...sample, first, forced });
    const free = runUncontrolled(solved, socKwh, sample.netKwh);
    savingCt += free.costCt - run.costCt + worthCt(run.socKwh) - worthCt(free.socKwh);
    for (let t = 0; t <= day; t++) savingDayCt += free.stageCt[t]! - run.stageCt[t]!;
    if (day >= 0) savingDayCt += expected.valuesCtKwh[day]! * (run.socKwh[day]! - free.socKwh[day]!);
    return run;
  });
  // Without samples only the expected course is known.
  const known = runs.length > 0 ? runs : [expected];
  const costsCt = known.map((run) => run.costCt).sort((a, b) => a - b);
  return {
    expectedCostCt: meanOf(costsCt),
    expectedSavingCt: savingCt / known.length,
    savingDayCt: savingDayCt / known.length,
    bandCt: [quantile(costsCt, 0.1), quantile(costsCt, 0.9)],
    path: stages.map((stage, t) => {
      const soc = known.map((run) => run.socKwh[t]!).sort((a, b) => a - b);
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

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function quantile(sorted: readonly number[], share: number): number {
  const at = share * (sorted.length - 1);
  const low = Math.floor(at);
  return sorted[low]! + (at - low) * ((sorted[low + 1] ?? sorted[low]!) - sorted[low]!);
}
