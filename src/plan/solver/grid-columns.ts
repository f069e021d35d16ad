import { sumOfAll } from "../../core/numbers.js";
import type { LinearModel } from "./linear-model.js";
import type { Problem } from "./problem.js";
import { NOISE } from "./rules.js";
import { PENALTY, type TieWeights } from "./weights.js";

/** The grid in one step. */
export interface GridStep {
  /** Columns of import and export, kWh. */
  imported: number;
  exported: number;
  /** Binary: 1 on the export side, 0 on the import side; undefined where no rule needs it. */
  side: number | undefined;
  /** Whether the step can be on that side. */
  mayExport: boolean;
  mayImport: boolean;
}

interface Columns {
  problem: Problem;
  ties: TieWeights;
  /** Energy into the grid in the starting schedule by step, kWh. */
  netExports: readonly number[];
}

/** Adds import, export, their limits, and the exclusion of both in a step. */
export function addGrid(model: LinearModel, columns: Columns): GridStep[] {
  const { problem, ties, netExports } = columns;
  const { hours, importLimit, peakPrice } = problem;
  const highest = (energies: readonly number[]) =>
    energies.reduce((most, energy, t) => Math.max(most, energy / hours[t]!), 0);
  const peakOf = (costs: { cost?: number; tie?: number }, energies: readonly number[]) =>
    model.column({ ...costs, upper: Number.POSITIVE_INFINITY, start: highest(energies) });
  const imports = netExports.map((net) => Math.max(0, -net));
  const exports = netExports.map((net) => Math.max(0, net));
  const demandPeak =
    importLimit === undefined || peakPrice === undefined
      ? undefined
      : peakOf(
          { cost: peakPrice },
          imports.map((energy, t) => Math.max(0, energy - importLimit[t]!)),
        );
  const importPeak = ties.importPeak > 0 ? peakOf({ tie: ties.importPeak }, imports) : undefined;
  const exportPeak = ties.exportPeak > 0 ? peakOf({ tie: ties.exportPeak }, exports) : undefined;
  return hours.map((length, t) => {
    model.isRelaxed = t >= problem.wholeSteps;
    const step = addStep(model, columns, t);
    const below = (peak: number | undefined, column: number) => {
      if (peak !== undefined)
        model.atMost(0, [
          [column, 1],
          [peak, -length],
        ]);
    };
    below(importPeak, step.imported);
    below(exportPeak, step.exported);
    if (step.excess !== undefined) below(demandPeak, step.excess);
    return step;
  });
}

/** Adds the columns of a step; `excess` is the import beyond the limit. */
function addStep(model: LinearModel, { problem, ties, netExports }: Columns, t: number) {
  const { penalty, steps, importLimit, exportLimit, peakPrice } = problem;
  const net = netExports[t]!;
  const most = mostFlows(problem, t);
  const tieImport = ties.importPerStep * (steps - t);
  const tieExport = ties.exportPerStep * (steps - t);
  const sides = sidesOf(problem, t, most);
  const mostImport = sides.mayImport ? most.imported : 0;
  const mostExport = sides.mayExport ? most.exported : 0;
  const importPrice = problem.importPrice[t]!;
  const exportPrice = problem.exportPrice[t]!;
  const imported = model.column({
    upper: mostImport,
    cost: importPrice,
    tie: tieImport,
    start: Math.max(0, -net),
  });
  const exported = model.column({
    upper: mostExport,
    cost: -exportPrice,
    tie: tieExport,
    start: Math.max(0, net),
  });
  let excess: number | undefined;
  const importRoom = importLimit?.[t] ?? Number.POSITIVE_INFINITY;
  if (mostImport > importRoom) {
    excess = model.column({
      upper: mostImport - importRoom,
      cost: peakPrice === undefined ? PENALTY.importLimit * penalty : 0,
      tie: -tieImport,
      start: Math.max(0, -net - importRoom),
    });
    model.atMost(importRoom, [
      [imported, 1],
      [excess, -1],
    ]);
  }
  const exportRoom = exportLimit?.[t] ?? Number.POSITIVE_INFINITY;
  if (mostExport > exportRoom) {
    const lost = model.column({
      upper: mostExport - exportRoom,
      // Never negative, so that nothing is lost below the limit.
      cost: Math.max(0, exportPrice + PENALTY.lostExport * penalty * (1 - t * 1e-5)),
      tie: -tieExport,
      start: Math.max(0, net - exportRoom),
    });
    model.atMost(exportRoom, [
      [exported, 1],
      [lost, -1],
    ]);
  }
  let side: number | undefined;
  if (sides.isOpen) {
    side = model.binary(net >= 0, {
      round: (values) => {
        const flow = values[exported]! - values[imported]!;
        return Math.abs(flow) < NOISE ? values[side!]! >= 0.5 : flow > 0;
      },
    });
    model.atMost(mostImport, [
      [imported, 1],
      [side, mostImport],
    ]);
    model.atMost(0, [
      [exported, 1],
      [side, -mostExport],
    ]);
  }
  return { imported, exported, excess, side, mayExport: sides.mayExport, mayImport: sides.mayImport };
}

interface Flows {
  imported: number;
  exported: number;
}

/** The most that a step can import on the import side, where only some units charge, and export on the export side. */
export function mostFlows({ units, surplus }: Problem, t: number): Flows {
  const charging = units.filter(({ fromGrid }) => fromGrid);
  const discharging = units.filter(({ toGrid }) => toGrid);
  return {
    imported: Math.max(0, sumOfAll(charging.map(({ mostCharge }) => mostCharge[t]!)) - surplus[t]!),
    exported: Math.max(0, sumOfAll(discharging.map(({ mostDischarge }) => mostDischarge[t]!)) + surplus[t]!),
  };
}

/**
 * Which sides a step can be on. Charging that excludes import and discharging that excludes export need the side, and so
 * does an export price above the import price; otherwise importing and exporting at once only costs money.
 */
function sidesOf({ units, importPrice, exportPrice }: Problem, t: number, most: Flows) {
  const isBound = units.some(
    ({ fromGrid, toGrid, mostCharge, mostDischarge }) =>
      (!fromGrid && mostCharge[t]! > 0) || (!toGrid && mostDischarge[t]! > 0),
  );
  const isDear = exportPrice[t]! > importPrice[t]!;
  // Without import a step is on the export side, without export on the import side: that permits at least as much.
  if (isBound && most.imported === 0) return { mayImport: false, mayExport: true, isOpen: false };
  if (isBound && most.exported === 0) return { mayImport: true, mayExport: false, isOpen: false };
  return { mayImport: true, mayExport: true, isOpen: isBound || isDear };
}
