import { describe, expect, it } from "vitest";
import { ErrorBands, noForecast, quantilesAround } from "../../../src/forecast/price/error-bands.js";
import { MarketDays } from "../../../src/forecast/price/market-days.js";
import { seededRandom } from "../../../src/plan/physics/random.js";

/** Days whose prices are the errors of a forecast of 0. */
function marketOf(days: number, price: (day: number) => number): MarketDays {
  const values = Float64Array.from({ length: days * 24 }, (_, index) => price(Math.floor(index / 24)));
  return MarketDays.from({ first: 0, values, known: new Uint8Array(days).fill(1) });
}

/** Forecasts 0 at each origin; the bands at the end, and the shares of days `from` to `until` that lie within. */
function follow(market: MarketDays, leads = 7) {
  const bands = new ErrorBands();
  const covered: number[] = [];
  for (let day = 0; day <= market.last; day++) {
    bands.mature(market, day);
    bands.add(day, noForecast().fill(0, 0, leads * 24));
    const widths = bands.widths(leads);
    if (widths === undefined || day === market.last) continue;
    const { p10, p90 } = quantilesAround(0, widths, 1, 0);
    const prices = Array.from({ length: 24 }, (_, hour) => market.price(day + 1, hour));
    covered[day + 1] = prices.filter((price) => p10 <= price && price <= p90).length / 24;
  }
  const share = (from: number, until: number) =>
    covered.slice(from, until).reduce((sum, one) => sum + one, 0) / (until - from);
  return { bands, share };
}

describe("error bands", () => {
  it("cover 80 % of normal errors", () => {
    const { normal } = seededRandom(1);
    const { share } = follow(marketOf(400, () => 30 * normal()));
    expect(Math.abs(share(100, 400) - 0.8)).toBeLessThan(0.02);
  });

  it("are wide in turbulent weeks and narrow again two weeks later", () => {
    const { normal } = seededRandom(2);
    const turbulent = (day: number) => day >= 200 && day < 228;
    const market = marketOf(280, (day) => (turbulent(day) ? 90 : 30) * normal());
    const { share } = follow(market);
    expect(Math.abs(share(100, 200) - 0.8)).toBeLessThan(0.03);
    expect(Math.abs(share(214, 228) - 0.8)).toBeLessThan(0.1);
    expect(Math.abs(share(245, 280) - 0.8)).toBeLessThan(0.05);
  });

  it("are undefined before ten outcomes, and at least 5 EUR/MWh wide to each side", () => {
    // The first origin has no recent error; the first outcome of the seventh day after the second is on day 8, the tenth on day 17.
    expect(follow(marketOf(17, () => 0)).bands.widths()).toBeUndefined();
    const widths = follow(marketOf(18, () => 0)).bands.widths()!;
    expect(quantilesAround(50, widths, 7, 23)).toEqual({ p10: 45, p50: 50, p90: 55 });
  });

  it("do not need later leads than those of the forecast", () => {
    const { bands } = follow(
      marketOf(30, (day) => day % 2),
      3,
    );
    expect(bands.widths(3)).toBeDefined();
    expect(bands.widths(7)).toBeUndefined();
  });
});
