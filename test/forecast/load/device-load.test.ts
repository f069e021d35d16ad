import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../src/core/domain/interval.js";
import type { PresentDevice } from "../../../src/forecast/load/device-load.js";
import { forecastLoad } from "../../../src/forecast/load/forecast-load.js";
import { learnLoad } from "../../../src/forecast/load/learn-load.js";
import type { LoadModel } from "../../../src/forecast/load/load-model.js";

/** Monday. */
const START = Date.parse("2026-06-01T00:00:00Z");
const DAYS = 42;

/**
 * A home with 0.3 kWh an hour and a car: on Monday, Wednesday and Friday it arrives at 18:00 and takes 10, 10 and 5 kWh, in every other
 * week at 20:00.
 */
function home(days = DAYS): LoadModel {
  const car = Array.from({ length: days * 24 }, (_, index) => {
    const day = Math.floor(index / 24);
    const first = Math.floor(day / 7) % 2 === 0 ? 18 : 20;
    return [0, 2, 4].includes(day % 7) ? ([10, 10, 5][(index % 24) - first] ?? 0) : 0;
  });
  const hourKwh = car.map(() => 0.3);
  return { timeZone: "UTC", fromMs: START, hourKwh, persistence: 0.5, devices: [{ slot: 1, hourKwh: car }] };
}

const at = (day: number, hour: number) => new Date(START + day * DAY_MS + hour * HOUR_MS);
const expected = (model: LoadModel, start: Date, now: Partial<PresentDevice> = {}, hours = 6) =>
  forecastLoad(model, { start, hours, devices: [{ slot: 1, ...now }] }).loadKwh.map((kwh) => kwh - 0.3);

describe("a device that is measured apart", () => {
  it("is expected on its weekdays, with a distribution of its own", () => {
    const monday = forecastLoad(home(), { start: at(DAYS, 0), hours: 24, devices: [{ slot: 1 }] });
    const tuesday = expected(home(), at(DAYS + 1, 0), {}, 24);
    const sum = monday.loadKwh.reduce((total, kwh) => total + kwh - 0.3, 0);
    expect(sum).toBeGreaterThan(2 * tuesday.reduce((total, kwh) => total + kwh, 0));
    expect(sum).toBeGreaterThan(12);
    // Mostly it is not there at 18:00, and sometimes it takes 10 kWh.
    const nodes = monday.ratios[18]!.map((ratio) => ratio * monday.loadKwh[18]!);
    expect(nodes[0]).toBeCloseTo(0.3, 9);
    expect(nodes.at(-1)).toBeGreaterThan(9);
  });

  it("takes what is known to be missing, and then no more", () => {
    const [first, second, ...later] = expected(home(), at(DAYS, 19), {
      state: { isOn: true, recentKwh: 10 },
      aheadKwh: [10, 5],
    });
    expect(first).toBeCloseTo(10, 9);
    expect(second).toBeCloseTo(5, 9);
    expect(Math.max(...later)).toBeLessThan(1);
  });

  it("follows days on which it had done the same by then", () => {
    // At 20:00 on a Monday without a session yet it comes now; after 25 kWh since 18:00 it does not.
    const waiting = expected(home(), at(DAYS, 20), { state: { isOn: false, recentKwh: 0 } })[0]!;
    const charged = expected(home(), at(DAYS, 21), { state: { isOn: false, recentKwh: 25 } })[0]!;
    expect(waiting).toBeGreaterThan(5);
    expect(charged).toBeLessThan(1);
  });

  it("is left out where it is planned, until the plan ends", () => {
    const planned = expected(home(), at(DAYS, 12), { plannedUntilMs: at(DAYS + 1, 12).getTime() }, 72);
    expect(planned.slice(0, 24).every((kwh) => Math.abs(kwh) < 1e-9)).toBe(true);
    expect(planned.slice(24).reduce((sum, kwh) => sum + kwh, 0)).toBeGreaterThan(10);
    expect(forecastLoad(home(), { start: at(DAYS, 18), hours: 1 }).loadKwh[0]).toBeCloseTo(0.3, 9);
  });

  it("is learned apart; the persistence is that of the sum", () => {
    const quarters = (of: (hour: number) => number) =>
      Array.from({ length: 30 * 96 }, (_, k) => ({
        start: new Date(START + k * 900_000),
        kwh: of(Math.floor(k / 4)) / 4,
      }));
    const car = home(30).devices![0]!.hourKwh;
    const now = new Date(START + 30 * DAY_MS);
    const model = learnLoad({
      history: quarters((hour) => 0.3 + 0.001 * ((hour * 7) % 5)),
      devices: [{ slot: 1, history: quarters((hour) => car[hour]!) }],
      timeZone: "UTC",
      now,
    });
    expect(model.devices).toEqual([{ slot: 1, hourKwh: car }]);
    const mixed = learnLoad({
      history: quarters((hour) => 0.3 + 0.001 * ((hour * 7) % 5) + car[hour]!),
      timeZone: "UTC",
      now,
    });
    expect(model.persistence).toBeCloseTo(mixed.persistence, 6);
    expect(JSON.parse(JSON.stringify(model))).toEqual(model);
  });
});
