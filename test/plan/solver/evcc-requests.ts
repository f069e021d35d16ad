import type { OptimizerRequest, RequestedBattery } from "../../../src/plan/solver/request.js";
import { type Random, seeded } from "../../support/random.js";

/**
 * A request as evcc makes it: quarter-hours after the rest of the running one, a home with PV, hourly prices, house batteries,
 * and connected vehicles with one of evcc's modes.
 */
export function evccRequest(
  seed: number,
  { steps, batteries, vehicles }: { steps: number; batteries: number; vehicles: number },
): OptimizerRequest {
  const random = seeded(seed);
  const startStep = random.integer(0, 95);
  const dt = Array.from({ length: steps }, (_, t) => (t === 0 ? random.integer(30, 900) : 900));
  const hourOf = (t: number) => ((startStep + t) % 96) / 4;
  const dayOf = (t: number) => Math.floor((startStep + t) / 96);
  const sunPeakWh = random.between(0, 2500);
  const sunOfDay = Array.from({ length: Math.ceil(steps / 96) + 1 }, () => random.between(0.1, 1));
  const level = random.between(0.15, 0.35);
  const spread = random.between(0, 0.15);
  const hasNegativePrices = random.chance(0.2);
  const hourly = Array.from({ length: steps }, () => random.between(-0.02, 0.02));
  const spot = (t: number) =>
    level +
    spread * Math.sin(((hourOf(t) - 10) / 12) * Math.PI * 2) +
    hourly[Math.floor((startStep + t) / 4)]! -
    (hasNegativePrices && hourOf(t) > 11 && hourOf(t) < 15 ? level + 0.05 : 0);
  const share = (t: number) => dt[t]! / 900;
  const p_N = dt.map((_, t) => Math.fround(spot(t) / 1000));
  const feedIn = random.chance(0.5) ? random.between(0.03, 0.09) : undefined;
  const p_E = p_N.map((price, t) =>
    feedIn === undefined ? Math.fround(price - (level * 0.6) / 1000) : Math.fround((feedIn + t * 0) / 1000),
  );
  const p_a = Math.min(...p_N) * 0.9 * 0.99;
  const house = { steps, p_a };
  return {
    time_series: {
      dt,
      gt: dt.map((_, t) => share(t) * random.between(40, hourOf(t) > 17 && hourOf(t) < 22 ? 500 : 200)),
      ft: dt.map(
        (_, t) =>
          share(t) *
          sunPeakWh *
          sunOfDay[dayOf(t)]! *
          Math.max(0, Math.sin(((hourOf(t) - 6) / 12) * Math.PI)),
      ),
      p_N,
      p_E,
    },
    eta_c: 0.9,
    eta_d: 0.9,
    grid: {
      ...(random.chance(0.3) && { p_max_imp: random.integer(6, 17) * 1000 }),
      ...(random.chance(0.3) && { p_max_exp: random.integer(2, 7) * 1000 }),
    },
    strategy: {
      charging_strategy: random.chance(0.7) ? "charge_before_export" : "attenuate_grid_peaks",
      discharging_strategy: "discharge_before_import",
    },
    batteries: [
      ...Array.from({ length: vehicles }, () => vehicleOf(random, house)),
      ...Array.from({ length: batteries }, () => houseBattery(random, house)),
    ],
  };
}

interface House {
  steps: number;
  p_a: number;
}

function vehicleOf(random: Random, { steps, p_a }: House): RequestedBattery {
  const s_max = random.integer(30, 80) * 1000;
  const s_initial = random.between(0.2, 0.9) * s_max;
  const c_max = random.pick([3700, 7400, 11_000]);
  const c_min = c_max === 11_000 ? 4140 : 1380;
  const mode = random.pick(["pv", "plan", "minpv", "now", "costs"]);
  const untilFull = Math.ceil((s_max - s_initial) / 0.9 / (c_max / 4));
  const demands: Record<string, (t: number) => number> = {
    now: (t) => (t < untilFull ? c_max / 4 : 0),
    minpv: () => c_min / 4,
    costs: (t) => (t % 24 < 5 ? c_max / 4 : 0),
  };
  const demand = demands[mode];
  const goalAt = random.integer(1, steps - 1);
  return {
    s_min: 0,
    s_max,
    s_initial,
    c_min,
    c_max,
    d_max: 0,
    p_a,
    charge_from_grid: true,
    ...(demand !== undefined && { p_demand: Array.from({ length: steps }, (_, t) => demand(t)) }),
    ...(mode === "plan" && {
      s_goal: Array.from({ length: steps }, (_, t) =>
        t === goalAt ? s_initial + random.between(0.3, 1) * (s_max - s_initial) : 0,
      ),
    }),
  };
}

function houseBattery(random: Random, { p_a }: House): RequestedBattery {
  const s_capacity = random.integer(5, 20) * 1000;
  const s_min = 0.1 * s_capacity;
  return {
    s_capacity,
    s_min,
    s_max: random.chance(0.7) ? s_capacity : 0.95 * s_capacity,
    s_initial: random.between(s_min, 0.95 * s_capacity),
    c_min: 0,
    c_max: random.integer(3, 8) * 1000,
    d_max: random.integer(3, 8) * 1000,
    p_a,
    charge_from_grid: random.chance(0.5),
    discharge_to_grid: random.chance(0.2),
  };
}
