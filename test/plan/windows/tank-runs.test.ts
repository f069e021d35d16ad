import fc from "fast-check";
import { expect, it } from "vitest";
import {
  type TankQuarter,
  type TankRunsProblem,
  tankRuns,
  tankStates,
} from "../../../src/plan/windows/tank-runs.js";

const quarter = (of: Partial<TankQuarter> = {}): TankQuarter => ({
  hours: 0.25,
  ctKwh: 20,
  drawKwh: 0,
  certainKwh: 0,
  leastKwh: 0,
  available: true,
  ...of,
});
const problem = (quarters: TankQuarter[], of: Partial<TankRunsProblem> = {}): TankRunsProblem => ({
  quarters,
  storedKwh: 1,
  maxKwh: 4,
  powerKw: 2,
  days: [],
  starts: [],
  leastRun: 2,
  running: undefined,
  worthCtKwh: 10,
  ...of,
});

it("fills a tank where heat is cheap: its thermostat ends the last quarter-hour", () => {
  const cheap = Array.from({ length: 12 }, (_, t) => quarter({ ctKwh: t >= 2 && t < 10 ? 2 : 20 }));
  const kwh = tankRuns(problem(cheap, { storedKwh: 1.2 }));
  // 2.8 kWh fit: five quarter-hours of 0.5 kWh and 0.3 kWh.
  expect(kwh.filter((energy) => energy > 0.01).map((energy) => Math.round(energy * 100) / 100)).toEqual([
    0.5, 0.5, 0.5, 0.5, 0.5, 0.3,
  ]);
  expect(kwh.slice(0, 2)).toEqual([0, 0]);
});

it("waits with heat that a draw may not need until just before it", () => {
  const quarters = Array.from({ length: 16 }, (_, t) =>
    quarter({ drawKwh: t >= 8 && t < 12 ? 0.4 : 0, ctKwh: t < 12 ? 20 : 0 }),
  );
  const kwh = tankRuns(problem(quarters, { worthCtKwh: 0 }));
  expect(kwh.slice(0, 7)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  expect(kwh.slice(7, 12).reduce((sum, energy) => sum + energy, 0)).toBeGreaterThan(0.5);
});

it("heats for what is certain to go, as on the way to the temperature against legionella, no more than goes", () => {
  // 0.9 kWh go in a quarter-hour, 0.4 are there; heat is free afterwards.
  const heatedKwh = (certainKwh: number) => {
    const quarters = Array.from({ length: 12 }, (_, t) =>
      quarter(t < 5 ? {} : t === 5 ? { drawKwh: 0.9, certainKwh } : { ctKwh: 0 }),
    );
    const kwh = tankRuns(problem(quarters, { storedKwh: 0.4, leastRun: 1, worthCtKwh: 0 }));
    return kwh.slice(0, 6).reduce((sum, energy) => sum + energy, 0);
  };
  expect(heatedKwh(0.9)).toBeCloseTo(0.5, 9);
  expect(heatedKwh(0)).toBeCloseTo(1, 9);
});

it("heats a tank that is full where heat leaves it at once, as above its usual temperature", () => {
  const quarters = [0, 1, 2, 3].map((t) =>
    quarter({ drawKwh: 0.5, certainKwh: 0.5, leastKwh: t === 3 ? 3.5 : 0 }),
  );
  const kwh = tankRuns(problem(quarters, { storedKwh: 4 }));
  expect(kwh.slice(1)).toEqual([0.5, 0.5, 0.5]);
  expect(tankRuns(problem(quarters.slice(3), { storedKwh: 4, leastRun: 1, worthCtKwh: 30 }))).toEqual([0.5]);
});

it("does not heat a full tank for what it loses, and waits until one that is too hot has cooled down", () => {
  const quarters = Array.from({ length: 24 }, (_, t) =>
    quarter({ drawKwh: 0.05, certainKwh: 0.05, ctKwh: t < 12 ? 1 : 30 }),
  );
  const heated = (storedKwh: number) =>
    tankRuns(problem(quarters, { storedKwh, leastRun: 1, worthCtKwh: 30 })).map((kwh) => kwh > 0);
  // Three quarter-hours of losses make room for less than half a quarter-hour of heat.
  expect(heated(4).slice(0, 4)).toEqual([false, false, false, false]);
  expect(heated(4).filter(Boolean).length).toBeLessThanOrEqual(3);
  expect(heated(4.3).slice(0, 10)).toEqual(new Array(10).fill(false));
});

it("goes on with a run that is shorter than its least length, and pauses where the tank may not be heated", () => {
  const quarters = [quarter(), quarter(), quarter({ available: false }), quarter({ ctKwh: -5 }), quarter()];
  expect(tankRuns(problem(quarters, { running: 1, worthCtKwh: 0 }))[0]).toBe(0.5);
  expect(tankRuns(problem(quarters))[2]).toBe(0);
});

it("goes on with a run that has begun in the quarter-hour in progress", () => {
  // Heat is dear now and free later: only the least run keeps the tank on.
  const quarters = Array.from({ length: 8 }, (_, t) => quarter({ ctKwh: t < 4 ? 50 : 0 }));
  const ofRun = (leastRun: number) =>
    tankRuns(problem(quarters, { running: 0, leastRun, worthCtKwh: 0 })).slice(0, 4);
  expect(ofRun(2)).toEqual([0.5, 0.5, 0, 0]);
  expect(ofRun(1)).toEqual([0, 0, 0, 0]);
});

it("waits for the next day where no start is left, unless the tank is below its least temperature", () => {
  const quarters = Array.from({ length: 16 }, (_, t) => quarter({ ctKwh: t < 8 ? 0 : 20, drawKwh: 0.3 }));
  const days = [
    { from: 0, to: 8 },
    { from: 8, to: 16 },
  ];
  const heated = (storedKwh: number, running?: number) =>
    tankRuns(problem(quarters, { days, starts: [0, 3], storedKwh, running }))
      .slice(0, 8)
      .filter((kwh) => kwh > 0).length;
  expect(heated(3)).toBe(0);
  expect(heated(0)).toBeGreaterThanOrEqual(2);
  // The run in progress is no start.
  expect(heated(3, 2)).toBeGreaterThan(0);
});

it("heats a tank again that could not be heated while much was drawn", () => {
  const quarters = Array.from({ length: 40 }, (_, t) =>
    t < 20 ? quarter({ drawKwh: 0.4, available: false }) : quarter(),
  );
  const kwh = tankRuns(problem(quarters));
  expect(kwh.slice(0, 20).every((energy) => energy === 0)).toBe(true);
  expect(kwh[20]).toBe(0.5);
});

it("keeps to the least run and never heats beyond the greatest heat", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({ ctKwh: fc.integer({ min: -10, max: 40 }), drawKwh: fc.constantFrom(0, 0.1, 0.3) }),
        {
          minLength: 8,
          maxLength: 24,
        },
      ),
      fc.double({ min: 0, max: 4, noNaN: true }),
      (rows, storedKwh) => {
        // Losses keep a tank that is hot from being none.
        const quarters = rows.map((row) => quarter({ ...row, drawKwh: row.drawKwh + 0.01 }));
        const kwh = tankRuns(problem(quarters, { storedKwh }));
        let heldKwh = storedKwh;
        for (const [t, energy] of kwh.entries()) {
          heldKwh += energy;
          expect(heldKwh).toBeLessThan(4 + 1e-9);
          expect(energy).toBeLessThan(0.5 + 1e-9);
          heldKwh -= quarters[t]!.drawKwh;
          const isAlone = energy > 0 && !(kwh[t - 1]! > 0) && t + 1 < kwh.length && !(kwh[t + 1]! > 0);
          expect(isAlone).toBe(false);
        }
      },
    ),
    { numRuns: 50 },
  );
});

it("has few states, also with the longest least run", () => {
  for (const leastRun of [1, 8, 16, 48, 96])
    expect(tankStates({ days: [], starts: [], leastRun, running: undefined }).count).toBeLessThanOrEqual(20);
});
