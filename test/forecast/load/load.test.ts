import { describe, expect, it } from "vitest";
import { localTime, VIENNA } from "../../../src/core/time/zone.js";
import { forecastLoad } from "../../../src/forecast/load/forecast-load.js";
import { learnLoad } from "../../../src/forecast/load/learn-load.js";
import { seeded } from "../../support/random.js";

const HOUR_MS = 3_600_000;

/** Quarter-hours of `days` days before `now`: power in kW by local clock hour. */
function history(now: Date, days: number, powerKw: (hour: number, ms: number) => number) {
  return Array.from({ length: days * 96 }, (_, k) => {
    const start = new Date(now.getTime() - (days * 96 - k) * 900_000);
    return { start, kwh: powerKw(localTime(start, VIENNA).hour, start.getTime()) / 4 };
  });
}

const now = new Date("2026-02-10T05:00:00Z");
const learn = (input: ReturnType<typeof history>, at = now) =>
  learnLoad({ history: input, timeZone: VIENNA, now: at });
const evenings = (hour: number) => (hour >= 18 ? 2 : 0.3);

describe("learnLoad and forecastLoad", () => {
  it("expects each clock hour as it was, with factors of 1 where every day is the same", () => {
    const { loadKwh, ratios } = forecastLoad(learn(history(now, 40, evenings)), { start: now, hours: 48 });
    loadKwh.forEach((kwh, k) => {
      const { hour } = localTime(new Date(now.getTime() + k * HOUR_MS), VIENNA);
      expect(kwh).toBeCloseTo(evenings(hour), 1);
    });
    expect(ratios).toHaveLength(48);
    for (const row of ratios) for (const factor of row) expect(factor).toBeCloseTo(1, 1);
  });

  it("gives rising factors with mean 1 that spread as the home does", () => {
    const random = seeded(1);
    const erratic = history(now, 60, () => (random.chance(0.2) ? 5 : 0.2));
    for (const row of forecastLoad(learn(erratic), { start: now, hours: 24 }).ratios) {
      expect(row.reduce((sum, factor) => sum + factor, 0) / row.length).toBeCloseTo(1, 9);
      expect([...row].sort((a, b) => a - b)).toEqual(row);
      expect(row.at(-1)! / row[0]!).toBeGreaterThan(3);
    }
  });

  it("forecasts the same from a model that was stored as JSON", () => {
    const random = seeded(2);
    const model = learn(history(now, 30, () => random.between(0, 2)).filter((_, k) => k % 7 !== 0));
    const stored = JSON.parse(JSON.stringify(model));
    const ask = { start: new Date("2026-03-28T22:20:00Z"), hours: 72 };
    expect(forecastLoad(stored, ask)).toEqual(forecastLoad(model, ask));
  });

  it("looks at nothing at or after now", () => {
    const past = history(now, 20, evenings);
    const later = [
      { start: now, kwh: 9 },
      { start: new Date(now.getTime() + 900_000), kwh: 9 },
    ];
    expect(learn([...past, ...later])).toEqual(learn(past));
  });

  it("follows the clock over its change", () => {
    // Clocks go forward at 2026-03-29T01:00Z: 18:00 local is 16:00Z from then on.
    const before = new Date("2026-03-28T12:00:00Z");
    const model = learn(history(before, 40, evenings), before);
    const { loadKwh } = forecastLoad(model, { start: new Date("2026-03-29T15:00:00Z"), hours: 2 });
    expect(loadKwh[0]).toBeLessThan(0.6);
    expect(loadKwh[1]).toBeGreaterThan(1.5);
  });

  it("shares an hour that begins within a clock hour between both", () => {
    const model = learn(history(now, 40, evenings));
    const start = new Date("2026-02-10T16:45:00Z");
    const { loadKwh } = forecastLoad(model, { start, hours: 1 });
    expect(loadKwh[0]).toBeCloseTo(0.25 * 0.3 + 0.75 * 2, 1);
  });

  it("has an answer without history, with one day, and with gaps", () => {
    for (const known of [
      [],
      history(now, 1, evenings),
      history(now, 30, evenings).filter((_, k) => k % 96 < 40),
    ]) {
      const { loadKwh, ratios } = forecastLoad(learn(known), { start: now, hours: 96 });
      for (const kwh of loadKwh) expect(kwh).toBeGreaterThan(0);
      expect(ratios.flat().every((factor) => factor >= 0)).toBe(true);
    }
  });

  it.each([
    ["now", { now: new Date(Number.NaN) }],
    ["timeZone", { timeZone: "Mars/Base" }],
    ["history[0].kwh", { history: [{ start: now, kwh: Number.NaN }] }],
    ["history[0].start", { history: [{ start: "yesterday", kwh: 1 }] }],
  ])("names the field %s that makes no sense", (field, wrong) => {
    const call = () =>
      learnLoad({ history: [], timeZone: VIENNA, now, ...wrong } as Parameters<typeof learnLoad>[0]);
    expect(call).toThrow(RangeError);
    expect(call).toThrow(field);
  });
});
