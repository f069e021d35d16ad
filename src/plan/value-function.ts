import {
  type ConvexRun,
  convexRuns,
  convolve,
  emptyFunction,
  join,
  lowerEnvelope,
  type PiecewiseLinear,
  restrict,
  restrictRun,
} from "./piecewise-linear.js";
import { actionRange, costPieces, type Rules, type Step, searchCost } from "./step.js";

/** Where the stored energy may be, kWh. */
export interface Band {
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
  let best: PiecewiseLinear | undefined;
  for (const following of convexRuns(next)) {
    for (const cost of costs) {
      const way = restrictRun(convolve(following, cost), low, high);
      if (way.from.length === 0 && way.points.length === 0) continue;
      best = best === undefined ? way : lowerEnvelope(best, way);
    }
  }
  return best ?? emptyFunction();
}

/** `V_t(s) = min_a f_t(a) + V_{t+1}(s')` for one step, exactly. */
function valueBefore(step: Step, rules: Rules, band: Band, next: PiecewiseLinear): PiecewiseLinear {
  const range = actionRange(step, rules);
  const discharging = costRuns(step, rules, range.lowest, 0);
  const all =
    range.chargeFrom > 0
      ? [...costRuns(step, rules, range.chargeFrom, range.highest), ...discharging]
      : costRuns(step, rules, range.lowest, range.highest);
  if (band.topKwh <= band.maxKwh) return convolveAll(all, next, band.minKwh, band.maxKwh);
  // Above the band nothing is charged, and a way that starts inside it never leaves it upwards.
  const inside = convolveAll(all, restrict(next, band.minKwh, band.maxKwh), band.minKwh, band.maxKwh);
  const above = convolveAll(discharging, next, band.maxKwh, band.topKwh);
  return join(inside, above);
}

/**
 * Cost-to-go of every step over the stored energy: entry `t` is the least cost from the start of step `t` to the end
 * of the horizon, the last entry the terminal function. Exact, also where a step is not convex (Bellman, with the
 * function in place of a grid).
 */
export function valueFunctions(
  steps: readonly Step[],
  rules: Rules,
  band: Band,
  terminal: PiecewiseLinear,
): PiecewiseLinear[] {
  const values = new Array<PiecewiseLinear>(steps.length + 1);
  values[steps.length] = terminal;
  for (let t = steps.length - 1; t >= 0; t--) {
    values[t] = valueBefore(steps[t]!, rules, band, values[t + 1]!);
  }
  return values;
}
