import { expect, it } from "vitest";
import { QUARTER_MS } from "../../../src/core/domain/interval.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { horizonSlots } from "../../../src/plan/windows/prices.js";

it("a published quarter-hour of an hour that lacks another is a published price", () => {
  const start = new Date("2026-01-15T10:00:00Z");
  const points = [0, 1, 3].map((quarter) => ({
    start: new Date(start.getTime() + quarter * QUARTER_MS),
    minutes: 15 as const,
    eurPerMwh: 10 + quarter,
  }));
  const slots = (priceMinutes: 60 | 15) =>
    horizonSlots({
      hours: [{ start, p10: 70, p50: 80, p90: 90, source: "forecast" }],
      series: PriceSeries.of(points),
      tariff: undefined,
      zone: "Europe/Vienna",
      gridMinutes: 15,
      priceMinutes,
    }).map(({ spotCtKwh, source }) => [spotCtKwh, source]);
  expect(slots(15)).toEqual([
    [1, "day_ahead"],
    [1.1, "day_ahead"],
    [8, "forecast"],
    [1.3, "day_ahead"],
  ]);
  expect(slots(60)).toEqual(Array.from({ length: 4 }, () => [8, "forecast"]));
});
