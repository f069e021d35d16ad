import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS, QUARTER_MS } from "../../../src/core/domain/interval.js";
import type { PricePoint } from "../../../src/core/domain/price.js";
import { VIENNA } from "../../../src/core/time/zone.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import type { ForecastHour } from "../../../src/forecast/price/forecast.js";
import { answerFlex, type FlexKnowledge } from "../../../src/plan/windows/answer.js";
import type { FlexRequest } from "../../../src/plan/windows/request.js";
import { momentOf } from "../../../src/plan/windows/result.js";
import { runs } from "../../support/runs.js";

const PLANT = { timezone: VIENNA, battery: null };
const MIDNIGHT = new Date("2026-01-14T23:00:00Z");

/** Known prices at `now`: `points` are published, all other hours are forecast at 10 ct. */
function knowledge(now: Date, points: readonly PricePoint[], priceMinutes: 60 | 15 = 60): FlexKnowledge {
  const series = PriceSeries.of(points);
  const firstMs = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  const hours = Array.from({ length: 168 }, (_, index): ForecastHour => {
    const startMs = firstMs + index * HOUR_MS;
    const stored = series.hour(startMs);
    const p50 = stored ?? 100;
    return {
      start: new Date(startMs),
      p10: p50,
      p50,
      p90: p50,
      source: stored === undefined ? "forecast" : "day_ahead",
    };
  });
  return { now, hours, series, tariff: undefined, priceMinutes, breakPenaltyCtKwh: 1 };
}

const hourly = (ctKwh: readonly (number | null)[], start = MIDNIGHT): PricePoint[] =>
  ctKwh.flatMap((price, hour) =>
    price === null
      ? []
      : [{ start: new Date(start.getTime() + hour * HOUR_MS), minutes: 60 as const, eurPerMwh: price * 10 }],
  );
const hour = (offset: number) => new Date(MIDNIGHT.getTime() + offset * HOUR_MS);
const between = (start: number, end: number) => ({
  kind: "fixed" as const,
  start: hour(start),
  end: hour(end),
});

describe("known weaknesses of other planners", () => {
  it("a window may start at any quarter-hour, not only at the start of a price", () => {
    // Hours of 8, 1 and 9 ct, a demand of 1.25 hours in one run: it starts a quarter-hour before the cheap hour.
    const known = knowledge(hour(-1), hourly([8, 1, 9]));
    const { windows } = answerFlex(
      { window: between(0, 3), count: 1.25, consecutive: "required", gridMinutes: 15 },
      PLANT,
      known,
    );
    expect(windows.map(({ start, end }) => [start, end])).toEqual([[hour(0.75), hour(2)]]);
  });

  it("a gap in past prices is neither free nor part of a run", () => {
    const known = knowledge(hour(30), hourly([6, 5, null, 1, 9]));
    const any = answerFlex({ window: between(0, 5), count: 5, gridMinutes: 60 }, PLANT, known);
    expect(any.slots.map(({ start }) => start)).toEqual([hour(0), hour(1), hour(3), hour(4)]);
    expect(any.unmetHours).toBe(1);
    const run = answerFlex(
      { window: between(0, 5), count: 3, consecutive: "required", gridMinutes: 15 },
      PLANT,
      known,
    );
    expect(run.windows.map(({ start, end }) => [start, end])).toEqual([[hour(3), hour(5)]]);
  });

  it("a past window has the prices of its quarter-hours in a zone with half hours", () => {
    // Midnight in Kolkata is 18:30Z, in the middle of an hour of 3 ct; the next one costs 7 ct.
    const from = new Date("2026-01-14T18:30:00Z");
    const known = knowledge(
      new Date("2026-01-16T12:00:00Z"),
      hourly([3, 7, 5], new Date("2026-01-14T18:00:00Z")),
    );
    const past = { kind: "fixed" as const, start: from, end: new Date(from.getTime() + HOUR_MS) };
    const plant = { ...PLANT, timezone: "Asia/Kolkata" };
    const { slots } = answerFlex({ window: past, gridMinutes: 15 }, plant, known);
    expect(slots.map(({ spotCtKwh }) => spotCtKwh)).toEqual([3, 3, 7, 7]);
    const whole = answerFlex({ window: past, gridMinutes: 60 }, plant, known);
    expect(whole.slots).toEqual([]);
  });

  it("a gap in published prices is filled by the forecast, with its source", () => {
    const known = knowledge(hour(-1), hourly([20, null, 20]));
    const { slots } = answerFlex({ window: between(0, 3), count: 1, gridMinutes: 60 }, PLANT, known);
    expect(slots).toEqual([expect.objectContaining({ start: hour(1), spotCtKwh: 10, source: "forecast" })]);
  });
});

describe("prices of quarter-hours", () => {
  const quarters: PricePoint[] = [8, 2, 2, 8, 1, 9, 9, 1].map((price, index) => ({
    start: new Date(MIDNIGHT.getTime() + index * QUARTER_MS),
    minutes: 15,
    eurPerMwh: price * 10,
  }));
  const request: FlexRequest = { window: between(0, 2), count: 0.5, gridMinutes: 15 };

  it("are used with a price step of 15 minutes", () => {
    const { slots } = answerFlex(request, PLANT, knowledge(hour(-1), quarters, 15));
    expect(slots.map(({ start, spotCtKwh }) => [start, spotCtKwh])).toEqual([
      [hour(1), 1],
      [hour(1.75), 1],
    ]);
  });
  it("are the hourly price with a step of an hour, ties to the earlier", () => {
    const { slots } = answerFlex(request, PLANT, knowledge(hour(-1), quarters, 60));
    expect(slots.map(({ start, spotCtKwh }) => [start, spotCtKwh])).toEqual([
      [hour(0), 5],
      [hour(0.25), 5],
    ]);
  });
  it("are averaged for whole hours", () => {
    const { slots } = answerFlex(
      { ...request, count: 1, gridMinutes: 60 },
      PLANT,
      knowledge(hour(-1), quarters, 15),
    );
    expect(slots.map(({ start, spotCtKwh }) => [start, spotCtKwh])).toEqual([[hour(0), 5]]);
  });
});

describe("even", () => {
  it("splits over the local days of the window, the remainder to the earlier day", () => {
    const known = knowledge(
      hour(-1),
      hourly(Array.from({ length: 48 }, (_, index) => (index < 24 ? 20 : 1))),
    );
    const { slots } = answerFlex(
      { window: between(0, 48), count: 5, allocation: "even", gridMinutes: 15 },
      PLANT,
      known,
    );
    expect(slots.filter(({ start }) => start < hour(24))).toHaveLength(10);
    const odd = answerFlex(
      { window: between(0, 48), count: 0.75, allocation: "even", gridMinutes: 15 },
      PLANT,
      known,
    );
    expect(odd.slots.filter(({ start }) => start < hour(24))).toHaveLength(2);
  });
});

describe("any request", () => {
  const hours = fc.integer({ min: 0, max: 60 }).map((quarters) => quarters / 4);
  const optional = <Value>(of: fc.Arbitrary<Value>) => fc.option(of, { nil: undefined });
  const minutes = fc.integer({ min: -1500, max: 10_500 });
  const window = fc.oneof(
    fc.tuple(minutes, fc.integer({ min: 1, max: 4000 })).map(([start, length]) => ({
      kind: "fixed" as const,
      start: new Date(MIDNIGHT.getTime() + start * 60_000),
      end: new Date(MIDNIGHT.getTime() + (start + length) * 60_000),
    })),
    fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 23 }))
      .map(([startHour, endHour]) => ({ kind: "daily" as const, startHour, endHour })),
  );
  const request: fc.Arbitrary<FlexRequest> = fc.record({
    window: optional(window),
    mode: fc.constantFrom("cheapest", "expensive", undefined),
    role: fc.constantFrom("consume", "export", undefined),
    segments: optional(fc.array(hours, { minLength: 1, maxLength: 3 })),
    count: optional(hours),
    energyKwh: optional(fc.double({ min: 0, max: 60, noNaN: true })),
    maxPowerKw: fc.double({ min: 0.5, max: 22, noNaN: true }),
    consecutive: fc.constantFrom("off", "soft", "required", undefined),
    hoursCompleted: optional(fc.double({ min: 0, max: 4, noNaN: true })),
    energyDeliveredKwh: optional(fc.double({ min: 0, max: 20, noNaN: true })),
    batterySharePct: optional(fc.integer({ min: 0, max: 100 })),
    deadlineHour: optional(fc.integer({ min: 0, max: 23 })),
    deadlineStrict: fc.constantFrom(true, false, undefined),
    plugged: fc.constantFrom(0, 1, undefined),
    allocation: fc.constantFrom("cheapest", "earliest", "latest", "even", undefined),
    gridMinutes: fc.constantFrom(60, 15),
  });
  const nowMinutes = fc.integer({ min: 0, max: 1440 });
  const prices = fc.array(
    fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: -5, max: 40 }) },
      { weight: 1, arbitrary: fc.constant(null) },
    ),
    {
      minLength: 30,
      maxLength: 60,
    },
  );

  it("respects window and demand, and reports unmet hours", () => {
    fc.assert(
      fc.property(request, nowMinutes, prices, (request, nowMinutes, prices) => {
        const now = new Date(MIDNIGHT.getTime() + nowMinutes * 60_000);
        const known = knowledge(now, hourly(prices));
        const slotHours = request.gridMinutes / 60;
        // A window entirely beyond the horizon has no candidates, which is not an error.
        const result = answerFlex(request, PLANT, known);
        const { slots, window, demandHours, unmetHours } = result;
        for (const slot of slots) {
          expect(slot.start >= window.start && slot.end <= window.end).toBe(true);
          if (window.phase === "open") expect(slot.end > now).toBe(true);
          expect(slot.end.getTime() - slot.start.getTime()).toBe(request.gridMinutes * 60_000);
        }
        expect(slots.length * slotHours + unmetHours).toBeCloseTo(demandHours, 9);
        expect(unmetHours).toBeGreaterThanOrEqual(0);
        expect(demandHours / slotHours).toBeCloseTo(Math.round(demandHours / slotHours), 9);

        const isMet = unmetHours === 0 && result.demandEnergyKwh !== undefined;
        const placedKwh = slots.reduce((sum, { energyKwh }) => sum + (energyKwh ?? 0), 0);
        if (isMet) expect(placedKwh).toBeCloseTo(result.demandEnergyKwh!, 6);

        const { chargeNow, nextStart, minutesToStart } = momentOf(result, now);
        const inSlot = slots.some(({ start, end }) => start <= now && now < end);
        expect(chargeNow).toBe(inSlot && request.plugged !== 0 ? 1 : 0);
        if (nextStart !== undefined) expect(nextStart > now).toBe(true);
        if (minutesToStart === 0) expect(chargeNow).toBe(1);
        if (chargeNow === 0)
          expect(minutesToStart).toBe(
            nextStart === undefined ? -1 : Math.ceil((nextStart.getTime() - now.getTime()) / 60_000),
          );

        expect(slots.map(({ rank }) => rank).sort((a, b) => a - b)).toEqual(
          slots.map((_, index) => index + 1),
        );
        expect(result.windows.reduce((sum, each) => sum + each.hours, 0)).toBeCloseTo(
          slots.length * slotHours,
          9,
        );
        if (request.deadlineStrict === true && window.askedEnd <= now)
          expect([demandHours, slots.length]).toEqual([0, 0]);
      }),
      { seed: 20260301, numRuns: runs(600) },
    );
  });

  it("without breaks and days chooses the cheapest candidates", () => {
    fc.assert(
      fc.property(request, nowMinutes, prices, (drawn, nowMinutes, prices) => {
        const plain = {
          ...drawn,
          consecutive: "off" as const,
          allocation: "cheapest" as const,
          deadlineHour: undefined,
        };
        const known = knowledge(new Date(MIDNIGHT.getTime() + nowMinutes * 60_000), hourly(prices));
        const { slots } = answerFlex(plain, PLANT, known);
        const everything = answerFlex(
          { ...plain, segments: undefined, count: undefined, energyKwh: undefined },
          PLANT,
          known,
        );
        const sign = drawn.mode === "expensive" ? -1 : 1;
        const cost = (of: typeof slots) => of.map(({ spotCtKwh }) => spotCtKwh * sign).sort((a, b) => a - b);
        expect(cost(slots)).toEqual(cost(everything.slots).slice(0, slots.length));
      }),
      { seed: 20260302, numRuns: runs(300) },
    );
  });

  it("ranks a year of past quarter-hours, and rejects larger requests", () => {
    const known = knowledge(
      hour(24 * 366),
      hourly(Array.from({ length: 24 * 366 }, (_, index) => index % 37)),
    );
    const window = {
      kind: "fixed" as const,
      start: MIDNIGHT,
      end: new Date(MIDNIGHT.getTime() + 365 * DAY_MS),
    };
    const request = { window, segments: [5], gridMinutes: 15 as const };
    expect(answerFlex({ ...request, consecutive: "required" }, PLANT, known).unmetHours).toBe(0);
    expect(() => answerFlex({ ...request, segments: [2000, 1], consecutive: "soft" }, PLANT, known)).toThrow(
      /^segments/,
    );
    expect(() => answerFlex({ ...request, segments: [2197] }, PLANT, known)).toThrow(
      /8788 slots.*fewer hours/,
    );
  });

  it("lists only its own slots in each of thousands of windows", () => {
    const day = hourly(Array.from({ length: 24 * 92 }, (_, index) => [1, 9, 2, 8][index % 4]!));
    const window = {
      kind: "fixed" as const,
      start: MIDNIGHT,
      end: new Date(MIDNIGHT.getTime() + 90 * DAY_MS),
    };
    const answer = answerFlex(
      { window, segments: [1080], gridMinutes: 15, maxPowerKw: 4 },
      PLANT,
      knowledge(hour(24 * 92), day),
    );
    expect(answer.windows).toHaveLength(1080);
    expect(new Set(answer.windows.map(({ hours, energyKwh }) => `${hours} h ${energyKwh} kWh`))).toEqual(
      new Set(["1 h 4 kWh"]),
    );
  });
});
