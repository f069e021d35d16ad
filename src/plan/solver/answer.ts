import { rounded } from "../../core/domain/rounding.js";
import { sumOfAll } from "../../core/numbers.js";
import type { Problem } from "./problem.js";
import { NOISE } from "./rules.js";
import { netExportsOf, type Schedule, statesOf } from "./schedule.js";
import type { OptimizerStatus, Solved } from "./solve.js";

/** The answer to evcc (docs/evcc.md): energies of a step in Wh, also in the fields named power; money in currency. */
export interface OptimizerAnswer {
  status: OptimizerStatus;
  /** Money without penalties; null without a schedule. */
  objective_value: number | null;
  limit_violations: { grid_import_limit_exceeded: boolean; grid_export_limit_hit: boolean };
  batteries: { charging_power: number[]; discharging_power: number[]; state_of_charge: number[] }[];
  grid_import: number[];
  grid_export: number[];
  /** 1: export side, 0: import side. */
  flow_direction: (0 | 1)[];
  grid_import_overshoot: number[];
  grid_export_overshoot: number[];
}

const WH = 1000;
/** Places of energies in Wh and of money. */
const DECIMALS = 6;

/** The answer for a solved problem; states follow from the energies, and the grid balances each step. */
export function answerOf(problem: Problem, { status, schedule }: Solved): OptimizerAnswer {
  if (schedule === undefined) {
    return {
      status,
      objective_value: null,
      limit_violations: { grid_import_limit_exceeded: false, grid_export_limit_hit: false },
      batteries: [],
      grid_import: [],
      grid_export: [],
      flow_direction: [],
      grid_import_overshoot: [],
      grid_export_overshoot: [],
    };
  }
  const { importLimit, exportLimit, peakPrice } = problem;
  const nets = netExportsOf(problem, schedule).map((net) => (Math.abs(net) < NOISE ? 0 : net));
  const overshootOf = (energies: readonly number[], limit: readonly number[] | undefined) =>
    limit === undefined
      ? []
      : energies.map((energy, t) => (energy - limit[t]! < NOISE ? 0 : energy - limit[t]!));
  const imported = nets.map((net) => Math.max(0, -net));
  const exported = nets.map((net) => Math.max(0, net));
  const excess = overshootOf(imported, importLimit);
  const lost = overshootOf(exported, exportLimit);
  const states = problem.units.map((unit, i) =>
    statesOf(problem, schedule, i).map((state) =>
      // evcc compares the state with the bounds without tolerance.
      closest(state, [unit.softMax, unit.softMin, unit.capacity, 0]),
    ),
  );
  const paid = exported.map((energy, t) => energy - (lost[t] ?? 0));
  const peak = excess.reduce((most, energy, t) => Math.max(most, energy / problem.hours[t]!), 0);
  const money =
    sumOfAll(paid.map((energy, t) => energy * problem.exportPrice[t]!)) -
    sumOfAll(imported.map((energy, t) => energy * problem.importPrice[t]!)) +
    // The reference counts from the end of the first step.
    sumOfAll(problem.units.map((unit, i) => (states[i]!.at(-1)! - states[i]![0]!) * unit.terminalValue)) -
    peak * (peakPrice ?? 0);
  // Under a price on the peak the excess is part of the import, under a plain limit it is beside it.
  const shown = peakPrice === undefined ? imported.map((energy, t) => energy - (excess[t] ?? 0)) : imported;
  return {
    status,
    objective_value: rounded(money * problem.unit, DECIMALS) ?? 0,
    limit_violations: {
      grid_import_limit_exceeded: excess.some((energy) => energy > 0),
      grid_export_limit_hit: lost.some((energy) => energy > 0),
    },
    batteries: problem.units.map((_, i) => ({
      charging_power: inWh(schedule.charge[i]!),
      discharging_power: inWh(schedule.discharge[i]!),
      state_of_charge: inWh(states[i]!),
    })),
    grid_import: inWh(shown),
    grid_export: inWh(paid),
    flow_direction: sidesOf(problem, schedule, nets),
    grid_import_overshoot: inWh(excess),
    grid_export_overshoot: inWh(lost),
  };
}

function inWh(energies: readonly number[]): number[] {
  return energies.map((energy) => rounded(energy * WH, DECIMALS) ?? 0);
}

function closest(value: number, marks: readonly number[]): number {
  return marks.find((mark) => Math.abs(value - mark) < NOISE) ?? value;
}

/** Without a flow, the side on which the charging and discharging of the step is permitted. */
function sidesOf({ units }: Problem, { charge }: Schedule, nets: readonly number[]): (0 | 1)[] {
  return nets.map((net, t) => {
    if (net !== 0) return net > 0 ? 1 : 0;
    return units.some(({ fromGrid }, i) => !fromGrid && charge[i]![t]! > 0) ? 1 : 0;
  });
}
