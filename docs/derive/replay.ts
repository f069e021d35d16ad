/**
 * What `hourgate backtest` sums up, hour by hour: the plan that each hour was lived by, and what came of it. For the plots of
 * docs/backtest.md and docs/planner.md; test/docs/plots.test.ts holds its sums against those of the command.
 */
import type { ForecastHour } from "../../src/forecast/forecast.js";
import { expectedLoad } from "../../src/plan/load-profile.js";
import { planSite } from "../../src/plan/plan-site.js";
import { realHour } from "../../src/plan/real-hour.js";
import type { SimulationInput } from "../../src/plan/simulate.js";
import { type RealHouse, realHouse } from "../../src/plan/simulated-run.js";
import type { StepPrice } from "../../src/plan/site-input.js";
import type { SitePlan } from "../../src/plan/site-plan.js";
import { siteProblem } from "../../src/plan/site-problem.js";
import { type Problem, solve } from "../../src/plan/solve.js";
import { flowsOf } from "../../src/plan/step.js";
import { HOUR_MS } from "../../src/time/interval.js";

/** An hour as it was planned and as it was. Energies on the AC side, kWh; `acKwh` is positive while charging. */
export interface ReplayedHour {
  start: Date;
  /** The plan made at its start, and the prices that it was made from. */
  plan: SitePlan;
  known: readonly ForecastHour[];
  acKwh: number;
  socStartKwh: number;
  socEndKwh: number;
  /** What the hour cost without a battery, with hourgate and with perfect foresight, ct. */
  costCt: { none: number; planned: number; perfect: number };
  /** What perfect foresight had stored at its end. */
  perfectSocEndKwh: number;
}

const common = (input: SimulationInput, now: Date, socPct: number) => ({
  siteId: "replay",
  now,
  zone: input.zone,
  stepMinutes: 60 as const,
  battery: input.battery,
  grid: input.grid ?? {},
  soc: { pct: socPct, ageMinutes: 0, lost: false },
  ev: { powerKw: 0, batterySharePct: 0 },
  currentQuartile: 1 as const,
});

/** The real hours of a simulation as one problem, and the house in them; every hour must have a price. */
export function realProblem(input: SimulationInput): { problem: Problem; house: RealHouse } {
  const { battery, series, from, to, actualLoadKwh } = input;
  const count = (to.getTime() - from.getTime()) / HOUR_MS;
  const prices = Array.from({ length: count }, (_, t) => {
    const start = new Date(from.getTime() + t * HOUR_MS);
    const price = series.hour(start.getTime());
    if (price === undefined) throw new RangeError(`${start.toISOString()} has no price.`);
    return stepPrice(start, price, "day_ahead", input);
  });
  const asked = { ...common(input, from, battery.minSocPct), prices, loadKwh: actualLoadKwh, pvKwh: [] };
  const problem = siteProblem(asked);
  const house = realHouse(problem, battery.capacityKwh);
  return { problem: { ...problem, terminal: [{ kwh: Infinity, ctKwh: house.storedWorthCtKwh }] }, house };
}

/** The hours of a simulation one by one, as `simulateHouse` runs them. */
export function* replay(input: SimulationInput): Generator<ReplayedHour> {
  const { battery, from } = input;
  const { problem, house } = realProblem(input);
  const perfect = solve(problem).steps;
  const start = (t: number) => new Date(from.getTime() + t * HOUR_MS);

  let socKwh = house.socKwh;
  let previous: SitePlan | undefined;
  for (let t = 0; t < problem.steps.length; t++) {
    const known = input.hoursAt(start(t));
    const prices = known.map((hour) => stepPrice(hour.start, hour.p50, hour.source, input));
    const plan: SitePlan = planSite({
      ...common(input, start(t), (100 * socKwh) / battery.capacityKwh),
      prices,
      loadKwh: expectedLoad(prices, input.loadModelAt!(start(t)), input.zone),
      pvKwh: prices.map(() => 0),
      ...(previous !== undefined && { previous }),
    });
    const { chargeNow, chargePowerKw, chargeStopSocPct, dischargePowerKw } = plan.scalars;
    const step = house.steps[t]!;
    const hour = realHour(step, house.rules, house.band, socKwh, {
      chargeNow: chargeNow === 1,
      chargePowerKw,
      stopKwh: (battery.capacityKwh * chargeStopSocPct) / 100,
      dischargePowerKw,
    });
    yield {
      start: start(t),
      plan,
      known,
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

function stepPrice(
  start: Date,
  eurPerMwh: number,
  source: StepPrice["source"],
  { tariff }: SimulationInput,
): StepPrice {
  const priceCtKwh = eurPerMwh / 10;
  return {
    start,
    end: new Date(start.getTime() + HOUR_MS),
    priceCtKwh,
    importCtKwh: tariff?.importCtKwh(priceCtKwh, start) ?? priceCtKwh,
    exportCtKwh: tariff?.exportCtKwh(priceCtKwh, start) ?? priceCtKwh,
    source,
  };
}
