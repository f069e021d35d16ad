import type { Problem, StorageUnit } from "./problem.js";

/** Charge and discharge of each unit in each step, on the AC side, kWh. */
export interface Schedule {
  charge: number[][];
  discharge: number[][];
}

/** Energy of a unit at the end of each step, kWh. */
export function statesOf(problem: Problem, { charge, discharge }: Schedule, index: number): number[] {
  let state = problem.units[index]!.initial;
  return charge[index]!.map((charged, t) => {
    state += problem.chargeEfficiency * charged - discharge[index]![t]! / problem.dischargeEfficiency;
    return state;
  });
}

/** Energy into the grid (negative: from the grid) in each step, kWh. */
export function netExportsOf(problem: Problem, { charge, discharge }: Schedule): number[] {
  return problem.surplus.map((surplus, t) =>
    problem.units.reduce((sum, _, i) => sum + discharge[i]![t]! - charge[i]![t]!, surplus),
  );
}

/**
 * A schedule without optimisation, as a start for the solver and the answer if it finds none in time: demands and goals
 * first, then the PV surplus is stored and the demand of the home is served. It keeps all hard rules; undefined if a unit
 * starts above its capacity.
 */
export function simpleSchedule(problem: Problem): Schedule | undefined {
  const { units, steps } = problem;
  if (units.some(({ initial, capacity }) => initial > capacity)) return undefined;
  const zeros = () => units.map(() => new Array<number>(steps).fill(0));
  const schedule = { charge: zeros(), discharge: zeros() };
  const states = units.map(({ initial }) => initial);
  const byPriority = units.map((_, i) => i).sort((a, b) => units[b]!.priority - units[a]!.priority);
  for (let t = 0; t < steps; t++) {
    let surplus = problem.surplus[t]!;
    const charge = (i: number, wanted: number) => {
      const charged = allowedCharge(problem, units[i]!, { t, state: states[i]!, wanted });
      schedule.charge[i]![t] = charged;
      states[i]! += problem.chargeEfficiency * charged;
      surplus -= charged;
    };
    for (const i of byPriority) {
      const unit = units[i]!;
      const wanted = wantedCharge(problem, unit, { t, state: states[i]! });
      if (unit.fromGrid && wanted > 0) charge(i, Math.max(wanted, unit.leastCharge[t]!));
    }
    for (const i of byPriority) {
      if (surplus > 0 && schedule.charge[i]![t] === 0 && surplus >= units[i]!.leastCharge[t]!)
        charge(i, surplus);
    }
    // Units serve the demand of the home only: neither what others charge nor exports.
    let deficit = Math.min(-problem.surplus[t]!, -surplus);
    for (const i of byPriority) {
      if (deficit <= 0 || schedule.charge[i]![t]! > 0) continue;
      const available = Math.max(0, states[i]! - units[i]!.softMin) * problem.dischargeEfficiency;
      const discharged = Math.min(deficit, units[i]!.mostDischarge[t]!, available);
      schedule.discharge[i]![t] = discharged;
      states[i]! -= discharged / problem.dischargeEfficiency;
      deficit -= discharged;
    }
  }
  return schedule;
}

interface Moment {
  t: number;
  /** Energy of the unit before the step. */
  state: number;
}

/** What demand, next goal and lower bound ask for in a step. */
function wantedCharge({ chargeEfficiency }: Problem, unit: StorageUnit, { t, state }: Moment): number {
  const next = unit.goal.find((goal, later) => later >= t && goal > state) ?? 0;
  const missing = Math.max(0, Math.min(next, unit.softMax) - state, unit.softMin - state) / chargeEfficiency;
  return Math.max(unit.demand[t]!, missing);
}

/** The largest permitted charge up to `wanted` that does not exceed the soft upper bound. */
function allowedCharge(
  { chargeEfficiency }: Problem,
  { softMax, capacity, leastCharge, mostCharge, demand }: StorageUnit,
  { t, state, wanted }: Moment & { wanted: number },
): number {
  const ceiling = Math.min(softMax, capacity);
  const charged = Math.max(0, Math.min(wanted, mostCharge[t]!, (ceiling - state) / chargeEfficiency));
  const isTopOff = demand[t]! > 0 && softMax - (state + chargeEfficiency * charged) <= leastCharge[t]!;
  return charged >= leastCharge[t]! || isTopOff ? charged : 0;
}
