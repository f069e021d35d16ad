import { describe, expect, it } from "vitest";
import { planDevices } from "../../../src/plan/devices/plan-devices.js";
import { relaxedEnergies } from "../../../src/plan/devices/relaxation.js";
import { type EnergyStore, type StoreStage, storeCt } from "../../../src/plan/devices/store-states.js";
import { loadHighs } from "../../support/highs.js";
import { NO_BATTERY } from "../../support/no-battery.js";

const highs = await loadHighs();
const stage = (over: Partial<StoreStage> = {}): StoreStage => ({
  hours: 1,
  available: true,
  drawKwh: 0,
  leastKwh: 0,
  ...over,
});

/** What a store takes at these prices in a home without anything else, kWh, and its cost besides them, ct. */
function planned(prices: readonly number[], over: Partial<EnergyStore> = {}, hasStart = true) {
  const store: EnergyStore = {
    stages: prices.map(() => stage()),
    storedKwh: 0,
    maxKwh: 20,
    efficiency: 0.9,
    minPowerKw: 0,
    maxPowerKw: 5,
    lossPerHour: 0,
    worthCtKwh: 0,
    ...over,
  };
  const now = new Date("2026-01-01T00:00:00Z");
  const steps = prices.map((importCtKwh, t) => ({
    start: new Date(now.getTime() + t * 3_600_000),
    minutes: 60,
    importCtKwh,
    exportCtKwh: 0,
    loadKwh: 0,
    pvKwh: 0,
    published: true,
  }));
  const site = { now, steps, ratios: [], battery: NO_BATTERY, controls: [] };
  const home = { site, socKwh: 0, devices: [{ kind: "store" as const, store }] };
  const [kwh] = planDevices({ ...home, ...(hasStart && { start: relaxedEnergies(highs, home)! }) }).kwh;
  return { kwh: kwh!, ct: storeCt(store, kwh!) };
}

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

describe("a store", () => {
  it("of a vehicle is charged in the cheapest hours before it leaves", () => {
    const stages = [stage(), stage(), stage({ leastKwh: 6.3 }), stage({ available: false, drawKwh: 5 })];
    const { kwh, ct } = planned([30, 10, 20, 1], { stages });
    for (const [t, each] of [0, 5, 2, 0].entries()) expect(kwh[t]).toBeCloseTo(each, 6);
    expect(ct).toBe(0);
  });

  it("keeps to the least power, in quarter-hours", () => {
    const stages = [stage({ leastKwh: 1 })];
    // One quarter-hour at 4 kW.
    expect(planned([10], { stages, minPowerKw: 4, efficiency: 1 }).kwh[0]).toBeCloseTo(1, 6);
    const onOff = planned([10], { stages, minPowerKw: 3, maxPowerKw: 3, efficiency: 1 });
    expect(onOff.kwh[0]).toBeCloseTo(1.5, 6);
  });

  it("that is only switched takes all that there is in what is left of an hour", () => {
    const stages = [stage({ hours: 0.4 }), stage({ leastKwh: 9 })];
    const { kwh } = planned([10, 10], { stages, minPowerKw: 4, maxPowerKw: 4, efficiency: 1 });
    expect(total(kwh)).toBeCloseTo(5.6, 6);
  });

  it("is filled in a part of a quarter-hour at its least power, after which it takes no more", () => {
    for (const [missingKwh, maxPowerKw, expected] of [
      [0.6, 11, [0, 0.6, 0]],
      // On and off alone: seven whole quarter-hours, and what is still missing in the hour that costs least beside theirs.
      [7.6, 4.14, [0, 4.14, 3.46]],
    ] as const) {
      const stages = [stage(), stage(), stage({ leastKwh: missingKwh })];
      const over = { stages, maxKwh: missingKwh, minPowerKw: 4.14, maxPowerKw, efficiency: 1 };
      const { kwh, ct } = planned([30, 10, 20], over);
      expect(total(kwh)).toBeCloseTo(missingKwh, 6);
      for (const [t, each] of expected.entries()) expect(kwh[t]).toBeCloseTo(each, 6);
      expect(ct).toBe(0);
    }
  });

  it("is heated as late as prices allow, because heat is lost", () => {
    const stages = [stage(), stage(), stage(), stage({ drawKwh: 3 })];
    const { kwh, ct } = planned([10, 10, 10, 30], { stages, efficiency: 1, lossPerHour: 0.05 });
    expect(kwh[2]).toBeGreaterThan(2.9);
    expect(total(kwh)).toBeGreaterThanOrEqual(3 / 0.95 - 1e-6);
    expect(total(kwh)).toBeLessThan(1.05 * (3 / 0.95));
    expect(ct).toBe(0);
  });

  it("takes for later use what is worth more than it costs", () => {
    const { kwh } = planned([5, 15], { worthCtKwh: 10 });
    expect(kwh[0]).toBeCloseTo(5, 6);
    expect(kwh[1]).toBeCloseTo(0, 6);
  });

  it("has all that it needs in two days where the relaxed problem has no solution in time", () => {
    const stages = Array.from({ length: 40 }, (_, t) => stage(t === 39 ? { leastKwh: 63 } : {}));
    const prices = stages.map((_, t) => (t < 20 ? 30 : 10));
    expect(planned(prices, { stages, maxKwh: 70 }, false).ct).toBe(0);
  });

  it("takes all it can where the departure is too early", () => {
    expect(planned([10, 10], { stages: [stage(), stage({ leastKwh: 12 })] }).kwh).toEqual([5, 5]);
  });

  it("never takes more than fits", () => {
    expect(total(planned([-5, -5, -5], { storedKwh: 15, efficiency: 1 }).kwh)).toBeCloseTo(5, 4);
  });

  it("stays within its bounds and near the optimum of every subset of full hours", () => {
    let state = 7;
    const random = () => {
      state = (state * 48271) % 2147483647;
      return state / 2147483647;
    };
    for (let round = 0; round < 10; round++) {
      const prices = Array.from({ length: 8 }, () => 5 + 25 * random());
      const hours = 1 + Math.floor(5 * random());
      const stages = prices.map((_, t) => stage(t === 7 ? { leastKwh: hours * 5 } : {}));
      const { kwh, ct } = planned(prices, { stages, efficiency: 1, maxKwh: 60 });
      const cost = kwh.reduce((sum, each, t) => sum + each * prices[t]!, 0);
      const best = 5 * total([...prices].sort((a, b) => a - b).slice(0, hours));
      expect(ct).toBe(0);
      expect(cost).toBeLessThanOrEqual(best + 0.01);
    }
  });
});
