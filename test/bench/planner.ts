import { type PlanBatteryInput, planBattery } from "../../src/plan/exact/plan-battery.js";
import { solveByHighs } from "../plan/exact/milp.js";
import { loadHighs } from "../support/highs.js";
import { seeded } from "../support/random.js";
import { median, timed } from "./measure.js";

/** A planning problem in quarter-hours with PV and typical prices: a linear programme of full size. */
export function week(steps: number): PlanBatteryInput {
  const random = seeded(1);
  const hourOf = (t: number) => (t / 4) % 24;
  const price = Array.from(
    { length: steps },
    (_, t) => 22 + 8 * Math.sin(((hourOf(t) - 4) / 12) * Math.PI) + random.between(0, 6),
  );
  return {
    start: new Date("2026-01-15T00:00:00Z"),
    stepMinutes: 15,
    importPriceCtKwh: price,
    exportPriceCtKwh: price.map((value) => 0.4 * value),
    loadKwh: price.map(() => random.between(0.02, 0.3)),
    pvKwh: price.map(
      (_, t) => Math.max(0, Math.sin(((hourOf(t) - 6) / 12) * Math.PI)) * random.between(0, 1.2),
    ),
    battery: {
      capacityKwh: 10,
      socKwh: 3,
      minSocKwh: 1,
      maxSocKwh: 10,
      maxChargePowerKw: 5,
      maxDischargePowerKw: 5,
      chargeEfficiency: 0.95,
      dischargeEfficiency: 0.95,
      wearCtKwh: 1,
    },
    terminalValueCtKwh: 15,
  };
}

/** Compares the planner with HiGHS on the same linear programme, and measures its growth with the number of steps. */
export async function benchPlanner() {
  const highs = await loadHighs();
  const problem = week(672);
  const ours = median(timed(40, () => planBattery(problem)));
  const theirs = median(timed(5, () => solveByHighs(highs, problem, { convex: true })));
  const short = median(timed(40, () => planBattery(week(168))));
  const long = median(timed(10, () => planBattery(week(2688))));
  return [
    { name: "plan, 672 steps: HiGHS (WASM) LP / hourgate", ratio: theirs / ours, goal: "at least 10" },
    {
      name: "plan, growth exponent from 168 to 2688 steps",
      ratio: Math.log(long / short) / Math.log(16),
      goal: "at most 1.3",
    },
  ];
}
