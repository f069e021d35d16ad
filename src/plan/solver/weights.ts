import type { Problem } from "./problem.js";

/** Penalties of the objective, multiples of `Problem.penalty` per kWh. */
export const PENALTY = { bounds: 1000, goal: 100, demand: 100, importLimit: 100, lostExport: 100 };

/** Costs per kWh of the preferences among schedules of equal money and penalties; times the steps left where `perStep`. */
export interface TieWeights {
  exportPerStep: number;
  importPerStep: number;
  priorityPerStep: number;
  /** Per kW of the highest import and export. */
  importPeak: number;
  exportPeak: number;
}

/** Weights of the objective by preference, relative to the lowest import price; the peak relative to the penalty, per kW. */
const WEIGHT = { export: 2e-5, import: 5e-6, priority: 5e-5, peak: 1e-3 };
/** Lower bound of the lowest price, so that prices of 0 or less do not void or reverse preferences; share of the penalty. */
const LEAST_PRICE = 0.02;

/** The weights of a problem, scaled so that they are about 1 per kWh. */
export function tieWeights(problem: Problem): TieWeights {
  const lowest = Math.max(
    problem.importPrice.reduce((low, price) => Math.min(low, price), Number.POSITIVE_INFINITY),
    LEAST_PRICE * problem.penalty,
  );
  const scale = 1 / (WEIGHT.priority * lowest * problem.steps);
  const count = problem.units.length;
  const peak = WEIGHT.peak * problem.penalty * scale;
  return {
    exportPerStep: problem.exportsLate ? count * lowest * WEIGHT.export * scale : 0,
    importPerStep: problem.importsLate ? count * lowest * WEIGHT.import * scale : 0,
    priorityPerStep: lowest * WEIGHT.priority * scale,
    importPeak: problem.flattensImport ? peak : 0,
    exportPeak: problem.flattensExport ? peak : 0,
  };
}
