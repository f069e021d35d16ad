import { describe, expect, it } from "vitest";
import { defaultSettings } from "../../src/config/load.js";
import { type AssemblyInput, assemble } from "../../src/plan/assemble.js";
import { expectedLoad } from "../../src/plan/load-profile.js";

const HOUR_MS = 3_600_000;
/** Thursday, 01:00 in Vienna. */
const now = new Date("2026-01-15T00:00:00Z");

/** 2 kWh at 19:00 on Thursdays, 1 kWh at every other hour: 24 1/7 kWh a day on average. */
const week = Array.from({ length: 7 }, (_, row) =>
  Array.from({ length: 24 }, (_, hour) => (row === 3 && hour === 19 ? 2 : 1)),
);
const mean = 169 / 168;
const learnt = { dailyKwh: 24 * mean, week: week.map((day) => day.map((kwh) => kwh / mean)) };

const facts: AssemblyInput = {
  siteId: "home",
  now,
  plant: defaultSettings().plants[0]!,
  stepMinutes: 60,
  hours: Array.from({ length: 48 }, (_, index) => ({
    start: new Date(+now + index * HOUR_MS),
    p10: 100,
    p50: 100,
    p90: 100,
    source: "day_ahead" as const,
  })),
  quarter: ({ p50 }) => p50,
  tariff: undefined,
  soc: { pct: 50, ageMinutes: 0, lost: false },
  evPowerKw: 0,
  housePowerKw: undefined,
  currentQuartile: 1,
};
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe("the load of a plan", () => {
  it("is what was learnt, hour by hour, where something was", () => {
    const { loadKwh } = assemble({ ...facts, load: learnt }, {});
    expect(loadKwh).toEqual(facts.hours.map((_, index) => expect.closeTo(index === 18 ? 2 : 1, 9)));
    const settings = assemble(facts, {}).loadKwh;
    expect(sum(settings)).not.toBeCloseTo(sum(loadKwh), 0);
    expect(assemble({ ...facts, load: undefined }, {}).loadKwh).toEqual(settings);
  });

  it("keeps its learnt shape when a request tells the daily use, and yields to what a request tells hour by hour", () => {
    // Thursday has 25 units, of which 19:00 has two; Friday 24.
    const scaled = assemble({ ...facts, load: learnt }, { loadDailyKwh: 12.5 }).loadKwh;
    expect(scaled[18]).toBeCloseTo(1, 9);
    expect(scaled[17]).toBeCloseTo(0.5, 9);
    expect(scaled[30]).toBeCloseTo(12.5 / 24, 9);
    const told = assemble({ ...facts, load: learnt }, { loadHourlyKwh: [7, 8] }).loadKwh;
    expect(told.slice(0, 3)).toEqual([7, 8, expect.closeTo(1, 9)]);
    expect(assemble({ ...facts, load: learnt }, { loadPowerKw: 3 }).loadKwh[0]).toBe(3);
  });

  it("gives each whole day the daily use that a request tells, workday, weekend or holiday", () => {
    const hours = Array.from({ length: 168 }, (_, index) => ({
      ...facts.hours[0]!,
      start: new Date(+now + index * HOUR_MS),
    }));
    for (const load of [undefined, learnt]) {
      const { loadKwh } = assemble({ ...facts, hours, load }, { loadDailyKwh: 20 });
      // From 01:00 on Thursday: the days begin 23 hours later.
      for (let day = 0; day < 6; day++) {
        expect(sum(loadKwh.slice(23 + 24 * day, 47 + 24 * day))).toBeCloseTo(20, 9);
      }
    }
    const silent = { dailyKwh: 10, week: week.map((day) => day.map(() => 0)) };
    expect(assemble({ ...facts, load: silent }, { loadDailyKwh: 24 }).loadKwh[5]).toBeCloseTo(1, 9);
  });

  it("takes a public holiday for a Sunday, learnt or not", () => {
    const hour = (time: string) => ({ start: new Date(time), end: new Date(Date.parse(time) + HOUR_MS) });
    // Epiphany 2026 is a Tuesday.
    const [holiday, sunday, tuesday] = ["2026-01-06T13:00Z", "2026-01-11T13:00Z", "2026-01-13T13:00Z"].map(
      (time) => expectedLoad([hour(time)], { dailyKwh: 10 }, "Europe/Vienna")[0],
    );
    expect(holiday).toBe(sunday);
    expect(holiday).not.toBe(tuesday);
  });
});
