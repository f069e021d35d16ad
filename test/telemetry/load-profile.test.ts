import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EnergyStep } from "../../src/domain/interval.js";
import { expectedLoad } from "../../src/plan/load-profile.js";
import { learnWeekProfile } from "../../src/telemetry/load-profile.js";
import { localTime } from "../../src/time/zone.js";

const zone = "Europe/Vienna";
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A Monday after eight weeks without a public holiday and with the clock change of March in them. */
const now = new Date("2025-04-07T00:00:00Z");
const prior = { dailyKwh: 10 };

/** Hours before `to`, each with the energy that its local weekday (1 = Monday) and hour say. */
function house(
  days: number,
  kwh: (weekday: number, hour: number, at: Date) => number,
  to = now,
): EnergyStep[] {
  return Array.from({ length: days * 24 }, (_, index) => {
    const start = new Date(to.getTime() - (days * 24 - index) * HOUR_MS);
    const { weekday, hour } = localTime(start, zone);
    return { start, end: new Date(start.getTime() + HOUR_MS), kwh: kwh(weekday, hour, start) };
  });
}

const nextWeek = Array.from({ length: 168 }, (_, index) => ({
  start: new Date(now.getTime() + index * HOUR_MS),
  end: new Date(now.getTime() + (index + 1) * HOUR_MS),
}));
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const learn = (measured: readonly EnergyStep[], given = prior) =>
  learnWeekProfile(measured, { now, zone, prior: given });
const expectedNextWeek = (measured: readonly EnergyStep[]) => expectedLoad(nextWeek, learn(measured)!, zone);

describe("learnWeekProfile", () => {
  it("says nothing before a day's worth is known", () => {
    expect(learn([])).toBeUndefined();
    expect(learn(house(1, () => 1).slice(1))).toBeUndefined();
    expect(learn(house(1, () => 1))).toBeDefined();
  });

  it("knows after eight weeks what a house does that does the same every day", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.05, max: 3, noNaN: true }), { minLength: 24, maxLength: 24 }),
        (day) => {
          const learnt = expectedNextWeek(house(56, (_, hour) => day[hour]!));
          const standard = expectedLoad(nextWeek, { dailyKwh: sum(day) }, zone);
          const truth = nextWeek.map(({ start }) => day[localTime(start, zone).hour]!);
          const error = (expected: readonly number[]) =>
            sum(expected.map((kwh, index) => Math.abs(kwh - truth[index]!)));
          expect(error(learnt)).toBeLessThan(0.2 * error(standard) + 0.03 * sum(truth));
          expect(sum(learnt) / (7 * sum(day))).toBeCloseTo(1, 1);
        },
      ),
      { numRuns: 30, seed: 1 },
    );
  });

  it("tells the days of the week apart, and a holiday is a Sunday", () => {
    const washing = house(56, (weekday, hour) =>
      weekday === 7 && hour === 10 ? 3 : weekday === 2 && hour === 19 ? 2 : 0.3,
    );
    const model = learn(washing)!;
    const at = (time: string) => {
      const start = new Date(time);
      return expectedLoad([{ start, end: new Date(start.getTime() + HOUR_MS) }], model, zone)[0]!;
    };
    expect(at("2025-04-13T10:00:00+02:00")).toBeGreaterThan(1.5);
    expect(at("2025-04-14T10:00:00+02:00")).toBeLessThan(0.6);
    expect(at("2025-04-08T19:00:00+02:00")).toBeGreaterThan(0.8);
    expect(at("2025-04-09T19:00:00+02:00")).toBeLessThan(0.6);
    // Easter Monday.
    expect(at("2025-04-21T10:00:00+02:00")).toBe(at("2025-04-20T10:00:00+02:00"));
  });

  it("begins with the household of the settings at the level of the first day", () => {
    const model = learn(house(1, () => 1))!;
    // 12 hours' weight for the 10 kWh of the settings against nearly 24 for the 24 kWh of the day, which the recent
    // level lifts half of the rest of the way.
    expect(model.dailyKwh).toBeGreaterThan(18);
    expect(model.dailyKwh).toBeLessThan(24);
    const shape = expectedLoad(nextWeek, { dailyKwh: model.dailyKwh }, zone);
    const learnt = expectedLoad(nextWeek, model, zone);
    const kept = nextWeek.filter((_, index) => Math.abs(learnt[index]! / shape[index]! - 1) < 0.35);
    expect(kept.length).toBeGreaterThan(150);
  });

  it("follows a house that is left or full of guests within two days, and the weeks before less and less", () => {
    const usual = sum(expectedNextWeek(house(56, () => 0.5)));
    const left = sum(expectedNextWeek(house(56, (_w, _h, at) => (+now - +at <= 2 * DAY_MS ? 0.1 : 0.5))));
    expect(Math.abs(usual - 84)).toBeLessThan(0.03 * 84);
    expect(left).toBeLessThan(0.5 * usual);
    expect(left).toBeGreaterThan(0.2 * usual);
    const longAgo = sum(expectedNextWeek(house(56, (_w, _h, at) => (+now - +at > 50 * DAY_MS ? 5 : 0.5))));
    const lately = sum(expectedNextWeek(house(56, (_w, _h, at) => (+now - +at < 6 * DAY_MS ? 5 : 0.5))));
    expect(longAgo).toBeLessThan(0.5 * lately);
  });

  it("does not believe a meter that jumps", () => {
    const sane = house(56, (_, hour) => 0.2 + hour / 24);
    const glitches = sane.map((hour, index) =>
      index === 700 ? { ...hour, kwh: 33_000 } : index === 900 ? { ...hour, kwh: -800 } : hour,
    );
    const [clean, glitched] = [expectedNextWeek(sane), expectedNextWeek(glitches)];
    clean.forEach((value, index) => {
      expect(glitched[index]! / value).toBeCloseTo(1, 1);
    });
  });

  it("spreads a meter that is read once a day like the household of the settings", () => {
    const daily = Array.from({ length: 56 }, (_, index) => {
      const start = new Date(+now - (56 - index) * DAY_MS);
      return { start, end: new Date(+start + DAY_MS), kwh: 7 };
    });
    const learnt = expectedNextWeek(daily);
    const standard = expectedLoad(nextWeek, { dailyKwh: 7 }, zone);
    expect(Math.abs(sum(learnt) - 49)).toBeLessThan(0.03 * 49);
    learnt.forEach((value, index) => {
      expect(value / standard[index]!).toBeCloseTo(1, 0);
    });
  });

  it("is never negative and bears gaps, whatever was measured", () => {
    const value = fc.oneof(fc.double({ min: -2, max: 8, noNaN: true }), fc.constantFrom(0, -1e6, 1e9));
    fc.assert(
      fc.property(fc.array(fc.option(value), { minLength: 30, maxLength: 400 }), (energies) => {
        const measured = house(20, () => 0).flatMap((hour, index) => {
          const kwh = energies[index];
          return kwh === null || kwh === undefined ? [] : [{ ...hour, kwh }];
        });
        const model = learn(measured);
        if (model === undefined) return;
        for (const kwh of expectedLoad(nextWeek, model, zone)) {
          expect(kwh).toBeGreaterThanOrEqual(0);
          expect(Number.isFinite(kwh)).toBe(true);
        }
      }),
    );
  });
});
