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
    const { ratios, shares } = forecastLoad(learn(erratic), { start: now, hours: 24 });
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
    for (const row of ratios) {
      expect(row.reduce((sum, factor, rank) => sum + shares[rank]! * factor, 0)).toBeCloseTo(1, 9);
      expect([...row].sort((a, b) => a - b)).toEqual(row);
      expect(row.at(-1)! / row[0]!).toBeGreaterThan(3);
    }
  });

  it("weighs days by age and kind", () => {
    // At 05:00Z on Tuesday, 10 February: 1 kWh an hour on Mondays to Fridays, 3 kWh on Saturday and Sunday.
    const week = history(now, 7, (_, ms) => ([0, 6].includes(new Date(ms + HOUR_MS).getUTCDay()) ? 3 : 1));
    const [workday] = forecastLoad(learn(week), { start: now, hours: 1 }).loadKwh;
    const weights = [1, 2, 3, 4, 5, 6, 7].map((age) => {
      const isWeekend = age === 2 || age === 3;
      return { kwh: isWeekend ? 3 : 1, weight: 2 ** (-(age - 1) / 4) * (isWeekend ? 0.6 : 1) };
    });
    const total = weights.reduce((sum, { weight }) => sum + weight, 0);
    expect(workday).toBeCloseTo(weights.reduce((sum, { kwh, weight }) => sum + kwh * weight, 0) / total, 9);
    const saturday = new Date("2026-02-14T05:00:00Z");
    expect(forecastLoad(learn(week), { start: saturday, hours: 1 }).loadKwh[0]).toBeGreaterThan(workday!);
  });

  it("cuts the distribution at 25, 50, 75 and 90 % of the weight, splitting a day on a cut", () => {
    // Four days of the same kind with 1, 2, 3 and 4 kWh, the newest 4: weights 2^(-age / 4).
    const days = history(now, 4, (_, ms) => 5 - Math.ceil((now.getTime() - ms) / (24 * HOUR_MS)));
    const atThursday = { start: new Date("2026-02-12T05:00:00Z"), hours: 1 };
    const { loadKwh, ratios, shares } = forecastLoad(learn(days), atThursday);
    const weight = [1, 2, 3, 4].map((kwh) => 2 ** ((kwh - 4) / 4) * (kwh === 2 || kwh === 3 ? 0.6 : 1));
    const total = weight.reduce((sum, one) => sum + one, 0);
    // The lowest quarter has all of 1 kWh, and of 2 kWh what is left.
    const first = (weight[0]! * 1 + (0.25 * total - weight[0]!) * 2) / (0.25 * total);
    if (weight[0]! < 0.25 * total) expect(ratios[0]![0]! * loadKwh[0]!).toBeCloseTo(first, 9);
    expect(ratios[0]!.at(-1)! * loadKwh[0]!).toBeCloseTo(4, 9);
    expect(shares).toEqual([0.25, 0.25, 0.25, 0.15, 0.1]);
  });

  it("learns how long a high load lasts", () => {
    const random = seeded(4);
    /** A level that is drawn anew every `length` hours. */
    const blocks = (length: number) => {
      const level = new Map<number, number>();
      return history(now, 70, (_, ms) => {
        const block = Math.floor(ms / (length * HOUR_MS));
        if (!level.has(block)) level.set(block, random.between(0, 3));
        return level.get(block)!;
      });
    };
    const ofHours = (length: number) => learn(blocks(length)).persistence;
    // A block of 24 hours keeps its level over three hours in 21 of 24 cases: (21 / 24)^(1/3) = 0.956.
    expect(ofHours(24)).toBe(0.85);
    // 3 of 6 hours: 0.5^(1/3) = 0.79.
    expect(ofHours(6)).toBeCloseTo(0.5 ** (1 / 3), 1);
    expect(ofHours(1)).toBeLessThan(0.45);
    // Nothing is known of the first days, and a load that never changes has no ranks.
    expect(learn(history(now, 5, evenings)).persistence).toBe(0.4);
    expect(learn(history(now, 70, evenings)).persistence).toBe(0);
  });

  it("takes one odd day of a new home not for certain", () => {
    const oddEvening = history(now, 1, (hour) => (hour === 19 ? 6 : 0.3));
    const { loadKwh, ratios } = forecastLoad(learn(oddEvening), {
      start: new Date("2026-02-10T18:00:00Z"),
      hours: 1,
    });
    expect(loadKwh[0]).toBeLessThan(5);
    expect(ratios[0]![0]! * loadKwh[0]!).toBeLessThan(ratios[0]!.at(-1)! * loadKwh[0]! - 1);
  });

  it("leaves out hours of which less than half was measured, and the hour in progress", () => {
    const half = new Date("2026-02-10T05:30:00Z");
    const known = [
      { start: new Date("2026-02-10T03:00:00Z"), kwh: 0.2 },
      { start: new Date("2026-02-10T03:15:00Z"), kwh: 0.4 },
      { start: new Date("2026-02-10T04:00:00Z"), kwh: 0.3 },
      { start: new Date("2026-02-10T05:00:00Z"), kwh: 0.3 },
      { start: new Date("2026-02-10T05:15:00Z"), kwh: 0.3 },
    ];
    expect(learn(known, half)).toMatchObject({
      fromMs: Date.parse("2026-02-10T03:00:00Z"),
      hourKwh: [1.2, null],
    });
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
    ["devices", { devices: 3 }],
    ["devices[0].slot", { devices: [{ history: [] }] }],
    ["devices[0].history[0].kwh", { devices: [{ slot: 1, history: [{ start: now, kwh: Number.NaN }] }] }],
  ])("names the field %s that makes no sense", (field, wrong) => {
    const call = () =>
      learnLoad({ history: [], timeZone: VIENNA, now, ...wrong } as Parameters<typeof learnLoad>[0]);
    expect(call).toThrow(RangeError);
    expect(call).toThrow(field);
  });

  it.each<[string, unknown, unknown]>([
    ["model", { profileKwh: [], ratios: [] }, { start: now, hours: 1 }],
    ["model", { ...learn([]), hourKwh: [Number.NaN] }, { start: now, hours: 1 }],
    ["model", undefined, { start: now, hours: 1 }],
    ["start", learn([]), { hours: 1 }],
    ["hours", learn([]), { start: now, hours: 1.5 }],
    ["devices", learn([]), { start: now, hours: 1, devices: [null] }],
    ["input", learn([]), undefined],
  ])("names the %s of a forecast that makes no sense", (name, model, input) => {
    const call = () =>
      forecastLoad(model as Parameters<typeof forecastLoad>[0], input as Parameters<typeof forecastLoad>[1]);
    expect(call).toThrow(RangeError);
    expect(call).toThrow(name);
  });
});
