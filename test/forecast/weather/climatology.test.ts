import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/core/domain/interval.js";
import { pvHours } from "../../../src/forecast/pv/forecast.js";
import { usualWeather } from "../../../src/forecast/weather/filled.js";
import { WeatherSeries } from "../../../src/forecast/weather/weather-series.js";
import { RECORDED_WEATHER, recordedText } from "../../support/recorded-data.js";

const LINZ = { latitude: 48.3, longitude: 14.3 };

describe("the climatology", () => {
  it("matches the monthly weather recorded in Upper Austria", () => {
    const months = new Map<string, { ghi: number; temperature: number; count: number }>();
    for (const row of recordedText(RECORDED_WEATHER).trim().split("\n").slice(1)) {
      const [start, ghi, temperature] = row.split(",");
      const sum = months.get(start!.slice(0, 7)) ?? { ghi: 0, temperature: 0, count: 0 };
      sum.ghi += Number(ghi);
      sum.temperature += Number(temperature);
      sum.count++;
      months.set(start!.slice(0, 7), sum);
    }
    months.delete("2025-06");
    expect(months.size).toBe(8);
    for (const [month, { ghi, temperature, count }] of months) {
      const firstMs = Date.parse(`${month}-01T00:00:00Z`);
      const hours = Array.from({ length: Math.round(count / 4) }, (_, hour) =>
        usualWeather(firstMs + hour * HOUR_MS, LINZ),
      );
      const mean = (of: (hour: (typeof hours)[number]) => number) =>
        hours.reduce((sum, hour) => sum + of(hour), 0) / hours.length;
      // Tolerances for single months: they cover the coolest July, and a winter at 570 m above the fog.
      expect(mean((hour) => hour.ghi) / (ghi / count), month).toBeGreaterThan(0.6);
      expect(mean((hour) => hour.ghi) / (ghi / count), month).toBeLessThan(1.25);
      expect(Math.abs(mean((hour) => hour.temperatureC) - temperature / count), month).toBeLessThan(5);
    }
  });

  it("matches the monthly irradiation of Vienna and the usual annual yield of an array", () => {
    const place = { latitude: 48.21, longitude: 16.37 };
    // Global irradiation of Vienna, kWh/m2, with the spread of published tables.
    const least = [26, 43, 83, 120, 150, 160, 165, 140, 95, 58, 28, 20];
    const most = [30, 52, 95, 132, 168, 175, 175, 155, 108, 67, 34, 23];
    const year = { start: new Date("2025-01-01T00:00:00Z"), end: new Date("2026-01-01T00:00:00Z") };
    const south = {
      peak_kw: 1,
      tilt_deg: 30,
      azimuth_deg: 180,
      losses_pct: 14,
      inverter_kw: null,
      inverter: null,
      curtailable: false,
    };
    const hours = pvHours(
      { place, plant: { pv: [south], inverters: [] }, weather: WeatherSeries.empty, bins: {} },
      year,
    );
    const months = new Array<number>(12).fill(0);
    for (const { start, weather } of hours) months[start.getUTCMonth()]! += weather.ghi / 1000;
    months.forEach((kwh, month) => {
      expect(kwh, `month ${month + 1}`).toBeGreaterThan(least[month]!);
      expect(kwh, `month ${month + 1}`).toBeLessThan(most[month]!);
    });
    // Typical yield of south-facing roofs in eastern Austria: 1000 to 1100 kWh per year and kWp.
    const yearKwh = hours.reduce((sum, { kwh }) => sum + kwh, 0);
    expect(yearKwh).toBeGreaterThan(1000);
    expect(yearKwh).toBeLessThan(1100);
  });

  it("has milder seasons towards the equator", () => {
    const noon = (month: string, latitude: number) =>
      usualWeather(Date.parse(`2026-${month}-15T12:00:00Z`), { latitude, longitude: 0 }).temperatureC;
    // Sydney: highs of about 17 degrees in July, 26 in January.
    expect(Math.abs(noon("07", -33.9) - 17)).toBeLessThan(5);
    expect(Math.abs(noon("01", -33.9) - 26)).toBeLessThan(5);
    expect(noon("01", 0)).toBeCloseTo(noon("07", 0), 6);
    expect(noon("01", 78)).toBeLessThan(-10);
  });

  it("has opposite seasons in the south, and no sun in a polar night", () => {
    const january = Date.parse("2026-01-15T12:00:00Z");
    expect(usualWeather(january, { latitude: -48, longitude: 0 }).temperatureC).toBeGreaterThan(18);
    expect(usualWeather(january, { latitude: 80, longitude: 0 }).ghi).toBe(0);
  });
});
