import { beforeAll, describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../src/core/domain/interval.js";
import { silentLog } from "../../../src/core/log.js";
import { dayInterval, VIENNA } from "../../../src/core/time/zone.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { WEATHER_FEATURES } from "../../../src/forecast/price/features.js";
import {
  ForecastIssueSet,
  HOUR_WIDTH,
  type WeatherForFeatures,
  type WeatherTable,
} from "../../../src/forecast/price/forecast-issue-set.js";
import { forecastPrices } from "../../../src/forecast/price/forecast-prices.js";
import { dayNumber } from "../../../src/forecast/price/market-days.js";
import { type Forecast, forecastWith } from "../../../src/forecast/price/model.js";
import { readModel, writeModel } from "../../../src/forecast/price/model-document.js";
import { ModelStore } from "../../../src/forecast/price/model-store.js";
import { originInstantMs, originWeather } from "../../../src/forecast/price/origin-weather.js";
import { train } from "../../../src/forecast/price/train.js";
import type { TrainedModel } from "../../../src/forecast/price/trainer.js";
import { windPower, windSpeedOf } from "../../../src/forecast/price/wind-power.js";
import { memoryDocuments } from "../../api/fake-services.js";
import { pseudoWeather } from "./pseudo-weather.js";
import { recordedPoints } from "./recorded-prices.js";

/** An issue at an instant with `hours` hours of Germany from a start on. */
function issue(
  issuedAt: string,
  start: string,
  hours: number,
  windMs: (hour: number) => number,
): WeatherTable {
  const values = new Float32Array(hours * HOUR_WIDTH).fill(Number.NaN);
  for (let hour = 0; hour < hours; hour++)
    values.set([windMs(hour), 100 + hour, hour / 10], hour * HOUR_WIDTH);
  return { issuedAtMs: Date.parse(issuedAt), startMs: Date.parse(start), values };
}

describe("wind power", () => {
  it("increases with the speed, is half at 9.5 m/s, and can be inverted", () => {
    expect(windPower(9.5)).toBe(0.5);
    // 1 / (1 + exp(5.5 / 1.9)) and 1 / (1 + exp(-4.5 / 1.9))
    expect(windPower(4)).toBeCloseTo(0.0524, 4);
    expect(windPower(14)).toBeCloseTo(0.9144, 4);
    for (const speed of [0.5, 4, 9.5, 14, 20]) expect(windSpeedOf(windPower(speed))).toBeCloseTo(speed, 6);
    expect([windSpeedOf(0), windSpeedOf(1)].every(Number.isFinite)).toBe(true);
  });
});

describe("known weather", () => {
  const monday = issue("2026-01-12T10:45Z", "2026-01-12T00:00Z", 240, () => 5);
  const tuesday = issue("2026-01-13T10:45Z", "2026-01-13T00:00Z", 240, () => 7);
  const windAt = (book: ForecastIssueSet, now: string, hour: string) =>
    book.knownAt(Date.parse(now), Date.parse(hour), 1)[0]!;

  it("comes from the newest available issue", () => {
    const book = ForecastIssueSet.of([tuesday, monday]);
    expect(windAt(book, "2026-01-13T10:44Z", "2026-01-14T00:00Z")).toBe(5);
    expect(windAt(book, "2026-01-13T10:45Z", "2026-01-14T00:00Z")).toBe(7);
    expect(windAt(book, "2026-01-13T10:45Z", "2026-01-12T12:00Z")).toBe(5);
    expect(windAt(book, "2026-01-12T10:44Z", "2026-01-14T00:00Z")).toBeNaN();
  });

  it("does not come from an old issue far ahead", () => {
    const book = ForecastIssueSet.of([monday]);
    expect(windAt(book, "2026-01-13T22:45Z", "2026-01-18T00:00Z")).toBe(5);
    expect(windAt(book, "2026-01-13T22:46Z", "2026-01-18T00:00Z")).toBeNaN();
    expect(windAt(book, "2026-01-14T22:46Z", "2026-01-14T10:00Z")).toBe(5);
  });

  it("uses an older issue for the gaps of a newer one", () => {
    const holed = issue("2026-01-13T10:45Z", "2026-01-13T00:00Z", 240, () => Number.NaN);
    expect(windAt(ForecastIssueSet.of([monday, holed]), "2026-01-13T12:00Z", "2026-01-14T00:00Z")).toBe(5);
  });
});

describe("the features of an origin", () => {
  // The last known prices are those of 25 October 2025; summer time ends on the 26th.
  const origin = dayNumber("2025-10-25");
  const start = "2025-10-10T00:00Z";
  const counted = issue("2025-10-24T10:00Z", start, 24 * 30, (hour) => hour / 40);

  it("compare the target hour, its day and the origin with the week of the origin", () => {
    const { values, complete } = originWeather(
      ForecastIssueSet.of([counted]),
      ["germany"],
      origin,
      Date.parse("2025-10-24T11:00Z"),
    );
    const width = WEATHER_FEATURES;
    expect(values).toHaveLength(7 * 24 * width);
    expect(complete.every((one) => one === 1)).toBe(true);
    // 27 October, 10:00 in Vienna, is 9:00 UTC; the two days before, on summer time, 8:00 UTC.
    const at = (time: string) => (Date.parse(time) - Date.parse(start)) / HOUR_MS;
    const t = at("2025-10-27T09:00Z");
    const o = at("2025-10-25T08:00Z");
    const row = values.subarray((1 * 24 + 10) * width, (1 * 24 + 11) * width);
    const power = (hour: number) => windPower(hour / 40);
    const week = [0, 1, 2, 3, 4, 5, 6].map((days) => o - 24 * days);
    const mean = (of: (hour: number) => number) => week.reduce((sum, hour) => sum + of(hour) / 7, 0);
    const light = (hour: number) => (100 + hour) / 1000;
    const warmth = (hour: number) => hour / 100;
    // All 24 hours of 27 October are 49 hours after those of the origin, of which the week's mean is three days earlier.
    const lightOfDay = (49 + 72) / 1000;
    [
      [0, power(t) - mean(power)],
      [2, power(o) - mean(power)],
      [3, power(t + 3) - power(t - 3)],
      [4, light(t) - mean(light)],
      [5, lightOfDay],
      [6, light(o) - mean(light)],
      [7, warmth(t) - mean(warmth)],
      [8, warmth(o) - mean(warmth)],
    ].forEach(([index, expected]) => {
      expect(row[index!]).toBeCloseTo(expected!, 6);
    });
  });

  it("do not depend on issues after the origin's time", () => {
    const tables = pseudoWeather("2025-10-01", "2025-11-10");
    const nowMs = originInstantMs(origin);
    expect(new Date(nowMs).toISOString()).toBe("2025-10-24T11:00:00.000Z");
    const honest = originWeather(ForecastIssueSet.of(tables), ["germany"], origin, nowMs);
    const corrupt = (from: number) =>
      tables.map((table) =>
        table.issuedAtMs < from ? table : { ...table, values: table.values.map(() => 99) },
      );
    expect(originWeather(ForecastIssueSet.of(corrupt(nowMs + 1)), ["germany"], origin, nowMs)).toEqual(
      honest,
    );
    // A change before that time does have an effect.
    expect(
      originWeather(ForecastIssueSet.of(corrupt(nowMs - DAY_MS)), ["germany"], origin, nowMs),
    ).not.toEqual(honest);
  });
});

describe("a model with weather", () => {
  const points = recordedPoints("2024-04-15", "2025-03-05");
  const series = PriceSeries.of(points);
  const NOW = new Date("2025-01-15T13:00:00Z");
  const publicAt = (now: Date) =>
    series.before(dayInterval(new Date(now.getTime() + DAY_MS).toISOString().slice(0, 10), VIENNA).end);
  const book = ForecastIssueSet.of(pseudoWeather("2024-05-15", "2025-03-02"));
  let model: TrainedModel;
  let plain: TrainedModel;
  beforeAll(() => {
    // One issue too few.
    const recent = book.until(NOW.getTime()).tables.slice(-199);
    plain = train(publicAt(NOW), NOW, ForecastIssueSet.of(recent))!;
    model = train(publicAt(NOW), NOW, book.until(NOW.getTime()))!;
  });

  it("equals the model without weather in the tiers that do not use it", () => {
    const { weather, ...rest } = model;
    expect(rest).toEqual(plain);
    expect(plain).not.toHaveProperty("weather");
    expect(weather).toMatchObject({ countries: ["germany"], leads: 7 });
    const without = forecastWith(model, publicAt(NOW), { now: NOW, horizonHours: 192 });
    expect(without).toEqual(
      forecastWith(plain, publicAt(NOW), { now: NOW, horizonHours: 192, weather: book }),
    );
    expect([without.tier, without.modelVersion]).toEqual(["ridge", "ridge-2"]);
  });

  it("is better with weather in the six weeks after its training", () => {
    const losses = { weather: 0, plain: 0 };
    const error = ({ hours }: Forecast) =>
      hours
        .filter(({ source }) => source === "forecast")
        .slice(0, 72)
        .reduce((sum, { start, p50 }) => sum + Math.abs(p50 - series.hour(start.getTime())!), 0);
    for (let day = 0; day < 40; day += 2) {
      const now = new Date(NOW.getTime() + day * DAY_MS);
      const issued = forecastWith(model, publicAt(now), { now, horizonHours: 120, weather: book });
      expect([issued.tier, issued.modelVersion]).toEqual(["weather_ridge", "weather-ridge-2"]);
      losses.weather += error(issued);
      losses.plain += error(forecastWith(model, publicAt(now), { now, horizonHours: 120 }));
    }
    expect(losses.weather / losses.plain).toBeLessThan(0.93);
  });

  it("does not use weather for hours with unknown weather", () => {
    const now = NOW;
    // The newest issue ends at midnight UTC of the third lead day.
    const cut = book.until(now.getTime()).tables.map((table) => {
      const ageMs = now.getTime() - table.issuedAtMs;
      if (ageMs > 12 * DAY_MS) return table;
      const values = table.values.slice();
      const hole = (from: string, until: string) =>
        values.fill(
          Number.NaN,
          Math.max(0, ((Date.parse(from) - table.startMs) / HOUR_MS) * HOUR_WIDTH),
          Math.max(0, ((Date.parse(until) - table.startMs) / HOUR_MS) * HOUR_WIDTH),
        );
      hole("2025-01-19T00:00Z", "2025-02-09T00:00Z");
      return { ...table, values };
    });
    const partly = forecastWith(model, publicAt(now), {
      now,
      horizonHours: 192,
      weather: ForecastIssueSet.of(cut),
    }).hours;
    const whole = forecastWith(model, publicAt(now), { now, horizonHours: 192, weather: book }).hours;
    const none = forecastWith(model, publicAt(now), { now, horizonHours: 192 }).hours;
    const indexOf = (time: string) => whole.findIndex(({ start }) => start.getTime() === Date.parse(time));
    // The means need the whole local day: 18 January is known up to its end at 23:00 UTC, but not the three hours to 2:00.
    expect(partly.slice(0, indexOf("2025-01-18T20:00Z"))).toEqual(
      whole.slice(0, indexOf("2025-01-18T20:00Z")),
    );
    expect(partly.slice(indexOf("2025-01-18T23:00Z"))).toEqual(none.slice(indexOf("2025-01-18T23:00Z")));
    expect(whole[indexOf("2025-01-20T12:00Z")]).not.toEqual(none[indexOf("2025-01-20T12:00Z")]);
  });

  it("is restored from its document, and ignores a damaged weather part", () => {
    const text = JSON.stringify(writeModel(model));
    expect(readModel(JSON.parse(text))).toEqual(model);
    const document = JSON.parse(text);
    for (const damage of [
      { leads: 8 },
      { coefficients: "" },
      { countries: ["france"] },
      { modelVersion: "weather-ridge-0" },
    ])
      expect(readModel({ ...document, weather: { ...document.weather, ...damage } })).not.toHaveProperty(
        "weather",
      );
  });

  it("is trained again after enough new issues, but not after a few", async () => {
    const received: number[] = [];
    const models = new ModelStore({
      documents: memoryDocuments(),
      log: silentLog,
      onTrained: () => {},
      training: {
        train: async (_, weather) => {
          received.push(weather.tables.length);
          return weather.tables.length < 200 ? plain : model;
        },
        stop: async () => {},
      },
    });
    const consider = async (issues: number) => {
      models.consider(publicAt(NOW), NOW, ForecastIssueSet.of(book.tables.slice(0, issues)));
      await new Promise((resolve) => setImmediate(resolve));
    };
    for (const issues of [0, 199, 205, 206, 225, 280]) await consider(issues);
    expect(received).toEqual([0, 205, 280]);
    expect(models.current()).toBe(model);
    await models.stop();
  });

  it("is kept and trained again, also if a listener throws", async () => {
    const errors: string[] = [];
    let trainings = 0;
    const models = new ModelStore({
      documents: memoryDocuments(),
      log: { ...silentLog, error: (_, sentence) => void errors.push(sentence) },
      onTrained: () => {
        throw new Error("A listener failed.");
      },
      training: {
        train: async () => {
          trainings++;
          return plain;
        },
        stop: async () => {},
      },
    });
    models.consider(publicAt(NOW), NOW, ForecastIssueSet.empty);
    models.consider(publicAt(NOW), NOW, book);
    await new Promise((resolve) => setImmediate(resolve));
    expect(models.current()).toBe(plain);
    expect(trainings).toBe(2);
    expect(errors).toEqual(Array(2).fill("A listener of the price model failed."));
    await models.stop();
  });

  it("ignores issues after the time of the forecast", () => {
    const history = points.filter(({ start }) => start.getTime() < publicAt(NOW).endMs);
    const issuesOf = (tables: readonly WeatherTable[]): WeatherForFeatures => ({
      issues: tables.map(({ issuedAtMs, startMs, values }) => ({
        issuedAt: new Date(issuedAtMs),
        hours: Array.from({ length: values.length / HOUR_WIDTH }, (_, hour) => ({
          start: new Date(startMs + hour * HOUR_MS),
          germany: {
            windMs: values[hour * HOUR_WIDTH]!,
            irradianceWm2: values[hour * HOUR_WIDTH + 1]!,
            temperatureC: values[hour * HOUR_WIDTH + 2]!,
          },
        })),
      })),
    });
    const known = book.until(NOW.getTime()).tables;
    const later = issue("2025-01-15T13:01Z", "2025-01-15T00:00Z", 240, () => 25);
    const honest = forecastPrices({ now: NOW, history, weather: issuesOf(known) });
    expect(honest.tier).toBe("weather_ridge");
    expect(forecastPrices({ now: NOW, history, weather: issuesOf([...known, later]) })).toEqual(honest);
    expect(
      forecastPrices({
        now: new Date(NOW.getTime() + 120_000),
        history,
        weather: issuesOf([...known, later]),
      }),
    ).not.toEqual(honest);
  });

  it.each([
    ["weather must be", { issues: 3 }],
    ["weather.issues[0] must be", { issues: [{ issuedAt: "today", hours: [] }] }],
    ["weather.issues[0].hours[0].start", { issues: [{ issuedAt: NOW, hours: [{ start: new Date(1) }] }] }],
    [
      "weather.issues[0].hours[0].germany.windMs",
      {
        issues: [
          {
            issuedAt: NOW,
            hours: [{ start: NOW, germany: { windMs: 300, irradianceWm2: 0, temperatureC: 0 } }],
          },
        ],
      },
    ],
  ])("rejects invalid weather: %s", (sentence, weather) => {
    expect(() =>
      forecastPrices({ now: NOW, history: [], weather: weather as unknown as WeatherForFeatures }),
    ).toThrow(sentence);
  });
});
