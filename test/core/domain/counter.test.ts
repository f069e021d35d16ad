import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { counterDeltas } from "../../../src/core/domain/counter.js";

const at = (minute: number) => new Date(Date.parse("2026-01-15T00:00:00Z") + minute * 60_000);
const readings = (...values: number[]) => values.map((value, index) => ({ at: at(index), value }));
const kwhOf = (...values: number[]) => counterDeltas(readings(...values)).map(({ kwh }) => kwh);

describe("counterDeltas", () => {
  it("gives no energy for fewer than two readings", () => {
    expect(counterDeltas([])).toEqual([]);
    expect(counterDeltas(readings(100))).toEqual([]);
  });

  it("gives the energy of each step", () => {
    expect(counterDeltas(readings(100, 101.5, 101.5))).toEqual([
      { start: at(0), end: at(1), kwh: 1.5 },
      { start: at(1), end: at(2), kwh: 0 },
    ]);
  });

  it("starts again if the counter falls, and leaves out the step across the fall", () => {
    expect(counterDeltas(readings(100, 102, 0, 3))).toEqual([
      { start: at(0), end: at(1), kwh: 2 },
      { start: at(2), end: at(3), kwh: 3 },
    ]);
    expect(kwhOf(5, 4, 3)).toEqual([]);
  });

  it("sorts readings by time", () => {
    expect(counterDeltas(readings(1, 2, 4).reverse()).map(({ kwh }) => kwh)).toEqual([1, 2]);
  });

  it("is never negative, and without a fall adds up to the last less the first reading", () => {
    const counters = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(counters, (values) => {
        expect(kwhOf(...values).every((kwh) => kwh >= 0)).toBe(true);
        const rising = [...values].sort((a, b) => a - b);
        const sum = kwhOf(...rising).reduce((total, kwh) => total + kwh, 0);
        expect(sum).toBe(rising.at(-1)! - rising[0]!);
      }),
    );
  });
});
