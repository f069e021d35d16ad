import { describe, expect, it } from "vitest";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import type { WeatherForFeatures } from "../../../src/forecast/price/forecast-issue-set.js";
import { forecastPrices, trainPriceModel } from "../../../src/forecast/price/forecast-prices.js";
import { dayNumber, MarketDays } from "../../../src/forecast/price/market-days.js";
import { forecastFrom, forecastWith } from "../../../src/forecast/price/model.js";
import { readModel, writeModel } from "../../../src/forecast/price/model-document.js";
import { train, trainingDays, trainOn } from "../../../src/forecast/price/train.js";
import { recordedPoints } from "./recorded-prices.js";

/** Seven months: just enough for a model, trained in a second. */
const points = recordedPoints("2024-08-20", "2025-04-01");
const NOW = new Date("2025-03-20T13:00:00Z");
const PUBLIC_UNTIL = new Date("2025-03-21T23:00:00Z");
const known = points.filter(({ start }) => start < PUBLIC_UNTIL);

describe("training", () => {
  it("does not depend on prices after the last public one", () => {
    const honest = forecastPrices({ now: NOW, history: known });
    expect([honest.tier, honest.modelVersion]).toEqual(["ridge", "ridge-2"]);
    expect(honest.hours.filter(({ source }) => source === "forecast")).toHaveLength(168 - 34);
    const future = points
      .filter(({ start }) => start >= PUBLIC_UNTIL)
      .map((point) => ({ ...point, eurPerMwh: -400 }));
    expect(future.length).toBeGreaterThan(200);
    expect(forecastPrices({ now: NOW, history: [...known, ...future] })).toEqual(honest);
    // The newest known day does have an effect.
    const nudged = known.map((point, index) =>
      index === known.length - 5 ? { ...point, eurPerMwh: point.eurPerMwh + 60 } : point,
    );
    expect(forecastPrices({ now: NOW, history: nudged })).not.toEqual(honest);
  });

  it("gives the same model when continued from day to day", () => {
    const whole = PriceSeries.of(known);
    const yesterday = whole.before(new Date("2025-03-20T23:00:00Z"));
    // A different training in between, so that the second model starts from the beginning.
    const other = PriceSeries.of(known.map((point) => ({ ...point, eurPerMwh: point.eurPerMwh + 1 })));
    train(yesterday, new Date("2025-03-19T13:00:00Z"));
    const readOn = train(whole, NOW);
    train(other, NOW);
    expect(train(whole, NOW)).toEqual(readOn);
    expect(readOn?.trainedTo).toBe(dayNumber("2025-03-21"));
  });

  it("is restored completely from its document", () => {
    const series = PriceSeries.of(known);
    const model = train(series, NOW)!;
    const text = JSON.stringify(writeModel(model));
    expect(text.length).toBeLessThan(200_000);
    const back = readModel(JSON.parse(text));
    expect(back).toEqual(model);
    expect(forecastWith(back, series, { now: NOW, horizonHours: 192 })).toEqual(
      forecastFrom(series, NOW, 192),
    );
    for (const damage of [
      // A model of an earlier version of hourgate.
      { version: 1 },
      { modelVersion: "ridge-1" },
      { below: [Number.NaN] },
      { coefficients: "AAAA" },
      { most: null },
      { trainedTo: "today" },
    ])
      expect(readModel({ ...JSON.parse(text), ...damage })).toBeUndefined();
    expect(readModel(null)).toBeUndefined();
  });

  it("gives the forecast of the library when the model is given", () => {
    const stored = JSON.parse(JSON.stringify(trainPriceModel({ now: NOW, history: known })));
    const trained = forecastPrices({ now: NOW, history: known });
    expect(forecastPrices({ now: NOW, history: known, model: stored })).toEqual(trained);
    expect(trainPriceModel({ now: NOW, history: known.slice(-100 * 24) })).toBeUndefined();
    // With 130 days no model could be trained.
    const recent = known.slice(-130 * 24);
    expect(forecastPrices({ now: NOW, history: recent, model: stored }).hours).toEqual(trained.hours);
    expect(() => forecastPrices({ now: NOW, history: known, model: { ...stored, version: 1 } })).toThrow(
      "model must be a result of trainPriceModel",
    );
  });

  it("requires 200 days", () => {
    const end = MarketDays.of(PriceSeries.of(known), { fromDay: -Infinity, untilDay: Infinity }).last;
    const days = (count: number) =>
      MarketDays.of(PriceSeries.of(known), { fromDay: end - count + 1, untilDay: end });
    expect(trainOn(days(199))).toBeUndefined();
    expect(trainOn(days(200))).toBeDefined();
  });

  it("uses at most four years", () => {
    const start = Date.parse("2017-01-01T23:00:00Z");
    const long = PriceSeries.of(
      Array.from({ length: 8 * 366 }, (_, day) => day).flatMap((day) =>
        Array.from({ length: 24 }, (_, hour) => ({
          start: new Date(start + (day * 24 + hour) * 3_600_000),
          minutes: 60 as const,
          eurPerMwh: hour,
        })),
      ),
    );
    const { first, last } = trainingDays(long, new Date("2024-06-01T10:00:00Z"));
    expect(last - first).toBeLessThanOrEqual(1461);
    expect(last - first).toBeGreaterThan(1350);
  });

  it("uses the exponential mean for hours beyond the seventh day only", () => {
    const series = PriceSeries.of(known);
    const far = forecastFrom(series, NOW, 24 * 14);
    expect(far.hours.slice(0, 168)).toEqual(forecastFrom(series, NOW, 168).hours);
    const plain = forecastWith(undefined, series, { now: NOW, horizonHours: 24 * 14 });
    expect(plain.tier).toBe("exponential_mean");
    // 21 March is public; the seventh day after it ends 28 March at midnight.
    const eighth = far.hours.findIndex(({ start }) => start >= new Date("2025-03-28T23:00:00Z"));
    expect(far.hours.slice(eighth)).toEqual(plain.hours.slice(eighth));
    expect(far.hours.slice(eighth - 24, eighth)).not.toEqual(plain.hours.slice(eighth - 24, eighth));
  });

  it("accepts weather, and is unchanged without it", () => {
    const hour = { start: NOW, germany: { windMs: 9, irradianceWm2: 0, temperatureC: 4 } };
    const weather: WeatherForFeatures = { issues: [{ issuedAt: NOW, hours: [hour] }] };
    expect(forecastPrices({ now: NOW, history: known, weather })).toEqual(
      forecastPrices({ now: NOW, history: known }),
    );
  });

  it("is finite and ordered for constant prices, jumps and gaps", () => {
    const shaped = (price: (index: number) => number, keep: (index: number) => boolean = () => true) =>
      PriceSeries.of(
        known
          .map((point, index) => ({ ...point, eurPerMwh: price(index) }))
          .filter((_, index) => keep(index)),
      );
    for (const series of [
      shaped(() => 0),
      shaped(
        (index) => (index % 500 === 0 ? 4000 : index % 777 === 0 ? -500 : 60 + (index % 24)),
        (index) => index % 240 > 50,
      ),
    ]) {
      const { hours } = forecastFrom(series, NOW, 168);
      for (const { p10, p50, p90 } of hours)
        expect(p10 <= p50 && p50 <= p90 && Number.isFinite(p10) && Number.isFinite(p90)).toBe(true);
    }
  });
});
