import { describe, expect, it } from "vitest";
import type { PvArraySettings } from "../../../src/config/settings.js";
import { HOUR_MS } from "../../../src/core/domain/interval.js";
import { WeatherSeries, type WeatherSeriesHour } from "../../../src/forecast/weather/weather-series.js";
import { fakeServices, KEYS } from "../../api/fake-services.js";
import { isScalarsFirst, serve } from "./serve.js";

const owner = { "X-API-Key": KEYS.owner };
const PLACE = { latitude: 48.2, longitude: 16.4 };
const ROOF: PvArraySettings[] = [
  {
    peak_kw: 5,
    tilt_deg: 30,
    azimuth_deg: 180,
    losses_pct: 14,
    inverter_kw: null,
    inverter: null,
    curtailable: false,
  },
  {
    peak_kw: 2.5,
    tilt_deg: 60,
    azimuth_deg: 270,
    losses_pct: 14,
    inverter_kw: 2,
    inverter: null,
    curtailable: false,
  },
];

/** Ten days from 2026-01-14 on: 200 W/m2 by day, half cloudy, 4 degrees. */
const WEATHER = WeatherSeries.of(
  Array.from({ length: 240 }, (_, index): WeatherSeriesHour => {
    const start = new Date(Date.parse("2026-01-14T00:00:00Z") + index * HOUR_MS);
    const isDay = start.getUTCHours() >= 8 && start.getUTCHours() < 15;
    return {
      start,
      ghi: isDay ? 200 : 0,
      cloudCoverPct: 50,
      temperatureC: 4,
      windSpeedMs: 2.3,
      precipitationMm: 0,
    };
  }),
);

const plant = (options: Parameters<typeof fakeServices>[0] = {}) =>
  serve(fakeServices({ place: PLACE, pv: ROOF, weather: WEATHER, ...options }));

describe("GET /v1/plant/pv-forecast", () => {
  it("returns seven days by default, without hours", async () => {
    const { get } = await plant();
    const { json, text } = await get("/v1/plant/pv-forecast", owner);
    expect(Object.keys(json)).toEqual([
      "schema",
      "issued_at",
      "timezone",
      "peak_kw",
      "total_kwh",
      "source",
      "access",
      "daily",
    ]);
    expect(json).toMatchObject({ schema: "pv_forecast_v1", peak_kw: 7.5, source: "forecast" });
    expect(json.daily.map(({ date }: { date: string }) => date)).toEqual([
      "2026-01-15",
      "2026-01-16",
      "2026-01-17",
      "2026-01-18",
      "2026-01-19",
      "2026-01-20",
      "2026-01-21",
    ]);
    for (const day of json.daily) {
      expect(day.p10_kwh).toBeLessThan(day.kwh);
      expect(day.p90_kwh).toBeGreaterThan(day.kwh);
      expect(day.text).toMatch(/^Teils bewölkt, rund \d+(,\d)? kWh$/);
    }
    expect(isScalarsFirst(text)).toBe(true);
  });

  it("returns hours that sum to the days and the total", async () => {
    const { get } = await plant();
    const { json } = await get("/v1/plant/pv-forecast?granularity=both&days=2&locale=en-GB", owner);
    expect(json.daily).toHaveLength(2);
    expect(json.hourly).toHaveLength(48);
    expect(json.hourly[0]).toMatchObject({
      start: "2026-01-15T00:00:00+01:00",
      end: "2026-01-15T01:00:00+01:00",
      kwh: 0,
      power_kw: 0,
    });
    const sum = (list: { kwh: number }[]) => list.reduce((total, { kwh }) => total + kwh, 0);
    expect(sum(json.hourly)).toBeCloseTo(json.total_kwh, 2);
    expect(sum(json.daily)).toBeCloseTo(json.total_kwh, 3);
    expect(json.total_kwh).toBeGreaterThan(5);
    expect(json.daily[0].text).toMatch(/^Partly cloudy, about \d+(\.\d)? kWh$/);
  });

  it("omits the days for granularity hourly, and writes times in the requested zone", async () => {
    const { get } = await plant();
    const { json } = await get("/v1/plant/pv-forecast?granularity=hourly&days=1&timezone=UTC", owner);
    expect(json).not.toHaveProperty("daily");
    expect(json.timezone).toBe("UTC");
    // The day is the plant's own, whatever the zone of the times.
    expect(json.hourly[0].start).toBe("2026-01-14T23:00:00+00:00");
    expect(json.hourly).toHaveLength(24);
  });

  it.each([
    ["2026-03-29T08:00:00Z", 23],
    ["2026-10-25T08:00:00Z", 25],
  ])("has the hours of the day of a daylight-saving change, %s", async (now, count) => {
    const { get } = await plant({ now: new Date(now) });
    const { json } = await get("/v1/plant/pv-forecast?granularity=hourly&days=1", owner);
    expect(json.hourly).toHaveLength(count);
    expect(new Set(json.hourly.map(({ start }: { start: string }) => start)).size).toBe(count);
  });

  it("reports climatology if no weather is stored", async () => {
    const { get } = await serve(fakeServices({ place: PLACE, pv: ROOF }));
    const { json } = await get("/v1/plant/pv-forecast?days=1", owner);
    expect(json.source).toBe("climatology");
    expect(json.daily[0]).toMatchObject({
      source: "climatology",
      text: expect.stringMatching(/^Übliches Wetter/),
    });
    expect(json.daily[0].kwh).toBeGreaterThan(0);
  });

  it("falls back to English for an unknown language", async () => {
    const { get } = await plant();
    for (const locale of ["fr", "xx-YY"]) {
      const { json } = await get(`/v1/plant/pv-forecast?locale=${locale}`, owner);
      expect(json.daily[0].text).toMatch(/about/);
    }
    expect((await get("/v1/plant/pv-forecast?locale=de-AT", owner)).json.daily[0].text).toMatch(/rund/);
  });

  it.each(["days=0", "days=8", "days=1.5", "days=", "granularity=weekly", "timezone=Nowhere", "locale="])(
    "refuses %s by name",
    async (query) => {
      const { get } = await plant();
      const { status, json } = await get(`/v1/plant/pv-forecast?${query}`, owner);
      expect(status).toBe(400);
      expect(json.error.details.map(({ field }: { field: string }) => field)).toEqual([query.split("=")[0]]);
    },
  );

  it("names the missing settings of a plant, with status 200", async () => {
    for (const options of [{ pv: ROOF }, { place: PLACE }]) {
      const { get } = await serve(fakeServices(options));
      const { status, json } = await get("/v1/plant/pv-forecast", owner);
      expect(status).toBe(200);
      expect(json.error.code).toBe("plant_not_configured");
      expect(json.error.message).toContain("latitude");
      expect(json.access.tier).toBe("full_active");
    }
  });

  it("counts against its own class", async () => {
    const { get } = await plant();
    const { headers } = await get("/v1/plant/pv-forecast", { "X-API-Key": KEYS.community });
    expect(headers.get("x-ratelimit-limit")).toBe("48");
    expect(headers.get("x-ratelimit-scope")).toBe("api_key_day");
    expect((await get("/v1/plant/weather", owner)).headers.get("x-ratelimit-limit")).toBe("288");
    const keyless = await get("/v1/plant/pv-forecast");
    expect(keyless.status).toBe(200);
    expect(keyless.json.error.code).toBe("not_available");
    expect(keyless.headers.get("x-ratelimit-scope")).toBe("ip");
  });
});

describe("GET /v1/plant/weather", () => {
  it("returns the current weather and three days by default", async () => {
    const { get } = await plant();
    const { json, text } = await get("/v1/plant/weather", owner);
    expect(json).toMatchObject({
      schema: "weather_v1",
      source: "forecast",
      current: {
        time: "2026-01-15T09:00:00+01:00",
        temperature_c: 4,
        cloud_cover_pct: 50,
        wind_speed_ms: 2.3,
        condition: "partly_cloudy",
        text: "Teils bewölkt",
        is_day: true,
      },
    });
    expect(json.daily).toHaveLength(3);
    expect(json.daily[0]).toMatchObject({
      date: "2026-01-15",
      temperature_min_c: 4,
      temperature_max_c: 4,
      precipitation_mm: 0,
      condition: "partly_cloudy",
      text: "Teils bewölkt, 4 °C",
    });
    // Vienna on 15 January: 07:40 to 16:27 by the almanac.
    expect(json.daily[0].sunrise).toMatch(/^2026-01-15T07:(39|40|41):/);
    expect(json.daily[0].sunset).toMatch(/^2026-01-15T16:(26|27|28):/);
    expect(isScalarsFirst(text)).toBe(true);
  });

  it("answers in English, with the requested number of days", async () => {
    const { get } = await plant();
    const { json } = await get("/v1/plant/weather?days=7&locale=en", owner);
    expect(json.current.text).toBe("Partly cloudy");
    expect(json.daily).toHaveLength(7);
  });

  it("answers from the climatology without any weather, with null for unknown values", async () => {
    const { get } = await serve(fakeServices({ place: PLACE }));
    const { json } = await get("/v1/plant/weather", owner);
    expect(json.source).toBe("climatology");
    expect(json.current).toMatchObject({ wind_speed_ms: null, temperature_c: expect.any(Number) });
    expect(json.daily[0]).toMatchObject({ precipitation_mm: null, source: "climatology" });
  });

  it("has no sunrise in a polar night", async () => {
    const { get } = await serve(fakeServices({ place: { latitude: 78, longitude: 15 } }));
    const { json } = await get("/v1/plant/weather?days=1", owner);
    expect(json.daily[0]).toMatchObject({ sunrise: null, sunset: null, sun_hours: 0 });
  });

  it("names the missing settings of a plant, and refuses a caller without a key", async () => {
    const { get } = await serve(fakeServices());
    const answer = await get("/v1/plant/weather", owner);
    expect([answer.status, answer.json.error.code]).toEqual([200, "plant_not_configured"]);
    expect((await get("/v1/plant/weather")).json.error.code).toBe("not_available");
    expect((await get("/v1/plant/weather?days=99")).status).toBe(400);
  });
});
