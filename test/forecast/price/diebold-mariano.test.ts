import { describe, expect, it } from "vitest";
import { dieboldMariano, normalShareBelow } from "../../../src/forecast/price/lead-score.js";

describe("Diebold-Mariano test", () => {
  it("is the mean divided by its standard error without overlap", () => {
    // Differences 1 to 10 less 11: mean -5.5, variance 8.25 (over n), so -5.5 / sqrt(8.25 / 10).
    const first = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    const result = dieboldMariano(first, new Array(10).fill(11), 1);
    expect(result?.statistic).toBeCloseTo(-5.5 / Math.sqrt(0.825), 10);
    expect(result?.pValue).toBeLessThan(1e-6);
  });

  it("includes the covariance of overlapping days with Bartlett weights", () => {
    // Differences alternate 3 and -1: mean 1, deviations +-2: variance 4, first covariance -4 * 11/12, weight 1 - 1/2.
    const first = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? 3 : -1));
    const result = dieboldMariano(first, new Array(12).fill(0), 2);
    expect(result?.statistic).toBeCloseTo(1 / Math.sqrt((4 + 2 * 0.5 * -4 * (11 / 12)) / 12), 10);
  });

  it("changes sign with swapped arguments, and is undefined for too few days or equal losses", () => {
    const a = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8];
    const b = [2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5];
    expect(dieboldMariano(a, b, 3)?.statistic).toBeCloseTo(-dieboldMariano(b, a, 3)!.statistic, 12);
    expect(dieboldMariano(a.slice(3), b.slice(3), 1)).toBeUndefined();
    expect(dieboldMariano(a, a, 1)).toBeUndefined();
    expect(() => dieboldMariano(a, b.slice(1), 1)).toThrow(RangeError);
  });

  it("matches the table of the normal distribution", () => {
    for (const [x, share] of [
      [0, 0.5],
      [1, 0.8413447],
      [-1.6448536, 0.05],
      [1.959964, 0.975],
      [-2.3263479, 0.01],
    ] as const)
      expect(normalShareBelow(x)).toBeCloseTo(share, 6);
  });
});
