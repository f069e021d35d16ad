import { describe, expect, it } from "vitest";
import { defaultSettings } from "../../src/config/load.js";
import { forecastLoad } from "../../src/forecast/load/forecast-load.js";
import type { LoadModel } from "../../src/forecast/load/load-model.js";
import { expectedLoad } from "../../src/forecast/load/load-profile.js";
import { assemble } from "../../src/plan/assemble.js";
import { assemblyInput } from "./assembly-input.js";

const HOUR_MS = 3_600_000;
/** Thursday, 01:00 in Vienna. */
const now = new Date("2026-01-15T00:00:00Z");

/** The same load on ten days, 1 kWh an hour, 2 kWh at 19:00: 25 kWh a day. */
const learned: LoadModel = {
  timeZone: "Europe/Vienna",
  fromMs: +now - 240 * HOUR_MS,
  hourKwh: Array.from({ length: 240 }, (_, index) => (index % 24 === 18 ? 2 : 1)),
  persistence: 0.6,
};
/** Some days with other loads. */
const uncertain: LoadModel = {
  ...learned,
  hourKwh: learned.hourKwh.map((kwh, index) => kwh! * [0.5, 1, 1.5][Math.floor(index / 24) % 3]!),
};

const facts = assemblyInput({
  now,
  plant: defaultSettings().plants[0]!,
  hours: Array.from({ length: 48 }, (_, index) => ({
    start: new Date(+now + index * HOUR_MS),
    p10: 100,
    p50: 100,
    p90: 100,
    source: "day_ahead" as const,
  })),
});
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe("load of a plan", () => {
  it("is the learned load with its factors, else that of the settings", () => {
    const { loadKwh, loadRatios } = assemble({ ...facts, load: learned }, {});
    // From 01:00: 19:00 is the 19th hour.
    for (const [index, kwh] of loadKwh.entries()) expect(kwh).toBeCloseTo(index % 24 === 18 ? 2 : 1, 9);
    for (const row of loadRatios) for (const ratio of row) expect(ratio).toBeCloseTo(1, 9);
    const spread = assemble({ ...facts, load: uncertain }, {});
    const { loadKwh: expected, ratios, shares } = forecastLoad(uncertain, { start: now, hours: 48 });
    expect(spread).toMatchObject({
      loadKwh: expected,
      loadRatios: ratios,
      loadRanks: { shares, persistence: 0.6 },
    });
    const settings = assemble(facts, {});
    expect(settings.loadRatios).toEqual([]);
    expect(sum(settings.loadKwh)).not.toBeCloseTo(sum(loadKwh), 0);
  });

  it("is uncertain only in what no planned device uses", () => {
    const flex = {
      loadKwh: () => facts.hours.map((_, t) => (t === 0 ? 9 : 0)),
      wallboxes: () => facts.hours.map(() => ({ hours: 0, fromBatteryKwh: 0 })),
      batterySharePct: 0,
    };
    const alone = assemble({ ...facts, load: uncertain }, {});
    const { loadKwh, loadRatios } = assemble({ ...facts, load: uncertain, flex }, {});
    const homeKwh = alone.loadKwh[0]!;
    expect(loadKwh.slice(0, 2)).toEqual([homeKwh + 9, alone.loadKwh[1]]);
    // What each rank adds is that of the home alone.
    for (const [rank, ratio] of loadRatios[0]!.entries())
      expect(ratio * (homeKwh + 9)).toBeCloseTo(alone.loadRatios[0]![rank]! * homeKwh + 9, 9);
    expect(loadRatios[1]).toEqual(alone.loadRatios[1]);
  });

  it("covers the rest of the current hour", () => {
    const { loadKwh } = assemble({ ...facts, now: new Date(+now + HOUR_MS / 4), load: learned }, {});
    expect(loadKwh.slice(0, 2)).toEqual([expect.closeTo(0.75, 9), expect.closeTo(1, 9)]);
  });

  it("keeps its shape for a given daily load; given hourly values replace it and are certain", () => {
    const scaled = assemble({ ...facts, load: learned }, { loadDailyKwh: 12.5 }).loadKwh;
    expect(scaled[18]).toBeCloseTo(1, 9);
    expect(scaled[17]).toBeCloseTo(0.5, 9);
    const given = assemble({ ...facts, load: learned }, { loadHourlyKwh: [7, 8] });
    expect(given.loadKwh.slice(0, 3)).toEqual([7, 8, expect.closeTo(1, 9)]);
    expect(given.loadRatios).toEqual([]);
    expect(assemble({ ...facts, load: learned }, { loadPowerKw: 3 }).loadKwh[0]).toBe(3);
  });

  it("scales each whole day to the daily load of a request", () => {
    const hours = Array.from({ length: 168 }, (_, index) => ({
      ...facts.hours[0]!,
      start: new Date(+now + index * HOUR_MS),
    }));
    for (const load of [undefined, learned]) {
      const { loadKwh } = assemble({ ...facts, hours, load }, { loadDailyKwh: 20 });
      // From 01:00 on Thursday: the days begin 23 hours later.
      for (let day = 0; day < 6; day++) {
        expect(sum(loadKwh.slice(23 + 24 * day, 47 + 24 * day))).toBeCloseTo(20, 9);
      }
    }
  });

  it("treats a public holiday as a Sunday", () => {
    const hour = (time: string) => ({ start: new Date(time), end: new Date(Date.parse(time) + HOUR_MS) });
    // Epiphany 2026 is a Tuesday.
    const [holiday, sunday, tuesday] = ["2026-01-06T13:00Z", "2026-01-11T13:00Z", "2026-01-13T13:00Z"].map(
      (time) => expectedLoad([hour(time)], { dailyKwh: 10 }, "Europe/Vienna")[0],
    );
    expect(holiday).toBe(sunday);
    expect(holiday).not.toBe(tuesday);
  });
});
