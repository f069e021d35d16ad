import type { BatteryMode } from "../../core/domain/battery.js";
import type { InverterFlows } from "../physics/inverter.js";
import { seededRandom } from "../physics/random.js";
import { terminalWorthCt } from "../terminal-value.js";
import { type ModeOption, optionsOf } from "./decide.js";
import { ModeChoice } from "./mode-choice.js";
import type { Command, ForcedMode } from "./policy-input.js";
import { knownTargets, type SolvedStages } from "./solved-stages.js";
import { type PolicyRules, StageCosts } from "./stage-costs.js";
import { type StepCosts, stepOf } from "./stage-step.js";
import type { Stage } from "./stages.js";

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

/** What is stored before the first stage, and what precedes the decisions of the policy. */
export interface RunStart {
  socKwh: number;
  /** The command of the first stage; left out: the policy decides. */
  first?: Command | undefined;
  /** In force until its end or its stop SOC. */
  forced?: ForcedMode | undefined;
}

/** A course of load and PV; without scenarios the policy knows nothing of the stage before. */
type Course = Pick<CourseSample, "netKwh"> & Partial<CourseSample>;

/** What happens in a stage, and of what it depends besides what is stored. */
interface Step extends StepCosts {
  before: number | undefined;
  previous: BatteryMode | undefined;
  isForced: boolean;
  netKwh: number;
  mode: BatteryMode;
}

/** The policy over courses of load and PV, stage by stage: a battery that is full or empty is in the same situation on many of them. */
export function runPolicy(solved: SolvedStages, start: RunStart, courses: readonly Course[]): BatteryRun[] {
  const { stages, rules, values } = solved;
  const { chain } = rules;
  const costs = new StageCosts(rules);
  const choice = new ModeChoice(solved);
  const weights = new Float64Array(chain.count);
  const runs = courses.map(() => emptyRun(stages.length));
  for (const [t, stage] of stages.entries()) {
    costs.of(stage, values[t + 1]!);
    const optionAt = (socKwh: number, before: number | undefined, previous: BatteryMode | undefined) => {
      if (before === undefined) chain.usual(stage, weights);
      else chain.next(before, stage, weights);
      costs.at(socKwh);
      const targets = knownTargets(solved, t, before ?? chain.count, { costs, weights });
      const options = optionsOf({ costs, stage, rules, socKwh, weights, targets, provisional: true });
      return choice.choose(options, { t, stage, socKwh, previous });
    };
    const steps = new Map<number, Step[]>();
    for (const [index, run] of runs.entries()) {
      const course = courses[index]!;
      const before = course.scenarios?.[t];
      const netKwh = course.netKwh[t]!;
      const socKwh = t === 0 ? start.socKwh : run.socKwh[t - 1]!;
      const previous = run.modes.at(-1);
      const { forced } = start;
      const isForced = forced !== undefined && run.forcedStages === t && !hasEnded(forced, stage, socKwh);
      if (isForced) run.forcedStages++;
      const known = knownAt(steps, socKwh);
      let step = known.find(
        (one) =>
          one.netKwh === netKwh &&
          one.before === before &&
          one.previous === previous &&
          one.isForced === isForced,
      );
      if (step === undefined) {
        const option =
          t === 0 && start.first !== undefined
            ? optionOf(start.first, stage)
            : isForced
              ? { ...forced, ct: 0, dischargeKwh: 0 }
              : optionAt(socKwh, before, previous);
        const { mode } = option;
        step = {
          before,
          previous,
          isForced,
          netKwh,
          mode,
          ...stepOf(stage, rules, { socKwh, option, netKwh }),
        };
        known.push(step);
      }
      add(run, t, step);
      run.modes.push(step.mode);
      if (before !== undefined) continue;
      run.flows.push(step.flows);
      const endKwh = step.flows.socEndKwh;
      chain.usual(stage, weights);
      const marginalCtKwh = costs.marginalWorth(endKwh, weights);
      const keptKwh = servableKwh(rules, stage, endKwh, netKwh);
      run.valuesCtKwh.push(marginalCtKwh);
      run.keptValuesCtKwh.push(
        keptKwh > 0 ? costs.meanWorth(endKwh - keptKwh, endKwh, weights) : marginalCtKwh,
      );
    }
  }
  return runs;
}

function knownAt<Item>(steps: Map<number, Item[]>, socKwh: number): Item[] {
  const known = steps.get(socKwh) ?? [];
  if (known.length === 0) steps.set(socKwh, known);
  return known;
}

function emptyRun(stages: number): BatteryRun {
  return {
    costCt: 0,
    socKwh: new Float64Array(stages),
    gridKwh: new Float64Array(stages),
    modes: [],
    forcedStages: 0,
    billCt: new Float64Array(stages),
    overCt: 0,
    flows: [],
    valuesCtKwh: [],
    keptValuesCtKwh: [],
  };
}

function add(run: BatteryRun, t: number, { flows, costCt, billCt, overCt }: StepCosts): void {
  run.costCt += costCt;
  run.billCt[t] = billCt;
  run.overCt += overCt;
  run.gridKwh[t] = flows.importKwh - flows.exportKwh;
  run.socKwh[t] = flows.socEndKwh;
}

/** The same battery in self-consumption alone. */
export function runUncontrolled(
  { stages, rules }: SolvedStages,
  startKwh: number,
  courses: readonly Pick<CourseSample, "netKwh">[],
): BatteryRun[] {
  const runs = courses.map(() => emptyRun(stages.length));
  for (const [t, stage] of stages.entries()) {
    const steps = new Map<number, (StepCosts & { netKwh: number })[]>();
    for (const [index, run] of runs.entries()) {
      const netKwh = courses[index]!.netKwh[t]!;
      const socKwh = t === 0 ? startKwh : run.socKwh[t - 1]!;
      const known = knownAt(steps, socKwh);
      let step = known.find((one) => one.netKwh === netKwh);
      if (step === undefined) {
        step = { netKwh, ...stepOf(stage, rules, { socKwh, option: undefined, netKwh }) };
        known.push(step);
      }
      add(run, t, step);
    }
  }
  return runs;
}

/**
 * The bill from each stage on, and after the last, less the worth of what is stored at the end, of a battery that is left alone from
 * there on with `fromKwh` stored, ct.
 */
export function uncontrolledAhead(
  { stages, rules, tranches }: SolvedStages,
  netKwh: readonly number[],
  fromKwh: Float64Array,
): Float64Array {
  const count = stages.length;
  const ahead = new Float64Array(count + 1);
  ahead[count] = -terminalWorthCt(tranches, fromKwh[count]!);
  // The course from a later stage on: most courses meet it once the battery is full or empty.
  const laterKwh = fromKwh.slice();
  const laterCt = ahead.slice();
  const billCt = new Float64Array(count);
  for (let t = count - 1; t >= 0; t--) {
    let socKwh = fromKwh[t]!;
    let end = t;
    do {
      const stage = stages[end]!;
      laterKwh[end] = socKwh;
      const step = stepOf(stage, rules, { socKwh, option: undefined, netKwh: netKwh[end]! });
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

/** Whether a forced mode has ended before the stage. */
function hasEnded({ mode, until, stopSocKwh }: ForcedMode, { startMs }: Stage, socKwh: number): boolean {
  return startMs >= until.getTime() || (mode === "charge" && socKwh >= stopSocKwh - 1e-6);
}

/** A command as an option of its stage. */
function optionOf({ mode, stopSocKwh, dischargeCapKw }: Command, stage: Stage): ModeOption {
  return { mode, ct: 0, stopSocKwh, dischargeKwh: mode === "discharge" ? dischargeCapKw * stage.hours : 0 };
}

/** Stored energy that serves the load of a stage in self-consumption, kWh. */
function servableKwh({ battery }: PolicyRules, stage: Stage, socKwh: number, netKwh: number): number {
  const servedKwh = Math.min(netKwh, battery.maxDischargePowerKw * stage.hours) / battery.dischargeEfficiency;
  return Math.max(0, Math.min(servedKwh, socKwh - battery.minSocKwh));
}
