import { isDeepStrictEqual } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/core/domain/interval.js";
import type { Log } from "../../../src/core/log.js";
import { HOUR_WIDTH } from "../../../src/forecast/price/forecast-issue-set.js";
import { windPower, windSpeedOf } from "../../../src/forecast/price/wind-power.js";
import { countryWeather, type PointReadings } from "../../../src/forecast/weather/market/aggregate.js";
import { pastIssues } from "../../../src/forecast/weather/market/history-fetcher.js";
import {
  createMarketWeather,
  type MarketWeather,
} from "../../../src/forecast/weather/market/market-weather.js";
import { MARKET_POINTS } from "../../../src/forecast/weather/market/points.js";
import { memoryDocuments } from "../../api/fake-services.js";
import { type AnsweringServer, answeringServer } from "../../support/answering-server.js";
import { eventually } from "../../support/eventually.js";
import { manualClock } from "../../support/manual-clock.js";

/** A place with constant readings. */
function place(windMs: number, irradianceWm2: number, temperatureC: number, hours = 1): PointReadings {
  const series = (value: number) => new Float64Array(hours).fill(value);
  return {
    windMs: series(windMs),
    irradianceWm2: series(irradianceWm2),
    temperatureC: series(temperatureC),
  };
}

describe("the weather of the countries", () => {
  it("has weights that sum to 1", () => {
    for (const country of ["germany", "austria"]) {
      const points = MARKET_POINTS.filter((point) => point.country === country);
      for (const weight of ["windWeight", "sunWeight", "populationWeight"] as const)
        expect(points.reduce((sum, point) => sum + point[weight], 0)).toBeCloseTo(1, 9);
    }
  });

  it("is the weighted mean of the places, for wind that of its power", () => {
    const places = MARKET_POINTS.map((_, index) => place(index, 100 * index, index));
    const [windMs, irradianceWm2, temperatureC, austrianWindMs] = countryWeather(places, 1);
    // Of the first six places: 0.29 + 2 x 0.21 + 3 x 0.22 + 4 x 0.08 + 5 x 0.05, and by population.
    expect(irradianceWm2).toBeCloseTo(194, 4);
    expect(temperatureC).toBeCloseTo(0.18 + 0.72 + 0.51 + 0.24 + 0.3, 5);
    const weights = [0.03, 0.05, 0.2, 0.24, 0.33, 0.15];
    const power = weights.reduce((sum, weight, index) => sum + weight * windPower(index), 0);
    expect(windMs).toBeCloseTo(windSpeedOf(power), 5);
    expect(austrianWindMs).toBeGreaterThan(6);
    expect(austrianWindMs).toBeLessThan(7);
  });

  it("tolerates a missing place, but not most of a country", () => {
    const whole = MARKET_POINTS.map(() => place(8, 200, 10));
    const without = (...missing: number[]) =>
      countryWeather(
        whole.map((one, index) => (missing.includes(index) ? undefined : one)),
        1,
      );
    expect(without(4)).toEqual(without());
    // Without Lower Austria the weight of the Austrian wind is too low, but that of PV is sufficient.
    expect([...without(6)].slice(3)).toEqual([Number.NaN, 200, 10]);
    const holed = [{ ...place(8, 200, 10), windMs: new Float64Array([Number.NaN]) }, ...whole.slice(1)];
    expect(countryWeather(holed, 1)).toEqual(without());
  });
});

describe("issues composed of past runs", () => {
  it("contain for each hour the newest forecast available at 11:00 UTC", () => {
    const day = Date.parse("2025-03-10T00:00Z");
    // Forecasts made n days before have n degrees.
    const runs = [1, 2, 3, 4, 5, 6, 7].map((n) => ({
      startMs: day,
      hours: 240,
      places: MARKET_POINTS.map(() => place(5, 0, n, 240)),
    }));
    const [issue, ...others] = pastIssues(runs, [day, day + 40 * DAY_MS]);
    expect(others).toEqual([]);
    expect(issue?.issuedAtMs).toBe(day + 11 * HOUR_MS);
    const daysBefore = (hour: number) => issue!.values[hour * HOUR_WIDTH + 2];
    // A forecast made 24 hours before an hour is available 16 hours before it: at 11:00 up to 3:00 of the next day.
    expect([0, 10, 27, 28, 51, 52].map(daysBefore)).toEqual([1, 1, 1, 2, 2, 3]);
    expect([171, 172].map(daysBefore)).toEqual([7, Number.NaN]);
  });
});

/**
 * Answers for several places as in Open-Meteo's documentation: a list with one object per place, each with
 * `hourly_units` and `hourly` of equally long lists. The wind is 6 m/s; n days before an hour n degrees were forecast for it.
 */
function answerOf(url: URL, { times }: { times?: string[] } = {}): string {
  const first = url.searchParams.get("start_date");
  const last = url.searchParams.get("end_date");
  const hours =
    times ??
    Array.from({ length: (Date.parse(last!) - Date.parse(first!)) / HOUR_MS + 24 }, (_, hour) =>
      new Date(Date.parse(first!) + hour * HOUR_MS).toISOString().slice(0, 16),
    );
  const variables = url.searchParams.get("hourly")!.split(",");
  const forecastOf = (name: string) =>
    name.startsWith("wind")
      ? 6
      : name.startsWith("short")
        ? 150
        : Number(name.at(-1) === "m" ? 0 : name.at(-1));
  return JSON.stringify(
    url.searchParams
      .get("latitude")!
      .split(",")
      .map((latitude) => ({
        latitude: Number(latitude),
        longitude: 10,
        generationtime_ms: 1.5,
        utc_offset_seconds: 0,
        timezone: "GMT",
        timezone_abbreviation: "GMT",
        elevation: 100,
        hourly_units: { time: "iso8601" },
        hourly: {
          time: hours,
          ...Object.fromEntries(
            // Nothing was archived before March 2024.
            variables.map((name) => [name, hours.map((at) => (at < "2024-03" ? null : forecastOf(name)))]),
          ),
        },
      })),
  );
}

describe("MarketWeather", () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });

  async function startCollection(nowText: string, { archiveFrom }: { archiveFrom?: string } = {}) {
    let refusing = false;
    const clock = manualClock(new Date(nowText));
    const wall = manualClock(new Date(nowText));
    const requests: URL[] = [];
    const server: AnsweringServer = await answeringServer((request, response) => {
      const url = new URL(request.url!, "http://127.0.0.1");
      requests.push(url);
      if (refusing) {
        response.statusCode = 503;
        response.end();
        return;
      }
      const archiveFromMs = archiveFrom === undefined ? clock.now().getTime() : Date.parse(archiveFrom);
      const today = Math.floor(archiveFromMs / DAY_MS) * DAY_MS;
      const times = Array.from({ length: 240 }, (_, hour) =>
        new Date(today + hour * HOUR_MS).toISOString().slice(0, 16),
      );
      response.end(answerOf(url, url.pathname === "/past" ? {} : { times }));
    });
    stops.push(() => server.close());
    const documents = memoryDocuments();
    const warn = vi.fn();
    const log: Log = { info() {}, warn, error: vi.fn(), debug() {}, trace() {} };
    const entry = {
      type: "open_meteo" as const,
      enabled: true,
      key: null,
      url: `${server.url}now`,
      past_runs_url: `${server.url}past` as string | null,
      timeout_seconds: 10,
    };
    const make = (change: Partial<typeof entry> = {}): MarketWeather => {
      const settings = [{ ...entry, ...change }] as Parameters<typeof createMarketWeather>[0];
      const weather = createMarketWeather(settings, { clock, wall, documents, log, random: () => 0.5 });
      stops.push(() => weather.stop());
      return weather;
    };
    const past = () => requests.filter(({ pathname }) => pathname === "/past");
    const now = () => requests.filter(({ pathname }) => pathname === "/now");
    const advance = async (ms: number) => {
      await wall.advance(ms);
      await clock.advance(ms);
    };
    const leap = async (to: Date) => {
      await wall.leap(to);
      await clock.leap(to);
    };
    return { requests, past, now, make, advance, leap, warn, refuse: (on: boolean) => (refusing = on) };
  }

  it("requests all places at once and stores for each day the issue before the prices", async () => {
    const { advance, make, now } = await startCollection("2026-01-12T16:00:00Z");
    const weather = make({ past_runs_url: null });
    await weather.start();
    await eventually(() => expect(weather.issues().tables).toHaveLength(1));
    expect(now()[0]!.searchParams.get("latitude")!.split(",")).toHaveLength(11);
    expect(Object.fromEntries(now()[0]!.searchParams)).toMatchObject({
      hourly: "wind_speed_100m,shortwave_radiation,temperature_2m",
      timezone: "UTC",
      wind_speed_unit: "ms",
      forecast_days: "10",
    });
    // The first one arrived after the prices: used for forecasts, but not for training.
    expect(weather.trainingIssues().tables).toHaveLength(0);
    const start = Date.parse("2026-01-13T00:00Z");
    expect([...weather.issues().knownAt(start, start, 1)].map((one) => Math.round(one))).toEqual([
      6, 150, 0, 6, 150, 0,
    ]);
    // 22:40, 4:40 and 10:40 the next day.
    for (const count of [2, 3, 4]) {
      await advance(count === 2 ? 6.7 * HOUR_MS : 6 * HOUR_MS);
      await eventually(() => expect(now()).toHaveLength(count));
    }
    await eventually(() =>
      expect(
        weather.trainingIssues().tables.map(({ issuedAtMs }) => new Date(issuedAtMs).toISOString()),
      ).toEqual(["2026-01-13T10:40:00.000Z"]),
    );
    expect(weather.issues().tables).toHaveLength(1);
    // Stored data are not requested again after a restart.
    await weather.stop();
    const again = make({ past_runs_url: null });
    await again.start();
    expect(isDeepStrictEqual(again.issues().tables, weather.issues().tables)).toBe(true);
    expect(now()).toHaveLength(4);
  });

  it("fetches the past in requests of four weeks with pauses, and continues after a restart", async () => {
    const { advance, make, past } = await startCollection("2024-05-20T08:00:00Z");
    const changed = vi.fn();
    const first = make();
    await first.start();
    expect(past()).toHaveLength(0);
    await advance(MINUTE_MS);
    await eventually(() => expect(first.trainingIssues().tables.length).toBeGreaterThanOrEqual(28));
    const { start_date, end_date, hourly } = Object.fromEntries(past()[0]!.searchParams);
    expect([start_date, end_date]).toEqual(["2024-04-22", "2024-05-26"]);
    expect(hourly!.split(",")).toHaveLength(21);
    expect(hourly).toContain("wind_speed_100m_previous_day1,shortwave_radiation_previous_day1");
    await first.stop();
    const second = make();
    second.onChange(changed);
    await second.start();
    for (let count = 2; count <= 4; count++) {
      await advance(MINUTE_MS);
      await eventually(() => expect(past()).toHaveLength(count));
      if (count < 4)
        await eventually(() =>
          expect(second.trainingIssues().tables.length).toBeGreaterThanOrEqual(28 * count),
        );
    }
    // The archive has no data before 2024-03: the last request for the rest of February has no result.
    expect(past().map(({ searchParams }) => searchParams.get("start_date"))).toEqual([
      "2024-04-22",
      "2024-03-25",
      "2024-02-26",
      "2024-02-01",
    ]);
    await eventually(() => expect(changed).toHaveBeenCalled());
    const days = second
      .trainingIssues()
      .tables.map(({ issuedAtMs }) => new Date(issuedAtMs).toISOString().slice(0, 10));
    expect(days[0]).toBe("2024-02-25");
    // The last one is the newest forecast, received at 8:00.
    expect(days.at(-1)).toBe("2024-05-20");
    expect(days).toHaveLength(86);
    await second.stop();
    const third = make();
    await third.start();
    await advance(10 * MINUTE_MS);
    expect(past()).toHaveLength(4);
    expect(isDeepStrictEqual(third.trainingIssues().tables, second.trainingIssues().tables)).toBe(true);
  });

  it("keeps its data after a start with a wrong clock, and continues to fetch the past", async () => {
    const now = new Date("2024-03-20T08:00:00Z");
    const { advance, leap, make, past } = await startCollection(now.toISOString());
    const first = make();
    await first.start();
    await advance(MINUTE_MS);
    await eventually(() => expect(first.trainingIssues().tables.length).toBeGreaterThan(20));
    await first.stop();
    const stored = first.trainingIssues().tables;
    const requests = past().length;
    await leap(new Date("1970-01-02T08:00:00Z"));
    const second = make();
    await second.start();
    expect(second.trainingIssues().tables).toHaveLength(0);
    await leap(new Date(now.getTime() + 5 * MINUTE_MS));
    await eventually(() =>
      expect(second.trainingIssues().tables.length).toBeGreaterThanOrEqual(stored.length),
    );
    await eventually(async () => {
      await advance(MINUTE_MS);
      expect(past().length).toBeGreaterThan(requests);
    });
    await second.stop();
    const third = make();
    await third.start();
    const days = third.trainingIssues().tables.map(({ startMs }) => startMs);
    expect(days).toEqual(expect.arrayContaining(stored.map(({ startMs }) => startMs)));
  });

  it("reports once that the past is not available, and does not request it with a mirror", async () => {
    const { advance, requests, make, past, refuse, warn } = await startCollection("2026-01-12T08:00:00Z");
    refuse(true);
    const weather = make();
    await weather.start();
    await eventually(async () => {
      await advance(15 * MINUTE_MS);
      expect(past().length).toBeGreaterThanOrEqual(8);
    });
    await advance(DAY_MS);
    expect(past()).toHaveLength(8);
    const messages = warn.mock.calls.filter(([, sentence]) => String(sentence).includes("past days"));
    expect(messages).toHaveLength(1);
    await weather.stop();
    refuse(false);
    const mirrored = make({ past_runs_url: null });
    const before = requests.length;
    await mirrored.start();
    await advance(5 * MINUTE_MS);
    expect(requests.slice(before).every(({ pathname }) => pathname === "/now")).toBe(true);
  });

  it("ignores an answer for another time than the clock's", async () => {
    const { advance, make, now } = await startCollection("2024-01-12T08:00:00Z", {
      archiveFrom: "2026-01-12T00:00:00Z",
    });
    const weather = make({ past_runs_url: null });
    await weather.start();
    await eventually(() => expect(now()).toHaveLength(1));
    // By the next request it has processed the first answer.
    await advance(6 * HOUR_MS);
    await eventually(() => expect(now()).toHaveLength(2));
    expect(weather.issues().tables).toEqual([]);
  });
});
