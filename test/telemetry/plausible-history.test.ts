import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePlant } from "../../src/config/plant.js";
import type { TimedValue } from "../../src/core/domain/counter.js";
import { counterQuarters } from "../../src/money/bill/counter-quarters.js";
import { counterSteps, plausibleReadings } from "../../src/telemetry/plausible-history.js";
import { powerQuarters } from "../../src/telemetry/reading-energies.js";
import { readingLimits } from "../../src/telemetry/reading-limits.js";

const START = Date.parse("2026-06-14T22:00:00Z");
const at = (minutes: number, value: number): TimedValue => ({
  at: new Date(START + minutes * 60_000),
  value,
});
const parsed = parsePlant(
  {
    id: "home",
    battery: { capacity_kwh: 10, max_charge_power_kw: 5, max_discharge_power_kw: 5 },
    pv: [{ peak_kw: 8 }],
    slots: [{ slot: 1, kind: "boiler", power_kw: 2, store: { litres: 200 } }],
  },
  [],
);
if ("findings" in parsed) throw new Error(JSON.stringify(parsed.findings));
const limits = readingLimits(parsed.plant);
const valuesOf = (reading: Parameters<typeof limits.get>[0], values: readonly number[], stepMinutes = 5) =>
  plausibleReadings(
    values.map((value, index) => at(index * stepMinutes, value)),
    limits.get(reading),
  ).map(({ value }) => value);

describe("stored readings", () => {
  it("of a power beyond 1.5 times the settings are left out", () => {
    expect(valuesOf("battery_power_kw", [0, 655.35, 0, -655.35, 0])).toEqual([0, 0, 0]);
    expect(valuesOf("battery_power_kw", [655.35, 7.5, -7.5, 7.6])).toEqual([7.5, -7.5]);
    expect(valuesOf("pv_power_kw", [3, 65.535, 3])).toEqual([3, 3]);
    expect(valuesOf("load_power_kw", [0.5, 230, 230, 230, 0.5])).toEqual([0.5, 0.5]);
    expect(valuesOf("slot_1_power_kw", [2, 20, 2])).toEqual([2, 2]);
  });

  it("of a larger battery than in the settings are believed after three, those of a faulty register never", () => {
    expect(valuesOf("battery_power_kw", [0, 10, 10.2, 9.9, 10, 0])).toEqual([0, 10, 10.2, 9.9, 10, 0]);
    expect(valuesOf("battery_power_kw", [0, 10, 10.2, 0])).toEqual([0, 0]);
    expect(valuesOf("battery_power_kw", [0, ...Array<number>(50).fill(655.35), 0])).toEqual([0, 0]);
  });

  it("of a state of charge or a temperature that jumps once are left out", () => {
    expect(valuesOf("soc_pct", [80, 0, 80, 81])).toEqual([80, 80, 81]);
    expect(valuesOf("slot_1_temperature_c", [52, 85, 52], 1)).toEqual([52, 52]);
  });

  it("of a counter that is 0, falls or leaps once are left out", () => {
    expect(valuesOf("import_kwh", [100, 100.1, 0, 100.3])).toEqual([100, 100.1, 100.3]);
    expect(valuesOf("import_kwh", [100, 100.1, 5000, 100.3])).toEqual([100, 100.1, 100.3]);
    // Within what the connection can carry, but the next reading shows that it was not so.
    expect(valuesOf("import_kwh", [100, 100.1, 103, 100.3, 100.4])).toEqual([100, 100.1, 100.3, 100.4]);
    expect(valuesOf("import_kwh", [100, 0, 0, 100.3])).toEqual([100, 100.3]);
    expect(valuesOf("slot_1_energy_kwh", [50, 50.1, 0, 50.2])).toEqual([50, 50.1, 50.2]);
  });

  it("of a counter that reports its steps at the hour are used", () => {
    const hourly = Array.from({ length: 121 }, (_, minute) => at(minute, 100 + 9 * Math.floor(minute / 60)));
    expect(plausibleReadings(hourly, limits.get("import_kwh"))).toEqual(hourly);
  });
});

describe("a new meter", () => {
  const kwhOf = (values: readonly number[]) =>
    counterSteps(
      values.map((value, index) => at(index * 15, value)),
      limits.get("import_kwh"),
    ).reduce((sum, { kwh }) => sum + kwh, 0);

  it("starts anew after three readings, and no jump is booked", () => {
    expect(kwhOf([100, 101, 0, 1, 2, 3])).toBeCloseTo(4);
    expect(kwhOf([100, 101, 40_000, 40_001, 40_002, 40_003])).toBeCloseTo(4);
    expect(kwhOf([0, 40_134.5, 40_134.6, 40_134.7])).toBeCloseTo(0.2);
  });

  it("that stands at 0 on a sunny day has imported nothing in that time", () => {
    // Every 5 minutes: 100 to 11:00, the new meter from 11:15 to 17:00 at 0, then the first import.
    const zeros = Array.from({ length: 70 }, (_, index) => at(15 + 5 * index, 0));
    const steps = counterSteps([at(-5, 99.9), at(0, 100), ...zeros, at(365, 0.2)], limits.get("import_kwh"));
    const minutes = steps.reduce(
      (sum, { start, end }) => sum + (end.getTime() - start.getTime()) / 60_000,
      0,
    );
    expect(minutes).toBe(5 + 350);
    expect(steps.every(({ isLong }) => !isLong)).toBe(true);
  });

  it("in another unit is not believed", () => {
    expect(kwhOf([100, 101, 101_100, 101_101, 101_102, 101_103, 102])).toBeCloseTo(2);
  });

  it("read hourly loses nothing to a single wrong value", () => {
    const hourly = [100, 101, 0, 103, 104].map((value, hour) => at(hour * 60, value));
    const stretch = { start: new Date(START), end: new Date(START + 4 * 3_600_000) };
    const quarters = counterQuarters(hourly, stretch, limits.get("import_kwh"));
    expect(quarters.reduce<number>((sum, kwh) => sum + (kwh ?? 0), 0)).toBeCloseTo(4);
  });
});

describe("a noisy series", () => {
  const stretch = { start: new Date(START), end: new Date(START + 24 * 3_600_000) };
  // Each reading of the clean day, and for one in a hundred what a faulty register or bridge sends instead.
  const faults = fc.array(
    fc.record({
      index: fc.integer({ min: 1, max: 286 }),
      fault: fc.constantFrom(0, 65_535, -32_768, 655_350),
    }),
    { minLength: 1, maxLength: 3 },
  );
  const steps = fc.array(fc.double({ min: 0, max: 0.5, noNaN: true }), { minLength: 289, maxLength: 289 });

  it("property: a counter has the energies of the clean one, but within the neighbours' quarter-hours", () => {
    fc.assert(
      fc.property(steps, faults, (rises, wrong) => {
        let value = 40_000;
        const clean = rises.map((rise, index) => {
          value += rise;
          return at(index * 5, value);
        });
        const noisy = clean.map((one, index) => {
          const fault = wrong.find((candidate) => candidate.index === index);
          return fault === undefined ? one : { at: one.at, value: fault.fault };
        });
        const bound = limits.get("import_kwh");
        const [expected, actual] = [clean, noisy].map((readings) =>
          counterQuarters(readings, stretch, bound),
        );
        const touched = new Set(
          wrong.flatMap(({ index }) => [index - 1, index].map((i) => Math.floor(i / 3))),
        );
        const total = (quarters: readonly (number | undefined)[]) =>
          quarters.reduce<number>((sum, kwh) => sum + (kwh ?? 0), 0);
        expect(total(actual!)).toBeCloseTo(total(expected!), 6);
        const near = (t: number) => [t - 1, t, t + 1].some((one) => touched.has(one));
        const isEqual = (a: number | undefined, b: number | undefined) =>
          a === b || Math.abs(a! - b!) < 5e-10;
        expect(actual!.filter((kwh, t) => !near(t) && !isEqual(kwh, expected![t]))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it("property: a power too", () => {
    const powers = fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 288, maxLength: 288 });
    fc.assert(
      fc.property(powers, faults, (values, wrong) => {
        const clean = values.map((value, index) => at(index * 5, value));
        const isWrong = (index: number) => wrong.some((one) => one.index === index && one.fault !== 0);
        const noisy = clean.map((one, index) => ({
          at: one.at,
          value: isWrong(index) ? wrong.find((other) => other.index === index)!.fault : one.value,
        }));
        const bound = limits.get("battery_power_kw");
        const expected = powerQuarters(plausibleReadings(clean, bound), stretch);
        const actual = powerQuarters(plausibleReadings(noisy, bound), stretch);
        const isNear = (kwh: number | undefined, t: number) => {
          const isTouched = [0, 1, 2].some((k) => isWrong(3 * t + k));
          // A skipped power leaves the one before it in force, of at most 5 kW.
          return Math.abs(kwh! - expected[t]!) <= (isTouched ? (10 * 15) / 60 : 1e-9);
        };
        expect(actual.filter((kwh, t) => !isNear(kwh, t))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
