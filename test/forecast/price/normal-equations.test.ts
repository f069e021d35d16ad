import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  factor,
  NormalEquations,
  packed,
  solveFactored,
} from "../../../src/forecast/price/normal-equations.js";
import { seededRandom } from "../../../src/plan/physics/random.js";

describe("cholesky", () => {
  it("factors the textbook matrix", () => {
    // [[4, 12, -16], [12, 37, -43], [-16, -43, 98]] = L L' with L = [[2], [6, 1], [-8, 5, 3]].
    const matrix = Float64Array.of(4, 12, 37, -16, -43, 98);
    factor(matrix, 3);
    expect([...matrix]).toEqual([2, 6, 1, -8, 5, 3]);
    // A times (1, 2, 3).
    const right = Float64Array.of(4 + 24 - 48, 12 + 74 - 129, -16 - 86 + 294);
    solveFactored(matrix, 3, right);
    [1, 2, 3].forEach((value, index) => {
      expect(right[index]).toBeCloseTo(value, 10);
    });
  });

  it("solves random systems", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 24 }), fc.integer(), (size, seed) => {
        const { normal } = seededRandom(seed);
        const root = Array.from({ length: size }, () => Array.from({ length: size }, normal));
        const entry = (i: number, j: number) =>
          root[i]!.reduce((sum, value, k) => sum + value * root[j]![k]!, i === j ? 0.5 : 0);
        const x = Array.from({ length: size }, normal);
        const b = Float64Array.from(x, (_, i) => x.reduce((sum, value, j) => sum + entry(i, j) * value, 0));
        const matrix = new Float64Array(packed(size, 0));
        for (let i = 0; i < size; i++) for (let j = 0; j <= i; j++) matrix[packed(i, j)] = entry(i, j);
        factor(matrix, size);
        solveFactored(matrix, size, b);
        x.forEach((value, index) => {
          expect(b[index]).toBeCloseTo(value, 6);
        });
      }),
      { numRuns: 40 },
    );
  });
});

describe("ridge regression", () => {
  /** A row in two parts. */
  const row = (...x: number[]) => ({
    first: Float64Array.from(x.slice(0, 1)),
    others: Float64Array.from(x),
    from: 1,
  });

  it("is least squares without a penalty, and matches a manual calculation with one", () => {
    // y = 1, 3, 5 over x = 0, 1, 2: intercept 1, slope 2; deviation of x is sqrt(2/3), so penalty 1 halves the slope.
    const equations = new NormalEquations(1);
    [1, 3, 5].forEach((y, x) => {
      equations.add(row(x), y, 1);
    });
    const [intercept, slope] = equations.ridge(0);
    expect([intercept, slope].map((value) => value!.toFixed(9))).toEqual(["1.000000000", "2.000000000"]);
    expect([...equations.ridge(1)].map((value) => value.toFixed(9))).toEqual(["2.000000000", "1.000000000"]);
  });

  it("gives 0 for a constant feature", () => {
    const equations = new NormalEquations(2);
    [1, 3, 5].forEach((y, x) => {
      equations.add(row(x, 7), y, 1);
    });
    const [, slope, idle] = equations.ridge(1e-9);
    expect(slope).toBeCloseTo(2, 6);
    expect(idle).toBe(0);
  });

  const { normal, uniform } = seededRandom(7);
  const rows = Array.from({ length: 61 }, () => ({
    x: Float64Array.from({ length: 5 }, normal),
    y: normal(),
    weight: 0.5 + uniform(),
  }));

  it("minimises its objective (gradient zero) for weighted rows", () => {
    const equations = new NormalEquations(5);
    for (const { x, y, weight } of rows) equations.add(row(...x), y, weight);
    const total = rows.reduce((sum, { weight }) => sum + weight, 0);
    const mean = (of: (index: number) => number) =>
      rows.reduce((sum, { weight }, index) => sum + weight * of(index), 0) / total;
    const penalty = 0.3;
    const [intercept, ...slopes] = equations.ridge(penalty);
    const errors = rows.map(
      ({ x, y }) => y - intercept! - slopes.reduce((sum, slope, i) => sum + slope * x[i]!, 0),
    );
    expect(mean((index) => errors[index]!)).toBeCloseTo(0, 8);
    slopes.forEach((slope, i) => {
      const center = mean((index) => rows[index]!.x[i]!);
      const variance = mean((index) => (rows[index]!.x[i]! - center) ** 2);
      // The penalty is on the coefficient of the standardized feature.
      expect(mean((index) => errors[index]! * rows[index]!.x[i]!)).toBeCloseTo(penalty * slope * variance, 8);
    });
  });

  it("on the first features equals a regression that knows only these", () => {
    const [wide, narrow] = [new NormalEquations(5), new NormalEquations(3)];
    for (const { x, y, weight } of rows) {
      wide.add(row(...x), y, weight);
      narrow.add(row(...x.slice(0, 3)), y, weight);
    }
    expect(wide.ridge(0.2, 3)).toEqual(narrow.ridge(0.2));
  });

  it("takes the sums of common features from another one", () => {
    const [alone, first] = [new NormalEquations(5), new NormalEquations(5)];
    const second = new NormalEquations(5, { count: 2, of: first });
    for (const { x, y, weight } of rows) {
      first.add(row(x[0]!, x[1]!, x[4]!, x[3]!, x[2]!), -y, weight);
      second.add(row(...x), y, weight);
      alone.add(row(...x), y, weight);
    }
    expect(second.ridge(0.2)).toEqual(alone.ridge(0.2));
  });
});

describe("seeded numbers", () => {
  it("are reproducible and normally distributed", () => {
    const first = seededRandom(5);
    const again = seededRandom(5);
    const drawn = Array.from({ length: 4000 }, () => first.normal());
    expect(drawn.slice(0, 50)).toEqual(Array.from({ length: 50 }, () => again.normal()));
    const mean = drawn.reduce((sum, value) => sum + value, 0) / drawn.length;
    const variance = drawn.reduce((sum, value) => sum + (value - mean) ** 2, 0) / drawn.length;
    expect(Math.abs(mean)).toBeLessThan(0.05);
    expect(Math.abs(variance - 1)).toBeLessThan(0.07);
  });
});
