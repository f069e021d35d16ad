import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../src/time/interval.js";
import { usualWeather } from "../../src/weather/climatology.js";

const LINZ = { latitude: 48.3, longitude: 14.3 };

describe("the climatology", () => {
  it("is like the weather recorded in Upper Austria, month by month", () => {
    const file = new URL(
      "../../../shared/data/weather/at_upper_austria_15min_2025_2026.csv",
      import.meta.url,
    );
    const months = new Map<string, { ghi: number; temperature: number; count: number }>();
    for (const row of readFileSync(file, "utf8").trim().split("\n").slice(1)) {
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
      // One year's month against the usual one: the sunniest winter and the coolest July lie within these.
      expect(mean((hour) => hour.ghi) / (ghi / count), month).toBeGreaterThan(0.65);
      expect(mean((hour) => hour.ghi) / (ghi / count), month).toBeLessThan(1.25);
      expect(Math.abs(mean((hour) => hour.temperatureC) - temperature / count), month).toBeLessThan(5);
    }
  });

  it("has its seasons turned round in the south, and no sun in a polar night", () => {
    const january = Date.parse("2026-01-15T12:00:00Z");
    expect(usualWeather(january, { latitude: -48, longitude: 0 }).temperatureC).toBeGreaterThan(18);
    expect(usualWeather(january, { latitude: 80, longitude: 0 }).ghi).toBe(0);
  });
});
