import type { Problem, StorageUnit } from "./problem.js";
import { netExportsOf, type Schedule } from "./schedule.js";

/** Energies below this are noise of the solver, kWh. */
export const NOISE = 1e-6;

/** A schedule without the noise of the solver: exact zeros, exact least charges, no charge and discharge at once. */
export function cleanSchedule(problem: Problem, { charge, discharge }: Schedule): Schedule {
  const cleaned: Schedule = { charge: [], discharge: [] };
  problem.units.forEach((unit, i) => {
    const charged = charge[i]!.map((energy, t) => withoutNoise(unit, energy, t));
    const discharged = discharge[i]!.map((energy, t) => {
      const value = Math.min(energy < NOISE ? 0 : energy, unit.mostDischarge[t]!);
      return value;
    });
    cancelBoth(problem, unit, { charged, discharged });
    cleaned.charge.push(charged);
    cleaned.discharge.push(discharged);
  });
  return cleaned;
}

function withoutNoise({ leastCharge, mostCharge }: StorageUnit, energy: number, t: number): number {
  if (energy < NOISE) return 0;
  const least = leastCharge[t]!;
  return Math.min(Math.abs(energy - least) < NOISE ? least : energy, mostCharge[t]!);
}

/**
 * Replaces charging and discharging at once by the one that leaves the same state. Costs do not exclude both where energy has
 * no value; where the exchange would break a rule, the step stays as it is.
 */
function cancelBoth(
  { chargeEfficiency, dischargeEfficiency }: Problem,
  unit: StorageUnit,
  { charged, discharged }: { charged: number[]; discharged: number[] },
): void {
  charged.forEach((energy, t) => {
    const taken = discharged[t]!;
    if (energy === 0 || taken === 0) return;
    const change = chargeEfficiency * energy - taken / dischargeEfficiency;
    const net = change / chargeEfficiency;
    if (change > 0 && (net < unit.leastCharge[t]! || net < unit.demand[t]!)) return;
    charged[t] = change > 0 ? net : 0;
    discharged[t] = change > 0 ? 0 : -change * dischargeEfficiency;
  });
}

/**
 * Whether a schedule keeps the rules on charging and discharging: not both at once, no charging with import and no
 * discharging with export where that is not permitted.
 */
export function isExclusive(problem: Problem, schedule: Schedule): boolean {
  const nets = netExportsOf(problem, schedule);
  return problem.units.every(({ fromGrid, toGrid }, i) =>
    nets.slice(0, problem.wholeSteps).every((net, t) => {
      const charged = schedule.charge[i]![t]!;
      const discharged = schedule.discharge[i]![t]!;
      if (charged > 0 && discharged > 0) return false;
      if (charged > 0 && !fromGrid && net < -NOISE) return false;
      return !(discharged > 0 && !toGrid && net > NOISE);
    }),
  );
}
