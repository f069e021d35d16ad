import type { OptimizerRequest, RequestedBattery } from "../../../src/plan/solver/request.js";
import { type Random, seeded } from "../../support/random.js";
import { battery } from "./examples.js";

/** Wh: all energies of a small request are multiples of it. */
export const GRAIN = 100;

/** A small request with any combination of fields; without losses and with full hours if it is on the lattice. */
export function smallRequest(seed: number, { onLattice }: { onLattice: boolean }): OptimizerRequest {
  const random = seeded(seed);
  const steps = random.integer(2, 4);
  const some = (most: number) => random.integer(0, most) * GRAIN;
  const series = (value: () => number) => Array.from({ length: steps }, value);
  const isNegative = random.chance(0.3);
  const price = () => (random.integer(isNegative ? -4 : 1, 9) + random.next() / 100) / 10_000;
  const importLimit = random.chance(0.3) ? some(4) : undefined;
  return {
    time_series: {
      dt: onLattice ? series(() => 3600) : series(() => 900).with(0, random.integer(60, 900)),
      gt: series(() => some(5)),
      ft: series(() => (random.chance(0.5) ? some(9) : 0)),
      p_N: series(price),
      p_E: random.chance(0.3) ? series(price) : series(() => 0.00007),
    },
    grid: {
      ...(importLimit !== undefined && { p_max_imp: importLimit }),
      ...(random.chance(0.3) && { p_max_exp: some(4) }),
      ...(random.chance(0.3) && { prc_p_exc_imp: random.pick([0.00005, 0.001]) }),
    },
    strategy: {
      charging_strategy: random.pick(["none", "charge_before_export", "attenuate_grid_peaks"]),
      discharging_strategy: random.pick(["none", "discharge_before_import"]),
    },
    eta_c: onLattice ? 1 : random.pick([0.9, 0.95]),
    eta_d: onLattice ? 1 : 0.9,
    batteries: Array.from({ length: random.integer(1, 2) }, () => smallBattery(random, { steps, some })),
  };
}

function smallBattery(
  random: Random,
  { steps, some }: { steps: number; some: (most: number) => number },
): RequestedBattery {
  const s_capacity = some(5) + GRAIN;
  const series = () => Array.from({ length: steps }, () => (random.chance(0.5) ? some(6) : 0));
  return battery({
    ...(random.chance(0.7) && { s_capacity }),
    s_max: random.chance(0.7) ? s_capacity : Math.max(GRAIN, some(s_capacity / GRAIN)),
    s_min: random.chance(0.4) ? some(2) : 0,
    s_initial: Math.min(some(4), s_capacity),
    c_min: random.chance(0.4) ? some(2) : 0,
    c_max: some(4),
    d_max: random.chance(0.6) ? some(3) : 0,
    p_a: random.pick([0, 0.0002, 0.0004, -0.0001]),
    charge_from_grid: random.chance(0.5),
    discharge_to_grid: random.chance(0.4),
    c_priority: random.integer(0, 2),
    ...(random.chance(0.3) && { s_goal: series() }),
    ...(random.chance(0.4) && { p_demand: series() }),
  });
}
