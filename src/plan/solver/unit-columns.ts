import type { GridStep } from "./grid-columns.js";
import type { LinearModel } from "./linear-model.js";
import type { Problem, StorageUnit } from "./problem.js";
import { reachableBounds, type StateBounds } from "./state-bounds.js";
import { PENALTY, type TieWeights } from "./weights.js";

/** Room for the noise of sums of floating-point numbers, kWh. */
const EPSILON = 1e-9;

/** Columns of charge and discharge by step; undefined where they are 0. */
export interface UnitColumns {
  charge: (number | undefined)[];
  discharge: (number | undefined)[];
}

export interface UnitInput {
  problem: Problem;
  unit: StorageUnit;
  grid: readonly GridStep[];
  ties: TieWeights;
  /** The starting schedule of the unit. */
  start: { charge: readonly number[]; discharge: readonly number[]; states: readonly number[] };
  /** Whether the costs of a step do not exclude that the unit charges and discharges at once. */
  needsMode(t: number): boolean;
}

/** A unit in one step. */
interface UnitStep {
  t: number;
  /** Bounds of the state before and after the step, kWh. */
  before: { low: number; high: number };
  low: number;
  high: number;
  state: number;
  charge: number | undefined;
  discharge: number | undefined;
  mostCharge: number;
  mostDischarge: number;
}

/** Adds charge, discharge, state, bounds, goals and demands of a unit. */
export function addUnit(model: LinearModel, input: UnitInput): UnitColumns {
  const { problem, unit, grid } = input;
  const bounds = reachableBounds(problem, unit);
  const columns: UnitColumns = { charge: [], discharge: [] };
  const demands = new Demands(model, input);
  let previous: UnitStep | undefined;
  for (let t = 0; t < problem.steps; t++) {
    model.isRelaxed = t >= problem.wholeSteps;
    const step = addStep(model, input, { t, bounds, previous });
    addSideRules(model, unit, { step, grid: grid[t]! });
    if (bounds.isSoft) addSoftBounds(model, input, step);
    addGoal(model, input, step);
    const topOff = demands.add(step);
    addMode(model, input, { step, topOff });
    columns.charge.push(step.charge);
    columns.discharge.push(step.discharge);
    previous = step;
  }
  return columns;
}

/** Adds the energies of a step and the row that carries the state over. */
function addStep(
  model: LinearModel,
  { problem, unit, grid, ties, start }: UnitInput,
  { t, bounds, previous }: { t: number; bounds: StateBounds; previous: UnitStep | undefined },
): UnitStep {
  const { chargeEfficiency, dischargeEfficiency, steps } = problem;
  const { mayExport, mayImport } = grid[t]!;
  const before = previous ?? { low: unit.initial, high: unit.initial };
  const low = bounds.low[t]!;
  const high = bounds.high[t]!;
  const tie = -ties.priorityPerStep * unit.priority * (steps - t);
  const energy = (upper: number, at: number) =>
    upper > EPSILON ? model.column({ upper, tie, start: at }) : undefined;
  const mostCharge =
    unit.fromGrid || mayExport ? Math.min(unit.mostCharge[t]!, (high - before.low) / chargeEfficiency) : 0;
  const mostDischarge =
    unit.toGrid || mayImport
      ? Math.min(unit.mostDischarge[t]!, (before.high - low) * dischargeEfficiency)
      : 0;
  const charge = energy(mostCharge, start.charge[t]!);
  const discharge = energy(mostDischarge, start.discharge[t]!);
  const state = model.column({
    lower: low,
    upper: high,
    cost: t === steps - 1 ? -unit.terminalValue : 0,
    start: start.states[t]!,
  });
  const carried = previous === undefined ? unit.initial : 0;
  model.row(carried, carried, [
    [state, 1],
    ...term(previous?.state, -1),
    ...term(charge, -chargeEfficiency),
    ...term(discharge, 1 / dischargeEfficiency),
  ]);
  return {
    t,
    before: { low: before.low, high: before.high },
    low,
    high,
    state,
    charge,
    discharge,
    mostCharge,
    mostDischarge,
  };
}

/** Charging without import, discharging without export. */
function addSideRules(
  model: LinearModel,
  { fromGrid, toGrid }: StorageUnit,
  { step, grid: { side } }: { step: UnitStep; grid: GridStep },
): void {
  const { charge, discharge, mostCharge, mostDischarge } = step;
  if (side === undefined) return;
  if (charge !== undefined && !fromGrid)
    model.atMost(0, [
      [charge, 1],
      [side, -mostCharge],
    ]);
  if (discharge !== undefined && !toGrid)
    model.atMost(mostDischarge, [
      [discharge, 1],
      [side, mostDischarge],
    ]);
}

function addSoftBounds(model: LinearModel, { problem, unit, start }: UnitInput, step: UnitStep): void {
  const cost = PENALTY.bounds * problem.penalty;
  const at = start.states[step.t]!;
  if (step.high > unit.softMax) {
    const over = model.column({
      upper: step.high - unit.softMax,
      cost,
      start: Math.max(0, at - unit.softMax),
    });
    model.atMost(unit.softMax, [
      [step.state, 1],
      [over, -1],
    ]);
  }
  if (step.low < unit.softMin) {
    const under = model.column({ upper: unit.softMin, cost, start: Math.max(0, unit.softMin - at) });
    model.atLeast(unit.softMin, [
      [step.state, 1],
      [under, 1],
    ]);
  }
}

function addGoal(model: LinearModel, { problem, unit, start }: UnitInput, step: UnitStep): void {
  const goal = unit.goal[step.t]!;
  if (goal <= step.low) return;
  const missing = model.column({
    upper: goal,
    cost: PENALTY.goal * problem.penalty,
    start: Math.max(0, goal - start.states[step.t]!),
  });
  model.atLeast(goal, [
    [step.state, 1],
    [missing, 1],
  ]);
}

/** The demands of a unit: a shortfall counts until the unit is full. */
class Demands {
  readonly #model: LinearModel;
  readonly #input: UnitInput;
  /** A unit that cannot discharge stays full. */
  readonly #isMonotone: boolean;
  #demanded = 0;
  /** Column and starting value of the demand missed so far. */
  #missed: { column: number; start: number } | undefined;
  #full: number | undefined;

  constructor(model: LinearModel, input: UnitInput) {
    this.#model = model;
    this.#input = input;
    this.#isMonotone = input.unit.mostDischarge.every((most) => most === 0);
  }

  /** Adds the demand of a step. Returns the binary that permits less than the least charge as the last top-off. */
  add(step: UnitStep): number | "always" | undefined {
    const { t, low, high, state, charge, mostCharge } = step;
    const { problem, unit, start } = this.#input;
    const model = this.#model;
    // A full unit does not charge: this tightens the relaxation too.
    if (this.#isMonotone && this.#full !== undefined && charge !== undefined && high <= unit.softMax)
      model.atMost(mostCharge, [
        [charge, 1],
        [this.#full, mostCharge],
      ]);
    const demand = unit.demand[t]!;
    if (demand === 0) return undefined;
    const at = start.states[t]!;
    if (low < unit.softMax - EPSILON) {
      const isFull = at >= unit.softMax - EPSILON;
      const missed = isFull ? 0 : Math.max(0, demand - start.charge[t]!);
      const missing = model.column({
        upper: demand,
        cost: PENALTY.demand * problem.penalty * (2 - t / problem.steps),
        start: missed,
      });
      const full = high >= unit.softMax - EPSILON ? this.#addFull(step, isFull) : undefined;
      model.atLeast(demand, [[missing, 1], ...term(charge, 1), ...term(full, demand)]);
      if (this.#isMonotone) this.#addCut(step, { demand, missing, missed, full });
    }
    const nearFull = unit.softMax - unit.leastCharge[t]!;
    if (unit.leastCharge[t] === 0 || charge === undefined || high < nearFull) return undefined;
    if (low >= nearFull) return "always";
    const topOff = model.binary(isTopOff(start.charge[t]!, unit.leastCharge[t]!), {
      round: (values) => values[topOff]! > 0.99 && values[charge]! < unit.leastCharge[t]! - EPSILON,
    });
    model.atLeast(low, [
      [state, 1],
      [topOff, low - nearFull],
    ]);
    return topOff;
  }

  /**
   * Either the unit is full, or no demand so far was waived: charged and missed energy together reach the smaller of room and
   * demand. Other rows imply it for whole numbers; it tightens the relaxation, in which a unit could be full in part.
   */
  #addCut(
    { state }: UnitStep,
    {
      demand,
      missing,
      missed,
      full,
    }: { demand: number; missing: number; missed: number; full: number | undefined },
  ): void {
    const { problem, unit } = this.#input;
    const model = this.#model;
    const before = this.#missed;
    const total = (before?.start ?? 0) + missed;
    const column = model.column({ upper: Number.POSITIVE_INFINITY, start: total });
    model.row(0, 0, [[column, 1], [missing, -1], ...term(before?.column, -1)]);
    this.#missed = { column, start: total };
    this.#demanded += demand;
    const demanded = unit.initial + this.#demanded * problem.chargeEfficiency;
    const least = Math.min(unit.softMax, demanded) - EPSILON;
    model.atLeast(least, [
      [state, 1],
      [column, problem.chargeEfficiency],
      ...term(full, least - unit.softMax + EPSILON),
    ]);
  }

  /** The binary that the unit is full at the end of a step. */
  #addFull({ low, high, state }: UnitStep, isFull: boolean): number {
    const model = this.#model;
    const target = Math.min(this.#input.unit.softMax, high);
    const full = model.binary(isFull, { isFirst: true });
    model.atLeast(low, [
      [state, 1],
      [full, low - target],
    ]);
    if (this.#isMonotone && this.#full !== undefined)
      model.atLeast(0, [
        [full, 1],
        [this.#full, -1],
      ]);
    this.#full = full;
    return full;
  }
}

function isTopOff(charged: number, least: number): boolean {
  return charged > 0 && charged < least - EPSILON;
}

/** Least charge, and charging or discharging. */
function addMode(
  model: LinearModel,
  { unit, start, needsMode }: UnitInput,
  { step, topOff }: { step: UnitStep; topOff: number | "always" | undefined },
): void {
  const { t, charge, discharge, mostCharge, mostDischarge } = step;
  if (charge === undefined) return;
  const least = topOff === "always" ? 0 : unit.leastCharge[t]!;
  const charged = start.charge[t]!;
  if (least > 0) {
    const isSmall = isTopOff(charged, least);
    const charging =
      mostCharge >= least - EPSILON
        ? model.binary(charged > 0 && !isSmall, {
            round: (values) =>
              values[charge]! >= least / 2 &&
              !(typeof topOff === "number" && values[topOff]! > 0.99 && values[charge]! < least - EPSILON),
          })
        : undefined;
    const modes = [...term(charging, 1), ...term(topOff as number | undefined, 1)];
    model.atMost(0, [
      [charge, 1],
      ...term(charging, -mostCharge),
      ...term(topOff as number | undefined, -Math.min(mostCharge, least)),
    ]);
    if (charging !== undefined)
      model.atLeast(0, [
        [charge, 1],
        [charging, -Math.min(least, mostCharge)],
      ]);
    if (modes.length > 1) model.atMost(1, modes);
    if (discharge !== undefined && modes.length > 0)
      model.atMost(mostDischarge, [
        [discharge, 1],
        ...modes.map(([mode]): [number, number] => [mode, mostDischarge]),
      ]);
    return;
  }
  if (discharge === undefined || !needsMode(t)) return;
  const charging = model.binary(charged > 0, {
    round: (values) => values[charge]! / mostCharge > values[discharge]! / mostDischarge,
  });
  model.atMost(0, [
    [charge, 1],
    [charging, -mostCharge],
  ]);
  model.atMost(mostDischarge, [
    [discharge, 1],
    [charging, mostDischarge],
  ]);
}

function term(column: number | undefined, coefficient: number): [number, number][] {
  return column === undefined ? [] : [[column, coefficient]];
}
