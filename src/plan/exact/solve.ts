import { sumBy } from "../../core/numbers.js";
import { type TerminalTranche, terminalFunction, terminalWorthCt } from "../terminal-value.js";
import { evaluate, slopeAt, slopeBefore } from "./piecewise-linear.js";
import { type Flows, flowsOf, type Rules, type Step } from "./step.js";
import { cheapestTrajectory, recover, type TieBreak } from "./trajectory.js";
import { type EnergyBand, valueFunctions } from "./value-function.js";

/** Loss that breaks ties: far below that of any real battery, far above rounding; never part of a cost. */
const TIE_BREAK_LOSS = 1e-5;

/** A planning problem in the units of the solver. */
export interface PlanProblem {
  steps: readonly Step[];
  rules: Omit<Rules, "breachPenaltyCtKwh">;
  band: { minKwh: number; maxKwh: number };
  socKwh: number;
  terminal: readonly TerminalTranche[];
}

export interface SolvedStep extends Flows {
  socEndKwh: number;
  /** Worth of one more stored kWh at the end of the step (`lambda = -V'`), ct per stored kWh. */
  valueCtKwh: number;
  /** Worth of the last stored kWh at the end of the step, ct: the earning of a charge. */
  lastKwhValueCt: number;
  /** The kWh is needed to avoid a breach of the import limit. */
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
 * The exact least-cost plan: the least import above the limit, then the least objective (docs/spec/outputs-and-plan.md
 * section 4 rule 5). The bound is the cost-to-go at the start, which is a lower bound by Bellman's principle; the
 * objective is summed independently from the flows, so that the difference of the two proves optimality.
 */
export function solve(problem: PlanProblem): Solution {
  const { steps, rules: givenRules, band: givenBand, socKwh, terminal } = problem;
  // A band narrower than rounding is a point.
  const maxKwh = givenBand.maxKwh - givenBand.minKwh <= 1e-9 ? givenBand.minKwh : givenBand.maxKwh;
  const band: EnergyBand = { minKwh: givenBand.minKwh, maxKwh, topKwh: Math.max(maxKwh, socKwh) };
  const highestPrice = highestPriceOf(problem);
  // A kWh moved through the battery costs a few times the highest price; with a far higher penalty no breach pays.
  const rules: Rules = { ...givenRules, breachPenaltyCtKwh: 1e5 * highestPrice };

  const climb = recover(steps, rules, band, socKwh);
  const climbSteps = climb.acKwh.length;
  const rest = steps.slice(climbSteps);
  const startKwh = climb.socEndKwh.at(-1) ?? socKwh;
  const finalValue = terminalFunction(terminal, band.minKwh, band.topKwh);
  const values = valueFunctions({ steps: rest, rules, band, startKwh, terminal: finalValue });
  const costScale =
    highestPrice + steps.reduce((sum, step) => sum + Math.abs(step.importPriceCtKwh) * step.loadKwh, 0);
  const chosen = cheapestTrajectory({
    steps: rest,
    rules,
    band,
    socKwh: startKwh,
    values,
    costScale,
    tieBreak: tieBreak(),
  });

  const acKwh = [...climb.acKwh, ...chosen.acKwh];
  const socEndKwh = [...climb.socEndKwh, ...chosen.socEndKwh];
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
  const costCt = sumBy(solved, (step) => step.costCt);
  const importLimitExceededKwh = sumBy(solved, (step) => step.importLimitExceededKwh);
  const objectiveCt = costCt - terminalWorthCt(terminal, socEndKwh.at(-1) ?? socKwh);
  return {
    steps: solved,
    costCt,
    objectiveCt,
    boundCt: rest.length === 0 ? objectiveCt : bound(),
    importLimitExceededKwh,
  };

  /** Without losses or wear, needless cycling costs nothing; a tiny loss excludes it. */
  function tieBreak(): TieBreak | undefined {
    if (rules.chargeEfficiency * rules.dischargeEfficiency < 1 || rules.wearCtKwh > 0) return undefined;
    const lossy = { ...rules, chargeEfficiency: 1 - TIE_BREAK_LOSS };
    return {
      rules: lossy,
      values: valueFunctions({ steps: rest, rules: lossy, band, startKwh, terminal: finalValue }),
    };
  }

  /** Cost of the climb plus the cost-to-go after it, without the penalty on breaches. */
  function bound(): number {
    const climbCt = sumBy(solved.slice(0, climbSteps), (step) => step.costCt);
    const breachKwh = sumBy(solved.slice(climbSteps), (step) => step.importLimitExceededKwh);
    const toGo = startKwh >= band.minKwh ? evaluate(values[0]!, startKwh) : chosen.costToGoCt;
    return climbCt + toGo - rules.breachPenaltyCtKwh * breachKwh;
  }
}

function highestPriceOf({ steps, rules, terminal }: PlanProblem): number {
  return steps.reduce(
    (highest, step) => Math.max(highest, Math.abs(step.importPriceCtKwh), Math.abs(step.exportPriceCtKwh)),
    1 + rules.wearCtKwh + Math.max(0, ...terminal.map((tranche) => Math.abs(tranche.ctKwh))),
  );
}
