/**
 * The hours that `hourgate backtest` sums up, each with its plan and its simulated result. For the plots of
 * docs/backtest.md and docs/planner.md; test/docs/plots.test.ts compares its sums with those of the command.
 */
import { planSite } from "../../src/plan/plan-site.js";
import { planInput, realPrices, realProblem, type SimulationInput } from "../../src/plan/simulate.js";
import { simulateStep } from "../../src/plan/simulate-step.js";
import { type RealSite, realSite } from "../../src/plan/simulated-run.js";
import type { SitePlan } from "../../src/plan/site-plan.js";
import { type PlanProblem, solve } from "../../src/plan/solve.js";
import { flowsOf } from "../../src/plan/step.js";

/** A planned hour and its result. Energies on the AC side, kWh; `acKwh` is positive while charging. */
export interface ReplayedHour {
  start: Date;
  /** The plan made at the start of the hour. */
  plan: SitePlan;
  acKwh: number;
  socStartKwh: number;
  socEndKwh: number;
  /** The cost of the hour without a battery, with hourgate and with perfect foresight, ct. */
  costCt: { none: number; planned: number; perfect: number };
  /** Stored energy at the end of the hour with perfect foresight. */
  perfectSocEndKwh: number;
}

/** The actual hours of a simulation as one planning problem with the value of the energy stored at the end, and the site. */
export function wholePeriod(input: SimulationInput): { problem: PlanProblem; site: RealSite } {
  const problem = realProblem(input, realPrices(input));
  const site = realSite(problem, input.battery.capacityKwh);
  return { problem: { ...problem, terminal: [{ kwh: Infinity, ctKwh: site.storedWorthCtKwh }] }, site };
}

/** Yields the hours of a simulation as `simulateSite` runs them. */
export function* replay(input: SimulationInput): Generator<ReplayedHour> {
  const { battery } = input;
  const prices = realPrices(input);
  const { problem, site } = wholePeriod(input);
  const perfect = solve(problem).steps;

  let socKwh = site.socKwh;
  let previous: SitePlan | undefined;
  for (const [t, { start }] of prices.entries()) {
    const plan: SitePlan = planSite(planInput(input, prices, t, socKwh, previous));
    const { chargeNow, chargePowerKw, chargeStopSocPct, dischargePowerKw } = plan.scalars;
    const step = site.steps[t]!;
    const hour = simulateStep(step, site.rules, site.band, socKwh, {
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
        none: flowsOf(step, site.rules, 0).costCt,
        planned: hour.flows.costCt,
        perfect: perfect[t]!.costCt,
      },
      perfectSocEndKwh: perfect[t]!.socEndKwh,
    };
    socKwh = hour.socEndKwh;
    previous = plan;
  }
}
