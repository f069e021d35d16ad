import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localDate } from "../../../src/core/time/zone.js";
import type { RunLimits } from "../../../src/plan/windows/run-limits.js";
import { runs } from "../../support/runs.js";
import { bruteSlots, type Candidates } from "./brute-force.js";
import { chosenBy, MIDNIGHT, slotsOf } from "./windows-support.js";

const VIENNA = "Europe/Vienna";

/** Whether a set keeps to the limits, by reading it run by run. */
function isAllowed(
  set: readonly number[],
  { adjoins }: Candidates,
  of: { starts: number[]; day: (slot: number) => number; least: number; running: number | undefined },
): boolean {
  const lengths: { first: number; length: number }[] = [];
  for (const slot of set) {
    const last = lengths.at(-1);
    if (last !== undefined && last.first + last.length === slot && adjoins[slot]) last.length++;
    else lengths.push({ first: slot, length: 1 });
  }
  const goesOn = of.running !== undefined && set[0] === 0;
  // What a run in progress leaves is no run of its own.
  const least = of.running === undefined ? Math.min(of.least, set.length) : of.least;
  const needed = Math.min(of.least, set.length);
  if (of.running !== undefined && !goesOn && needed > 1 && of.running < needed) return false;
  const used = of.starts.map(() => 0);
  for (const { first, length } of lengths) {
    if (first === 0 && goesOn) {
      if (length + of.running! < Math.min(of.least, of.running! + set.length)) return false;
      continue;
    }
    used[of.day(first)]!++;
    if (length < least) return false;
  }
  return used.every((count, day) => count <= of.starts[day]!);
}

describe("windows within what a device allows", () => {
  it("property: are the cheapest of all sets that keep to the limits", () => {
    const price = fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: -5, max: 20 }) },
      { weight: 1, arbitrary: fc.constant(null) },
    );
    fc.assert(
      fc.property(
        fc.record({
          prices: fc.array(price, { minLength: 2, maxLength: 11 }),
          count: fc.integer({ min: 1, max: 7 }),
          starts: fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 })),
          least: fc.integer({ min: 1, max: 4 }),
          running: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
          soft: fc.boolean(),
          penalty: fc.integer({ min: 1, max: 9 }),
        }),
        ({ prices, count, starts, least, running, soft, penalty }) => {
          // Midnight is in the middle.
          const start = new Date(MIDNIGHT.getTime() - 5 * 3_600_000);
          const slots = slotsOf(prices, { start });
          const candidates = {
            prices: slots.map(({ ctKwh }) => ctKwh),
            adjoins: slots.map((slot, k) => k > 0 && slots[k - 1]!.end.getTime() === slot.start.getTime()),
          };
          const dates = [...new Set(slots.map((slot) => localDate(slot.start, VIENNA)))];
          const day = (slot: number) => dates.indexOf(localDate(slots[slot]!.start, VIENNA));
          const size = Math.min(count, slots.length);
          const of = { starts: starts.slice(0, dates.length), day, running };
          const best = (hours: number, minimum: number) =>
            bruteSlots(
              candidates,
              soft ? 1 : 0,
              soft ? penalty : 0,
              (set) => set.length === hours && isAllowed(set, candidates, { ...of, least: minimum }),
            );
          let expected: number[] = [];
          const most = running === undefined ? Math.min(least, size) : least;
          for (let minimum = most; minimum >= 1 && expected.length === 0; minimum--)
            expected = best(size, minimum);
          for (let hours = size - 1; hours >= 1 && expected.length === 0; hours--) expected = best(hours, 1);
          const limits: RunLimits = {
            startsOn: (date) => starts[dates.indexOf(date)]!,
            leastRunHours: least,
            runningHours: running,
          };
          const chosen = chosenBy({
            slots,
            demandHours: size,
            limits,
            ...(soft && { consecutive: "soft" as const, breakPenaltyCtKwh: penalty }),
          });
          const cost = (set: readonly number[]) =>
            set.reduce((sum, slot) => sum + candidates.prices[slot]!, 0);
          if (chosen.length === expected.length)
            expect([cost(chosen), chosen]).toEqual([cost(expected), expected]);
          else expect(chosen).toEqual(expected);
        },
      ),
      { seed: 20261126, numRuns: runs(400) },
    );
  });

  // https://github.com/davidusb-geek/emhass/issues/747 and https://github.com/davidusb-geek/emhass/issues/952
  it("makes two blocks of a pump that quarter-hours of the night would switch all the time", () => {
    const slots = slotsOf([5, 9, 4, 9, 3, 9, 2, 9, 1, 1, 20, 0, 0], { minutes: 15 });
    expect(chosenBy({ slots, demandHours: 1.25 })).toEqual([6, 8, 9, 11, 12]);
    expect(chosenBy({ slots, demandHours: 1.25, limits: { startsOn: () => 2 } })).toEqual([7, 8, 9, 11, 12]);
    expect(chosenBy({ slots, demandHours: 1.25, limits: { leastRunHours: 0.5 } })).toEqual([7, 8, 9, 11, 12]);
  });

  it("keeps to the starts where nothing else helps: without any left, only the run in progress goes on", () => {
    const slots = slotsOf([5, 4, 3, 2]);
    expect(chosenBy({ slots, demandHours: 2, limits: { startsOn: () => 0 } })).toEqual([]);
    expect(chosenBy({ slots, demandHours: 2, limits: { startsOn: () => 0, runningHours: 1 } })).toEqual([
      0, 1,
    ]);
  });
});
