import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "../../../src/config/load.js";
import { createWeatherSources } from "../../../src/forecast/weather/sources/create.js";
import { WeatherFileSource } from "../../../src/forecast/weather/sources/file.js";
import { parseWeatherFile } from "../../../src/forecast/weather/sources/file-format.js";
import { metNoSource, parseMetNo } from "../../../src/forecast/weather/sources/met-no.js";
import { openMeteoSource, parseOpenMeteo } from "../../../src/forecast/weather/sources/open-meteo.js";
import { WeatherSeries } from "../../../src/forecast/weather/weather-series.js";
import { answeringServer, json, recorded } from "../../support/answering-server.js";
import { RECORDED_WEATHER, recordedFile } from "../../support/recorded-data.js";

const PLACE = { latitude: 48.123456, longitude: 14.98765432 };
const request = () => ({
  place: PLACE,
  now: new Date("2026-03-02T08:00:00Z"),
  signal: new AbortController().signal,
});
const at = (series: WeatherSeries, time: string) => series.hour(Date.parse(time));

async function serverWith(handler: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = await answeringServer(handler);
  onTestFinished(() => server.close());
  return server;
}

describe("open_meteo", () => {
  it("reads the recorded hourly answer: zone, km/h, means of the hour before", () => {
    const body: unknown = JSON.parse(recorded("openmeteo_forecast_hourly_2026-03-02.json"));
    const { hours, warnings } = parseOpenMeteo(body, "test");
    expect(warnings).toEqual([]);
    const series = WeatherSeries.of(hours);
    // Its 12:00 (UTC+1) has the irradiance of 11:00 to 12:00, and temperature, clouds and wind of 12:00.
    expect(at(series, "2026-03-02T10:00:00Z")).toMatchObject({ ghi: 487.2, dhi: 104.8, temperatureC: 7.3 });
    expect(at(series, "2026-03-02T11:00:00Z")).toMatchObject({
      ghi: 519.5,
      temperatureC: 9.4,
      cloudCoverPct: 0,
      condition: "clear",
    });
    expect(at(series, "2026-03-02T11:00:00Z")!.windSpeedMs).toBeCloseTo(8.9 / 3.6, 9);
    expect(hours).toHaveLength(73);
  });

  it("reads the recorded quarter-hours as means of the hour", () => {
    const body: unknown = JSON.parse(recorded("openmeteo_forecast_minutely15_2025-02-24.json"));
    const series = WeatherSeries.of(parseOpenMeteo(body, "test").hours);
    const noon = at(series, "2025-02-24T11:00:00Z")!;
    expect(noon.ghi).toBeCloseTo((369.3 + 401.5 + 365.3 + 369.4) / 4, 6);
    expect(noon.temperatureC).toBeCloseTo(-(11.3 + 11.5 + 11.9 + 12.1) / 4, 6);
  });

  it("treats null as a gap, ignores implausible values, and keeps the others", () => {
    const body = {
      utc_offset_seconds: 0,
      hourly: {
        time: ["2026-01-01T00:00", "2026-01-01T01:00", "2026-01-01T02:00"],
        temperature_2m: [null, 3, 999],
        cloud_cover: [10, null, 50],
        weather_code: [61, null, 999],
      },
    };
    const { hours, warnings } = parseOpenMeteo([body], "test");
    expect(hours).toEqual([
      { start: new Date("2026-01-01T00:00:00Z"), cloudCoverPct: 10, condition: "rain" },
      { start: new Date("2026-01-01T01:00:00Z"), temperatureC: 3 },
      { start: new Date("2026-01-01T02:00:00Z"), cloudCoverPct: 50 },
    ]);
    expect(warnings).toEqual(["test: 1 implausible values were ignored."]);
  });

  it.each([["{}"], ['{"hourly":{"time":[]}}'], ['{"error":true,"reason":"limit"}'], ["[]"], ["null"]])(
    "rejects %s",
    (text) => {
      expect(() => parseOpenMeteo(JSON.parse(text), "test")).toThrow(/test answered/);
    },
  );

  it("requests the place with yesterday and eight days", async () => {
    const server = await serverWith(json(recorded("openmeteo_forecast_hourly_2026-03-02.json")));
    const answer = await openMeteoSource({ url: server.url, key: "secret" }).fetch(request());
    expect(answer.hours.length).toBeGreaterThan(70);
    const query = new URL(server.requests[0]!, server.url).searchParams;
    expect(Object.fromEntries(query)).toMatchObject({
      latitude: "48.123456",
      longitude: "14.98765432",
      past_days: "1",
      forecast_days: "8",
      timezone: "UTC",
      wind_speed_unit: "ms",
      apikey: "secret",
    });
  });
});

describe("met_no", () => {
  const entry = (time: string, temperature: number, more: object = {}) => ({
    time,
    data: {
      instant: { details: { air_temperature: temperature, cloud_area_fraction: 60, wind_speed: 3.5 } },
      ...more,
    },
  });
  const hourly = {
    next_1_hours: { summary: { symbol_code: "lightrain" }, details: { precipitation_amount: 0.4 } },
  };
  const sixHourly = {
    next_6_hours: { summary: { symbol_code: "fair_day" }, details: { precipitation_amount: 6 } },
  };
  const body = {
    properties: {
      timeseries: [
        entry("2026-03-02T08:00:00Z", 4, hourly),
        entry("2026-03-02T09:00:00Z", 6, sixHourly),
        entry("2026-03-02T15:00:00Z", 12, sixHourly),
      ],
    },
  };

  it("interpolates within steps of six hours and distributes precipitation", () => {
    const series = WeatherSeries.of(parseMetNo(body, "test").hours);
    expect(at(series, "2026-03-02T08:00:00Z")).toMatchObject({
      temperatureC: 4,
      cloudCoverPct: 60,
      windSpeedMs: 3.5,
      precipitationMm: 0.4,
      condition: "rain",
    });
    expect(at(series, "2026-03-02T12:00:00Z")).toMatchObject({
      temperatureC: 9,
      precipitationMm: 1,
      condition: "clear",
    });
    expect(series.hours()).toHaveLength(8);
  });

  it("sends a user agent, four decimals and conditional requests", async () => {
    const requests: IncomingMessage["headers"][] = [];
    const server = await serverWith((times, response) => {
      requests.push(times.headers);
      const isKnown = times.headers["if-modified-since"] !== undefined;
      response.setHeader("last-modified", "Mon, 02 Mar 2026 08:00:00 GMT");
      response.setHeader("expires", "Mon, 02 Mar 2026 08:40:00 GMT");
      if (isKnown) response.writeHead(304).end();
      else response.end(JSON.stringify(body));
    });
    const source = metNoSource({ url: server.url, userAgent: "hourgate/1 me@example.org" });
    const first = await source.fetch(request());
    expect(first.freshUntil).toEqual(new Date("2026-03-02T08:40:00Z"));
    const second = await source.fetch({ ...request(), validators: first.validators });
    expect(second).toMatchObject({ notModified: true, hours: [] });
    expect(requests[0]!["user-agent"]).toBe("hourgate/1 me@example.org");
    expect(requests[1]!["if-modified-since"]).toBe("Mon, 02 Mar 2026 08:00:00 GMT");
    expect(server.requests[0]).toBe("/?lat=48.1235&lon=14.9877");
  });

  it("rejects other documents", () => {
    expect(() => parseMetNo({ properties: {} }, "test")).toThrow("properties.timeseries");
    expect(() => parseMetNo({ properties: { timeseries: [{}, null, 3] } }, "test")).toThrow("usable hour");
  });
});

describe("file", () => {
  it("reads the recorded quarter-hours of Upper Austria", async () => {
    const path = recordedFile(RECORDED_WEATHER);
    const source = new WeatherFileSource(path);
    const { hours, warnings } = await source.fetch(request());
    expect(warnings).toEqual([]);
    expect(hours).toHaveLength(6311);
    const first = hours[0]!;
    // 14.44, 14.39 and the next two quarters of 2025-06-11 00:00.
    expect(first.start).toEqual(new Date("2025-06-11T00:00:00Z"));
    expect(first.temperatureC).toBeGreaterThan(14);
    expect(first.temperatureC).toBeLessThan(14.45);
    expect(first.ghi).toBe(0);
  });

  it("reads recorded answers, decimal commas, sums and rates", () => {
    const answer = recorded("openmeteo_forecast_hourly_2026-03-02.json");
    expect(parseWeatherFile(answer).hours).toHaveLength(73);
    const german = "start_utc;ghi_w_m2;temp_c;precipitation_mm\n2026-01-01T10:00:00Z;100,5;;1,5\n";
    expect(parseWeatherFile(german).hours).toEqual([
      { start: new Date("2026-01-01T10:00:00Z"), ghi: 100.5, precipitationMm: 1.5 },
    ]);
    const rates =
      "start_utc,precip_mm_h\n2026-01-01T10:00:00Z,4\n2026-01-01T10:15:00Z,0\n2026-01-01T10:30:00Z,0\n2026-01-01T10:45:00Z,4\n";
    expect(parseWeatherFile(rates).hours[0]!.precipitationMm).toBe(2);
    const [header, ...rows] = rates.trim().split("\n");
    for (const others of [[...rows].reverse(), [...rows, ...rows], ["2026-01-01T10:00:00Z,9", ...rows]])
      expect(parseWeatherFile([header, ...others].join("\n"))).toEqual(parseWeatherFile(rates));
  });

  it("says what to do with an invalid file", async () => {
    expect(() => parseWeatherFile("a,b\n1,2")).toThrow("start_utc");
    expect(() => parseWeatherFile("{")).toThrow("not complete JSON");
    expect(() => parseWeatherFile("start_utc,ghi_w_m2\nx,1")).toThrow("contains no weather");
    await expect(new WeatherFileSource("/nowhere.csv").fetch(request())).rejects.toThrow("no such file");
  });
});

describe("createWeatherSources", () => {
  it("creates the enabled sources in their order", () => {
    const { settings } = parse(
      "weather: { sources: [{ type: file, path: a.csv }, { type: met_no, enabled: false }, { type: open_meteo }] }",
    );
    const sources = createWeatherSources(settings.weather.sources, "hourgate/1 x@y");
    expect(sources.map(({ name, local }) => [name, local])).toEqual([
      ["file a.csv", true],
      ["open_meteo", false],
    ]);
  });

  it("throws for an unknown type", () => {
    const entry = { type: "oracle", enabled: true, url: null, timeout_seconds: 10 };
    expect(() => createWeatherSources([entry as never], "x")).toThrow('Unknown weather source "oracle"');
  });
});
