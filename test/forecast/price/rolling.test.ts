import { describe, expect, it } from "vitest";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { forecastRuns, rollingForecast } from "../../../src/forecast/price/rolling.js";
import { seeded } from "../../support/random.js";

const HOUR_MS = 3_600_000;
const START = Date.parse("2026-03-01T00:00:00Z");
const random = seeded(3);
const points = Array.from({ length: 60 * 24 }, (_, index) => ({
  start: new Date(START + index * HOUR_MS),
  minutes: 60 as const,
  eurPerMwh: 80 + 40 * Math.sin((index / 12) * Math.PI) + random.between(-20, 20),
}));
const at = (time: string) => new Date(time);

describe("rollingForecast", () => {
  it("knows the prices of the next day from 13:00 in Vienna on, and returns published prices", () => {
    const hoursAt = rollingForecast(PriceSeries.of(points));
    const known = (now: string) => hoursAt(at(now)).filter(({ source }) => source === "day_ahead");
    // 2026-03-29 has 23 hours, which is tomorrow here.
    expect(known("2026-03-28T12:00:00+01:00")).toHaveLength(12);
    expect(known("2026-03-28T13:00:00+01:00")).toHaveLength(11 + 23);
    expect(known("2026-03-29T00:00:00+01:00").map(({ p50 }) => p50)).toEqual(
      points
        .filter(({ start }) => start >= at("2026-03-28T23:00Z") && start < at("2026-03-29T22:00Z"))
        .map(({ eurPerMwh }) => eurPerMwh),
    );
  });

  it("has 168 hours from the current one on, at each hour of a week with a clock change", () => {
    const hoursAt = rollingForecast(PriceSeries.of(points));
    for (let ms = Date.parse("2026-03-26T00:00Z"); ms < Date.parse("2026-04-02T00:00Z"); ms += HOUR_MS) {
      const hours = hoursAt(new Date(ms));
      expect(hours).toHaveLength(168);
      expect(hours[0]!.start.getTime()).toBe(ms);
      expect(hours.at(-1)!.start.getTime()).toBe(ms + 167 * HOUR_MS);
    }
  });

  it("ignores prices that were not public", () => {
    const now = at("2026-04-10T12:30:00+02:00");
    const wrong = points.map((point) =>
      point.start < at("2026-04-10T22:00:00Z") ? point : { ...point, eurPerMwh: 9999 },
    );
    expect(rollingForecast(PriceSeries.of(wrong))(now)).toEqual(rollingForecast(PriceSeries.of(points))(now));
  });
});

it("makes the same runs of a period however it is divided", () => {
  const series = PriceSeries.of(points);
  const [start, end] = [at("2026-03-25T23:00Z"), at("2026-03-31T22:00Z")];
  const runs = (...cuts: Date[]) =>
    cuts.flatMap((from, index) => {
      const part = { start: from, end: cuts[index + 1] ?? end };
      return forecastRuns(series, { start, part, trainEveryDays: 2, onProgress: () => {} });
    });
  const whole = runs(start);
  expect(runs(start, at("2026-03-28T23:00Z"))).toEqual(whole);
  expect(whole.length).toBeGreaterThan(6);
});
