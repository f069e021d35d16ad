import type { Problem, StorageUnit } from "./problem.js";
import { NOISE } from "./rules.js";
import { type Schedule, statesOf } from "./schedule.js";
import { type Gap, type OptimizerStatus, type Solved, type SolveOptions, solveProblem } from "./solve.js";

/** Longer problems are solved day by day, each day with an outlook on the rest in coarser steps. */
const MOST_AT_ONCE = 192;
const WINDOW_STEPS = 96;
const OUTLOOK_STEPS = 8;
/** The days that have to be proved for "Optimal". */
const PROVED: readonly Gap[] = [
  { wanted: 0.003, proved: 0.01 },
  { wanted: 0.01, proved: 0.03 },
];
/** Of the days after them. */
const LATER: Gap = { wanted: 0.03, proved: 0.03 };
/** Share of the time left that a day to be proved may take. */
const PROVED_SHARE = 0.6;

/**
 * The schedule of a problem of any length. evcc asks for seven days of quarter-hours, which cannot be solved at once: each day is solved
 * exactly, and what comes after it is an outlook in steps of two hours without the rules on whole states.
 */
export function solveInWindows(problem: Problem, options: SolveOptions): Solved {
  if (problem.steps <= MOST_AT_ONCE) return solveProblem(problem, options);
  const deadline = options.now() + options.limitSeconds * 1000;
  const whole: Schedule = { charge: problem.units.map(() => []), discharge: problem.units.map(() => []) };
  const count = Math.ceil(problem.steps / WINDOW_STEPS);
  let status: OptimizerStatus = "Optimal";
  let states = problem.units.map(({ initial }) => initial);
  for (let index = 0; index < count; index++) {
    const window = windowOf(problem, { from: index * WINDOW_STEPS, states });
    const secondsLeft = Math.max(0.05, (deadline - options.now()) / 1000);
    const isProved = index < PROVED.length;
    const limitSeconds = secondsLeft * (isProved ? PROVED_SHARE : 1 / (count - index));
    const found = solveProblem(window, { ...options, limitSeconds, gap: PROVED[index] ?? LATER });
    if (found.schedule === undefined) return found;
    if (isProved && found.status !== "Optimal") status = "Feasible";
    const { schedule } = found;
    for (const kind of ["charge", "discharge"] as const)
      for (const [i, energies] of whole[kind].entries())
        energies.push(...schedule[kind][i]!.slice(0, window.wholeSteps));
    states = window.units.map((unit, i) =>
      withoutNoise(unit, statesOf(window, schedule, i)[window.wholeSteps - 1]!),
    );
  }
  return { status, schedule: whole };
}

/** The steps of a day from `from` on, then the rest in longer steps, with the units in their states. */
function windowOf(problem: Problem, { from, states }: { from: number; states: readonly number[] }): Problem {
  const groups: [start: number, end: number][] = [];
  const whole = Math.min(problem.steps, from + WINDOW_STEPS);
  for (let t = from; t < problem.steps; ) {
    const end = t < whole ? t + 1 : Math.min(problem.steps, t + OUTLOOK_STEPS);
    groups.push([t, end]);
    t = end;
  }
  const sums = (values: readonly number[]) =>
    groups.map(([start, end]) => values.slice(start, end).reduce((sum, value) => sum + value, 0));
  const means = (values: readonly number[]) =>
    sums(values).map((sum, k) => sum / (groups[k]![1] - groups[k]![0]));
  const highest = (values: readonly number[]) =>
    groups.map(([start, end]) => Math.max(...values.slice(start, end)));
  return {
    ...problem,
    steps: groups.length,
    wholeSteps: whole - from,
    hours: sums(problem.hours),
    surplus: sums(problem.surplus),
    importPrice: means(problem.importPrice),
    exportPrice: means(problem.exportPrice),
    importLimit: problem.importLimit && sums(problem.importLimit),
    exportLimit: problem.exportLimit && sums(problem.exportLimit),
    units: problem.units.map((unit, i) => ({
      ...unit,
      initial: states[i]!,
      leastCharge: sums(unit.leastCharge),
      mostCharge: sums(unit.mostCharge),
      mostDischarge: sums(unit.mostDischarge),
      goal: highest(unit.goal),
      demand: sums(unit.demand),
    })),
  };
}

/** A state that is at a bound but for the noise of sums is exactly there. */
function withoutNoise({ softMin, softMax, capacity }: StorageUnit, state: number): number {
  return [softMin, softMax, capacity, 0].find((mark) => Math.abs(state - mark) < NOISE) ?? state;
}
