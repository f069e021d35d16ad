/**
 * What `hourgate backtest` sums up, hour by hour: the plan that each hour was lived by, and what came of it. For the plots of
 * docs/backtest.md and docs/planner.md; test/docs/plots.test.ts holds its sums against those of the command.
 */
import { planSite } from "../../src/plan/plan-site.js";
import { planInput, realPrices, realProblem, type SimulationInput } from "../../src/plan/simulate.js";
import { simulateStep } from "../../src/plan/simulate-step.js";
import { type RealSite, realSite } from "../../src/plan/simulated-run.js";
import type { SitePlan } from "../../src/plan/site-plan.js";
import { type PlanProblem, solve } from "../../src/plan/solve.js";
import { flowsOf } from "../../src/plan/step.js";

/** An hour as it was planned and as it was. Energies on the AC side, kWh; `acKwh` is positive while charging. */
export interface ReplayedHour {
  start: Date;
  /** The plan made at its start. */
  plan: SitePlan;
  acKwh: number;
  socStartKwh: number;
  socEndKwh: number;
  /** What the hour cost without a battery, with hourgate and with perfect foresight, ct. */
  costCt: { none: number; planned: number; perfect: number };
  /** What perfect foresight had stored at its end. */
  perfectSocEndKwh: number;
}

/** The real hours of a simulation as one problem with the worth of what is stored at the end, and the house in them. */
export function wholePeriod(input: SimulationInput): { problem: PlanProblem; house: RealSite } {
  const problem = realProblem(input, realPrices(input));
  const house = realSite(problem, input.battery.capacityKwh);
  return { problem: { ...problem, terminal: [{ kwh: Infinity, ctKwh: house.storedWorthCtKwh }] }, house };
}

/** The hours of a simulation one by one, as `simulateHouse` runs them. */
export function* replay(input: SimulationInput): Generator<ReplayedHour> {
  const { battery } = input;
  const prices = realPrices(input);
  const { problem, house } = wholePeriod(input);
  const perfect = solve(problem).steps;

  let socKwh = house.socKwh;
  let previous: SitePlan | undefined;
  for (const [t, { start }] of prices.entries()) {
    const plan: SitePlan = planSite(planInput(input, prices, t, socKwh, previous));
    const { chargeNow, chargePowerKw, chargeStopSocPct, dischargePowerKw } = plan.scalars;
    const step = house.steps[t]!;
    const hour = simulateStep(step, house.rules, house.band, socKwh, {
      chargeNow: chargeNow === 1,
      chargePowerKw,
      stopKwh: (battery.capacityKwh * chargeStopSocPct) / 100,
      dischargePowerKw,
    });
    yield {
      start,
      plan,
      acKwh: hour.acKwh,
      socStartKwh: socKwh,
      socEndKwh: hour.socEndKwh,
      costCt: {
        none: flowsOf(step, house.rules, 0).costCt,
        planned: hour.flows.costCt,
        perfect: perfect[t]!.costCt,
      },
      perfectSocEndKwh: perfect[t]!.socEndKwh,
    };
    socKwh = hour.socEndKwh;
    previous = plan;
  }
}
