import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/core/domain/interval.js";
import type { PricePoint } from "../../../src/core/domain/price.js";
import { dayInterval, VIENNA } from "../../../src/core/time/zone.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { dayAndHour, dayDate, dayNumber, MarketDays } from "../../../src/forecast/price/market-days.js";

/** Hours of a range of local days; the price is the number of hours since the first midnight. */
function counting(from: string, until: string, leave: (at: Date) => boolean = () => false): PriceSeries {
  const startMs = dayInterval(from, VIENNA).start.getTime();
  const endMs = dayInterval(until, VIENNA).end.getTime();
  const points: PricePoint[] = [];
  for (let at = startMs; at < endMs; at += HOUR_MS)
    if (!leave(new Date(at)))
      points.push({ start: new Date(at), minutes: 60, eurPerMwh: (at - startMs) / HOUR_MS });
  return PriceSeries.of(points);
}

const all = { fromDay: -Infinity, untilDay: Infinity };
const prices = (days: MarketDays, date: string) => [...days.slice(dayNumber(date), dayNumber(date))];

describe("market days", () => {
  it("fills the missing hour of the spring day from its neighbours", () => {
    const days = MarketDays.of(counting("2025-03-30", "2025-03-31"), all);
    // 00 and 01 cost 0 and 1; the third hour that passes is 03:00 and costs 2.
    expect(prices(days, "2025-03-30").slice(0, 5)).toEqual([0, 1, 1.5, 2, 3]);
    expect(prices(days, "2025-03-31")[0]).toBe(23);
  });

  it("averages the doubled hour of the autumn day", () => {
    const days = MarketDays.of(counting("2025-10-26", "2025-10-27"), all);
    expect(prices(days, "2025-10-26").slice(0, 5)).toEqual([0, 1, 2.5, 4, 5]);
    expect(prices(days, "2025-10-27")[0]).toBe(25);
  });

  it("accepts a day with one missing hour, and uses the same weekday before for one with more", () => {
    const at = (time: string) => (hour: Date) => hour.toISOString().startsWith(time);
    const one = MarketDays.of(counting("2026-01-12", "2026-01-14", at("2026-01-13T10")), all);
    expect(one.known(dayNumber("2026-01-13"))).toBe(true);
    // 11:00 in Vienna, between 34 and 36.
    expect(one.price(dayNumber("2026-01-13"), 11)).toBe(35);
    const more = MarketDays.of(counting("2026-01-05", "2026-01-14", at("2026-01-13T1")), all);
    expect(more.known(dayNumber("2026-01-13"))).toBe(false);
    expect(prices(more, "2026-01-13")).toEqual(prices(more, "2026-01-06"));
    expect(more.knownDays).toBe(9);
  });

  it("ignores the day on which the market was decoupled", () => {
    const days = MarketDays.of(counting("2024-06-17", "2024-06-28"), all);
    expect(days.known(dayNumber("2024-06-26"))).toBe(false);
    expect(prices(days, "2024-06-26")).toEqual(prices(days, "2024-06-19"));
  });

  it("ends with the last complete day within the given days", () => {
    const night = counting("2026-01-01", "2026-01-10", (at) => at >= new Date("2026-01-10T08:00:00Z"));
    expect(dayDate(MarketDays.of(night, all).last)).toBe("2026-01-09");
    const requested = { fromDay: dayNumber("2026-01-03"), untilDay: dayNumber("2026-01-05") };
    const days = MarketDays.of(night, requested);
    expect([dayDate(days.first), dayDate(days.last), days.knownDays]).toEqual([
      "2026-01-03",
      "2026-01-05",
      3,
    ]);
    expect(MarketDays.of(PriceSeries.empty, all).knownDays).toBe(0);
  });

  it("converts an instant to the calendar of Vienna", () => {
    expect(dayAndHour(Date.parse("2026-01-14T23:00:00Z"))).toEqual({ day: dayNumber("2026-01-15"), hour: 0 });
    expect(dayAndHour(Date.parse("2026-07-14T21:59:00Z"))).toEqual({
      day: dayNumber("2026-07-14"),
      hour: 23,
    });
  });
});
