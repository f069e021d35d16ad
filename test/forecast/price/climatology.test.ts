import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { deriveClimatology } from "../../../docs/derive/climatology.js";
import { HOUR_MS } from "../../../src/core/domain/interval.js";
import type { PricePoint } from "../../../src/core/domain/price.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { climatology } from "../../../src/forecast/price/climatology.js";
import { quantile } from "../../../src/forecast/price/quantile.js";
import { HOURLY_PRICES, recordedText } from "../../support/recorded-data.js";

const prices = recordedText(HOURLY_PRICES);

describe("climatology", () => {
  it("equals the output of the script for the recorded prices", () => {
    const module = readFileSync(
      new URL("../../../src/forecast/price/climatology-table.ts", import.meta.url),
      "utf8",
    );
    expect(deriveClimatology(prices)).toBe(module);
  });

  it("contains the medians of the past, computed independently", () => {
    // Workdays of June 2023, 2024 and 2025 at 13:00 in Vienna (11:00 UTC), without the decoupled day; holidays by hand.
    const holidays = ["2023-06-08", "2025-06-09", "2025-06-19"];
    const values = prices
      .split("\n")
      .filter((line) => /^202[345]-06-\d\dT11:00/.test(line) && !line.startsWith("2024-06-26"))
      .filter((line) => ![0, 6].includes(new Date(line.slice(0, 10)).getUTCDay()))
      .filter((line) => !holidays.includes(line.slice(0, 10)))
      .map((line) => Number(line.split(",")[1]))
      .sort((a, b) => a - b);
    const middle = Math.floor(values.length / 2);
    const median = values.length % 2 === 1 ? values[middle]! : (values[middle - 1]! + values[middle]!) / 2;
    const usual = climatology(PriceSeries.empty, 0)(Date.parse("2026-06-17T11:00:00Z"));
    expect(usual.p50).toBeCloseTo(median, 0);
    expect(Math.abs(usual.p50 - median)).toBeLessThanOrEqual(0.051);
  });

  const days = (count: number, price: (at: number) => number): PricePoint[] =>
    Array.from({ length: count * 24 }, (_, index) => {
      const at = Date.parse("2026-01-12T23:00:00Z") - (count * 24 - index) * HOUR_MS;
      return { start: new Date(at), minutes: 60, eurPerMwh: price(at) };
    });
  const usual = climatology(PriceSeries.empty, 0);
  const later = Date.parse("2026-01-13T10:00:00Z");

  it("keeps its shape and is shifted to the level of at least three known days", () => {
    const raised = (count: number) => {
      const prices = PriceSeries.of(days(count, (at) => usual(at).p50 + 40));
      return climatology(prices, prices.endMs)(later);
    };
    expect(raised(3).p50).toBeCloseTo(usual(later).p50 + 40, 6);
    expect(raised(3).p90 - raised(3).p10).toBeCloseTo(usual(later).p90 - usual(later).p10, 6);
    expect(raised(2)).toEqual(usual(later));
  });

  it("uses the last 14 days and ignores later prices", () => {
    const old = days(20, (at) => usual(at).p50 + (at < Date.parse("2025-12-29T23:00:00Z") ? 900 : 10));
    const prices = PriceSeries.of([...old, { start: new Date(later), minutes: 60, eurPerMwh: 5000 }]);
    expect(climatology(prices, Date.parse("2026-01-12T23:00:00Z"))(later).p50).toBeCloseTo(
      usual(later).p50 + 10,
      6,
    );
  });

  it("has ordered quantiles in every hour of the year", () => {
    const wrong: number[] = [];
    for (
      let at = Date.parse("2026-01-01T00:00:00Z");
      at < Date.parse("2027-01-01T00:00:00Z");
      at += HOUR_MS
    ) {
      const { p10, p50, p90 } = usual(at);
      if (!(p10 <= p50 && p50 <= p90)) wrong.push(at);
    }
    expect(wrong).toEqual([]);
  });
});

describe("quantile", () => {
  it("interpolates linearly between the values", () => {
    expect(quantile([0, 10, 20, 30], 0.5)).toBe(15);
    expect(quantile([0, 10, 20, 30, 40], 0.1)).toBe(4);
    expect(quantile([7], 0.9)).toBe(7);
    expect(quantile([], 0.5)).toBeNaN();
  });
});
