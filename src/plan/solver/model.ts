import { addGrid, mostFlows } from "./grid-columns.js";
import { LinearModel } from "./linear-model.js";
import type { Problem } from "./problem.js";
import { netExportsOf, type Schedule, statesOf } from "./schedule.js";
import { addUnit, type UnitColumns } from "./unit-columns.js";
import { tieWeights } from "./weights.js";

/** A model and the columns of its decisions, by unit. */
export interface OptimizerModel {
  model: LinearModel;
  units: readonly UnitColumns[];
}

/**
 * The mixed-integer model of a problem, with `start` as its starting values. Binaries exist only where the costs do not
 * enforce a rule; `allModes` adds those that exclude charging and discharging at once to all units and steps.
 */
export function buildModel(problem: Problem, start: Schedule, { allModes = false } = {}): OptimizerModel {
  const model = new LinearModel();
  const ties = tieWeights(problem);
  const grid = addGrid(model, { problem, ties, netExports: netExportsOf(problem, start) });
  const { importPrice, exportPrice, exportLimit } = problem;
  const mayLoseExport = exportLimit?.some((limit, t) => mostFlows(problem, t).exported > limit) ?? false;
  const units = problem.units.map((unit, i) =>
    addUnit(model, {
      problem,
      unit,
      grid,
      ties,
      start: {
        charge: start.charge[i]!,
        discharge: start.discharge[i]!,
        states: statesOf(problem, start, i),
      },
      needsMode: (t) =>
        allModes ||
        mayLoseExport ||
        unit.initial > unit.softMax ||
        unit.demand[t]! > 0 ||
        importPrice[t]! < 0 ||
        exportPrice[t]! < 0,
    }),
  );
  grid.forEach(({ imported, exported, side }, t) => {
    const balance = -problem.surplus[t]!;
    const flows: [number, number][] = [
      [imported, 1],
      [exported, -1],
    ];
    for (const { charge, discharge } of units) {
      if (charge[t] !== undefined) flows.push([charge[t], -1]);
      if (discharge[t] !== undefined) flows.push([discharge[t], 1]);
    }
    model.row(balance, balance, flows);
    if (side !== undefined) addSideCut(model, problem, { t, imported, side, units });
  });
  return { model, units };
}

/**
 * On the import side only units that may charge from the grid take up import, surplus and discharge. The other rows imply it for
 * whole numbers; it tightens the relaxation, in which a part of the step could be on each side.
 */
function addSideCut(
  model: LinearModel,
  problem: Problem,
  { t, imported, side, units }: { t: number; imported: number; side: number; units: readonly UnitColumns[] },
): void {
  const surplus = problem.surplus[t]!;
  const flows: [number, number][] = [
    [imported, 1],
    [side, -surplus],
  ];
  units.forEach(({ charge, discharge }, i) => {
    const { fromGrid, toGrid } = problem.units[i]!;
    if (fromGrid && charge[t] !== undefined) flows.push([charge[t], -1]);
    if (!toGrid && discharge[t] !== undefined) flows.push([discharge[t], 1]);
  });
  model.atMost(-surplus, flows);
}
