import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { factor, packed, solveFactored } from "../../src/forecast/cholesky.js";
import { NormalEquations } from "../../src/forecast/normal-equations.js";
import { seededRandom } from "../../src/simulation/random.js";

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
  it("is least squares without a penalty, and matches a manual calculation with one", () => {
    // y = 1, 3, 5 over x = 0, 1, 2: intercept 1, slope 2; deviation of x is sqrt(2/3), so penalty 1 halves the slope.
    const equations = new NormalEquations(1, 1);
    [1, 3, 5].forEach((y, x) => {
      equations.add(Float64Array.of(x), Float64Array.of(y), 1);
    });
    const [intercept, slope] = equations.ridge(0);
    expect([intercept, slope].map((value) => value!.toFixed(9))).toEqual(["1.000000000", "2.000000000"]);
    expect([...equations.ridge(1)].map((value) => value.toFixed(9))).toEqual(["2.000000000", "1.000000000"]);
    // Unscaled: slope = sum xy / (sum xx + penalty) about the means = 4 / (2 + 2).
    expect([...equations.plainRidge(2)].map((value) => value.toFixed(9))).toEqual([
      "2.000000000",
      "1.000000000",
    ]);
  });

  it("gives 0 for a constant feature", () => {
    const equations = new NormalEquations(2, 1);
    [1, 3, 5].forEach((y, x) => {
      equations.add(Float64Array.of(x, 7), Float64Array.of(y), 1);
    });
    const [, slope, idle] = equations.ridge(1e-9);
    expect(slope).toBeCloseTo(2, 6);
    expect(idle).toBe(0);
  });

  it("minimises its objective (gradient zero) for weighted rows and two outputs", () => {
    const { normal, uniform } = seededRandom(7);
    const rows = Array.from({ length: 60 }, () => ({
      x: Float64Array.from({ length: 5 }, normal),
      y: Float64Array.of(normal(), normal()),
      weight: 0.5 + uniform(),
    }));
    const equations = new NormalEquations(5, 2);
    for (const { x, y, weight } of rows) equations.add(x, y, weight);
    const penalty = 3;
    const solution = equations.plainRidge(penalty);
    for (const output of [0, 1]) {
      const [intercept, ...slopes] = solution.subarray(output * 6, output * 6 + 6);
      const errors = rows.map(
        ({ x, y }) => y[output]! - intercept! - slopes.reduce((sum, slope, i) => sum + slope * x[i]!, 0),
      );
      const total = (of: (index: number) => number) =>
        rows.reduce((sum, { weight }, index) => sum + weight * errors[index]! * of(index), 0);
      expect(total(() => 1)).toBeCloseTo(0, 8);
      slopes.forEach((slope, i) => {
        expect(total((index) => rows[index]!.x[i]!)).toBeCloseTo(penalty * slope, 8);
      });
    }
  });

  it("removes a row completely", () => {
    const { normal } = seededRandom(3);
    const draw = () => ({ x: Float64Array.from({ length: 4 }, normal), y: Float64Array.of(normal()) });
    const expected = Array.from({ length: 30 }, draw);
    const passing = Array.from({ length: 9 }, draw);
    const [plain, slid] = [new NormalEquations(4, 1), new NormalEquations(4, 1)];
    for (const { x, y } of expected) plain.add(x, y, 1);
    for (const { x, y } of [...passing, ...expected]) slid.add(x, y, 1);
    for (const { x, y } of passing) slid.add(x, y, -1);
    slid.ridge(0.1).forEach((value, index) => {
      expect(value).toBeCloseTo(plain.ridge(0.1)[index]!, 9);
    });
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
