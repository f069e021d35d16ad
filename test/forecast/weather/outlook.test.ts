import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/core/domain/interval.js";
import { conditionOfCode, conditionOfSymbol } from "../../../src/forecast/weather/condition.js";
import { filledHour } from "../../../src/forecast/weather/filled.js";
import { outlook } from "../../../src/forecast/weather/outlook.js";
import { parseWeatherFile } from "../../../src/forecast/weather/sources/file-format.js";
import { WeatherSeries, type WeatherSeriesHour } from "../../../src/forecast/weather/weather-series.js";
import { RECORDED_WEATHER, recordedText } from "../../support/recorded-data.js";

const PLACE = { latitude: 48.2, longitude: 16.4 };
const ZONE = "Europe/Vienna";

function series(
  from: string,
  count: number,
  of: (index: number) => Partial<WeatherSeriesHour>,
): WeatherSeries {
  return WeatherSeries.of(
    Array.from({ length: count }, (_, index) => ({
      start: new Date(Date.parse(from) + index * HOUR_MS),
      ...of(index),
    })),
  );
}

const looking = (weather: WeatherSeries, now: string, count = 1) =>
  outlook(weather, { place: PLACE, zone: ZONE, now: new Date(now), count });

describe("outlook", () => {
  it("summarizes a local day from midnight to midnight", () => {
    // 24 hours of 2026-06-21 in Vienna, from 22:00 UTC: 1 to 24 degrees, two hours of rain in the night.
    const weather = series("2026-06-20T22:00:00Z", 24, (index) => ({
      temperatureC: index + 1,
      cloudCoverPct: 0,
      ghi: index > 8 && index < 18 ? 700 : 0,
      dni: index > 8 && index < 18 ? 600 : 0,
      dhi: 100,
      precipitationMm: index < 2 ? 1.5 : 0,
    }));
    const [day] = looking(weather, "2026-06-21T10:30:00Z").days;
    expect(day).toMatchObject({
      date: "2026-06-21",
      temperatureMinC: 1,
      temperatureMaxC: 24,
      sunHours: 9,
      precipitationMm: 3,
      condition: "clear",
      origin: "forecast",
    });
  });

  it("contains the current hour and whether it is day", () => {
    const weather = series("2026-06-21T10:00:00Z", 2, (index) => ({
      temperatureC: 20 + index,
      windSpeedMs: 4,
    }));
    const { current } = looking(weather, "2026-06-21T10:59:59Z");
    expect(current).toMatchObject({ temperatureC: 20, windSpeedMs: 4, isDay: true });
    expect(looking(weather, "2026-06-21T23:00:00Z").current.isDay).toBe(false);
  });

  it("has days of 23 and 25 hours", () => {
    const sunny = (from: string) => series(from, 25, () => ({ precipitationMm: 1, cloudCoverPct: 10 }));
    const [spring] = looking(sunny("2026-03-28T23:00:00Z"), "2026-03-29T08:00:00Z").days;
    expect(spring!.precipitationMm).toBe(23);
    const [autumn] = looking(sunny("2026-10-24T22:00:00Z"), "2026-10-25T08:00:00Z").days;
    expect(autumn!.precipitationMm).toBe(25);
  });

  it("computes sunshine from irradiance, otherwise from clouds, limited to the day", () => {
    const sunHours = (of: () => Partial<WeatherSeriesHour>, now = "2026-06-21T10:00:00Z") =>
      looking(series("2026-06-20T22:00:00Z", 24, of), now).days[0]!;
    // 04:54 to 20:59 are 16.08 hours; half of them with a half covered sky.
    expect(sunHours(() => ({ cloudCoverPct: 50 })).sunHours).toBeCloseTo(8.04, 0);
    expect(sunHours(() => ({ cloudCoverPct: 100 })).sunHours).toBe(0);
    const glaring = () => ({ ghi: 800, dni: 900, dhi: 100 });
    expect(sunHours(glaring).sunHours).toBeCloseTo(16, 6);
    for (let month = 1; month <= 12; month++) {
      const noon = `2026-${String(month).padStart(2, "0")}-15T11:00:00Z`;
      const [day] = looking(series(noon.replace("15T11", "14T11"), 48, glaring), noon).days;
      const lengthHours = (day!.sunset!.getTime() - day!.sunrise!.getTime()) / HOUR_MS;
      expect(Math.round(day!.sunHours * 10) / 10).toBeLessThanOrEqual(lengthHours);
      expect(day!.sunHours).toBeGreaterThan(lengthHours - 0.3);
    }
    expect(sunHours(() => ({ ghi: 100, dni: 119, dhi: 90 })).sunHours).toBe(0);
  });

  it("begins a day at local midnight in zones with fractional offsets", () => {
    // Kathmandu is 5:45 ahead: its 21 June begins at 18:15 UTC. Of rain from 18:00 to 19:00 it contains 45 minutes.
    const weather = series("2026-06-20T18:00:00Z", 26, (index) => ({
      cloudCoverPct: 20,
      precipitationMm: index === 0 ? 4 : 0,
    }));
    const { days } = outlook(weather, {
      place: { latitude: 27.7, longitude: 85.3 },
      zone: "Asia/Kathmandu",
      now: new Date("2026-06-21T06:00:00Z"),
      count: 1,
    });
    expect(days[0]).toMatchObject({ date: "2026-06-21", precipitationMm: 3 });
  });

  it("uses the climatology without data, and marks it", () => {
    const { current, days } = looking(WeatherSeries.empty, "2026-07-15T10:00:00Z", 7);
    expect(current).toMatchObject({ origin: "climatology", windSpeedMs: undefined });
    expect(days.map(({ origin }) => origin)).toEqual(Array(7).fill("climatology"));
    expect(days[0]!.temperatureMaxC).toBeGreaterThan(20);
    expect(days[0]!.precipitationMm).toBeUndefined();
    // An average July day in Vienna has about eight hours of sunshine.
    expect(days[0]!.sunHours).toBeGreaterThan(6);
    expect(days[0]!.sunHours).toBeLessThan(10);
  });

  it("determines the condition of a day", () => {
    const day = (of: (index: number) => Partial<WeatherSeriesHour>) =>
      looking(series("2026-06-20T22:00:00Z", 24, of), "2026-06-21T10:00:00Z").days[0]!.condition;
    expect(day(() => ({ cloudCoverPct: 100 }))).toBe("cloudy");
    expect(day((index) => ({ cloudCoverPct: 50, ...(index === 16 && { condition: "thunderstorm" }) }))).toBe(
      "thunderstorm",
    );
    expect(day((index) => ({ cloudCoverPct: 90, precipitationMm: index % 3 === 0 ? 1 : 0 }))).toBe("rain");
    expect(day(() => ({ cloudCoverPct: 90, precipitationMm: 1, temperatureC: -2 }))).toBe("snow");
    // A clear winter day with irradiance only: clouds cannot be computed at dawn.
    const recorded = WeatherSeries.of(parseWeatherFile(recordedText(RECORDED_WEATHER)).hours);
    const [clear] = looking(recorded, "2025-12-25T10:00:00Z").days;
    expect(clear!.condition).toBe("clear");
    // Rain at night does not change the condition of the day.
    expect(day((index) => ({ cloudCoverPct: 10, precipitationMm: index < 3 ? 5 : 0 }))).toBe("clear");
  });
});

describe("a filled hour", () => {
  const NOON = Date.parse("2026-06-21T11:00:00Z");
  const of = (known: Partial<WeatherSeriesHour>) =>
    filledHour(WeatherSeries.of([{ start: new Date(NOON), ...known }]), PLACE, NOON);

  it("computes irradiance from clouds after Kasten and Czeplak", () => {
    expect(of({ cloudCoverPct: 100 }).ghi / of({ cloudCoverPct: 0 }).ghi).toBeCloseTo(0.25, 9);
    expect(of({ cloudCoverPct: 100 }).origin).toBe("forecast");
  });

  it("computes clouds from irradiance, approximately inverse", () => {
    for (const cloudCoverPct of [50, 70, 90, 100]) {
      const { ghi } = of({ cloudCoverPct });
      expect(Math.abs(of({ ghi }).cloudCoverPct - cloudCoverPct)).toBeLessThan(15);
    }
    // Within 5 % of the clear-sky formula no clouds are derived.
    expect(of({ ghi: 0.96 * of({ cloudCoverPct: 0 }).ghi }).cloudCoverPct).toBe(0);
  });

  it("ignores direct irradiance without global irradiance", () => {
    expect(of({ dni: 900 })).toMatchObject({ dni: undefined, origin: "climatology" });
  });
});

describe("conditions", () => {
  it("translate the codes of both services", () => {
    expect([0, 2, 3, 45, 51, 66, 75, 82, 86, 96, 42].map(conditionOfCode)).toEqual([
      "clear",
      "partly_cloudy",
      "cloudy",
      "fog",
      "rain",
      "rain",
      "snow",
      "rain",
      "snow",
      "thunderstorm",
      undefined,
    ]);
    expect(
      [
        "clearsky_night",
        "fair_day",
        "partlycloudy_day",
        "cloudy",
        "fog",
        "lightrainshowers_day",
        "sleet",
        "heavysnowandthunder",
        "x",
      ].map(conditionOfSymbol),
    ).toEqual([
      "clear",
      "clear",
      "partly_cloudy",
      "cloudy",
      "fog",
      "rain",
      "snow",
      "thunderstorm",
      undefined,
    ]);
  });
});

describe("the irradiance of a source", () => {
  const of = (at: string, reading: Partial<WeatherSeriesHour>) =>
    filledHour(
      series(at, 1, () => reading),
      PLACE,
      Date.parse(at),
    );

  it("is none at night, and never more than above the atmosphere", () => {
    // A source in another time zone, or in kJ.
    const glaring = { ghi: 1500, dni: 1500, dhi: 1200 };
    expect(of("2026-06-21T23:00:00Z", glaring)).toMatchObject({ ghi: 0, dhi: 0 });
    // At 65 degrees: 1322 W/m2 (aphelion) times 0.906.
    const noon = of("2026-06-21T10:00:00Z", glaring);
    expect(noon.ghi).toBeGreaterThan(1190);
    expect(noon.ghi).toBeLessThan(1225);
    expect(noon.dni).toBeLessThan(1335);
    expect(noon.dhi).toBeLessThanOrEqual(noon.ghi);
  });

  it("is kept where it is possible: at noon, under the edge of a cloud, in twilight", () => {
    const noon = { ghi: 1100, dni: 950, dhi: 200 };
    expect(of("2026-06-21T10:00:00Z", noon)).toMatchObject(noon);
    // Sunrise in Vienna on that day: 02:54 UTC.
    expect(of("2026-06-21T02:00:00Z", { ghi: 5, dhi: 5 })).toMatchObject({ ghi: 5, dhi: 5 });
  });
});
