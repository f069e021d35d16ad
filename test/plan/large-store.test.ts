import { describe, expect, it } from "vitest";
import {
  emptyFunction,
  evaluate,
  leastOf,
  type PiecewiseLinear,
} from "../../src/plan/exact/piecewise-linear.js";
import { type PlanBatteryInput, planBattery } from "../../src/plan/exact/plan-battery.js";
import { seeded } from "../support/random.js";

/**
 * A week of quarter-hours with export prices above import prices, a day of negative prices and both grid limits: a
 * non-convex problem.
 */
function largeStore(capacityKwh: number, socKwh: number): PlanBatteryInput {
  const { next: random } = seeded(7);
  const hourOf = (t: number) => t / 4;
  const prices = Array.from(
    { length: 672 },
    (_, t) => (Math.floor(t / 96) === 1 ? -20 : 15) + 10 * Math.sin(hourOf(t) / 4) + 5 * random(),
  );
  return {
    start: new Date("2026-01-15T00:00:00Z"),
    stepMinutes: 15,
    importPriceCtKwh: prices,
    exportPriceCtKwh: prices.map(() => 40),
    loadKwh: prices.map(() => random()),
    pvKwh: prices.map((_, t) => Math.max(0, Math.sin(hourOf(t) / 4)) * random()),
    battery: {
      capacityKwh,
      socKwh,
      minSocKwh: 0,
      maxSocKwh: capacityKwh,
      maxChargePowerKw: 11,
      maxDischargePowerKw: 5,
      chargeEfficiency: 0.95,
      dischargeEfficiency: 0.95,
    },
    grid: { importLimitKw: 3, exportLimitKw: 1 },
    terminalValueCtKwh: 12,
  };
}

describe("a battery far larger than its power", () => {
  it("is planned quickly, independent of its capacity", () => {
    // From 900 kWh, one week reaches 20 to 2700 kWh, so that both capacities give the same plan.
    const plans = [3000, 100_000].map((capacityKwh) => planBattery(largeStore(capacityKwh, 900)));
    expect(plans[1]!.costCt).toBeCloseTo(plans[0]!.costCt, 4);
    expect(Math.abs(plans[1]!.optimalityGapCt)).toBeLessThan(1e-3);
    expect(plans[1]!.steps.map((step) => step.action)).toEqual(plans[0]!.steps.map((step) => step.action));
  });

  it("is planned from above its band", () => {
    const input = largeStore(100_000, 100_000);
    const plan = planBattery({ ...input, battery: { ...input.battery, maxSocKwh: 95_000 } });
    expect(plan.steps.every((step) => step.chargeKwh === 0)).toBe(true);
    expect(Math.abs(plan.optimalityGapCt)).toBeLessThan(1e-3);
  });
});

it("leastOf is the minimum of all functions at each point", () => {
  const { next: random } = seeded(3);
  const functions = Array.from({ length: 25 }, (_, index): PiecewiseLinear => {
    const from = index + random();
    return {
      ...emptyFunction(),
      from: [from],
      to: [from + 1 + 4 * random()],
      value: [10 * random()],
      slope: [4 * random() - 2],
    };
  });
  const envelope = leastOf(functions);
  for (let x = 1; x < 26; x += 0.0137) {
    const least = Math.min(...functions.map((f) => evaluate(f, x)));
    if (Number.isFinite(least)) expect(evaluate(envelope, x)).toBeCloseTo(least, 9);
  }
});
