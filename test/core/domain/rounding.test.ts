import fc from "fast-check";
import { expect, test } from "vitest";
import { rounded } from "../../../src/core/domain/rounding.js";

test.each([
  [0.1 + 0.2, 4, 0.3],
  [1.005, 2, 1.01],
  [-1.005, 2, -1.01],
  [2.5, 0, 3],
  [-2.5, 0, -3],
  [12.34565, 4, 12.3457],
  [1e21, 4, 1e21],
  [Number.NaN, 4, null],
  [Number.POSITIVE_INFINITY, 4, null],
])("rounds %d to %d places as %d", (value, decimals, expected) => {
  expect(rounded(value, decimals)).toBe(expected);
});

test("rounds -0 to 0", () => {
  expect(Object.is(rounded(-0, 4), 0)).toBe(true);
  expect(Object.is(rounded(-0.00001, 4), 0)).toBe(true);
});

test("rounds by at most half a place, to the given digits, and is idempotent", () => {
  fc.assert(
    fc.property(
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      fc.integer({ min: 0, max: 6 }),
      (value, places) => {
        const result = rounded(value, places)!;
        expect(Math.abs(result - value)).toBeLessThanOrEqual(0.5 * 10 ** -places + 1e-9);
        expect((String(result).split(".")[1] ?? "").replace(/^\d*e-6$/, "").length).toBeLessThanOrEqual(
          places,
        );
        expect(rounded(result, places)).toBe(result);
      },
    ),
  );
});
