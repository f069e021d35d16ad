import { describe, expect, it } from "vitest";
import { parse } from "../../../src/config/load.js";
import { DAY_MS, HOUR_MS } from "../../../src/core/domain/interval.js";
import { relaxedEnergies } from "../../../src/plan/devices/relaxation.js";
import { deviceOf } from "../../../src/plan/devices/site-devices.js";
import {
  type DeviceState,
  expectedDrawKwh,
  storeKwhPerK,
  storeTemperatureC,
} from "../../../src/plan/windows/estimates.js";
import { tankOf } from "../../../src/plan/windows/heat-store.js";
import type { SlotPlan } from "../../../src/plan/windows/slot-schedule.js";
import { loadHighs } from "../../support/highs.js";
import { NO_BATTERY } from "../../support/no-battery.js";

const highs = await loadHighs();
const MONDAY = new Date("2026-06-14T22:00:00Z");
const zone = "Europe/Vienna";
const { settings } = parse(
  "plants: [{ id: home, slots: [{ slot: 1, kind: boiler, power_kw: 2, store: { litres: 200, min_c: 45, max_c: 55, legionella_c: 65 } }] }]",
);
const slot = settings.plants[0]!.slots[0]!;
const plan = { slot: 1, settings: slot, origin: "settings", plugged: 1, later: [] } as unknown as SlotPlan;
const price = (at: Date) => (at.getUTCHours() < 4 ? 10 : 30);

/** The tank in the next 72 hours. */
function tankAt(now: Date, state: DeviceState | undefined) {
  const steps = Array.from({ length: 72 }, (_, t) => ({
    start: new Date(now.getTime() + t * HOUR_MS),
    end: new Date(now.getTime() + (t + 1) * HOUR_MS),
  }));
  const importCtKwh = steps.map(({ start }) => price(start));
  const device = deviceOf(plan, { now, zone, steps, importCtKwh, surplusKwh: steps.map(() => 0), state });
  if (device?.kind !== "store") throw new Error("A tank is a store.");
  return { store: device.store, steps, importCtKwh };
}

/** The energies of the tank for these hours. */
function planned(now: Date, state: DeviceState | undefined): number[] {
  const { store, steps, importCtKwh } = tankAt(now, state);
  const site = {
    now,
    steps: steps.map(({ start }, t) => ({
      start,
      minutes: 60,
      importCtKwh: importCtKwh[t]!,
      exportCtKwh: 0,
      loadKwh: 0,
      pvKwh: 0,
      published: true,
    })),
    ratios: [],
    battery: NO_BATTERY,
    controls: [],
  };
  return relaxedEnergies(highs, { site, socKwh: 0, devices: [{ kind: "store", store }] })![0]!;
}

describe("a tank with legionella_c", () => {
  it("gets as hot once a week, in cheap hours, and is otherwise not heated above max_c", () => {
    let temperatureC = 50;
    let hotAt: Date | undefined = new Date(MONDAY.getTime() - 3 * DAY_MS);
    const hot: Date[] = [];
    let mostElsewhereC = 0;
    for (let hour = 0; hour < 14 * 24; hour++) {
      const now = new Date(MONDAY.getTime() + hour * HOUR_MS);
      const kwh = planned(now, { temperatureC, ...(hotAt !== undefined && { hotAt }) })[0]!;
      const end = new Date(now.getTime() + HOUR_MS);
      const energy = [{ start: now, end, kwh }];
      const known = { value: temperatureC, at: now };
      temperatureC = storeTemperatureC(slot.store!, { known, energy, now: end, zone });
      if (temperatureC >= 64.5) {
        if (hotAt === undefined || end.getTime() - hotAt.getTime() > DAY_MS) hot.push(end);
        hotAt = end;
      } else if (hot.every((at) => Math.abs(end.getTime() - at.getTime()) > DAY_MS))
        mostElsewhereC = Math.max(mostElsewhereC, temperatureC);
    }
    expect(hot.length).toBeGreaterThanOrEqual(2);
    expect(hot.length).toBeLessThanOrEqual(3);
    const times = [MONDAY.getTime() - 3 * DAY_MS, ...hot.map(Number)];
    for (const [index, at] of times.slice(1).entries()) {
      expect(at - times[index]!).toBeLessThanOrEqual(7 * DAY_MS + HOUR_MS);
      expect(at - times[index]!).toBeGreaterThan(4 * DAY_MS);
      expect(new Date(at - HOUR_MS).getUTCHours()).toBeLessThan(6);
    }
    expect(mostElsewhereC).toBeLessThan(63.5);
  });

  it("counts what a heating in progress has brought, and holds what is left of the one before", () => {
    const at = (of: DeviceState) => tankAt(MONDAY, of).store;
    const kwh = (kelvin: number) => storeKwhPerK(slot.store!) * kelvin;
    const hours = (days: number) => new Date(MONDAY.getTime() - days * DAY_MS);
    // Reached a moment ago: as hot as it is.
    expect(at({ temperatureC: 65, hotAt: hours(0) }).storedKwh).toBeCloseTo(kwh(20), 9);
    // Overdue: 5 of 20 kelvins are missing, which takes three quarters of an hour.
    const { storedKwh, maxKwh, stages } = at({ temperatureC: 60, hotAt: hours(8) });
    const step = stages.findIndex(({ leastKwh }) => leastKwh > 0);
    const certainKwh = stages[0]!.certainKwh! - tankOf(slot.store!, 50).lossKwhPerHour;
    expect(step).toBe(0);
    expect(storedKwh - certainKwh + kwh(5) + 0.5).toBeCloseTo(maxKwh, 9);
  });

  it("loses for certain what is above max_c and through its walls, and what its users draw is not certain", () => {
    const { store, steps } = tankAt(MONDAY, {
      temperatureC: 50,
      hotAt: new Date(MONDAY.getTime() - 7 * DAY_MS),
    });
    const usedKwh = store.stages.map(({ drawKwh, certainKwh = 0 }) => drawKwh - certainKwh);
    const expectedKwh = expectedDrawKwh(slot.store!, steps, zone);
    for (const [t, kwh] of usedKwh.entries()) expect(kwh).toBeCloseTo(expectedKwh[t]!, 9);
    // Ten kelvins above max_c and a quarter-hour of the element, and the losses.
    const certainKwh = store.stages.reduce((sum, stage) => sum + (stage.certainKwh ?? 0), 0);
    const lossKwh = 72 * tankOf(slot.store!, 50).lossKwhPerHour;
    expect(certainKwh).toBeCloseTo(storeKwhPerK(slot.store!) * 10 + 0.5 + lossKwh, 9);
  });

  it("is heated at once where it is overdue, and on Sunday where its temperature is not known", () => {
    const neededKwh = storeKwhPerK(slot.store!) * 15;
    const overdue = planned(MONDAY, { temperatureC: 50, hotAt: new Date(MONDAY.getTime() - 8 * DAY_MS) });
    expect(overdue.slice(0, 4).reduce((sum, kwh) => sum + kwh, 0)).toBeGreaterThan(neededKwh);
    const saturday = new Date(MONDAY.getTime() + 5 * DAY_MS);
    // Tried in vain half a day ago: again on Sunday until 15:00.
    const triedAt = new Date(saturday.getTime() - 12 * HOUR_MS);
    const { stages } = tankAt(saturday, { temperatureC: 50, triedAt }).store;
    expect(stages.flatMap(({ leastKwh }, t) => (leastKwh > 0 ? [t] : []))).toEqual([24 + 14]);
    const without = (now: Date) => planned(now, undefined).reduce((sum, kwh) => sum + kwh, 0);
    expect(without(saturday)).toBeGreaterThan(without(MONDAY) + storeKwhPerK(slot.store!) * 8);
    // Until 15:00, not once more in each quarter-hour of the hour after.
    const sunday = (hour: number) => new Date(MONDAY.getTime() + 6 * DAY_MS + hour * HOUR_MS);
    const after = tankAt(sunday(15.25), undefined).store.stages;
    expect(after.every(({ leastKwh }) => leastKwh === 0)).toBe(true);
  });
});
