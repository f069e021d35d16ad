import fc from "fast-check";
import { expect, it } from "vitest";
import { QUARTER_MS } from "../../../src/core/domain/interval.js";
import { withinRunLimits } from "../../../src/plan/windows/store-runs.js";
import { runs } from "../../support/runs.js";

/** Runs of quarter-hours, by their lengths. */
function lengthsOf(quarters: Iterable<number>): number[] {
  const lengths: number[] = [];
  let last = Number.NaN;
  for (const quarter of [...quarters].sort((a, b) => a - b)) {
    if (quarter === last + QUARTER_MS) lengths[lengths.length - 1]!++;
    else lengths.push(1);
    last = quarter;
  }
  return lengths;
}

const ms = (quarter: number) => quarter * QUARTER_MS;

it("property: moves runs together without changing their energy, for a tank never later", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ ct: fc.integer({ min: 1, max: 40 }), kwh: fc.integer({ min: 0, max: 3 }) }), {
        minLength: 1,
        maxLength: 40,
      }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      (quarters, most, least, mayWait) => {
        const energies = new Map(
          quarters.flatMap(({ kwh }, n) => (kwh === 0 ? [] : [[ms(n), kwh] as const])),
        );
        const excess = (chosen: readonly number[]) => {
          const lengths = lengthsOf(chosen);
          const short = lengths.reduce((sum, length) => sum + Math.max(0, least - length), 0);
          return Math.max(0, lengths.length - most) + short;
        };
        const planned = withinRunLimits(energies, {
          excess,
          ctKwh: (at) => quarters[at / QUARTER_MS]?.ct,
          mayWait,
        });
        const sorted = (of: ReadonlyMap<number, number>) => [...of.values()].sort((a, b) => a - b);
        expect(sorted(planned)).toEqual(sorted(energies));
        expect([...planned.keys()].every((at) => quarters[at / QUARTER_MS] !== undefined)).toBe(true);
        expect(excess([...planned.keys()]) === 0 || lengthsOf(planned.keys()).length <= 1).toBe(true);
        if (excess([...energies.keys()]) === 0) expect(planned).toEqual(energies);
        if (mayWait) return;
        // At every moment the store holds at least as much.
        const until = (of: ReadonlyMap<number, number>, end: number) =>
          [...of].reduce((sum, [at, kwh]) => (at <= end ? sum + kwh : sum), 0);
        for (const n of quarters.keys())
          expect(until(planned, ms(n))).toBeGreaterThanOrEqual(until(energies, ms(n)));
      },
    ),
    { seed: 20261126, numRuns: runs(300) },
  );
});

it("takes the cheapest move", () => {
  const ct = [10, 10, 30, 10, 20, 20, 10];
  const energies = new Map([0, 3, 6].map((n) => [ms(n), 2]));
  const planned = withinRunLimits(energies, {
    excess: (quarters) => Math.max(0, lengthsOf(quarters).length - 2),
    ctKwh: (at) => ct[at / QUARTER_MS],
    mayWait: false,
  });
  expect([...planned.keys()].map((at) => at / QUARTER_MS).sort()).toEqual([0, 1, 6]);
});

it("lengthens a short run by a quarter-hour of a later one instead of moving that to it", () => {
  const ct = [20, 30, 30, 5, 5, 5, 5];
  const energies = new Map([0, 3, 4, 5, 6].map((n) => [ms(n), 1]));
  const planned = withinRunLimits(energies, {
    excess: (quarters) => lengthsOf(quarters).reduce((sum, length) => sum + Math.max(0, 2 - length), 0),
    ctKwh: (at) => ct[at / QUARTER_MS],
    mayWait: false,
  });
  expect([...planned.keys()].map((at) => at / QUARTER_MS).sort()).toEqual([0, 1, 3, 4, 5]);
});
