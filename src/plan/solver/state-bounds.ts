import type { Problem, StorageUnit } from "./problem.js";

/** From this efficiency on, no gain can outweigh the penalty of leaving the soft bounds. */
const LEAST_EFFICIENCY_OF_HARD_BOUNDS = 0.5;

/** Bounds of the energy of a unit at the end of each step, kWh. */
export interface StateBounds {
  low: number[];
  high: number[];
  /** Whether the state can be outside the soft bounds. */
  isSoft: boolean;
}

/**
 * The energies that a good schedule can reach. A unit within its soft bounds stays there, since leaving them costs 1000
 * penalties per kWh and nothing gains as much. The exception is another unit outside its bounds, which could be brought back
 * by way of this one; then only the hard bounds hold. A single unit that starts outside does not go further out.
 */
export function reachableBounds(problem: Problem, unit: StorageUnit): StateBounds {
  const { chargeEfficiency, dischargeEfficiency, steps, units } = problem;
  const { softMin, softMax, capacity, initial } = unit;
  const isSure =
    softMin <= softMax &&
    (units.length === 1 || units.every((one) => one.initial >= one.softMin && one.initial <= one.softMax)) &&
    Math.min(chargeEfficiency, dischargeEfficiency) >= LEAST_EFFICIENCY_OF_HARD_BOUNDS;
  const floor = isSure ? Math.min(softMin, initial) : 0;
  const ceiling = Math.min(capacity, isSure ? Math.max(softMax, initial) : capacity);
  const low: number[] = [];
  const high: number[] = [];
  for (let t = 0; t < steps; t++) {
    const before = t === 0 ? { low: initial, high: initial } : { low: low[t - 1]!, high: high[t - 1]! };
    low.push(Math.min(ceiling, Math.max(floor, before.low - unit.mostDischarge[t]! / dischargeEfficiency)));
    high.push(Math.min(ceiling, before.high + chargeEfficiency * unit.mostCharge[t]!));
  }
  return { low, high, isSoft: floor < softMin || ceiling > softMax };
}
