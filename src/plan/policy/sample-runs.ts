import type { BatteryMode } from "../../core/domain/battery.js";
import { type InverterFlows, inverterStep } from "../physics/inverter.js";
import { seededRandom } from "../physics/random.js";
import { type TerminalTranche, terminalWorthCt } from "../terminal-value.js";
import { choose, type ModeOption, optionsOf, stepHours } from "./decide.js";
import type { Command, ForcedMode } from "./policy-input.js";
import { type Layers, type PolicyRules, StageCosts } from "./stage-costs.js";
import type { Stage } from "./stages.js";
import { chargeBelowTargetKw, isKeptFull, type Targets } from "./targets.js";

/** A solved policy as simulations need it. */
export interface SolvedStages {
  stages: readonly Stage[];
  rules: PolicyRules;
  values: readonly Layers[];
  tranches: readonly TerminalTranche[];
  /** Targets by stage and scenario before it, kept by `knownTargets`: they are the same in all simulations. */
  targets: Targets[][];
}

/** The targets of stage `t` by the scenario before it; `costs` looks at the stage. */
export function knownTargets(
  { targets }: SolvedStages,
  t: number,
  before: number,
  { costs, weights }: { costs: StageCosts; weights: Float64Array },
): Targets {
  targets[t] ??= [];
  targets[t][before] ??= costs.targets(weights);
  return targets[t][before];
}

/** One course of load and PV. */
export interface CourseSample {
  /** Scenario: before the first stage, then of each. */
  scenarios: number[];
  /** Load less PV of each stage, kWh. */
  netKwh: number[];
}

/** Stored energies within this are the same, kWh. */
const SAME_KWH = 1e-6;

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
  /** Empty for a sampled course. */
  flows: InverterFlows[];
  /** Worth of one more kWh stored at the end of each stage, ct; empty for a sampled course. */
  valuesCtKwh: number[];
  /** Mean worth of a kWh that holding keeps from the load of each stage, ct; empty for a sampled course. */
  keptValuesCtKwh: number[];
}

/** Courses of load and PV as the scenarios and their chain make them; the same for the same seed. */
export function sampleCourses(
  { stages, rules }: Pick<SolvedStages, "stages" | "rules">,
  samples: number,
  seed: number,
): CourseSample[] {
  const random = seededRandom(seed).uniform;
  return Array.from({ length: samples }, () => {
    const scenarios = rules.chain.draw(stages, random);
    return { scenarios, netKwh: stages.map((stage, t) => stage.netKwh[scenarios[t + 1]!]!) };
  });
}

/** The policy over one course; without scenarios it knows nothing of the stage before. */
export function runPolicy(
  solved: SolvedStages,
  course: {
    socKwh: number;
    scenarios?: readonly number[];
    netKwh: readonly number[];
    /** The command of the first stage; left out: the policy decides. */
    first?: Command | undefined;
    /** In force until its end or its stop SOC. */
    forced?: ForcedMode | undefined;
  },
): BatteryRun {
  const { stages, rules, values } = solved;
  const { chain } = rules;
  const costs = new StageCosts(rules);
  const weights = new Float64Array(chain.count);
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
    const before = course.scenarios?.[t];
    if (before === undefined) chain.usual(stage, weights);
    else chain.next(before, stage, weights);
    costs.of(stage, values[t + 1]!);
    costs.at(socKwh);
    const targets = knownTargets(solved, t, before ?? chain.count, { costs, weights });
    const option =
      t === 0 && course.first !== undefined
        ? optionOf(course.first, stage)
        : forced !== undefined
          ? { ...forced, ct: 0, dischargeKwh: 0 }
          : choose(
              optionsOf({ costs, stage, rules, socKwh, weights, targets, provisional: true }),
              {
                capacityKwh: rules.battery.capacityKwh,
                stepHours: stepHours(stages, t),
                spreadKw: stage.spreadKw,
              },
              run.modes.at(-1),
            );
    const { flows, costCt, billCt } = stepOf({ stage, rules, socKwh, option, netKwh: course.netKwh[t]! });
    run.modes.push(option.mode);
    run.costCt += costCt;
    run.billCt[t] = billCt;
    run.overCt += overCt(stage, flows);
    run.gridKwh[t] = flows.importKwh - flows.exportKwh;
    run.socKwh[t] = flows.socEndKwh;
    socKwh = flows.socEndKwh;
    if (before !== undefined) continue;
    run.flows.push(flows);
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

/**
 * The bill from each stage on, and after the last, less the worth of what is stored at the end, of a battery that is left alone from
 * there on with `fromKwh` stored, ct.
 */
export function uncontrolledAhead(
  { stages, rules, tranches }: SolvedStages,
  netKwh: readonly number[],
  fromKwh: readonly number[],
): Float64Array {
  const count = stages.length;
  const ahead = new Float64Array(count + 1);
  ahead[count] = -terminalWorthCt(tranches, fromKwh[count]!);
  // The course from a later stage on: most courses meet it once the battery is full or empty.
  const laterKwh = Float64Array.of(...fromKwh);
  const laterCt = Float64Array.from(ahead);
  const billCt = new Float64Array(count);
  for (let t = count - 1; t >= 0; t--) {
    let socKwh = fromKwh[t]!;
    let end = t;
    do {
      const stage = stages[end]!;
      laterKwh[end] = socKwh;
      const step = stepOf({ stage, rules, socKwh, option: undefined, netKwh: netKwh[end]! });
      billCt[end] = step.billCt;
      socKwh = step.flows.socEndKwh;
      end++;
    } while (end < count && Math.abs(socKwh - laterKwh[end]!) > SAME_KWH);
    let ct = end === count ? -terminalWorthCt(tranches, socKwh) : laterCt[end]!;
    for (let k = end - 1; k >= t; k--) {
      ct += billCt[k]!;
      laterCt[k] = ct;
    }
    ahead[t] = ct;
  }
  return ahead;
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
