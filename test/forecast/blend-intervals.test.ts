import { describe, expect, it } from "vitest";
import { BlendWeights, blend } from "../../src/forecast/blend.js";
import { IntervalTracker, quantilesAround } from "../../src/forecast/intervals.js";
import { seededRandom } from "../../src/simulation/random.js";

describe("blend", () => {
  it("starts with equal weights and then follows the errors of the last 60 origins", () => {
    const weights = new BlendWeights(2);
    expect(weights.weights()).toEqual([0.5, 0.5]);
    for (let day = 0; day < 60; day++) weights.matured([20, 10]);
    // (10 / 20) ** 12 = 1 / 4096.
    expect(weights.weights()[0]).toBeCloseTo(1 / 4097, 9);
    for (let day = 0; day < 60; day++) weights.matured([10, 10]);
    expect(weights.weights()).toEqual([0.5, 0.5]);
  });

  it("is a weighted mean", () => {
    const mixed = blend([Float64Array.of(10, 20), Float64Array.of(30, 60)], (index) =>
      index === 0 ? [0.5, 0.5] : [0.75, 0.25],
    );
    expect([...mixed]).toEqual([20, 30]);
  });
});

describe("intervals", () => {
  /** Adds errors and forecast widths for all leads; returns the covered share of the second half. */
  function feed(days: number, error: (day: number) => number): number {
    const tracker = new IntervalTracker();
    let within = 0;
    let count = 0;
    for (let day = 0; day < days; day++) {
      const widths = tracker.reach();
      for (let lead = 1; lead <= 7; lead++) {
        const errors = Array.from({ length: 24 }, () => error(day));
        if (widths !== undefined && day >= days / 2) {
          for (const [hour, one] of errors.entries()) {
            const cell = (lead - 1) * 8 + Math.floor(hour / 3);
            within += widths.below[cell]! <= one && one <= widths.above[cell]! ? 1 : 0;
            count++;
          }
        }
        tracker.matured(lead, errors, widths);
      }
    }
    return within / count;
  }

  it("cover 80 % of normal errors", () => {
    const { normal } = seededRandom(1);
    expect(Math.abs(feed(300, normal) - 0.8)).toBeLessThan(0.015);
  });

  it("follow steadily growing errors better than plain past quantiles", () => {
    const { normal } = seededRandom(2);
    expect(Math.abs(feed(600, (day) => normal() * 1.004 ** day) - 0.8)).toBeLessThan(0.025);
  });

  it("are undefined before ten origins, and at least 5 EUR/MWh wide to each side", () => {
    const tracker = new IntervalTracker();
    for (let day = 0; day < 9; day++)
      for (let lead = 1; lead <= 7; lead++) tracker.matured(lead, new Array(24).fill(0), undefined);
    expect(tracker.reach()).toBeUndefined();
    for (let lead = 1; lead <= 7; lead++) tracker.matured(lead, new Array(24).fill(0), undefined);
    const reach = tracker.reach()!;
    expect(quantilesAround(50, { reach, spread: 30, lead: 7, hour: 23 })).toEqual({
      p10: 45,
      p50: 50,
      p90: 55,
    });
  });
});
