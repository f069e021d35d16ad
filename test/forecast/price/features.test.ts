import { describe, expect, it } from "vitest";
import {
  CELLS,
  DAILY_FEATURES,
  FEATURES,
  LOOKBACK_DAYS,
  originInputs,
} from "../../../src/forecast/price/features.js";
import { dayNumber, MarketDays } from "../../../src/forecast/price/market-days.js";
import { fromUnits, medianInPlace, toUnits, unitsOf } from "../../../src/forecast/price/price-units.js";
import { recordedSeries } from "./recorded-prices.js";

const days = MarketDays.of(recordedSeries("2024-10-01", "2025-04-01"), {
  fromDay: -Infinity,
  untilDay: Infinity,
});
const ORIGIN = dayNumber("2025-03-13");

/** The same days with other prices. */
function changed(price: (day: number, price: number) => number): MarketDays {
  const { first, values, known } = days.data();
  return MarketDays.from({
    first,
    values: values.map((value, index) => price(first + Math.floor(index / 24), value)),
    known,
  });
}

describe("inputs of an origin", () => {
  it("do not depend on later prices", () => {
    const honest = originInputs(days, ORIGIN);
    expect(
      originInputs(
        changed((day, price) => (day > ORIGIN ? 9999 : price)),
        ORIGIN,
      ),
    ).toEqual(honest);
    // A price of the origin's own day does change them.
    const nudged = changed((day, price) => (day === ORIGIN ? price + 5 : price));
    expect(originInputs(nudged, ORIGIN).hourly).not.toEqual(honest.hourly);
  });

  it("are the calendar and the documented lags in the units of the origin", () => {
    const { units, daily, width, hourly } = originInputs(days, ORIGIN);
    expect(DAILY_FEATURES + width).toBe(FEATURES);
    const z = (date: string, hour: number) => toUnits(days.price(dayNumber(date), hour), units);
    const at = (lead: number, hour: number) =>
      [...hourly.subarray(((lead - 1) * 24 + hour) * width)].slice(0, width);
    // Lead 3 of Thursday 13 March is Sunday 16 March.
    expect(at(3, 18).slice(0, 6)).toEqual([
      z("2025-03-13", 18),
      z("2025-03-12", 18),
      z("2025-03-11", 18),
      z("2025-03-09", 18),
      z("2025-03-13", 19),
      z("2025-03-13", 17),
    ]);
    expect(at(3, 0)[5]).toBe(z("2025-03-12", 23));
    expect(at(3, 23)[4]).toBe(z("2025-03-13", 23));
    // The weekday flags follow 15 features of the origin: a Sunday.
    expect(daily.map(({ length }) => length)).toEqual(new Array(7).fill(DAILY_FEATURES));
    expect([...daily[2]!.subarray(15, 22)]).toEqual([0, 0, 0, 0, 0, 0, 1]);
  });

  it("are finite, also for the first origin and for constant prices", () => {
    const flat = MarketDays.from({
      first: 20_000,
      values: new Float64Array(LOOKBACK_DAYS * 24).fill(42),
      known: new Uint8Array(LOOKBACK_DAYS).fill(1),
    });
    const { daily, hourly, width } = originInputs(flat, flat.last);
    expect(hourly).toHaveLength(CELLS * width);
    expect([...daily, hourly].every((values) => values.every(Number.isFinite))).toBe(true);
  });
});

describe("units", () => {
  it("are median and scaled MAD of 60 days", () => {
    const { level, spread } = unitsOf(days, ORIGIN);
    const values = [...days.slice(ORIGIN - 59, ORIGIN)].sort((a, b) => a - b);
    const middle = (sorted: number[]) => (sorted[719]! + sorted[720]!) / 2;
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
