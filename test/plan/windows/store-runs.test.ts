import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type StoreQuarter,
  type StoreRunsProblem,
  StoreStates,
  storeRuns,
} from "../../../src/plan/windows/store-runs.js";
import { runs } from "../../support/runs.js";

const LEAST_KWH = 0.35;
const MOST_KWH = 1;

/** A vehicle that takes 1.4 to 4 kW, with a price of each quarter-hour and what is planned in it. */
function quartersOf(list: readonly (readonly [ctKwh: number, plannedKwh: number])[]): StoreQuarter[] {
  return list.map(([ctKwh, plannedKwh], n) => ({
    joins: n > 0,
    ctKwh,
    plannedKwh,
    leastKwh: LEAST_KWH,
    mostKwh: MOST_KWH,
  }));
}

const planOf = (
  quarters: readonly StoreQuarter[],
  { starts, running, leastRun = 1 }: { starts: number; running?: number; leastRun?: number },
  more: Partial<StoreRunsProblem> = {},
) =>
  storeRuns({
    quarters,
    limits: { days: [{ from: 0, to: quarters.length }], starts: [starts], leastRun, running },
    mayWait: true,
    startCt: 0,
    ...more,
  });

/** Lengths of the runs, and how many of them are starts. */
function runsOf(kwh: readonly number[], running?: number) {
  const lengths: number[] = [];
  for (const [n, each] of kwh.entries()) {
    if (each === 0) continue;
    if (n > 0 && kwh[n - 1]! > 0) lengths[lengths.length - 1]!++;
    else lengths.push(1);
  }
  const goesOn = running !== undefined && kwh[0]! > 0;
  return { lengths, starts: lengths.length - (goesOn ? 1 : 0) };
}

const sum = (kwh: readonly number[]) => kwh.reduce((total, each) => total + each, 0);

describe("runs of a device that stores", () => {
  it("stay as they are where they keep to the limits", () => {
    const planned = [0, 1, 1, 0, 0, 0.6, 0.8, 0];
    const quarters = quartersOf(planned.map((kwh, n) => [10 + n, kwh]));
    expect(planOf(quarters, { starts: 2, leastRun: 2 })).toEqual(planned);
  });

  it("are joined where that costs least", () => {
    const ct = [10, 10, 30, 10, 20, 20, 10];
    const planned = [1, 0, 0, 1, 0, 0, 1];
    const kwh = planOf(quartersOf(ct.map((each, n) => [each, planned[n]!])), { starts: 2 });
    expect(kwh).toEqual([1, 1, 0, 0, 0, 0, 1]);
  });

  it("go on at a lower power rather than stop where no start is left", () => {
    const planned = [1, 0, 0, 1, 1, 1];
    const kwh = planOf(quartersOf(planned.map((each) => [each > 0 ? 10 : 14, each])), {
      starts: 0,
      running: 4,
    });
    expect(kwh.every((each) => each > 0)).toBe(true);
    expect(kwh.slice(1, 3)).toEqual([LEAST_KWH, LEAST_KWH]);
    expect(sum(kwh)).toBeCloseTo(4, 6);
  });

  it("end at once where a run in progress has lasted long enough and nothing more is needed soon", () => {
    const kwh = planOf(quartersOf([0, 0, 0, 0, 0, 1, 1].map((each) => [each > 0 ? 10 : 40, each])), {
      starts: 1,
      running: 2,
      leastRun: 2,
    });
    expect(kwh).toEqual([0, 0, 0, 0, 0, 1, 1]);
  });

  it("last for their least time, also one in progress", () => {
    const kwh = planOf(quartersOf([0, 0, 0, 0, 1, 1].map((each) => [each > 0 ? 10 : 12, each])), {
      starts: 3,
      running: 1,
      leastRun: 2,
    });
    expect(kwh[0]).toBeGreaterThan(0);
    expect(sum(kwh)).toBeCloseTo(2, 6);
  });

  it("begin once more where energy would be missing otherwise", () => {
    const planned = [0, 0, 1, 1, 0, 0];
    expect(planOf(quartersOf(planned.map((each) => [10, each])), { starts: 0 })).toEqual(planned);
  });

  it("property: take what is planned, within the limits wherever one run would fit", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: -5, max: 40 }), fc.constantFrom(0, 0, 0, 0.4, 0.7, 1)), {
          minLength: 2,
          maxLength: 40,
        }),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 3 }),
        fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }),
        (list, starts, leastRun, running) => {
          const quarters = quartersOf(list);
          const kwh = planOf(quarters, { starts, leastRun, ...(running !== undefined && { running }) });
          const total = sum(list.map(([, planned]) => planned));
          expect(sum(kwh)).toBeCloseTo(total, 6);
          for (const each of kwh) expect(each).toBeLessThanOrEqual(MOST_KWH + 1e-6);
          expect(runsOf(kwh, running).starts).toBeLessThanOrEqual(starts);
        },
      ),
      { seed: 20261126, numRuns: runs(150) },
    );
  });

  it("property: a tank that is only switched never holds less than planned", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.constantFrom(0, 0, 0.5)), {
          minLength: 2,
          maxLength: 40,
        }),
        fc.integer({ min: 1, max: 3 }),
        (list, leastRun) => {
          const quarters = quartersOf(list).map((each) => ({ ...each, leastKwh: 0.5, mostKwh: 0.5 }));
          const kwh = planOf(quarters, { starts: Number.POSITIVE_INFINITY, leastRun }, { mayWait: false });
          expect(sum(kwh)).toBeCloseTo(sum(list.map(([, planned]) => planned)), 6);
          for (const n of kwh.keys()) {
            const until = (of: readonly number[]) => sum(of.slice(0, n + 1));
            expect(until(kwh)).toBeGreaterThanOrEqual(until(list.map(([, planned]) => planned)) - 1e-6);
          }
        },
      ),
      { seed: 20261126, numRuns: runs(150) },
    );
  });

  it.each([
    { slots: 96, starts: 3, leastRun: 16 },
    { slots: 288, starts: 3, leastRun: 96 },
    { slots: 288, starts: 96, leastRun: 32 },
  ])(
    "are found in few moves, because the gateway waits: $slots quarter-hours, $starts starts, at least $leastRun",
    (of) => {
      const quarters = quartersOf(
        Array.from({ length: of.slots }, (_, n) => [10 + (n % 7), n % 3 === 0 ? 0.8 : 0]),
      );
      const days = [{ from: 0, to: of.slots }];
      const limits = { days, starts: [of.starts], leastRun: of.leastRun, running: undefined };
      const problem = { quarters, limits, mayWait: true, startCt: 1 };
      const totalKwh = quarters.reduce((total, { plannedKwh }) => total + plannedKwh, 0);
      expect(new StoreStates(problem, totalKwh).moves).toBeLessThan(10_000_000);
    },
  );
});
