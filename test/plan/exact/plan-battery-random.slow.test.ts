import { beforeAll, describe, expect, it } from "vitest";
import { planBattery } from "../../../src/plan/exact/plan-battery.js";
import { type Highs, loadHighs } from "../../support/highs.js";
import { seeded } from "../../support/random.js";
import { randomInstance } from "./instances.js";
import { solveByHighs } from "./milp.js";
import { replay } from "./replay.js";

const start = new Date("2026-01-15T00:00:00Z");

/** Multiplies the number of random problems: `RANDOM_FACTOR=4` for a change of the solver. */
const FACTOR = Number(process.env.RANDOM_FACTOR ?? 1);

describe("planBattery against HiGHS", () => {
  let highs: Highs;
  beforeAll(async () => {
    highs = await loadHighs();
  });

  const compare = (convex: boolean, count: number, seed: number, longest: number) => {
    const random = seeded(seed);
    for (let instance = 0; instance < count; instance++) {
      const input = randomInstance(random, { convex, steps: random.integer(1, longest) });
      const plan = planBattery(input);
      const truth = solveByHighs(highs, input, { convex });
      const name = `seed ${seed} instance ${instance}`;
      expect(plan.importLimitExceededKwh, `${name}: breach`).toBeCloseTo(truth.breachKwh, 6);
      const tolerance = 1e-6 * Math.max(1, Math.abs(truth.objectiveCt));
      expect(
        Math.abs(plan.objectiveCt - truth.objectiveCt),
        `${name}: ${plan.objectiveCt} and ${truth.objectiveCt}`,
      ).toBeLessThan(tolerance);
      expect(Math.abs(plan.optimalityGapCt), `${name}: gap`).toBeLessThan(tolerance);
      expect(Math.abs(replay(input, plan) - plan.costCt), `${name}: replayed cost`).toBeLessThan(tolerance);
    }
  };

  it("costs the same on convex problems", () => compare(true, 200 * FACTOR, 1, 24));
  it("costs the same on problems with negative and inverted prices and a minimum power", () =>
    compare(false, 100 * FACTOR, 2, 12));
});

describe("planBattery, invariants", () => {
  const instances = (seed: number, count: number) => {
    const random = seeded(seed);
    return Array.from({ length: count }, () => randomInstance(random, { convex: false, steps: 10 }));
  };

  it("costs ten times as much at ten times the prices", () => {
    for (const input of instances(11, 60)) {
      const scaled = {
        ...input,
        importPriceCtKwh: input.importPriceCtKwh.map((price) => 10 * price),
        exportPriceCtKwh: input.exportPriceCtKwh.map((price) => 10 * price),
        battery: { ...input.battery, wearCtKwh: 10 * (input.battery.wearCtKwh ?? 0) },
        terminalValueCtKwh:
          typeof input.terminalValueCtKwh === "number"
            ? 10 * input.terminalValueCtKwh
            : input.terminalValueCtKwh!.map(({ kwh, ctKwh }) => ({ kwh, ctKwh: 10 * ctKwh })),
      };
      expect(planBattery(scaled).objectiveCt).toBeCloseTo(10 * planBattery(input).objectiveCt, 4);
    }
  });

  it("gives the same cost for an hour as one step or as four", () => {
    for (const given of instances(12, 60)) {
      const { minChargePowerKw: _, ...rest } = given.battery;
      // Alternating actions within an hour do not pay with ordinary prices.
      const importPriceCtKwh = given.importPriceCtKwh.map(Math.abs);
      const exportPriceCtKwh = importPriceCtKwh.map((price) => price / 2);
      const hourly = {
        ...given,
        start,
        stepMinutes: 60 as const,
        importPriceCtKwh,
        exportPriceCtKwh,
        battery: rest,
      };
      const four = (values: readonly number[], share: number) =>
        values.flatMap((value) => new Array<number>(4).fill(value * share));
      const quarterly = {
        ...hourly,
        stepMinutes: 15 as const,
        importPriceCtKwh: four(importPriceCtKwh, 1),
        exportPriceCtKwh: four(exportPriceCtKwh, 1),
        loadKwh: four(given.loadKwh, 1 / 4),
        pvKwh: four(given.pvKwh, 1 / 4),
      };
      const [one, split] = [planBattery(hourly), planBattery(quarterly)];
      expect(split.importLimitExceededKwh).toBeCloseTo(one.importLimitExceededKwh, 6);
      expect(split.objectiveCt).toBeCloseTo(one.objectiveCt, 5);
    }
  });

  it("does not cost more with a larger battery", () => {
    for (const given of instances(13, 60)) {
      const { importLimitKw: _, ...grid } = given.grid ?? {};
      const input = { ...given, terminalValueCtKwh: 0, grid };
      const larger = {
        ...input,
        battery: {
          ...input.battery,
          capacityKwh: 2 * input.battery.capacityKwh,
          maxSocKwh: 2 * input.battery.maxSocKwh,
        },
      };
      expect(planBattery(larger).objectiveCt).toBeLessThan(planBattery(input).objectiveCt + 1e-6);
    }
  });
});
