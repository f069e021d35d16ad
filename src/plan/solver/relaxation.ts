import type { Highs, Model } from "highs";
import type { LinearModel } from "./linear-model.js";

/** A solution with whole numbers in its binaries, and its money and penalties. */
export interface WholeSolution {
  cost: number;
  values: Float64Array;
}

export type Relaxation =
  | { outcome: "infeasible" | "unknown" }
  /** No solution costs less than `bound`; `rounded` is undefined if rounding led to no solution. */
  | { outcome: "bounded"; bound: number; rounded: WholeSolution | undefined };

/**
 * Solves the model without whole numbers, rounds the binaries of its solution and solves the rest again. The result is often
 * optimal, and otherwise a good start for the search.
 */
export function solveRelaxation(
  model: LinearModel,
  {
    highs,
    data,
    secondsLeft,
  }: { highs: Highs; data: Parameters<Highs["createModel"]>[0]; secondsLeft: () => number },
): Relaxation {
  const { modelStatus } = highs.constants;
  return highs.withModel(data!, (solver): Relaxation => {
    const run = () => {
      solver.zeroAllClocks();
      solver.options.set({ output_flag: false, time_limit: secondsLeft() });
      solver.run();
      return solver.getModelStatus();
    };
    const status = run();
    if (status === modelStatus.infeasible || status === modelStatus.unboundedOrInfeasible)
      return { outcome: "infeasible" };
    if (status !== modelStatus.optimal) return { outcome: "unknown" };
    const bound = solver.getObjectiveValue();
    for (const binaries of [model.binaries.filter(({ isFirst }) => isFirst), model.binaries]) {
      if (binaries.length === 0) continue;
      fix(solver, binaries);
      if (run() !== modelStatus.optimal) return { outcome: "bounded", bound, rounded: undefined };
    }
    const rounded = { cost: solver.getObjectiveValue(), values: solver.getSolution().colValue };
    return { outcome: "bounded", bound, rounded };
  });
}

function fix(solver: Model, binaries: LinearModel["binaries"]): void {
  const values = solver.getSolution().colValue;
  const fixed = binaries.map(({ round }) => (round(values) ? 1 : 0));
  solver.changeColsBounds({ kind: "set", indices: binaries.map(({ column }) => column) }, fixed, fixed);
}
