import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localDate } from "../../../src/core/time/zone.js";
import { dealSegments, evenShares } from "../../../src/plan/windows/allocation.js";
import { rankWindows } from "../../../src/plan/windows/rank-windows.js";
import type { WindowsRequest } from "../../../src/plan/windows/windows-request.js";
import { runs } from "../../support/runs.js";
import { bruteShares } from "./brute-force.js";
import { slotsOf } from "./windows-support.js";

/** Chosen hours of each local day. */
function hoursByDay(request: WindowsRequest, zone = "Europe/Vienna"): Record<string, number> {
  const hours: Record<string, number> = {};
  for (const { start, end } of rankWindows(request).slots) {
    const date = localDate(start, zone);
    hours[date] = (hours[date] ?? 0) + (end.getTime() - start.getTime()) / 3_600_000;
  }
  return hours;
}

describe("evenShares", () => {
  it.each([
    [[24, 24, 24], 7, [3, 2, 2]],
    [[24, 24, 24], 2, [1, 1, 0]],
    [[1, 24, 24], 6, [1, 3, 2]],
    [[9, 1, 9, 9], 9, [3, 1, 3, 2]],
    [[9, 9, 1], 9, [4, 4, 1]],
    [[2, 2], 9, [2, 2]],
    [[], 3, []],
  ])("days with capacities %j and a demand of %i: %j", (capacities, demand, shares) => {
    expect(evenShares(capacities, demand)).toEqual(shares);
  });

  it("equals the distribution of one slot at a time", () => {
    const capacities = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 8 });
    fc.assert(
      fc.property(capacities, fc.nat(100), (capacities, demand) => {
        expect(evenShares(capacities, demand)).toEqual(bruteShares(capacities, demand));
      }),
      { seed: 11, numRuns: runs(500) },
    );
  });
});

describe("dealSegments", () => {
  it("assigns the longest first to the day with the fewest slots, and fails if none fits", () => {
    const holds = (most: number) => (_: number, lengths: readonly number[]) =>
      lengths.reduce((sum, length) => sum + length, 0) <= most;
    expect(dealSegments([1, 1, 2], 2, holds(24))).toEqual([[2], [0, 1]]);
    expect(dealSegments([3], 3, holds(24))).toEqual([[0], [], []]);
    expect(dealSegments([3, 3], 2, (day) => day === 1)).toEqual([[], [0, 1]]);
    expect(dealSegments([4], 2, holds(3))).toBeUndefined();
  });
});

describe("even over the clock changes", () => {
  // Three local days of hours; all cheap hours are on the last day, and even distributes nevertheless.
  const hours = (count: number) => Array.from({ length: count }, (_, hour) => 100 - hour);

  it("spring: 28 to 30 March 2026, the 29th of 23 hours", () => {
    const slots = slotsOf(hours(71), { start: new Date("2026-03-27T23:00:00Z") });
    expect(slots.at(-1)!.end).toEqual(new Date("2026-03-30T22:00:00Z"));
    expect(hoursByDay({ slots, demandHours: 8, allocation: "even" })).toEqual({
      "2026-03-28": 3,
      "2026-03-29": 3,
      "2026-03-30": 2,
    });
    // All 71 hours, then one less: the short day is full at 23, the long ones share the others.
    expect(hoursByDay({ slots, demandHours: 71, allocation: "even" })["2026-03-29"]).toBe(23);
    expect(hoursByDay({ slots, demandHours: 70, allocation: "even" })).toEqual({
      "2026-03-28": 24,
      "2026-03-29": 23,
      "2026-03-30": 23,
    });
  });

  it("autumn: 24 to 26 October 2026, the 25th of 25 hours", () => {
    const slots = slotsOf(hours(73), { start: new Date("2026-10-23T22:00:00Z") });
    expect(slots.at(-1)!.end).toEqual(new Date("2026-10-26T23:00:00Z"));
    expect(hoursByDay({ slots, demandHours: 73, allocation: "even" })).toEqual({
      "2026-10-24": 24,
      "2026-10-25": 25,
      "2026-10-26": 24,
    });
    const { slots: chosen } = rankWindows({ slots, demandHours: 3, allocation: "even" });
    // The last hour of each local day; of the long one that is 22:00 UTC, not 21:00.
    expect(chosen.map(({ start }) => start.toISOString())).toEqual([
      "2026-10-24T21:00:00.000Z",
      "2026-10-25T22:00:00.000Z",
      "2026-10-26T22:00:00.000Z",
    ]);
  });

  it("uses the days of the given zone", () => {
    const slots = slotsOf(hours(48), { start: new Date("2026-01-15T00:00:00Z") });
    const request = { slots, demandHours: 4, allocation: "even" as const };
    expect(hoursByDay({ ...request, timezone: "UTC" }, "UTC")).toEqual({ "2026-01-15": 2, "2026-01-16": 2 });
    expect(hoursByDay(request)).toEqual({ "2026-01-15": 2, "2026-01-16": 1, "2026-01-17": 1 });
  });

  it("assigns whole required segments to the days, each at its best position", () => {
    const day = [5, 5, 1, 1, 5, 5];
    const slots = slotsOf([...day, ...day], { minutes: 240, start: new Date("2026-01-14T23:00:00Z") });
    const request = { slots, consecutive: "required" as const, allocation: "even" as const };
    const starts = (segments: number[]) =>
      rankWindows({ ...request, segments }).segments.map(({ start }) => start.toISOString());
    expect(starts([8, 8])).toEqual(["2026-01-15T07:00:00.000Z", "2026-01-16T07:00:00.000Z"]);
    // 28 hours exceed a day: placed as the cheapest run.
    expect(starts([28])).toEqual(["2026-01-15T07:00:00.000Z"]);
  });
});
