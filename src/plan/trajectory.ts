import { breakpoints, evaluate, type PiecewiseLinear } from "./piecewise-linear.js";
import { type ActionRange, actionRange, costPieces, type Rules, type Step, searchCost } from "./step.js";
import { acEnergy, type EnergyBand, storedChange } from "./value-function.js";

/** AC energies below this are rounding. */
const ENERGY_TOLERANCE = 1e-10;

/** The AC energy of each step and the stored energy at its end. */
export interface Trajectory {
  acKwh: number[];
  socEndKwh: number[];
}

/**
 * Most AC energy that may be charged from `socKwh` without leaving the band upwards; 0 where the least power does not
 * fit.
 */
function mostCharge(range: ActionRange, rules: Rules, band: EnergyBand, socKwh: number): number {
  const most = Math.min(range.highest, (band.maxKwh - socKwh) / rules.chargeEfficiency);
  return most > 0 && most >= range.chargeFrom - ENERGY_TOLERANCE ? most : 0;
}

/**
 * Steps in which a battery below its band climbs as fast as the rules let it, without yet reaching the band: there is
 * nothing to decide in them.
 */
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

/** AC energies at which an optimum can lie: kinks of the cost and of what follows. */
function candidates(
  step: Step,
  rules: Rules,
  range: ActionRange,
  band: EnergyBand,
  socKwh: number,
  next: PiecewiseLinear,
): number[] {
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

/**
 * Order among actions of equal cost: go on with what the last step did, else act now rather than later, then the
 * larger energy (the shorter run).
 */
function preference(acKwh: number, previous: Kind): number {
  const kind = kindOf(acKwh);
  if (kind === "rest") return 0;
  return (kind === previous ? 2 : 1) + Math.abs(acKwh) / (1 + Math.abs(acKwh));
}

/** A plan that stands as long as a better one gains no more than the tolerance. */
export interface PreviousActions {
  /** Its AC energy in step `t` from `socKwh`, within the rules; undefined where it has nothing to say. */
  choose(t: number, socKwh: number): number | undefined;
  /** Steps of its next two days: what is kept of it where all of it may not be. */
  nearSteps: number;
  toleranceCt: number;
}

/**
 * The way of an incumbent, as far as it may be kept: all of it, else its next two days, else its next step. Empty where
 * even that would cost more than its tolerance against the cheapest way.
 */
export function followPrevious(
  steps: readonly Step[],
  rules: Rules,
  band: EnergyBand,
  socKwh: number,
  values: readonly PiecewiseLinear[],
  incumbent: PreviousActions,
): Trajectory {
  const acKwh: number[] = [];
  const socEndKwh: number[] = [];
  const costCt: number[] = [];
  let soc = socKwh;
  for (const [t, step] of steps.entries()) {
    const ac = incumbent.choose(t, soc);
    if (ac === undefined) break;
    soc = ac === 0 ? soc : settle(soc + storedChange(rules, ac), band, soc);
    acKwh.push(ac);
    socEndKwh.push(soc);
    costCt.push((costCt.at(-1) ?? 0) + searchCost(step, rules, ac));
  }
  const most = evaluate(values[0]!, socKwh) + incumbent.toleranceCt;
  const lengths = [acKwh.length, Math.min(acKwh.length, incumbent.nearSteps), 1];
  const kept = lengths.find(
    (count) =>
      count > 0 &&
      count <= acKwh.length &&
      costCt[count - 1]! + evaluate(values[count]!, socEndKwh[count - 1]!) <= most,
  );
  return { acKwh: acKwh.slice(0, kept ?? 0), socEndKwh: socEndKwh.slice(0, kept ?? 0) };
}

/** Another reckoning of the same steps, asked only which of two equally cheap actions to take. */
export interface TieBreak {
  rules: Rules;
  values: readonly PiecewiseLinear[];
}

/**
 * The cheapest way through the steps from `socKwh`, read off the value functions (`values[t]`: cost-to-go at the
 * start of step `t`). `costScale` (ct) sets below which difference two ways count as equally cheap; of those the
 * cheapest by `tieBreak`, then the preferred. `costToGoCt` is the search cost of the whole way, as the first step sees it.
 */
export function follow(
  steps: readonly Step[],
  rules: Rules,
  band: EnergyBand,
  socKwh: number,
  values: readonly PiecewiseLinear[],
  costScale: number,
  tieBreak?: TieBreak,
): Trajectory & { costToGoCt: number } {
  const acKwh: number[] = [];
  const socEndKwh: number[] = [];
  let costToGoCt = 0;
  let soc = socKwh;
  let previous: Kind = "rest";
  for (const [t, step] of steps.entries()) {
    const next = values[t + 1]!;
    const priced = (ac: number) => {
      const socEnd = settle(soc + storedChange(rules, ac), band, soc);
      return { ac, socEnd, cost: searchCost(step, rules, ac) + evaluate(next, socEnd) };
    };
    const options = candidates(step, rules, actionRange(step, rules), band, soc, next).map(priced);
    const least = options.reduce((min, option) => Math.min(min, option.cost), Infinity);
    if (t === 0) costToGoCt = least;
    const tolerance = 1e-10 * costScale + 4e-15 * Math.abs(least);
    let equals = options.filter(({ cost }) => cost <= least + tolerance);
    if (tieBreak !== undefined && equals.length > 1) {
      const { rules: otherRules, values: otherValues } = tieBreak;
      const otherCosts = equals.map(({ ac }) => {
        const end = Math.max(band.minKwh, settle(soc + storedChange(otherRules, ac), band, soc));
        return searchCost(step, otherRules, ac) + evaluate(otherValues[t + 1]!, end);
      });
      const leastOther = Math.min(...otherCosts);
      equals = equals.filter((_, index) => otherCosts[index]! <= leastOther + tolerance);
    }
    let best: (typeof options)[number] | undefined;
    for (const option of equals) {
      if (best === undefined || preference(option.ac, previous) > preference(best.ac, previous))
        best = option;
    }
    // Resting is always allowed inside the band, so only a battery that cannot reach its band ends here.
    const chosen = best ?? { ac: 0, socEnd: soc };
    const ac = Math.abs(chosen.ac) <= ENERGY_TOLERANCE ? 0 : chosen.ac;
    soc = ac === 0 ? soc : chosen.socEnd;
    previous = kindOf(ac);
    acKwh.push(ac);
    socEndKwh.push(soc);
  }
  return { acKwh, socEndKwh, costToGoCt };
}

/** Puts a stored energy that misses an end of the band by rounding on that end. */
function settle(socKwh: number, band: EnergyBand, before: number): number {
  if (Math.abs(socKwh - band.minKwh) <= ENERGY_TOLERANCE) return band.minKwh;
  if (Math.abs(socKwh - band.maxKwh) <= ENERGY_TOLERANCE) return before <= band.maxKwh ? band.maxKwh : socKwh;
  return socKwh;
}
