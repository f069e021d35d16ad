import { describe, expect, it } from "vitest";
import { planStore, type StoreProblem, type StoreStage } from "../../../src/plan/devices/store-plan.js";

const stage = (over: Partial<StoreStage> = {}): StoreStage => ({
  hours: 1,
  available: true,
  drawKwh: 0,
  leastKwh: 0,
  ...over,
});

function problem(prices: readonly number[], over: Partial<StoreProblem> = {}): StoreProblem {
  return {
    stages: prices.map(() => stage()),
    storedKwh: 0,
    maxKwh: 20,
    efficiency: 0.9,
    minPowerKw: 0,
    maxPowerKw: 5,
    lossPerHour: 0,
    worthCtKwh: 0,
    costCt: (t, kwh) => prices[t]! * kwh,
    ...over,
  };
}

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

describe("planStore", () => {
  it("charges a vehicle in the cheapest hours before it leaves", () => {
    const stages = [stage(), stage(), stage({ leastKwh: 6.3 }), stage({ available: false, drawKwh: 5 })];
    const plan = planStore(problem([30, 10, 20, 1], { stages }));
    expect(plan.kwh[0]).toBeCloseTo(0, 6);
    expect(plan.kwh[1]).toBeCloseTo(5, 6);
    expect(plan.kwh[2]).toBeCloseTo(2, 6);
    expect(plan.kwh[3]).toBe(0);
    expect(plan.missingKwh).toBe(0);
  });

  it("keeps to the least power, in quarter-hours", () => {
    const stages = [stage({ leastKwh: 1 })];
    const [kwh] = planStore(problem([10], { stages, minPowerKw: 4, efficiency: 1 })).kwh;
    // One quarter-hour at 4 kW.
    expect(kwh).toBeCloseTo(1, 6);
    const onOff = planStore(problem([10], { stages, minPowerKw: 3, maxPowerKw: 3, efficiency: 1 }));
    expect(onOff.kwh[0]).toBeCloseTo(1.5, 6);
  });

  it("heats as late as prices allow, because heat is lost", () => {
    const stages = [stage(), stage(), stage(), stage({ drawKwh: 3 })];
    const plan = planStore(problem([10, 10, 10, 30], { stages, efficiency: 1, lossPerHour: 0.05 }));
    expect(plan.kwh[2]).toBeGreaterThan(2.9);
    expect(total(plan.kwh)).toBeGreaterThanOrEqual(3 / 0.95 - 1e-6);
    expect(total(plan.kwh)).toBeLessThan(1.05 * (3 / 0.95));
    expect(plan.missingKwh).toBe(0);
  });

  it("stores for later use what is worth more than it costs", () => {
    const plan = planStore(problem([5, 15], { worthCtKwh: 10 }));
    expect(plan.kwh[0]).toBeCloseTo(5, 6);
    expect(plan.kwh[1]).toBeCloseTo(0, 6);
  });

  it("charges all it can where the departure is too early, and says what is missing", () => {
    const plan = planStore(problem([10, 10], { stages: [stage(), stage({ leastKwh: 12 })] }));
    expect(plan.kwh).toEqual([5, 5]);
    expect(plan.missingKwh).toBeCloseTo(3, 6);
  });

  it("never takes more than fits", () => {
    const plan = planStore(problem([-5, -5, -5], { storedKwh: 15, efficiency: 1 }));
    expect(total(plan.kwh)).toBeCloseTo(5, 4);
    expect(Math.max(...plan.storedKwh)).toBeLessThanOrEqual(20 + 1e-6);
  });

  it("stays within its bounds and near the optimum of every subset of full hours", () => {
    let state = 7;
    const random = () => {
      state = (state * 48271) % 2147483647;
      return state / 2147483647;
    };
    for (let round = 0; round < 40; round++) {
      const prices = Array.from({ length: 8 }, () => 5 + 25 * random());
      const hours = 1 + Math.floor(5 * random());
      const stages = prices.map((_, t) => stage(t === 7 ? { leastKwh: hours * 5 } : {}));
      const plan = planStore(problem(prices, { stages, efficiency: 1, maxKwh: 60 }));
      const cost = plan.kwh.reduce((sum, kwh, t) => sum + kwh * prices[t]!, 0);
      const best = 5 * total([...prices].sort((a, b) => a - b).slice(0, hours));
      expect(plan.storedKwh[7]).toBeGreaterThanOrEqual(hours * 5 - 1e-6);
      expect(cost).toBeLessThanOrEqual(best + 0.01);
    }
  });
});
