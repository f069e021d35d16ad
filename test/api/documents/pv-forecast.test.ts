import { expect, test } from "vitest";
import { type PvView, pvForecastDocument } from "../../../src/api/documents/pv-forecast.js";
import type { Site } from "../../../src/config/site.js";
import { SiteRuntimes } from "../../../src/config/site-runtimes.js";
import { createBus } from "../../../src/core/bus.js";
import { HOUR_MS } from "../../../src/core/domain/interval.js";
import { silentLog } from "../../../src/core/log.js";
import { PvService } from "../../../src/forecast/pv/service.js";
import { WeatherSeries, type WeatherSeriesHour } from "../../../src/forecast/weather/weather-series.js";
import { manualClock } from "../../support/manual-clock.js";
import { memoryDocuments } from "../fake-services.js";

interface Entry {
  date: string;
  start: string;
  end: string;
  kwh: number;
  p10_kwh: number;
  p90_kwh: number;
  text: string;
}
type Written = { total_kwh: number; daily: Entry[]; hourly: Entry[] };

const VIEW: PvView = { zone: "Europe/Vienna", language: "de", granularity: "both", days: 7 };
const VIENNA_PLACE = { latitude: 48.2, longitude: 16.4 };

function written(
  now: string,
  { place = VIENNA_PLACE, weather = undefined as Partial<WeatherSeriesHour> | undefined, view = {} } = {},
): Written {
  const array = {
    peak_kw: 7.7,
    tilt_deg: 33,
    azimuth_deg: 170,
    losses_pct: 14,
    inverter_kw: null,
    inverter: null,
  };
  const plant = { id: "home", timezone: "Europe/Vienna", pv: [array], ...place };
  const firstMs = Date.parse(now) - 48 * HOUR_MS;
  const hours = Array.from({ length: weather === undefined ? 0 : 12 * 24 }, (_, index) => ({
    start: new Date(firstMs + index * HOUR_MS),
    ...weather,
  }));
  const bus = createBus();
  const service = new PvService({
    clock: manualClock(new Date(now)),
    bus,
    sites: new SiteRuntimes(bus, [{ id: "home", accountId: "a", plant } as unknown as Site]),
    weather: { series: () => WeatherSeries.of(hours) },
    telemetry: { readings: async () => [] },
    documents: memoryDocuments(),
    log: silentLog,
  });
  return pvForecastDocument(service.forecast("home")!, { ...VIEW, ...view }) as unknown as Written;
}

test("hours add up to days and days to the total exactly, over both clock changes", () => {
  for (const now of ["2026-03-28T10:00:00Z", "2026-10-24T10:00:00Z", "2026-06-21T10:00:00Z"]) {
    const { total_kwh, daily, hourly } = written(now);
    const units = (kwh: number) => Math.round(kwh * 10_000);
    for (const { date, kwh } of daily) {
      const ofDay = hourly.filter(({ start }) => start.startsWith(date));
      expect(ofDay.reduce((sum, hour) => sum + units(hour.kwh), 0)).toBe(units(kwh));
    }
    expect(daily.reduce((sum, day) => sum + units(day.kwh), 0)).toBe(units(total_kwh));
    expect(hourly.slice(1).map(({ start }) => start)).toEqual(hourly.slice(0, -1).map(({ end }) => end));
  }
});

test("a clear day has a p90 close to its p50", () => {
  const [fine] = written("2026-06-21T10:00:00Z", { weather: { cloudCoverPct: 0 } }).daily;
  const [dull] = written("2026-06-21T10:00:00Z", { weather: { cloudCoverPct: 95 } }).daily;
  expect(fine!.p90_kwh / fine!.kwh).toBeLessThan(1.16);
  expect(fine!.p90_kwh).toBeGreaterThanOrEqual(fine!.kwh);
  expect(dull!.p90_kwh / dull!.kwh).toBeCloseTo(1.25, 3);
});

test("writes the day text in both languages", () => {
  const text = (language: "de" | "en", options: Parameters<typeof written>[1] = {}) =>
    written("2026-12-21T10:00:00Z", { ...options, view: { language } }).daily[0]!.text;
  expect(text("de", { weather: { cloudCoverPct: 10 } })).toMatch(/^Klar, rund \d+(,\d)? kWh$/);
  expect(text("en", { weather: { cloudCoverPct: 10 } })).toMatch(/^Clear, about \d+(\.\d)? kWh$/);
  expect(text("de")).toMatch(/^Übliches Wetter, rund \d+(,\d)? kWh$/);
  const polar = { place: { latitude: 78, longitude: 15 } };
  expect(text("de", polar)).toBe("Übliches Wetter, kein Ertrag");
  expect(text("en", polar)).toBe("Usual weather, no yield");
});
