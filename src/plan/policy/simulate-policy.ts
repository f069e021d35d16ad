import type { BatteryMode } from "../../domain/battery-mode.js";
import { terminalWorthCt } from "../terminal-value.js";
import { runPolicy, runUncontrolled, type SolvedStages, sampleLoads } from "./sample-runs.js";

/** A step of the plan that is shown. */
export interface PathStep {
  start: Date;
  /** Mode at expected load and PV. */
  mode: BatteryMode;
  /** The price is a forecast: a charge planned here waits for it to be published. */
  provisional: boolean;
  /** Stored at the end of the step. */
  socKwh: { p10: number; mean: number; p90: number };
  /** Import less export of the step. */
  gridKwh: { mean: number };
}

/** What the policy is expected to bring over its horizon. */
export interface Simulation {
  /** Import less export plus wear, ct. */
  expectedCostCt: number;
  /** Against the same battery in self-consumption alone; energy left at the end counts on both sides, ct. */
  expectedSavingCt: number;
  /** Cost that one sample in ten stays below, and that one in ten exceeds. */
  bandCt: [number, number];
  path: PathStep[];
}

/** Runs the policy, and a battery in self-consumption, over sampled loads. */
export function simulatePolicy(
  solved: SolvedStages,
  { socKwh, samples = 100, seed = 1 }: { socKwh: number; samples?: number; seed?: number },
): Simulation {
  const { stages, tranches } = solved;
  const worthCt = (stored: Float64Array) => terminalWorthCt(tranches, stored.at(-1) ?? socKwh);
  let savingCt = 0;
  const runs = sampleLoads(stages, samples, seed).map((sample) => {
    const run = runPolicy(solved, { socKwh, ...sample });
    const free = runUncontrolled(solved, socKwh, sample.netKwh);
    savingCt += free.costCt - run.costCt + worthCt(run.socKwh) - terminalWorthCt(tranches, free.socKwh);
    return run;
  });
  const expected = runPolicy(solved, { socKwh, netKwh: stages.map(({ loadKwh, pvKwh }) => loadKwh - pvKwh) });
  const costsCt = runs.map((run) => run.costCt).sort((a, b) => a - b);
  return {
    expectedCostCt: meanOf(costsCt),
    expectedSavingCt: savingCt / samples,
    bandCt: [quantile(costsCt, 0.1), quantile(costsCt, 0.9)],
    path: stages.map((stage, t) => {
      const soc = runs.map((run) => run.socKwh[t]!).sort((a, b) => a - b);
      return {
        start: new Date(stage.startMs),
        mode: expected.modes[t]!,
        provisional: !stage.published,
        socKwh: { p10: quantile(soc, 0.1), mean: meanOf(soc), p90: quantile(soc, 0.9) },
        gridKwh: { mean: meanOf(runs.map((run) => run.gridKwh[t]!)) },
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
