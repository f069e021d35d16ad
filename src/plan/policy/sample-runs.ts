import type { BatteryMode } from "../../core/domain/battery.js";
import { type InverterFlows, inverterStep } from "../physics/inverter.js";
import { seededRandom } from "../physics/random.js";
import type { TerminalTranche } from "../terminal-value.js";
import { choose, type ModeOption, optionsOf, stepHours } from "./decide.js";
import { staying } from "./persistence.js";
import type { Command, ForcedMode } from "./policy-input.js";
import { POLICY_SETTINGS } from "./settings.js";
import {
  chargeBelowTargetKw,
  isKeptFull,
  type Layers,
  type PolicyRules,
  StageCosts,
  type Targets,
} from "./stage-costs.js";
import type { Stage } from "./stages.js";

/** A solved policy as simulations need it. */
export interface SolvedStages {
  stages: readonly Stage[];
  rules: PolicyRules;
  values: readonly Layers[];
  tranches: readonly TerminalTranche[];
  /** Targets by stage and rank before it, kept by `targetsOf`: they are the same in all simulations. */
  targets: Targets[][];
}

/** The targets of stage `t` by the rank of the load before it; `costs` looks at the stage. */
export function targetsOf(
  { targets }: SolvedStages,
  t: number,
  rank: number,
  { costs, weights }: { costs: StageCosts; weights: Float64Array },
): Targets {
  targets[t] ??= [];
  targets[t][rank] ??= costs.targets(weights);
  return targets[t][rank];
}

/** One course of the load. */
export interface LoadSample {
  /** Rank of the load among its scenarios: before the first stage, then of each. */
  ranks: number[];
  /** Load less PV of each stage, kWh. */
  netKwh: number[];
}

/** What a battery does over the stages. */
export interface BatteryRun {
  costCt: number;
  socKwh: Float64Array;
  gridKwh: Float64Array;
  modes: BatteryMode[];
  /** Number of stages, from the first one on, in which the mode was forced. */
  forcedStages: number;
  /** Import less export of each stage, without wear, ct. */
  billCt: Float64Array;
  /** Price of import above the target; not part of the costs, ct. */
  overCt: number;
  flows: InverterFlows[];
  /** Worth of one more kWh stored at the end of each stage, ct; empty where loads are sampled. */
  valuesCtKwh: number[];
  /** Mean worth of a kWh that holding keeps from the load of each stage, ct; empty where loads are sampled. */
  keptValuesCtKwh: number[];
}

/** Courses of the load as the scenarios and their persistence make them; the same for the same seed. */
export function sampleLoads(stages: readonly Stage[], samples: number, seed: number): LoadSample[] {
  const random = seededRandom(seed).uniform;
  const count = stages[0]?.netKwh.length ?? 1;
  return Array.from({ length: samples }, () => {
    const ranks = ranksOf(stages, count, random);
    return { ranks, netKwh: stages.map((stage, t) => stage.netKwh[ranks[t + 1]!]!) };
  });
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

/** The policy over one course of the load; without ranks it knows nothing of the stage before. */
export function runPolicy(
  solved: SolvedStages,
  course: {
    socKwh: number;
    ranks?: readonly number[];
    netKwh: readonly number[];
    /** The command of the first stage; left out: the policy decides. */
    first?: Command | undefined;
    /** In force until its end or its stop SOC. */
    forced?: ForcedMode | undefined;
  },
): BatteryRun {
  const { stages, rules, values } = solved;
  const count = stages[0]?.netKwh.length ?? 1;
  const costs = new StageCosts(rules, count);
  const weights = new Float64Array(count);
  const run: BatteryRun = {
    costCt: 0,
    socKwh: new Float64Array(stages.length),
    gridKwh: new Float64Array(stages.length),
    modes: [],
    forcedStages: 0,
    billCt: new Float64Array(stages.length),
    overCt: 0,
    flows: [],
    valuesCtKwh: [],
    keptValuesCtKwh: [],
  };
  let socKwh = course.socKwh;
  let { forced } = course;
  for (const [t, stage] of stages.entries()) {
    if (forced !== undefined && hasEnded(forced, stage, socKwh)) forced = undefined;
    if (forced !== undefined) run.forcedStages++;
    const stay = course.ranks === undefined ? 0 : staying(POLICY_SETTINGS.persistence, stage.hours);
    weights.fill((1 - stay) / count);
    if (course.ranks !== undefined) weights[course.ranks[t]!]! += stay;
    costs.of(stage, values[t + 1]!);
    costs.at(socKwh);
    const rank = course.ranks === undefined ? count : course.ranks[t]!;
    const targets = targetsOf(solved, t, rank, { costs, weights });
    const option =
      t === 0 && course.first !== undefined
        ? optionOf(course.first, stage)
        : forced !== undefined
          ? { ...forced, ct: 0, dischargeKwh: 0 }
          : choose(
              optionsOf({ costs, stage, rules, socKwh, weights, targets, provisional: true }),
              { capacityKwh: rules.battery.capacityKwh, stepHours: stepHours(stages, t) },
              run.modes.at(-1),
            );
    const { flows, costCt, billCt } = stepOf({ stage, rules, socKwh, option, netKwh: course.netKwh[t]! });
    run.modes.push(option.mode);
    run.costCt += costCt;
    run.billCt[t] = billCt;
    run.overCt += overCt(stage, flows);
    run.gridKwh[t] = flows.importKwh - flows.exportKwh;
    run.socKwh[t] = flows.socEndKwh;
    run.flows.push(flows);
    socKwh = flows.socEndKwh;
    if (course.ranks !== undefined) continue;
    const marginalCtKwh = costs.marginalWorth(socKwh, weights);
    const keptKwh = servableKwh(rules, stage, socKwh, course.netKwh[t]!);
    run.valuesCtKwh.push(marginalCtKwh);
    run.keptValuesCtKwh.push(
      keptKwh > 0 ? costs.meanWorth(socKwh - keptKwh, socKwh, weights) : marginalCtKwh,
    );
  }
  return run;
}

/** The same battery in self-consumption alone. */
export function runUncontrolled(
  { stages, rules }: SolvedStages,
  startKwh: number,
  netKwh: readonly number[],
): Pick<BatteryRun, "costCt" | "socKwh" | "billCt" | "overCt"> {
  const run = {
    costCt: 0,
    socKwh: new Float64Array(stages.length),
    billCt: new Float64Array(stages.length),
    overCt: 0,
  };
  let socKwh = startKwh;
  for (const [t, stage] of stages.entries()) {
    const { flows, costCt, billCt } = stepOf({ stage, rules, socKwh, option: undefined, netKwh: netKwh[t]! });
    run.costCt += costCt;
    run.billCt[t] = billCt;
    run.overCt += overCt(stage, flows);
    run.socKwh[t] = flows.socEndKwh;
    socKwh = flows.socEndKwh;
  }
  return run;
}

/** Price of import above the target of the stage, ct. */
function overCt({ targetKw, overCtKw, hours }: Stage, { importKwh }: InverterFlows): number {
  return Math.max(0, importKwh / hours - targetKw) * overCtKw;
}

/** Whether a forced mode has ended before the stage. */
function hasEnded({ mode, until, stopSocKwh }: ForcedMode, { startMs }: Stage, socKwh: number): boolean {
  return startMs >= until.getTime() || (mode === "charge" && socKwh >= stopSocKwh - 1e-6);
}

/** A command as an option of its stage. */
function optionOf({ mode, stopSocKwh, dischargeCapKw }: Command, stage: Stage): ModeOption {
  return { mode, ct: 0, stopSocKwh, dischargeKwh: mode === "discharge" ? dischargeCapKw * stage.hours : 0 };
}

function belowTarget(stage: Stage): { chargePowerKw?: number } {
  return stage.overCtKw > 0 ? { chargePowerKw: chargeBelowTargetKw(stage, stage) } : {};
}

/** A step of the inverter and what it costs; without an option the battery is left alone. */
function stepOf(input: {
  stage: Stage;
  rules: PolicyRules;
  socKwh: number;
  option: ModeOption | undefined;
  netKwh: number;
}): { costCt: number; billCt: number; flows: InverterFlows } {
  const { stage, rules, socKwh, option, netKwh } = input;
  const flows = inverterStep({
    storage: rules.battery,
    connection: rules,
    command: {
      mode: option?.mode ?? "free",
      ...(option?.mode === "charge" ? { stopSocKwh: option.stopSocKwh, ...belowTarget(stage) } : {}),
      ...(option?.mode === "discharge" ? { dischargeCapKw: option.dischargeKwh / stage.hours } : {}),
      ...(option !== undefined && isKeptFull(stage, rules) ? { dischargeCapKw: 0 } : {}),
    },
    step: { minutes: stage.hours * 60, loadKwh: Math.max(0, netKwh), pvKwh: Math.max(0, -netKwh) },
    socKwh,
  });
  const billCt = stage.importCt * flows.importKwh - stage.exportCt * flows.exportKwh;
  return { costCt: billCt + rules.wearCt * flows.dischargeKwh, billCt, flows };
}

/** Stored energy that serves the load of a stage in self-consumption, kWh. */
function servableKwh({ battery }: PolicyRules, stage: Stage, socKwh: number, netKwh: number): number {
  const servedKwh = Math.min(netKwh, battery.maxDischargePowerKw * stage.hours) / battery.dischargeEfficiency;
  return Math.max(0, Math.min(servedKwh, socKwh - battery.minSocKwh));
}
