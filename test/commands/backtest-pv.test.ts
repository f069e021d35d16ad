import { expect, it } from "vitest";
import { recordedPv } from "../../src/commands/backtest-pv.js";

const QUARTER_MS = 900_000;
const START = new Date("2026-05-10T00:00:00Z");
const at = (quarter: number) => new Date(START.getTime() + quarter * QUARTER_MS);
/** One value a day: day 0 is the first of the backtest, day -7 the first of the file. */
const file = (kwhOf: (day: number) => number, days: number) =>
  Array.from({ length: (7 + days) * 96 }, (_, k) => ({
    start: at(k - 672),
    end: at(k - 671),
    kwh: kwhOf(Math.floor(k / 96) - 7),
  }));

it("expects the mean of the same quarter-hour of the seven days measured last", () => {
  const { actualPvKwh, expectedPvKwh } = recordedPv(
    file((day) => 8 + day, 3),
    START,
    288,
  );
  expect(actualPvKwh[0]).toBe(8);
  expect(actualPvKwh[287]).toBe(10);
  // At noon of the first day: its afternoon and the next morning from the days -7 to -1, mean 4.
  const hour = (quarter: number) => ({ start: at(quarter), end: at(quarter + 4) });
  expect(expectedPvKwh(at(48), [hour(60), hour(96 + 48)])).toEqual([16, 16]);
  // The next morning from the days -6 to 0: the morning of day 0 is measured.
  expect(expectedPvKwh(at(48), [hour(96)])[0]).toBeCloseTo(20, 9);
});

it("uses nothing that comes later", () => {
  const now = at(96);
  const steps = [{ start: now, end: at(100) }];
  const steady = recordedPv(
    file((day) => (day < 1 ? 2 : 0), 3),
    START,
    288,
  );
  const sunny = recordedPv(
    file((day) => (day < 1 ? 2 : 9), 3),
    START,
    288,
  );
  expect(steady.expectedPvKwh(now, steps)).toEqual(sunny.expectedPvKwh(now, steps));
});

it("expects nothing where nothing was measured", () => {
  const { expectedPvKwh } = recordedPv([], START, 96);
  expect(expectedPvKwh(START, [{ start: START, end: at(4) }])).toEqual([0]);
});
