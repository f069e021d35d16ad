import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localDate } from "../../../src/core/time/zone.js";
import { rankWindows } from "../../../src/plan/windows/rank-windows.js";
import type { PriceSlot } from "../../../src/plan/windows/windows-request.js";
import { runs } from "../../support/runs.js";
import { bruteSegments, bruteShares, bruteSlots, type Candidates } from "./brute-force.js";
import { chosenBy, slotsOf } from "./windows-support.js";

// Prices are tenths of a cent from a small range: many ties, and sums with floating-point errors.
const tenths = fc.integer({ min: -12, max: 25 });
const hole = fc.constant(null);
const series = (maxLength: number) =>
  fc.array(fc.oneof({ weight: 6, arbitrary: tenths }, { weight: 1, arbitrary: hole }), {
    minLength: 1,
    maxLength,
  });
const mode = fc.constantFrom("cheapest" as const, "expensive" as const);
const minutes = fc.constantFrom(15, 60);

function candidates(slots: readonly PriceSlot[], sign: number): Candidates {
  return {
    prices: slots.map((slot) => Math.round(slot.ctKwh * 10) * sign),
    adjoins: slots.map(
      (slot, index) => index > 0 && slots[index - 1]!.end.getTime() === slot.start.getTime(),
    ),
  };
}

const inCents = (prices: readonly (number | null)[]) =>
  prices.map((price) => (price === null ? null : price / 10));

describe("rankWindows against enumeration", () => {
  it("off: the cheapest slots, the earliest of equal sets", () => {
    fc.assert(
      fc.property(series(10), fc.integer({ min: 0, max: 12 }), mode, (prices, count, mode) => {
        const slots = slotsOf(inCents(prices));
        const size = Math.min(count, slots.length);
        const brute = bruteSlots(
          candidates(slots, mode === "cheapest" ? 1 : -1),
          0,
          0,
          (set) => set.length === size,
        );
        expect(chosenBy({ slots, mode, demandHours: count })).toEqual(brute);
      }),
      { seed: 20260101, numRuns: runs(500) },
    );
  });

  it("soft: cost including breaks", () => {
    const penalty = fc.integer({ min: 0, max: 30 });
    const segments = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(
        series(11),
        segments,
        penalty,
        mode,
        minutes,
        (prices, segmentSlots, penalty, mode, minutes) => {
          const slots = slotsOf(inCents(prices), { minutes });
          const size = Math.min(
            segmentSlots.reduce((sum, length) => sum + length, 0),
            slots.length,
          );
          // The break cost is per hour, the price of a slot for its length.
          const breakCost = (penalty * 60) / minutes;
          const brute = bruteSlots(
            candidates(slots, mode === "cheapest" ? 1 : -1),
            segmentSlots.length,
            breakCost,
            (set) => set.length === size,
          );
          const chosen = chosenBy({
            slots,
            mode,
            consecutive: "soft",
            segments: segmentSlots.map((length) => (length * minutes) / 60),
            breakPenaltyCtKwh: penalty / 10,
          });
          expect(chosen).toEqual(brute);
        },
      ),
      { seed: 20260102, numRuns: runs(700) },
    );
  });

  const segments = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 });

  it("required: unbroken segments in any order, or the largest total that fits", () => {
    fc.assert(
      fc.property(series(10), segments, mode, (prices, segments, mode) => {
        const slots = slotsOf(inCents(prices));
        const brute = bruteSegments(candidates(slots, mode === "cheapest" ? 1 : -1), segments);
        expect(chosenBy({ slots, mode, segments, consecutive: "required" })).toEqual(brute);
      }),
      { seed: 20260103, numRuns: runs(700) },
    );
  });

  it("required, earliest and latest: the first and the last slots that fit the segments", () => {
    fc.assert(
      fc.property(series(10), segments, fc.boolean(), (prices, segments, latest) => {
        const slots = slotsOf(inCents(prices));
        const free = { ...candidates(slots, 1), prices: slots.map(() => 0) };
        const chosen = chosenBy({
          slots,
          segments,
          consecutive: "required",
          allocation: latest ? "latest" : "earliest",
        });
        expect(chosen).toEqual(bruteSegments(free, segments, latest));
      }),
      { seed: 20260104, numRuns: runs(400) },
    );
  });

  it("even, off and soft: the share of each local day, at the least total over all days", () => {
    const consecutive = fc.constantFrom("off" as const, "soft" as const);
    fc.assert(
      fc.property(
        series(12),
        fc.integer({ min: 0, max: 10 }),
        fc.integer({ min: 0, max: 9 }),
        consecutive,
        (prices, count, penalty, consecutive) => {
          // Slots of six hours from 18:00 on: at most four local days, the first incomplete.
          const slots = slotsOf(inCents(prices), { minutes: 360, start: new Date("2026-01-15T17:00:00Z") });
          const dates = slots.map((slot) => localDate(slot.start, "Europe/Vienna"));
          const days = [...new Set(dates)];
          const perDay = (set: readonly number[]) =>
            days.map((day) => set.filter((slot) => dates[slot] === day).length);
          const shares = bruteShares(perDay(slots.map((_, index) => index)), count);
          const brute = bruteSlots(
            candidates(slots, 6),
            1,
            consecutive === "soft" ? penalty * 10 : 0,
            (set) => perDay(set).every((size, day) => size === shares[day]),
          );
          const chosen = chosenBy({
            slots,
            demandHours: count * 6,
            consecutive,
            breakPenaltyCtKwh: penalty,
            allocation: "even",
          });
          expect(chosen).toEqual(brute);
        },
      ),
      { seed: 20260105, numRuns: runs(400) },
    );
  });

  it("required and even: whole runs, none lost, within a local day if possible", () => {
    fc.assert(
      fc.property(series(12), segments, (prices, segments) => {
        const slots = slotsOf(inCents(prices), { minutes: 360, start: new Date("2026-01-15T17:00:00Z") });
        const hours = segments.map((length) => length * 6);
        const request = { slots, segments: hours, consecutive: "required" as const };
        const even = rankWindows({ ...request, allocation: "even" });
        const cheapest = rankWindows(request);
        expect(even.unmetHours).toBe(cheapest.unmetHours);
        const local = even.segments.every(
          ({ start, end }) =>
            localDate(start, "Europe/Vienna") === localDate(new Date(end.getTime() - 1), "Europe/Vienna"),
        );
        if (!local || !even.feasible) expect(even).toEqual(cheapest);
      }),
      { seed: 20260106, numRuns: runs(300) },
    );
  });

  it("assigns every chosen slot to exactly one required segment", () => {
    fc.assert(
      fc.property(series(14), segments, (prices, segments) => {
        const slots = slotsOf(inCents(prices));
        const result = rankWindows({ slots, segments, consecutive: "required" });
        const covered = result.segments.flatMap(({ start, hours }) =>
          Array.from({ length: hours }, (_, hour) => start.getTime() + hour * 3_600_000),
        );
        expect(covered.sort((a, b) => a - b)).toEqual(result.slots.map((slot) => slot.start.getTime()));
        if (result.feasible) expect(result.segments.map(({ hours }) => hours)).toEqual(segments);
      }),
      { seed: 20260107, numRuns: runs(300) },
    );
  });
});
