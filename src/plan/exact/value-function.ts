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

/** Range of the stored energy, kWh. */
export interface EnergyBand {
  minKwh: number;
  maxKwh: number;
  /** Upper end of the value functions: maxKwh, or a higher start. */
  topKwh: number;
}

/** Change of the stored energy by an AC energy (positive: charging). */
export function storedChange(rules: Rules, acKwh: number): number {
  return acKwh > 0 ? acKwh * rules.chargeEfficiency : acKwh / rules.dischargeEfficiency;
}

/** AC energy of a change of the stored energy. */
export function acEnergy(rules: Rules, storedKwh: number): number {
  return storedKwh > 0 ? storedKwh / rules.chargeEfficiency : storedKwh * rules.dischargeEfficiency;
}

/**
 * A step's cost over the energy taken from the battery (`u`, positive: discharging) as convex runs, ascending in `u`.
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

/** Infimal convolution of the step's cost with the cost-to-go: the least over all pairs of convex runs. */
function convolveAll(costs: ConvexRun[], next: PiecewiseLinear, low: number, high: number): PiecewiseLinear {
  const options: PiecewiseLinear[] = [];
  for (const following of convexRuns(next)) {
    for (const cost of costs) {
      const option = restrictRun(convolve(following, cost), low, high);
      if (option.from.length > 0 || option.points.length > 0) options.push(option);
    }
  }
  return leastOf(options);
}

/** Reachable stored energy at the start of a step, kWh. */
interface Reach {
  low: number;
  high: number;
}

/** Added to the reachable range, because the slopes around a state explain the plan. */
const REACH_MARGIN_KWH = 1e-3;

/**
 * Reachable stored energy at the start of each step from `startKwh`. The cost-to-go is computed there only: over a
 * battery that takes weeks to fill it would have too many kinks.
 */
function reachableRanges(steps: readonly Step[], rules: Rules, band: EnergyBand, startKwh: number): Reach[] {
  const from = Math.max(startKwh, band.minKwh);
  let reach = { low: from - REACH_MARGIN_KWH, high: from + REACH_MARGIN_KWH };
  return steps.map((step) => {
    const here = reach;
    const { lowest, highest } = actionRange(step, rules);
    // Without charging losses, because a tie-break uses other losses.
    reach = { low: here.low + storedChange(rules, lowest), high: here.high + highest };
    return here;
  });
}

/** `V_t(s) = min_a f_t(a) + V_{t+1}(s')` for one step, exactly, over the reachable range. */
function valueBefore(
  step: Step,
  { rules, band }: Pick<ValueProblem, "rules" | "band">,
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
  // Above the band nothing is charged, and a trajectory that starts inside the band never exceeds it.
  const inside = least(all, restrict(next, band.minKwh, band.maxKwh), band.minKwh, band.maxKwh);
  const above = least(discharging, next, band.maxKwh, band.topKwh);
  return join(inside, above);
}

interface ValueProblem {
  steps: readonly Step[];
  rules: Rules;
  band: EnergyBand;
  startKwh: number;
  terminal: PiecewiseLinear;
}

/**
 * Cost-to-go of every step over the stored energy reachable from `startKwh`: entry `t` is the least cost from the start of
 * step `t` to the end of the horizon, the last entry the terminal function. Exact, also for non-convex steps (Bellman's
 * recursion on piecewise-linear functions instead of a grid).
 */
export function valueFunctions({ steps, rules, band, startKwh, terminal }: ValueProblem): PiecewiseLinear[] {
  const reach = reachableRanges(steps, rules, band, startKwh);
  const values = new Array<PiecewiseLinear>(steps.length + 1);
  values[steps.length] = terminal;
  for (let t = steps.length - 1; t >= 0; t--) {
    values[t] = valueBefore(steps[t]!, { rules, band }, reach[t]!, values[t + 1]!);
  }
  return values;
}
