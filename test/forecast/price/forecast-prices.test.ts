import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../src/core/domain/interval.js";
import { dayInterval, localDate, localTime, VIENNA } from "../../../src/core/time/zone.js";
import { type ForecastPricesInput, forecastPrices } from "../../../src/forecast/price/forecast-prices.js";
import { firstForecastStart } from "../../../src/forecast/price/model.js";
import { recordedPoints } from "./recorded-prices.js";

type History = { start: Date; eurPerMwh: number }[];

/** Hours from one local midnight to another. */
function past(from: string, until: string, price: (at: Date) => number): History {
  const history: History = [];
  const endMs = dayInterval(until, VIENNA).end.getTime();
  for (let at = dayInterval(from, VIENNA).start.getTime(); at < endMs; at += HOUR_MS)
    history.push({ start: new Date(at), eurPerMwh: price(new Date(at)) });
  return history;
}

const NOW = new Date("2026-01-15T08:40:00Z");
/** 28 days to today. Workdays cost their local hour, Saturdays 100 and Sundays (and holidays) 200 more. */
const byType = past("2025-12-19", "2026-01-15", (at) => {
  const { hour, weekday, date } = localTime(at, VIENNA);
  const holiday = ["2025-12-25", "2025-12-26", "2026-01-01", "2026-01-06"].includes(date);
  return hour + (weekday === 7 || holiday ? 200 : weekday === 6 ? 100 : 0);
});

describe("forecastPrices", () => {
  it("begins with the current hour and has one entry per hour", () => {
    for (const now of ["2025-03-29T12:30:00Z", "2025-10-25T12:59:59Z", "2026-01-15T08:00:00Z"]) {
      const { hours } = forecastPrices({ now: new Date(now), history: [] });
      expect(hours).toHaveLength(168);
      expect(hours[0]?.start.toISOString()).toBe(`${now.slice(0, 13)}:00:00.000Z`);
      hours.forEach(({ start }, index) => {
        expect(start.getTime()).toBe(hours[0]!.start.getTime() + index * HOUR_MS);
      });
    }
  });

  it("returns published hours unchanged, then means of the same hour and type of day", () => {
    const { hours, tier, modelVersion } = forecastPrices({ now: NOW, history: byType });
    expect([tier, modelVersion]).toEqual(["exponential_mean", "exponential-mean-2"]);
    expect(hours[0]).toEqual({
      start: new Date("2026-01-15T08:00:00Z"),
      p10: 9,
      p50: 9,
      p90: 9,
      source: "day_ahead",
    });
    expect(firstForecastStart(hours)?.toISOString()).toBe("2026-01-15T23:00:00.000Z");
    const at = (time: string) => hours.find(({ start }) => start.getTime() === Date.parse(time));
    expect(at("2026-01-16T06:00:00Z")?.source).toBe("forecast");
    expect(at("2026-01-16T06:00:00Z")?.p50).toBeCloseTo(7, 9);
    expect(at("2026-01-17T06:00:00Z")?.p50).toBeCloseTo(107, 9);
    expect(at("2026-01-18T06:00:00Z")?.p50).toBeCloseTo(207, 9);
  });

  it("widens p10 and p90 with the past spread, with a minimum width", () => {
    const steady = forecastPrices({ now: NOW, history: past("2025-12-19", "2026-01-15", () => 50) });
    const wild = forecastPrices({
      now: NOW,
      history: past("2025-12-19", "2026-01-15", (at) => (localTime(at, VIENNA).day % 2 === 0 ? 0 : 200)),
    });
    const width = ({ hours }: typeof steady) => hours.at(-1)!.p90 - hours.at(-1)!.p10;
    expect(width(steady)).toBeGreaterThanOrEqual(10);
    expect(width(wild)).toBeGreaterThan(2 * 1.28 * 80);
  });

  it("uses the climatology without prices and for hours that a short history does not cover", () => {
    const empty = forecastPrices({ now: NOW, history: [] });
    expect([empty.tier, empty.modelVersion]).toEqual(["climatology", "climatology-1"]);
    expect(empty.hours.every(({ source }) => source === "climatology")).toBe(true);
    const two = forecastPrices({ now: NOW, history: past("2026-01-14", "2026-01-15", () => 80) });
    expect(two.tier).toBe("climatology");
    expect(two.hours[0]?.source).toBe("day_ahead");
    // With three days every type of day is forecast from all of them.
    const three = forecastPrices({ now: NOW, history: past("2026-01-13", "2026-01-15", () => 80) });
    expect(three.tier).toBe("recent_mean");
    expect(three.hours.at(-1)?.p50).toBe(80);
  });

  it("forecasts gaps, also between published hours", () => {
    const hole = Date.parse("2026-01-15T15:00:00Z");
    const history = byType.filter(({ start }) => start.getTime() !== hole);
    const hour = forecastPrices({ now: NOW, history }).hours.find(({ start }) => start.getTime() === hole);
    expect(hour).toMatchObject({ p50: 16, source: "forecast" });
  });

  it("accepts quarter-hours: an hour is published if all four are", () => {
    const start = Date.parse("2026-01-15T08:00:00Z");
    const quarters = [10, 20, 30, 40, 50, 60, 70].map((eurPerMwh, index) => ({
      start: new Date(start + index * 15 * 60_000),
      eurPerMwh,
    }));
    const { hours } = forecastPrices({ now: NOW, history: quarters });
    expect(hours[0]).toMatchObject({ p50: 25, source: "day_ahead" });
    expect(hours[1]?.source).toBe("climatology");
  });

  it("has quarter-hours on request: published ones unchanged, the others with the shape of their hour", () => {
    const quarters = past("2025-12-19", "2026-01-15", () => 100).flatMap(({ start, eurPerMwh }) =>
      [-30, -10, 10, 30].map((above, index) => ({
        start: new Date(start.getTime() + index * 15 * 60_000),
        eurPerMwh: eurPerMwh + above,
      })),
    );
    const forecast = forecastPrices({ now: NOW, history: quarters, resolutionMinutes: 15, horizonHours: 24 });
    expect(forecast.hours).toEqual(forecastPrices({ now: NOW, history: quarters, horizonHours: 24 }).hours);
    const [first, second] = forecast.quarters!;
    expect(forecast.quarters).toHaveLength(96);
    expect(first).toMatchObject({ p10: 70, p50: 70, p90: 70, source: "day_ahead" });
    expect(second).toMatchObject({ start: new Date("2026-01-15T08:15:00Z"), p50: 90 });
    const last = forecast.quarters!.slice(-4);
    expect(last.map(({ p50 }) => Math.round(p50))).toEqual([70, 90, 110, 130]);
    const { p10, p90 } = forecast.hours.at(-1)!;
    expect(last[0]!.p90 - last[0]!.p10).toBeCloseTo(p90 - p10, 6);
    const holed = quarters.filter(({ start }) => start.getTime() !== second!.start.getTime());
    const partly = forecastPrices({ now: NOW, history: holed, resolutionMinutes: 15, horizonHours: 1 });
    expect(partly.hours[0]!.source).toBe("forecast");
    expect(partly.quarters!.map(({ p50, source }) => (source === "day_ahead" ? p50 : source))).toEqual([
      70,
      "forecast",
      110,
      130,
    ]);
    const input = { now: NOW, history: [], resolutionMinutes: 30 } as unknown as ForecastPricesInput;
    expect(() => forecastPrices(input)).toThrow("resolutionMinutes");
  });

  it("ignores prices that cannot be public yet", () => {
    // 9:40 in Vienna: the auction for tomorrow is still open. 13:30: tomorrow is published, the day after is not.
    for (const [now, lastDay] of [
      ["2026-01-15T08:40:00Z", "2026-01-15"],
      ["2026-01-15T12:30:00Z", "2026-01-16"],
    ] as const) {
      const honest = past("2025-12-19", lastDay, (at) => localTime(at, VIENNA).hour);
      const end = dayInterval(lastDay, VIENNA).end;
      const future = past("2026-01-15", "2026-01-25", () => -400).filter(({ start }) => start >= end);
      const at = new Date(now);
      expect(forecastPrices({ now: at, history: [...honest, ...future] })).toEqual(
        forecastPrices({ now: at, history: honest }),
      );
    }
  });

  it("returns single hours of an unpublished day, but does not learn from them", () => {
    const now = new Date("2026-01-15T12:30:00Z");
    const stray = { start: new Date("2026-01-15T23:00:00Z"), eurPerMwh: 900 };
    const { hours } = forecastPrices({ now, history: [...byType, stray] });
    const without = forecastPrices({ now, history: byType });
    expect(hours.find(({ start }) => start.getTime() === stray.start.getTime())?.p50).toBe(900);
    expect(hours.at(-1)).toEqual(without.hours.at(-1));
    expect(hours.slice(12)).toEqual(without.hours.slice(12));
  });

  it("is deterministic, ordered and finite for any history in any order", () => {
    const entry = fc.record({
      start: fc
        .integer({ min: -120, max: 40 })
        .map((index) => new Date(Date.parse("2026-01-15T00:00:00Z") + index * 900_000)),
      eurPerMwh: fc.double({ min: -500, max: 5000, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.uniqueArray(entry, { selector: ({ start }) => start.getTime() }), (history) => {
        const forecast = forecastPrices({ now: NOW, history });
        expect(forecastPrices({ now: NOW, history: [...history].reverse() })).toEqual(forecast);
        const isRight = ({ p10, p50, p90 }: (typeof forecast.hours)[number]) =>
          p10 <= p50 && p50 <= p90 && Number.isFinite(p10) && Number.isFinite(p90);
        expect(forecast.hours.filter((hour) => !isRight(hour))).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    ["now", { now: new Date(Number.NaN) }],
    ["horizonHours", { horizonHours: 0 }],
    ["horizonHours", { horizonHours: 1.5 }],
    ["horizonHours", { horizonHours: 1e9 }],
    ["history[1].start", { history: [byType[0], { start: new Date("x"), eurPerMwh: 1 }] }],
    ["history[0].start", { history: [{ start: new Date("2026-01-15T00:07:00Z"), eurPerMwh: 1 }] }],
    ["history[0].eurPerMwh", { history: [{ start: NOW_HOUR(), eurPerMwh: Number.NaN }] }],
    ["history[0]", { history: [null] }],
    ["history", { history: "prices" }],
  ])("rejects an invalid %s by name", (field, bad) => {
    const input = { now: NOW, history: [], ...bad } as unknown as ForecastPricesInput;
    expect(() => forecastPrices(input)).toThrow(RangeError);
    expect(() => forecastPrices(input)).toThrow(field);
  });

  function NOW_HOUR(): Date {
    return new Date("2026-01-15T08:00:00Z");
  }
});

describe("on recorded prices", () => {
  const recorded: History = recordedPoints("2015-01-01");
  const actual = new Map(recorded.map(({ start, eurPerMwh }) => [start.getTime(), eurPerMwh]));

  it("is better than the same hour of last week over 2025 with two months of history, and covers about 80 %", () => {
    let own = 0;
    let lastWeek = 0;
    let within = 0;
    let count = 0;
    for (
      let day = Date.parse("2025-01-01T12:30:00Z");
      day < Date.parse("2025-12-20T00:00:00Z");
      day += 5 * DAY_MS
    ) {
      const now = new Date(day);
      const history = recorded.filter(({ start }) => Math.abs(start.getTime() - day) < 60 * DAY_MS);
      for (const { start, p10, p50, p90, source } of forecastPrices({ now, history }).hours) {
        if (source !== "forecast") continue;
        const price = actual.get(start.getTime())!;
        own += Math.abs(price - p50);
        lastWeek += Math.abs(price - actual.get(start.getTime() - 7 * DAY_MS)!);
        within += p10 <= price && price <= p90 ? 1 : 0;
        count++;
      }
    }
    expect(count).toBeGreaterThan(9000);
    expect(own / lastWeek).toBeLessThan(0.9);
    expect(within / count).toBeGreaterThan(0.75);
    expect(within / count).toBeLessThan(0.86);
  });

  it("finds the last published day in both weeks with a clock change", () => {
    for (const now of ["2025-03-29T12:30:00Z", "2025-10-25T12:30:00Z"]) {
      const at = new Date(now);
      const history = recorded.filter(({ start }) => Math.abs(start.getTime() - at.getTime()) < 60 * DAY_MS);
      const { hours } = forecastPrices({ now: at, history });
      const tomorrow = localDate(new Date(at.getTime() + DAY_MS), VIENNA);
      expect(firstForecastStart(hours)).toEqual(dayInterval(tomorrow, VIENNA).end);
    }
  });
});
