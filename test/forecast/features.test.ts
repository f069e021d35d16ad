import { describe, expect, it } from "vitest";
import { DAY_FEATURES, HOURLY_FEATURES, LOOKBACK_DAYS, originFeatures } from "../../src/forecast/features.js";
import { dayNumber, MarketDays } from "../../src/forecast/market-days.js";
import { fromUnits, medianInPlace, toUnits, unitsOf } from "../../src/forecast/price-units.js";
import { profileFeatures, profileWidth } from "../../src/forecast/profile-features.js";
import { recordedSeries } from "./recorded-prices.js";

const days = MarketDays.of(recordedSeries("2024-01-01", "2025-06-01"), {
  fromDay: -Infinity,
  untilDay: Infinity,
});
const ORIGIN = dayNumber("2025-03-13");

/** The same days with extreme prices after the origin. */
function corrupted(): MarketDays {
  const { first, values, known } = days.data();
  const wrong = values.map((price, index) => (first + Math.floor(index / 24) > ORIGIN ? 9999 : price));
  return MarketDays.from({ first, values: wrong, known });
}

describe("features of an origin", () => {
  it("do not depend on later prices", () => {
    for (const span of [45, 90, 365, "fixed"] as const) {
      const honest = originFeatures(days, ORIGIN, span);
      expect(originFeatures(corrupted(), ORIGIN, span)).toEqual(honest);
      expect(profileFeatures(originFeatures(corrupted(), ORIGIN, span))).toEqual(profileFeatures(honest));
    }
    // A price of the origin's own day does change them.
    const { first, values, known } = days.data();
    const nudged = values.slice();
    nudged[(ORIGIN - first) * 24 + 12]! += 50;
    const changed = originFeatures(MarketDays.from({ first, values: nudged, known }), ORIGIN, "fixed");
    expect(changed.hourly).not.toEqual(originFeatures(days, ORIGIN, "fixed").hourly);
  });

  it("are the documented lags in the units of the origin", () => {
    const { units, hourly, daily } = originFeatures(days, ORIGIN, 90);
    const z = (date: string, hour: number) => toUnits(days.price(dayNumber(date), hour), units);
    const at = (lead: number, hour: number) =>
      [...hourly.subarray(((lead - 1) * 24 + hour) * HOURLY_FEATURES)].slice(0, HOURLY_FEATURES);
    // Lead 3 of Thursday 13 March is Sunday 16 March.
    const sunday = at(3, 18);
    expect(sunday.slice(0, 5)).toEqual([
      z("2025-03-13", 18),
      z("2025-03-12", 18),
      z("2025-03-11", 18),
      z("2025-03-09", 18),
      z("2025-03-02", 18),
    ]);
    expect(sunday[8]).toBe(z("2025-03-13", 19));
    expect(sunday[9]).toBe(z("2025-03-13", 17));
    expect(sunday.slice(16)).toEqual([z("2025-02-23", 18), z("2025-02-16", 18)]);
    const week = [7, 8, 9, 10, 11, 12, 13].reduce(
      (sum, day) => sum + z(`2025-03-${String(day).padStart(2, "0")}`, 18) / 7,
      0,
    );
    expect(sunday[5]).toBeCloseTo(week, 12);
    expect(at(3, 0)[9]).toBe(z("2025-03-12", 23));
    expect(at(3, 23)[8]).toBe(z("2025-03-13", 23));
    expect(daily).toHaveLength(7 * DAY_FEATURES);
    // The weekday flags follow 16 price features: a Sunday.
    expect([...daily.subarray(2 * DAY_FEATURES + 16, 2 * DAY_FEATURES + 23)]).toEqual([0, 0, 0, 0, 0, 0, 1]);
  });

  it("are finite, also for the first origin and for constant prices", () => {
    const flat = MarketDays.from({
      first: 20_000,
      values: new Float64Array(LOOKBACK_DAYS * 24).fill(42),
      known: new Uint8Array(LOOKBACK_DAYS).fill(1),
    });
    const features = originFeatures(flat, flat.last, 365);
    expect([...features.hourly, ...features.daily].every(Number.isFinite)).toBe(true);
    const profile = profileFeatures(features);
    expect(profile).toHaveLength(7 * profileWidth(0));
    expect(profile.every(Number.isFinite)).toBe(true);
  });
});

describe("units", () => {
  it("are median and scaled MAD of the given days", () => {
    const { level, spread } = unitsOf(days, ORIGIN, 90);
    const values = [...days.slice(ORIGIN - 89, ORIGIN)].sort((a, b) => a - b);
    const middle = (sorted: number[]) => (sorted[1079]! + sorted[1080]!) / 2;
    expect(level).toBe(middle(values));
    const deviations = values.map((value) => Math.abs(value - level)).sort((a, b) => a - b);
    expect(spread).toBeCloseTo(1.4826 * middle(deviations), 12);
  });

  it("can be inverted to the price", () => {
    for (const price of [-500, -3, 0, 85, 4000])
      expect(fromUnits(toUnits(price, { level: 90, spread: 31 }), { level: 90, spread: 31 })).toBeCloseTo(
        price,
        8,
      );
  });

  it("use the median of odd and even counts", () => {
    expect(medianInPlace(Float64Array.of(5, 1, 9))).toBe(5);
    expect(medianInPlace(Float64Array.of(5, 1, 9, 2))).toBe(3.5);
    expect(medianInPlace(new Float64Array(0))).toBeNaN();
  });
});
