import { evaluate, slopeAt, slopeBefore } from "./piecewise-linear.js";
import { type Flows, flowsOf, type Rules, type Step } from "./step.js";
import { type TerminalTranche, terminalFunction, terminalWorthCt } from "./terminal-value.js";
import {
  follow,
  followPrevious,
  type PreviousActions,
  recover,
  type TieBreak,
  type Trajectory,
} from "./trajectory.js";
import { type EnergyBand, valueFunctions } from "./value-function.js";

/** Far below any loss of a real battery, far above rounding. Decides between equals only, never what anything costs. */
const HAIR_OF_LOSS = 1e-5;

/** A planning problem in the units of the solver. */
export interface PlanProblem {
  steps: readonly Step[];
  rules: Omit<Rules, "breachPenaltyCtKwh">;
  band: { minKwh: number; maxKwh: number };
  socKwh: number;
  terminal: readonly TerminalTranche[];
  /** The plan before this one. */
  incumbent?: PreviousActions;
}

export interface SolvedStep extends Flows {
  socEndKwh: number;
  /** Worth of one more stored kWh at the end of the step (`lambda = -V'`), ct per stored kWh. */
  valueCtKwh: number;
  /** Worth of the last stored kWh at the end of the step, ct: what a charge earns. */
  lastKwhValueCt: number;
  /** That kWh is worth so much because without it the import limit would be breached. */
  againstBreach: boolean;
}

export interface Solution {
  steps: SolvedStep[];
  /** Money over the steps. */
  costCt: number;
  /** Money less the worth of what is stored at the end. */
  objectiveCt: number;
  /** No plan within the rules has an objective below this. */
  boundCt: number;
  importLimitExceededKwh: number;
}

/**
 * The cheapest plan, exactly. First the least import over the limit, then the least objective (docs/spec/outputs-and-plan.md section 4 rule 5).
 * The bound is the cost-to-go at the start, which by Bellman's principle no plan undercuts; the objective is summed
 * anew from the flows, so that the difference of the two proves the plan.
 */
export function solve(problem: PlanProblem): Solution {
  const { steps, rules: givenRules, band: givenBand, socKwh, terminal } = problem;
  // A band that is narrower than rounding is a point.
  const maxKwh = givenBand.maxKwh - givenBand.minKwh <= 1e-9 ? givenBand.minKwh : givenBand.maxKwh;
  const band: EnergyBand = { minKwh: givenBand.minKwh, maxKwh, topKwh: Math.max(maxKwh, socKwh) };
  const highestPrice = highestPriceOf(problem);
  // A kWh moved through the battery costs a few times the highest price; far above that, no breach pays.
  const rules: Rules = { ...givenRules, breachPenaltyCtKwh: 1e5 * highestPrice };

  const climb = recover(steps, rules, band, socKwh);
  const climbSteps = climb.acKwh.length;
  const rest = steps.slice(climbSteps);
  const startKwh = climb.socEndKwh.at(-1) ?? socKwh;
  const atTheEnd = terminalFunction(terminal, band.minKwh, band.topKwh);
  const values = valueFunctions(rest, rules, band, startKwh, atTheEnd);
  const costScale =
    highestPrice + steps.reduce((sum, step) => sum + Math.abs(step.importPriceCtKwh) * step.loadKwh, 0);
  const kept: Trajectory =
    problem.incumbent === undefined || climbSteps > 0 || startKwh < band.minKwh
      ? { acKwh: [], socEndKwh: [] }
      : followPrevious(rest, rules, band, startKwh, values, problem.incumbent);
  const chosenFrom = kept.acKwh.length;
  const way = follow(
    rest.slice(chosenFrom),
    rules,
    band,
    kept.socEndKwh.at(-1) ?? startKwh,
    values.slice(chosenFrom),
    costScale,
    tieBreak(),
  );

  const acKwh = [...climb.acKwh, ...kept.acKwh, ...way.acKwh];
  const socEndKwh = [...climb.socEndKwh, ...kept.socEndKwh, ...way.socEndKwh];
  const solved: SolvedStep[] = steps.map((step, t) => {
    const toGo = values[Math.max(0, t + 1 - climbSteps)]!;
    const socEnd = socEndKwh[t]!;
    const flows = flowsOf(step, rules, acKwh[t]!);
    return {
      chargeKwh: flows.chargeKwh,
      dischargeKwh: flows.dischargeKwh,
      importKwh: flows.importKwh,
      exportKwh: flows.exportKwh,
      curtailedKwh: flows.curtailedKwh,
      importLimitExceededKwh: flows.importLimitExceededKwh,
      costCt: flows.costCt,
      socEndKwh: socEnd,
      valueCtKwh: 0 - slopeAt(toGo, socEnd),
      lastKwhValueCt: 0 - slopeBefore(toGo, socEnd),
      againstBreach: 0 - slopeBefore(toGo, socEnd) > rules.breachPenaltyCtKwh / 100,
    };
  });
  const costCt = sumOf(solved, (step) => step.costCt);
  const importLimitExceededKwh = sumOf(solved, (step) => step.importLimitExceededKwh);
  const objectiveCt = costCt - terminalWorthCt(terminal, socEndKwh.at(-1) ?? socKwh);
  return {
    steps: solved,
    costCt,
    objectiveCt,
    boundCt: rest.length === 0 ? objectiveCt : bound(),
    importLimitExceededKwh,
  };

  /** Without losses what is cycled for nothing is as cheap as what serves: a hair of loss tells them apart. */
  function tieBreak(): TieBreak | undefined {
    if (rules.chargeEfficiency * rules.dischargeEfficiency < 1 || rules.wearCtKwh > 0) return undefined;
    const lossy = { ...rules, chargeEfficiency: 1 - HAIR_OF_LOSS };
    return {
      rules: lossy,
      values: valueFunctions(rest, lossy, band, startKwh, atTheEnd).slice(chosenFrom),
    };
  }

  /** What the climb cost, and the cost-to-go where the choice begins, without the penalty on breaches. */
  function bound(): number {
    const onTheClimb = sumOf(solved.slice(0, climbSteps), (step) => step.costCt);
    const breachKwh = sumOf(solved.slice(climbSteps), (step) => step.importLimitExceededKwh);
    const toGo = startKwh >= band.minKwh ? evaluate(values[0]!, startKwh) : way.costToGoCt;
    return onTheClimb + toGo - rules.breachPenaltyCtKwh * breachKwh;
  }
}

function highestPriceOf({ steps, rules, terminal }: PlanProblem): number {
  return steps.reduce(
    (highest, step) => Math.max(highest, Math.abs(step.importPriceCtKwh), Math.abs(step.exportPriceCtKwh)),
    1 + rules.wearCtKwh + Math.max(0, ...terminal.map((tranche) => Math.abs(tranche.ctKwh))),
  );
}

function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0);
}
