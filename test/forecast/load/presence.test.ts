import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/core/domain/interval.js";
import { forecastLoad } from "../../../src/forecast/load/forecast-load.js";
import type { LoadModel } from "../../../src/forecast/load/load-model.js";
import { noticedAbsence } from "../../../src/forecast/load/noticed-absence.js";
import { type PresencePeriod, presenceAt, presenceFromJson } from "../../../src/forecast/load/presence.js";
import { seeded } from "../../support/random.js";

const START = Date.parse("2026-06-01T00:00:00Z");
const hour = (index: number) => START + index * HOUR_MS;

/** 0.2 kWh an hour, in the evening 1 to 2 kWh; a stretch of hours with 0.2 kWh alone, as nobody is at home. */
function home(hours: number, awayFrom = hours, awayTo = hours): LoadModel {
  const random = seeded(3);
  const hourKwh = Array.from({ length: hours }, (_, index) => {
    const evening = random.between(1, 2);
    const isAway = index >= awayFrom && index < awayTo;
    return 0.2 + (isAway ? 0 : index % 24 >= 16 && index % 24 < 22 ? evening : random.between(0, 0.02));
  });
  return { timeZone: "UTC", fromMs: START, hourKwh, persistence: 0.5 };
}

const away = (from: number, until: number | null): PresencePeriod => ({
  kind: "away",
  fromMs: hour(from),
  untilMs: until === null ? null : hour(until),
});
const evening = (model: LoadModel, day: number) =>
  forecastLoad(model, { start: new Date(hour(24 * day + 18)), hours: 1 });

describe("an absence", () => {
  it("has the load of the quietest usual days from the moment it is named, until it ends", () => {
    const model = { ...home(30 * 24), periods: [away(31 * 24, 34 * 24)] };
    const usual = evening(model, 30);
    const absent = evening(model, 32);
    expect(usual.loadKwh[0]).toBeGreaterThan(1.5);
    // What the lowest quarter of the evenings uses.
    expect(absent.loadKwh[0]).toBeCloseTo(usual.ratios[0]![0]! * usual.loadKwh[0]!, 9);
    expect(evening(model, 35)).toEqual(usual);
  });

  it("has its own load once days of it are measured, and these do not count when somebody is back", () => {
    const known = home(30 * 24);
    const model = { ...home(33 * 24, 30 * 24, 33 * 24), periods: [away(30 * 24, 34 * 24)] };
    expect(evening(model, 33).loadKwh[0]).toBeLessThan(0.25);
    // The day after a holiday is expected as before it.
    expect(evening(model, 34).loadKwh[0]).toBeCloseTo(evening(known, 34).loadKwh[0]!, 1);
    const unnamed = evening(home(33 * 24, 30 * 24, 33 * 24), 34).loadKwh[0]!;
    expect(unnamed).toBeLessThan(0.75 * evening(model, 34).loadKwh[0]!);
  });

  it("may be open; guests use what the upper half of the usual days do", () => {
    const model = { ...home(30 * 24), periods: [away(30 * 24, null)] };
    expect(evening(model, 60).loadKwh[0]).toBeLessThan(evening(home(30 * 24), 60).loadKwh[0]!);
    const guests: PresencePeriod = { kind: "guests", fromMs: hour(30 * 24), untilMs: null };
    const more = evening({ ...home(30 * 24), periods: [guests] }, 31).loadKwh[0]!;
    expect(more).toBeGreaterThan(1.1 * evening(home(30 * 24), 31).loadKwh[0]!);
    expect(presenceAt([away(0, null), guests], hour(31 * 24))).toBe(guests);
  });

  it("is read from what was stored, without what makes no sense", () => {
    const stored = [{ id: "p7", ...away(0, 5) }, away(1, null)];
    expect(presenceFromJson([...stored, { kind: "asleep" }, 3])).toEqual([
      stored[0],
      { id: "p2", ...away(1, null) },
    ]);
    expect(presenceFromJson({})).toEqual([]);
  });
});

describe("an absence that nobody named", () => {
  it("is noticed after a day without normal use, and over with the first evening", () => {
    // Away from the evening of day 30 on.
    const since = 30 * 24 + 22;
    expect(noticedAbsence(home(since + 20, since))).toBeUndefined();
    const noticed = noticedAbsence(home(since + 26, since));
    expect(noticed).toBeGreaterThanOrEqual(hour(since - 24));
    expect(noticed).toBeLessThanOrEqual(hour(since + 2));
    const back = home(since + 45, since, since + 42);
    expect(noticedAbsence(back)).toBeUndefined();
  });

  it("begins with the first hour below the usual in a home where every day is the same", () => {
    const hourKwh = Array.from({ length: 40 * 24 }, (_, index) => {
      const isAway = index >= 35 * 24 + 10;
      return isAway ? 0.1 : index % 24 >= 16 && index % 24 < 22 ? 2 : 0.3;
    });
    expect(noticedAbsence({ ...home(0), hourKwh })).toBe(hour(35 * 24 + 10));
  });

  it("is not concluded from a load that never changes, a usual day, gaps or a named absence", () => {
    const flat = { ...home(0), hourKwh: new Array(40 * 24).fill(0.3) };
    expect(noticedAbsence(flat)).toBeUndefined();
    expect(noticedAbsence(home(40 * 24))).toBeUndefined();
    const model = home(32 * 24, 30 * 24);
    const gap = model.hourKwh.map((kwh, index) => (index > 31 * 24 && index % 3 === 0 ? null : kwh));
    expect(noticedAbsence({ ...model, hourKwh: gap })).toBeUndefined();
    expect(noticedAbsence({ ...home(5 * 24, 3 * 24) })).toBeUndefined();
  });
});
