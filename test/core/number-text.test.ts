import { expect, it } from "vitest";
import { typedAmount, typedNumber } from "../../src/core/number-text.js";

it("takes thousands as pages show them and as people type them", () => {
  const typed = ["3 650", "3\u00a0650", "3\u202f650,5", "1.234,5", "1,234.5", "1.234.567,", " -12 000 "];
  expect(typed.map(typedNumber)).toEqual([3650, 3650, 3650.5, 1234.5, 1234.5, 1_234_567, -12_000]);
});

it("reads one point or comma as the decimal sign, and guesses nothing else", () => {
  expect(["48.210", "3,650", "12,5", "0"].map(typedNumber)).toEqual([48.21, 3.65, 12.5, 0]);
  for (const text of ["3 65", "12 3456", "1 2", "1.2.3", "1,23,4.5", "", " ", "1 234 kWh", "a 123"])
    expect(typedNumber(text), text).toBeUndefined();
});

it("reads one point or comma before three digits as thousands where an amount has no thousandths", () => {
  expect(["3.650", "3,650", "3650", "3.65", "0.650", "12.345,6"].map(typedAmount)).toEqual([
    3650, 3650, 3650, 3.65, 0.65, 12_345.6,
  ]);
});
