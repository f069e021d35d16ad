import type { Highs, Model, ModelData } from "highs";
import type { LinearModel } from "./linear-model.js";
import { buildModel, type OptimizerModel } from "./model.js";
import type { Problem } from "./problem.js";
import { solveRelaxation } from "./relaxation.js";
import { cleanSchedule, isExclusive } from "./rules.js";
import { type Schedule, simpleSchedule } from "./schedule.js";
import type { UnitColumns } from "./unit-columns.js";

/** Optimal: proved within the gap. */
export type OptimizerStatus = "Optimal" | "Feasible" | "Infeasible" | "Not Solved";

export interface Solved {
  status: OptimizerStatus;
  /** Undefined without a schedule. */
  schedule: Schedule | undefined;
}

export interface SolveOptions {
  highs: Highs;
  /** Wall-clock time, ms. */
  now: () => number;
  limitSeconds: number;
  /** Default: `EXACT`. */
  gap?: Gap;
}

/** How far money and penalties may be from the optimum, currency. */
export interface Gap {
  /** At which the search stops. */
  wanted: number;
  /** That is "Optimal". */
  proved: number;
}

/** The reference service of evcc accepts the same. */
const EXACT: Gap = { wanted: 5e-5, proved: 0.01 };
/** Share of the time limit after which the search for money and penalties ends. */
const MONEY_SHARE = 0.75;
/** Time for preferences that need binaries to change, s. */
const TIES_SECONDS = 0.7;
/** How much money and penalties may change while binaries change for preferences, in units of money. */
const KEPT_MONEY = 1e-6;
/** Dual values below this are noise of the solver. */
const DUAL_NOISE = 1e-7;

/**
 * The best schedule of a problem: money and penalties first, then the preferences among schedules of equal money. Returns the
 * best known when the time is over.
 */
export function solveProblem(problem: Problem, options: SolveOptions): Solved {
  const deadline = options.now() + options.limitSeconds * 1000;
  const simple = simpleSchedule(problem);
  const start = simple ?? { charge: zeros(problem), discharge: zeros(problem) };
  for (const allModes of [false, true]) {
    const built = buildModel(problem, start, { allModes });
    const found = solveModel(built, { ...options, problem, deadline, hasStart: simple !== undefined });
    if (found.values === undefined) {
      if (found.status === "Infeasible") return { status: "Infeasible", schedule: undefined };
      return { status: simple === undefined ? "Not Solved" : "Feasible", schedule: simple };
    }
    const schedule = cleanSchedule(problem, scheduleOf(built.units, found.values));
    if (isExclusive(problem, schedule)) return { status: found.status, schedule };
  }
  return { status: "Feasible", schedule: simple };
}

/** Heuristics that solve smaller models cost more time here than they save: few binaries are fractional. */
const SEARCH = {
  output_flag: false,
  mip_heuristic_run_rins: false,
  mip_heuristic_run_rens: false,
  mip_heuristic_run_root_reduced_cost: false,
  mip_allow_restart: false,
};

interface Search extends SolveOptions {
  problem: Problem;
  deadline: number;
  hasStart: boolean;
}

interface Found {
  status: OptimizerStatus;
  values: Float64Array | undefined;
}

function solveModel({ model }: OptimizerModel, search: Search): Found {
  const { highs, now, deadline } = search;
  const secondsLeft = () => Math.max(0.05, (deadline - now()) / 1000);
  const isInteger = model.integers.length > 0;
  const money = solveMoney(model, { ...search, secondsLeft });
  if (money.values === undefined) return money;
  const best = withTies(model, { highs, values: money.values, secondsLeft });
  if (!isInteger || !hasTies(model)) return { ...money, values: best };
  const seconds = Math.min(secondsLeft() / 2, TIES_SECONDS);
  const other = searchTies(model, { highs, values: best, seconds });
  if (other === undefined) return { ...money, values: best };
  return { ...money, values: withTies(model, { highs, values: other, secondsLeft }) };
}

/** Money and penalties: the relaxation, and a search if its rounded solution is not good enough. */
function solveMoney(
  model: LinearModel,
  { highs, problem, hasStart, secondsLeft, gap = EXACT }: Search & { secondsLeft: () => number },
): Found {
  const { integrality, ...data } = dataOf(model);
  const relaxed = solveRelaxation(model, { highs, data, secondsLeft });
  if (relaxed.outcome === "infeasible") return { status: "Infeasible", values: undefined };
  const wantedGap = Math.max(gap.wanted / problem.unit, 1e-4);
  const rounded = relaxed.outcome === "bounded" ? relaxed.rounded : undefined;
  if (relaxed.outcome === "bounded" && rounded !== undefined && rounded.cost - relaxed.bound <= wantedGap)
    return { status: "Optimal", values: rounded.values };
  if (integrality === undefined) return { status: "Not Solved", values: undefined };
  return highs.withModel({ ...data, integrality }, (solver) => {
    solver.options.set({
      ...SEARCH,
      mip_rel_gap: 0,
      mip_abs_gap: wantedGap,
      time_limit: secondsLeft() * MONEY_SHARE,
    });
    if (rounded !== undefined) solver.setSolution({ colValue: rounded.values });
    else if (hasStart) solver.setSolution({ colValue: model.start });
    solver.run();
    return resultOf(highs, solver, gap.proved / problem.unit);
  });
}

/** The model for HiGHS, with money and penalties as its objective. */
function dataOf(model: LinearModel) {
  const integrality = new Int32Array(model.lower.length);
  for (const column of model.integers) integrality[column] = 1;
  return {
    ...model.relaxation,
    ...(model.integers.length > 0 && { integrality }),
  } satisfies ModelData;
}

function resultOf(highs: Highs, solver: Model, provedGap: number): Found {
  const { modelStatus } = highs.constants;
  const status = solver.getModelStatus();
  if (status === modelStatus.infeasible || status === modelStatus.unboundedOrInfeasible)
    return { status: "Infeasible", values: undefined };
  if (!isFeasible(highs, solver)) return { status: "Not Solved", values: undefined };
  const gap = solver.getObjectiveValue() - Number(solver.info.get("mip_dual_bound"));
  const isProved = status === modelStatus.optimal || gap <= provedGap;
  return { status: isProved ? "Optimal" : "Feasible", values: solver.getSolution().colValue };
}

function isFeasible(highs: Highs, solver: Model): boolean {
  return solver.info.get("primal_solution_status") === highs.constants.solutionStatus.feasible;
}

function hasTies({ tie }: LinearModel): boolean {
  return tie.some((weight) => weight !== 0);
}

interface Values {
  highs: Highs;
  values: Float64Array;
}

/**
 * The best values with the binaries of `values`: money and penalties first, then the preferences on the face of the optimum,
 * which the dual values describe (complementary slackness), so that no money is given up for them.
 */
function withTies(
  model: LinearModel,
  { highs, values, secondsLeft }: Values & { secondsLeft: () => number },
): Float64Array {
  const colLower = Float64Array.from(model.lower);
  const colUpper = Float64Array.from(model.upper);
  for (const column of model.integers) colLower[column] = colUpper[column] = Math.round(values[column]!);
  return highs.withModel({ ...model.relaxation, colLower, colUpper }, (solver) => {
    solver.options.set({ output_flag: false, time_limit: secondsLeft() });
    solver.run();
    if (solver.getModelStatus() !== highs.constants.modelStatus.optimal) return values;
    const money = solver.getSolution();
    if (!hasTies(model)) return money.colValue;
    money.colDual.forEach((dual, column) => {
      if (Math.abs(dual) > DUAL_NOISE)
        solver.changeColBounds(column, money.colValue[column]!, money.colValue[column]!);
    });
    money.rowDual.forEach((dual, row) => {
      if (Math.abs(dual) > DUAL_NOISE)
        solver.changeRowBounds(row, money.rowValue[row]!, money.rowValue[row]!);
    });
    solver.changeColsCost({ kind: "range", from: 0, to: model.tie.length - 1 }, model.tie);
    solver.zeroAllClocks();
    solver.options.set("time_limit", secondsLeft());
    solver.run();
    return isFeasible(highs, solver) ? solver.getSolution().colValue : money.colValue;
  });
}

/** Values with other binaries that are better for the preferences at the same money and penalties. */
function searchTies(
  model: LinearModel,
  { highs, values, seconds }: Values & { seconds: number },
): Float64Array | undefined {
  return highs.withModel({ ...dataOf(model), colCost: model.tie }, (solver) => {
    solver.options.set({ ...SEARCH, mip_rel_gap: 1e-3, mip_abs_gap: 1e-3, time_limit: seconds });
    const indices = model.cost.flatMap((cost, column) => (cost === 0 ? [] : [column]));
    const costs = indices.map((column) => model.cost[column]!);
    const money = indices.reduce((sum, column, k) => sum + costs[k]! * values[column]!, 0);
    solver.addRow(Number.NEGATIVE_INFINITY, money + KEPT_MONEY, { indices, values: costs });
    solver.setSolution({ colValue: values });
    solver.run();
    return isFeasible(highs, solver) ? solver.getSolution().colValue : undefined;
  });
}

function scheduleOf(units: readonly UnitColumns[], values: Float64Array): Schedule {
  const energies = (columns: readonly (number | undefined)[]) =>
    columns.map((column) => (column === undefined ? 0 : values[column]!));
  return {
    charge: units.map(({ charge }) => energies(charge)),
    discharge: units.map(({ discharge }) => energies(discharge)),
  };
}

function zeros({ units, steps }: Problem): number[][] {
  return units.map(() => new Array<number>(steps).fill(0));
}
