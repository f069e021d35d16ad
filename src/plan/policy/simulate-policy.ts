import type { BatteryMode } from "../../domain/battery-mode.js";
import { inverterStep } from "../../simulation/inverter.js";
import { type TerminalTranche, terminalWorthCt } from "../terminal-value.js";
import { choose, type ModeOption, optionsOf } from "./decide.js";
import { staying } from "./persistence.js";
import { POLICY_SETTINGS } from "./settings.js";
import { type Layers, type PolicyRules, StageCosts } from "./stage-costs.js";
import type { Stage } from "./stages.js";

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

/** A solved policy as the simulation needs it. */
export interface SolvedStages {
  stages: readonly Stage[];
  rules: PolicyRules;
  values: readonly Layers[];
  tranches: readonly TerminalTranche[];
}

interface Run {
  costCt: number;
  socKwh: Float64Array;
  gridKwh: Float64Array;
  modes: BatteryMode[];
}

/** Runs the policy, and a battery in self-consumption, over sampled loads. */
export function simulatePolicy(
  solved: SolvedStages,
  { socKwh, samples = 100, seed = 1 }: { socKwh: number; samples?: number; seed?: number },
): Simulation {
  const { stages, tranches } = solved;
  const count = stages[0]?.netKwh.length ?? 1;
  const random = seeded(seed);
  const costs = new StageCosts(solved.rules, count);
  const runs: Run[] = [];
  let savingCt = 0;
  for (let k = 0; k < samples; k++) {
    const ranks = ranksOf(stages, count, random);
    const nets = stages.map((stage, t) => stage.netKwh[ranks[t + 1]!]!);
    const run = runPolicy(solved, costs, { socKwh, ranks, nets });
    const free = runFree(solved, socKwh, nets);
    savingCt +=
      free.costCt -
      run.costCt +
      terminalWorthCt(tranches, run.socKwh.at(-1) ?? socKwh) -
      terminalWorthCt(tranches, free.socKwh);
    runs.push(run);
  }
  const expected = runPolicy(solved, costs, {
    socKwh,
    nets: stages.map((stage) => stage.loadKwh - stage.pvKwh),
  });
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

/** Ranks of the load: of the stage before the first, then one a stage. */
function ranksOf(stages: readonly Stage[], count: number, random: () => number): number[] {
  const draw = () => Math.floor(random() * count);
  const ranks = [draw()];
  for (const stage of stages) {
    const stays = random() < staying(POLICY_SETTINGS.persistence, stage.hours);
    const other = draw();
    ranks.push(stays ? ranks.at(-1)! : other);
  }
  return ranks;
}

function runPolicy(
  { stages, rules, values }: SolvedStages,
  costs: StageCosts,
  course: { socKwh: number; ranks?: readonly number[]; nets: readonly number[] },
): Run {
  const count = stages[0]?.netKwh.length ?? 1;
  const weights = new Float64Array(count);
  const run: Run = {
    costCt: 0,
    socKwh: new Float64Array(stages.length),
    gridKwh: new Float64Array(stages.length),
    modes: [],
  };
  let socKwh = course.socKwh;
  for (const [t, stage] of stages.entries()) {
    const stay = course.ranks === undefined ? 0 : staying(POLICY_SETTINGS.persistence, stage.hours);
    weights.fill((1 - stay) / count);
    if (course.ranks !== undefined) weights[course.ranks[t]!]! += stay;
    costs.of(stage, values[t + 1]!);
    costs.at(socKwh);
    const options = optionsOf({ costs, stage, rules, socKwh, weights, provisional: true });
    const option = choose(options, rules.battery.capacityKwh, run.modes.at(-1));
    const flows = flowsOf({ stage, rules, socKwh, option, netKwh: course.nets[t]! });
    run.modes.push(option.mode);
    run.costCt += flows.costCt;
    run.gridKwh[t] = flows.gridKwh;
    run.socKwh[t] = flows.socEndKwh;
    socKwh = flows.socEndKwh;
  }
  return run;
}

function runFree(
  { stages, rules }: SolvedStages,
  startKwh: number,
  nets: readonly number[],
): { costCt: number; socKwh: number } {
  let socKwh = startKwh;
  let costCt = 0;
  for (const [t, stage] of stages.entries()) {
    const flows = flowsOf({ stage, rules, socKwh, option: undefined, netKwh: nets[t]! });
    costCt += flows.costCt;
    socKwh = flows.socEndKwh;
  }
  return { costCt, socKwh };
}

/** A step of the inverter and what it costs; without an option the battery is left alone. */
function flowsOf(input: {
  stage: Stage;
  rules: PolicyRules;
  socKwh: number;
  option: ModeOption | undefined;
  netKwh: number;
}): { costCt: number; gridKwh: number; socEndKwh: number } {
  const { stage, rules, socKwh, option, netKwh } = input;
  const flows = inverterStep({
    storage: rules.battery,
    connection: rules,
    command: {
      mode: option?.mode ?? "free",
      ...(option?.mode === "charge" ? { stopSocKwh: option.stopSocKwh } : {}),
      ...(option?.mode === "discharge" ? { dischargeCapKw: option.dischargeKwh / stage.hours } : {}),
      ...(option !== undefined && stage.importCt < 0 ? { dischargeCapKw: 0 } : {}),
    },
    step: { minutes: stage.hours * 60, loadKwh: Math.max(0, netKwh), pvKwh: Math.max(0, -netKwh) },
    socKwh,
  });
  return {
    costCt:
      stage.importCt * flows.importKwh - stage.exportCt * flows.exportKwh + rules.wearCt * flows.dischargeKwh,
    gridKwh: flows.importKwh - flows.exportKwh,
    socEndKwh: flows.socEndKwh,
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

/** Uniform numbers in [0, 1) (mulberry32): the same samples for the same seed. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
