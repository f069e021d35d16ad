import { describe, expect, it } from "vitest";
import { forecastDocument } from "../../../src/api/documents/forecast.js";
import { defaultSettings } from "../../../src/config/load.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { presentOf } from "../../../src/plan/site-facts.js";
import { compileTariff } from "../../../src/tariff/compile-tariff.js";

const ZONE = "Europe/Vienna";
/** Midnight in Vienna. */
const DAY = Date.parse("2026-05-03T22:00:00Z");
const QUARTER_MS = 900_000;
/** Quarter-hours of a day whose last of each hour is the dearest: 0, 10, 20, 30 EUR/MWh above 10 for each hour. */
const valueAt = (index: number) => 10 * Math.floor(index / 4) + 10 * (index % 4);
const series = PriceSeries.of(
  Array.from({ length: 96 }, (_, index) => ({
    start: new Date(DAY + index * QUARTER_MS),
    minutes: 15 as const,
    eurPerMwh: valueAt(index),
  })),
);
const hoursFrom = (first: number) =>
  Array.from({ length: 24 - first }, (_, index) => {
    const p50 = series.hour(DAY + (first + index) * 4 * QUARTER_MS)!;
    const start = new Date(DAY + (first + index) * 4 * QUARTER_MS);
    return { start, p10: p50, p50, p90: p50, source: "day_ahead" as const };
  });
const tariffOf = (settlement: 15 | 60) =>
  compileTariff([{ energy: { type: "spot", settlement_minutes: settlement }, vat_pct: 20 }], ZONE);

/** Price and quartile at a quarter-hour of the day. */
function present(index: number, settlement: 15 | 60) {
  const site = { id: "home", accountId: "a", plant: { ...defaultSettings().plants[0]!, timezone: ZONE } };
  const sources = {
    forecast: { hours: () => hoursFrom(Math.floor(index / 4)) },
    prices: { published: () => series },
    stepMinutes: 15 as const,
    tariff: () => tariffOf(settlement),
  };
  return presentOf(site, sources, new Date(DAY + index * QUARTER_MS + 60_000));
}

describe("prices of the settlement period", () => {
  it("rank a quarter-hour among those of its day, and an hour among hours", () => {
    // The last quarter-hour of 18:00 costs 210 EUR/MWh; the hours from 19:00 on have some that cost more.
    const index = 18 * 4 + 3;
    const cheaper = Array.from({ length: 96 }, (_, other) => valueAt(other)).filter(
      (value, other) => value < valueAt(index) || (value === valueAt(index) && other < index),
    ).length;
    const quartile = Math.ceil((4 * (cheaper + 1)) / 96);
    expect(present(index, 15)).toEqual({ currentPriceCtKwh: 21 * 1.2, currentQuartile: quartile });
    // The 19th of 24 hours.
    expect(present(index, 60)).toEqual({ currentPriceCtKwh: 19.5 * 1.2, currentQuartile: 4 });
    // In the first quarter-hour of the same hour 69 or fewer are cheaper.
    expect(present(18 * 4, 15)!.currentQuartile).toBe(3);
  });

  it("are those of the forecast of quarter-hours", () => {
    for (const settlement of [15, 60] as const) {
      const document = forecastDocument({
        run: { issuedAt: new Date(DAY), modelVersion: "m", trigger: "manual", hours: [] } as never,
        hours: hoursFrom(18),
        zone: ZONE,
        tariff: tariffOf(settlement),
        intervals: true,
        quarters: { series, priceMinutes: 15 },
      });
      const prices = document.prices as Record<string, unknown>[];
      expect(document.resolution_minutes).toBe(15);
      expect(prices).toHaveLength(24);
      expect(prices[3]).toMatchObject({
        start: "2026-05-04T18:45:00+02:00",
        end: "2026-05-04T19:00:00+02:00",
        price_ct_kwh: 21,
        total_ct_kwh: present(18 * 4 + 3, settlement)!.currentPriceCtKwh,
        // As the bill credits it.
        export_ct_kwh: settlement === 60 ? 19.5 : 21,
      });
    }
  });
});
