import {
  type ConvexRun,
  convexRuns,
  convolve,
  emptyFunction,
  join,
  leastOf,
  type PiecewiseLinear,
  restrict,
  restrictRun,
} from "./piecewise-linear.js";
import { actionRange, costPieces, type Rules, type Step, searchCost } from "./step.js";

/** Where the stored energy may be, kWh. */
export interface EnergyBand {
  minKwh: number;
  maxKwh: number;
  /** The upper end of what is looked at: maxKwh, or the start where that lies above. */
  topKwh: number;
}

/** Change of stored energy that an AC energy brings (positive: charging). */
export function storedChange(rules: Rules, acKwh: number): number {
  return acKwh > 0 ? acKwh * rules.chargeEfficiency : acKwh / rules.dischargeEfficiency;
}

/** AC energy that a change of stored energy takes. */
export function acEnergy(rules: Rules, storedKwh: number): number {
  return storedKwh > 0 ? storedKwh / rules.chargeEfficiency : storedKwh * rules.dischargeEfficiency;
}

/**
 * A step's cost over the energy taken out of the store (`u`, positive: discharging) as convex runs, ascending in `u`.
 * `low` and `high` are AC energies; an empty or single-point range gives one run without width.
 */
function costRuns(step: Step, rules: Rules, low: number, high: number): ConvexRun[] {
  const runs: ConvexRun[] = [];
  let run: ConvexRun = {
    x: -storedChange(rules, high),
    y: searchCost(step, rules, high),
    widths: [],
    slopes: [],
  };
  runs.push(run);
  for (const piece of costPieces(step, rules, low, high).reverse()) {
    const width = storedChange(rules, piece.to) - storedChange(rules, piece.from);
    const slope =
      piece.from >= 0 ? -piece.slope / rules.chargeEfficiency : -piece.slope * rules.dischargeEfficiency;
    if (slope < (run.slopes.at(-1) ?? -Infinity)) {
      run = {
        x: -storedChange(rules, piece.to),
        y: searchCost(step, rules, piece.to),
        widths: [],
        slopes: [],
      };
      runs.push(run);
    }
    run.widths.push(width);
    run.slopes.push(slope);
  }
  return runs;
}

/** Least of all ways through the step: every convex run of the cost with every one of what follows. */
function convolveAll(costs: ConvexRun[], next: PiecewiseLinear, low: number, high: number): PiecewiseLinear {
  const ways: PiecewiseLinear[] = [];
  for (const following of convexRuns(next)) {
    for (const cost of costs) {
      const way = restrictRun(convolve(following, cost), low, high);
      if (way.from.length > 0 || way.points.length > 0) ways.push(way);
    }
  }
  return leastOf(ways);
}

/** Where the stored energy can be at the start of a step, kWh. */
interface Reach {
  low: number;
  high: number;
}

/** The worth around a state is looked at too (its slopes explain the plan), so a little more than what is reached counts. */
const REACH_MARGIN_KWH = 1e-3;

/**
 * What can be stored at the start of each step, coming from `startKwh`. Elsewhere nobody asks for the cost-to-go, and in
 * a store that takes weeks to fill it would have kinks without number.
 */
function reaches(steps: readonly Step[], rules: Rules, band: EnergyBand, startKwh: number): Reach[] {
  const from = Math.max(startKwh, band.minKwh);
  let reach = { low: from - REACH_MARGIN_KWH, high: from + REACH_MARGIN_KWH };
  return steps.map((step) => {
    const here = reach;
    const { lowest, highest } = actionRange(step, rules);
    // Upwards as if nothing were lost: a tie-break asks with other losses.
    reach = { low: here.low + storedChange(rules, lowest), high: here.high + highest };
    return here;
  });
}

/** `V_t(s) = min_a f_t(a) + V_{t+1}(s')` for one step, exactly, where the store can be. */
function valueBefore(
  step: Step,
  rules: Rules,
  band: EnergyBand,
  reach: Reach,
  next: PiecewiseLinear,
): PiecewiseLinear {
  const range = actionRange(step, rules);
  const discharging = costRuns(step, rules, range.lowest, 0);
  const all =
    range.chargeFrom > 0
      ? [...costRuns(step, rules, range.chargeFrom, range.highest), ...discharging]
      : costRuns(step, rules, range.lowest, range.highest);
  const least = (costs: ConvexRun[], following: PiecewiseLinear, low: number, high: number) => {
    const from = Math.max(low, reach.low);
    const to = Math.min(high, reach.high);
    return from > to ? emptyFunction() : convolveAll(costs, following, from, to);
  };
  if (band.topKwh <= band.maxKwh) return least(all, next, band.minKwh, band.maxKwh);
  // Above the band nothing is charged, and a way that starts inside it never leaves it upwards.
  const inside = least(all, restrict(next, band.minKwh, band.maxKwh), band.minKwh, band.maxKwh);
  const above = least(discharging, next, band.maxKwh, band.topKwh);
  return join(inside, above);
}

/**
 * Cost-to-go of every step over the energy that can be stored then, coming from `startKwh`: entry `t` is the least cost
 * from the start of step `t` to the end of the horizon, the last entry the terminal function. Exact, also where a step
 * is not convex (Bellman, with the function in place of a grid).
 */
export function valueFunctions(
  steps: readonly Step[],
  rules: Rules,
  band: EnergyBand,
  startKwh: number,
  terminal: PiecewiseLinear,
): PiecewiseLinear[] {
  const reach = reaches(steps, rules, band, startKwh);
  const values = new Array<PiecewiseLinear>(steps.length + 1);
  values[steps.length] = terminal;
  for (let t = steps.length - 1; t >= 0; t--) {
    values[t] = valueBefore(steps[t]!, rules, band, reach[t]!, values[t + 1]!);
  }
  return values;
}
