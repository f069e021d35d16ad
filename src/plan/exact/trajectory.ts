import { breakpoints, evaluate, type PiecewiseLinear } from "./piecewise-linear.js";
import {
  type ActionRange,
  actionRange,
  costPieces,
  flowsOf,
  type Rules,
  type Step,
  searchCost,
} from "./step.js";
import { acEnergy, type EnergyBand, storedChange } from "./value-function.js";

/** AC energies below this are rounding. */
const ENERGY_TOLERANCE = 1e-10;

/** The AC energy of each step and the stored energy at its end. */
export interface Trajectory {
  acKwh: number[];
  socEndKwh: number[];
}

/** Most AC energy that may be charged from `socKwh` within the band; 0 if that is below the least charge. */
function mostCharge(range: ActionRange, rules: Rules, band: EnergyBand, socKwh: number): number {
  const most = Math.min(range.highest, (band.maxKwh - socKwh) / rules.chargeEfficiency);
  return most > 0 && most >= range.chargeFrom - ENERGY_TOLERANCE ? most : 0;
}

/** The first steps of a battery below its band: it charges as fast as the rules allow until it reaches the band. */
export function recover(steps: readonly Step[], rules: Rules, band: EnergyBand, socKwh: number): Trajectory {
  const acKwh: number[] = [];
  const socEndKwh: number[] = [];
  let soc = socKwh;
  for (const step of steps) {
    const charge = mostCharge(actionRange(step, rules), rules, band, soc);
    if (soc >= band.minKwh || soc + storedChange(rules, charge) >= band.minKwh) break;
    soc += storedChange(rules, charge);
    acKwh.push(charge);
    socEndKwh.push(soc);
  }
  return { acKwh, socEndKwh };
}

interface StepProblem {
  step: Step;
  rules: Rules;
  band: EnergyBand;
  socKwh: number;
  /** Cost-to-go at the end of the step. */
  next: PiecewiseLinear;
}

/** AC energies at which an optimum can lie: kinks of the cost and of the cost-to-go. */
function candidates({ step, rules, band, socKwh, next }: StepProblem): number[] {
  const range = actionRange(step, rules);
  const aboveBand = socKwh > band.maxKwh;
  const highest = aboveBand ? 0 : mostCharge(range, rules, band, socKwh);
  const found = [0, range.lowest, highest];
  if (range.chargeFrom > 0 && highest > 0) found.push(range.chargeFrom);
  const pieces = costPieces(step, rules, range.lowest, highest);
  for (const piece of pieces) found.push(piece.from);
  const lowKwh = socKwh + storedChange(rules, range.lowest);
  const highKwh = socKwh + storedChange(rules, highest);
  for (const target of breakpoints(next, lowKwh, highKwh)) found.push(acEnergy(rules, target - socKwh));
  return found.filter(
    (ac) =>
      ac >= range.lowest - 1e-12 &&
      ac <= highest + 1e-12 &&
      (ac <= 0 || ac >= range.chargeFrom - ENERGY_TOLERANCE),
  );
}

type Kind = "charge" | "discharge" | "rest";

function kindOf(acKwh: number): Kind {
  return acKwh > ENERGY_TOLERANCE ? "charge" : acKwh < -ENERGY_TOLERANCE ? "discharge" : "rest";
}

/** Order of actions of equal cost: the kind of the last step, then charging or discharging over resting, then more energy. */
function preference(acKwh: number, previous: Kind): number {
  const kind = kindOf(acKwh);
  if (kind === "rest") return 0;
  return (kind === previous ? 2 : 1) + Math.abs(acKwh) / (1 + Math.abs(acKwh));
}

/** Rules and cost-to-go that decide between actions of equal cost. */
export interface TieBreak {
  rules: Rules;
  values: readonly PiecewiseLinear[];
}

interface TrajectoryProblem {
  steps: readonly Step[];
  rules: Rules;
  band: EnergyBand;
  socKwh: number;
  /** Cost-to-go at the start of each step, and at the end. */
  values: readonly PiecewiseLinear[];
  /** Differences of cost that are rounding at this scale count as equal, ct. */
  costScale: number;
  tieBreak: TieBreak | undefined;
}

/**
 * The cheapest trajectory from `socKwh`. Of equally cheap actions it takes the cheapest by `tieBreak`, then one that curtails no PV for
 * the battery's energy, then by `preference`. `costToGoCt` is the search cost of all steps.
 */
export function cheapestTrajectory(problem: TrajectoryProblem): Trajectory & { costToGoCt: number } {
  const { steps, rules, band, socKwh, values, costScale, tieBreak } = problem;
  const acKwh: number[] = [];
  const socEndKwh: number[] = [];
  let costToGoCt = 0;
  let soc = socKwh;
  let previous: Kind = "rest";
  for (const [t, step] of steps.entries()) {
    const next = values[t + 1]!;
    const priced = (ac: number) => {
      const socEnd = snapToBand(soc + storedChange(rules, ac), band, soc);
      return { ac, socEnd, cost: searchCost(step, rules, ac) + evaluate(next, socEnd) };
    };
    const options = candidates({ step, rules, band, socKwh: soc, next }).map(priced);
    const least = options.reduce((min, option) => Math.min(min, option.cost), Infinity);
    if (t === 0) costToGoCt = least;
    const tolerance = 1e-10 * costScale + 4e-15 * Math.abs(least);
    let equals = options.filter(({ cost }) => cost <= least + tolerance);
    if (tieBreak !== undefined && equals.length > 1) {
      const { rules: otherRules, values: otherValues } = tieBreak;
      const otherCosts = equals.map(({ ac }) => {
        const end = Math.max(band.minKwh, snapToBand(soc + storedChange(otherRules, ac), band, soc));
        return searchCost(step, otherRules, ac) + evaluate(otherValues[t + 1]!, end);
      });
      const leastOther = Math.min(...otherCosts);
      equals = equals.filter((_, index) => otherCosts[index]! <= leastOther + tolerance);
    }
    const useful = equals.filter(({ ac }) => !wastes(step, rules, ac));
    if (useful.length > 0) equals = useful;
    let best: (typeof options)[number] | undefined;
    for (const option of equals) {
      if (best === undefined || preference(option.ac, previous) > preference(best.ac, previous))
        best = option;
    }
    // Inside the band resting is always allowed; only a battery that cannot reach its band has no option.
    const chosen = best ?? { ac: 0, socEnd: soc };
    const ac = Math.abs(chosen.ac) <= ENERGY_TOLERANCE ? 0 : chosen.ac;
    soc = ac === 0 ? soc : chosen.socEnd;
    previous = kindOf(ac);
    acKwh.push(ac);
    socEndKwh.push(soc);
  }
  return { acKwh, socEndKwh, costToGoCt };
}

/** Whether the battery gives energy in place of PV that is then curtailed. */
function wastes(step: Step, rules: Rules, acKwh: number): boolean {
  if (acKwh >= 0) return false;
  const curtailedKwh = (ac: number) => flowsOf(step, rules, ac).curtailedKwh;
  return curtailedKwh(acKwh) > curtailedKwh(0) + ENERGY_TOLERANCE;
}

/** Removes rounding at the ends of the band. */
function snapToBand(socKwh: number, band: EnergyBand, before: number): number {
  if (Math.abs(socKwh - band.minKwh) <= ENERGY_TOLERANCE) return band.minKwh;
  if (Math.abs(socKwh - band.maxKwh) <= ENERGY_TOLERANCE) return before <= band.maxKwh ? band.maxKwh : socKwh;
  return socKwh;
}
