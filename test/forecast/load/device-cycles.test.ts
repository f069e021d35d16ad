import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/core/domain/interval.js";
import { forecastLoad } from "../../../src/forecast/load/forecast-load.js";
import type { LoadModel } from "../../../src/forecast/load/load-model.js";

const HOURS = 28 * 24;
const START_MS = Date.parse("2026-01-05T00:00:00Z");
/** A heat pump that runs for two hours in five, at another time of each day: five hours do not divide a day. */
const pumpKwh = (hour: number) => (hour % 5 < 2 ? 2 : 0);
const model: LoadModel = {
  timeZone: "Europe/Vienna",
  fromMs: START_MS,
  hourKwh: Array.from({ length: HOURS }, () => 0.3),
  persistence: 0.4,
  devices: [{ slot: 2, hourKwh: Array.from({ length: HOURS }, (_, hour) => pumpKwh(hour)) }],
};

/** The load from an hour after the history on, with what the pump did until then. */
function forecastAt(atMs: number, pump: (hour: number) => number): number[] {
  const now = (atMs - START_MS) / HOUR_MS;
  const kwhBetween = (from: number, to: number) => {
    let sum = 0;
    for (let minute = Math.round(60 * from); minute < Math.round(60 * to); minute++)
      sum += pump(Math.floor(minute / 60)) / 60;
    return sum;
  };
  const hourKwh = Array.from({ length: 24 }, (_, k) => kwhBetween(now - k - 1, now - k));
  const start = new Date(Math.floor(atMs / HOUR_MS) * HOUR_MS);
  return forecastLoad(model, { start, hours: 12, devices: [{ slot: 2, recent: { atMs, hourKwh } }] }).loadKwh;
}

describe("the forecast of a device that switches itself", () => {
  it("continues its cycle, whatever the time of the day", () => {
    for (const ahead of [0, 1, 2, 3, 4]) {
      const hour = HOURS + ahead;
      const load = forecastAt(START_MS + hour * HOUR_MS, pumpKwh);
      for (let k = 0; k < 8; k++) expect(Math.abs(load[k]! - 0.3 - pumpKwh(hour + k))).toBeLessThan(0.2);
    }
  });

  it("is right within a clock hour, too", () => {
    const load = forecastAt(START_MS + (HOURS + 0.5) * HOUR_MS, pumpKwh);
    // Whole hours from now on are those of the cycle, half an hour away from clock hours.
    const expected = [0, 1, 2, 3, 4, 5].map((k) => pumpKwh(HOURS + k));
    const sum = (kwh: number[]) => kwh.reduce((total, one) => total + one, 0);
    expect(Math.abs(sum(load.slice(0, 6)) - 6 * 0.3 - sum(expected))).toBeLessThan(1.5);
  });

  it("expects the usual hours where nothing is known of the last ones", () => {
    const { loadKwh } = forecastLoad(model, {
      start: new Date(START_MS + HOURS * HOUR_MS),
      hours: 12,
      devices: [{ slot: 2 }],
    });
    for (const kwh of loadKwh) {
      expect(kwh).toBeGreaterThan(0.5);
      expect(kwh).toBeLessThan(1.7);
    }
  });
});
