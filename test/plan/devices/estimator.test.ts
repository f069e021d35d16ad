import { describe, expect, it } from "vitest";
import { parse } from "../../../src/config/load.js";
import type { Site } from "../../../src/config/site.js";
import { HOUR_MS } from "../../../src/core/domain/interval.js";
import type { LiveState } from "../../../src/core/domain/sample.js";
import { silentLog } from "../../../src/core/log.js";
import { DeviceEstimator } from "../../../src/plan/devices/estimator.js";
import type { DeviceState } from "../../../src/plan/windows/estimates.js";
import type { SlotPlan } from "../../../src/plan/windows/slot-schedule.js";
import type { Stay } from "../../../src/plan/windows/stay.js";
import { manualClock } from "../../support/manual-clock.js";

const NOW = new Date("2026-06-15T18:00:00Z");
const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * HOUR_MS);
const { settings } = parse(
  "plants: [{ id: home, slots: [{ slot: 1, kind: wallbox, vehicle: { capacity_kwh: 50, efficiency_pct: 90 } }, { slot: 2, kind: boiler, power_kw: 3, store: { litres: 200, loss_w: 0, daily_kwh: 0 } }] }]",
);
const site: Site = { id: "home", accountId: "a", plant: settings.plants[0]! };

const follower = { takenSteps: () => [] };

async function started(live: LiveState, measured?: DeviceState) {
  const clock = manualClock(NOW);
  const estimator = new DeviceEstimator({
    clock,
    sites: { list: () => [site] },
    telemetry: {
      live: () => live,
      slotState: (_, slot) => (slot === 1 ? measured : undefined),
      // 2 kWh an hour, all the time.
      slotEnergy: (_siteId, _slot, from, to) =>
        Promise.resolve([{ start: from, end: to, kwh: (2 * (to.getTime() - from.getTime())) / HOUR_MS }]),
      readings: async () => [],
    },
    follower,
    log: silentLog,
  });
  let stay: Stay | undefined;
  estimator.start({ current: () => [{ slot: 1, stay } as SlotPlan], assumedSteps: () => [] });
  await estimator.settled();
  return {
    estimator,
    clock,
    setStay: (next: Stay) => {
      stay = next;
    },
    advance: async () => {
      await clock.advance(HOUR_MS);
      await estimator.settled();
    },
  };
}

describe("the state of devices", () => {
  it("is the last report and the energy since, while nothing newer is reported", async () => {
    const { estimator } = await started({
      slot_1_soc_pct: { value: 40, at: hoursAgo(2.5) },
      slot_2_temperature_c: { value: 45, at: hoursAgo(2) },
    });
    // 5 kWh at 90 % into 50 kWh.
    expect(estimator.state("home", 1)!.socPct).toBeCloseTo(49, 6);
    // 4 kWh into 200 litres.
    expect(estimator.state("home", 2)!.temperatureC).toBeCloseTo(45 + 4 / (200 * 0.001163), 1);
  });

  it("includes when a tank was last hot against legionella, after a start from the history", async () => {
    const store = { ...site.plant.slots[1]!.store!, legionella_c: 60 };
    const slots = [{ ...site.plant.slots[1]!, store }];
    const live: LiveState = { slot_2_temperature_c: { value: 50, at: NOW } };
    const clock = manualClock(NOW);
    const measured: DeviceState = { temperatureC: 50 };
    const estimator = new DeviceEstimator({
      clock,
      sites: { list: () => [{ ...site, plant: { ...site.plant, slots } }] },
      telemetry: {
        live: () => live,
        slotState: () => measured,
        slotEnergy: () => Promise.resolve([]),
        readings: () =>
          Promise.resolve([
            { at: hoursAgo(100), value: 61 },
            { at: hoursAgo(90), value: 59.6 },
            { at: hoursAgo(80), value: 59.4 },
          ]),
      },
      follower,
      log: silentLog,
    });
    const always = { window: {}, slots: [{ start: NOW, end: hoursAgo(-1000) }], windows: [], powerKw: 3 };
    const on = { slot: 2, plugged: 1, result: always, later: [] } as unknown as SlotPlan;
    estimator.start({ current: () => [on], assumedSteps: () => [] });
    await estimator.settled();
    expect(estimator.state("home", 2)!.hotAt).toEqual(hoursAgo(90));
    measured.temperatureC = 60;
    await clock.advance(HOUR_MS);
    await estimator.settled();
    expect(estimator.state("home", 2)!.hotAt).toEqual(clock.now());
    // A week later its thermostat opens at 57 °C: after two hours it is given up until Sunday.
    measured.temperatureC = 57;
    await clock.advance(7 * 24 * HOUR_MS);
    const dueAt = clock.now();
    for (let n = 0; n < 3 * 12; n++) {
      await clock.advance(HOUR_MS / 12);
      await estimator.settled();
    }
    const hoursTried = (estimator.state("home", 2)!.triedAt!.getTime() - dueAt.getTime()) / HOUR_MS;
    expect(hoursTried).toBeGreaterThan(1.9);
    expect(hoursTried).toBeLessThan(2.3);
    await estimator.stop();
  });

  it("is what the device reports", async () => {
    const { estimator } = await started({ slot_1_soc_pct: { value: 40, at: hoursAgo(2) } }, { socPct: 62 });
    expect(estimator.state("home", 1)!.socPct).toBe(62);
  });

  it("has what was taken from the surplus and what was planned, where nothing measures it", async () => {
    const estimator = new DeviceEstimator({
      clock: manualClock(NOW),
      sites: { list: () => [site] },
      telemetry: {
        live: () => ({ slot_1_soc_pct: { value: 40, at: hoursAgo(2) } }),
        slotState: () => undefined,
        slotEnergy: async () => [],
        readings: async () => [],
      },
      follower: { takenSteps: () => [{ start: hoursAgo(2), end: hoursAgo(1), kwh: 1 }] },
      log: silentLog,
    });
    const planned = { start: hoursAgo(1), end: NOW, kwh: 4 };
    estimator.start({ current: () => [], assumedSteps: () => [planned] });
    await estimator.settled();
    // 5 kWh at 90 % into 50 kWh.
    expect(estimator.state("home", 1)!.socPct).toBeCloseTo(49, 6);
    await estimator.stop();
  });

  it("is unknown without any report of a vehicle", async () => {
    const { estimator } = await started({});
    expect(estimator.state("home", 1)).toBeUndefined();
  });

  it("follows from what heated a tank that reports nothing, and is half full when it takes no more", async () => {
    const store = { ...site.plant.slots[1]!.store!, daily_kwh: 2.4, draw_profile: new Array(24).fill(1) };
    const clock = manualClock(NOW);
    const energy = [{ start: hoursAgo(3), end: hoursAgo(1), kwh: 2 }];
    const estimator = new DeviceEstimator({
      clock,
      sites: {
        list: () => [{ ...site, plant: { ...site.plant, slots: [{ ...site.plant.slots[1]!, store }] } }],
      },
      telemetry: {
        live: () => ({}),
        slotState: () => undefined,
        slotEnergy: () => Promise.resolve(energy),
        readings: async () => [],
      },
      follower,
      log: silentLog,
    });
    let idleSince: Date | undefined;
    estimator.start({ current: () => [{ slot: 2, idleSince } as SlotPlan], assumedSteps: () => [] });
    await estimator.settled();
    const kelvin = (kwh: number) => kwh / (200 * 0.001163);
    // The first draws leave it at 45 °C; 2 kWh came in three hours, in which 0.3 kWh were drawn.
    expect(estimator.state("home", 2)).toEqual({
      temperatureC: expect.closeTo(45 + kelvin(1.7), 6),
      isAssumed: true,
    });
    idleSince = NOW;
    await clock.advance(HOUR_MS);
    await estimator.settled();
    expect(estimator.state("home", 2)!.temperatureC).toBeCloseTo(52.5 - kelvin(0.1), 6);
    // It has taken nothing since: the next time in vain does not mean that it is full.
    idleSince = clock.now();
    energy.length = 0;
    await clock.advance(HOUR_MS);
    await estimator.settled();
    expect(estimator.state("home", 2)!.temperatureC).toBeCloseTo(52.5 - kelvin(0.2), 6);
    await estimator.stop();
  });

  it("is full for four hours where a vehicle that reports nothing has charged and takes no more", async () => {
    const clock = manualClock(NOW);
    const energy = [{ start: hoursAgo(3), end: hoursAgo(1), kwh: 5 }];
    const estimator = new DeviceEstimator({
      clock,
      sites: { list: () => [site] },
      telemetry: {
        live: () => ({}),
        slotState: () => undefined,
        slotEnergy: async () => energy,
        readings: async () => [],
      },
      follower,
      log: silentLog,
    });
    let idleSince: Date | undefined;
    const stay = { since: hoursAgo(4) };
    estimator.start({ current: () => [{ slot: 1, stay, idleSince } as SlotPlan], assumedSteps: () => [] });
    const socAfter = async (hours: number) => {
      await clock.advance(hours * HOUR_MS);
      await estimator.settled();
      return estimator.state("home", 1)!.socPct;
    };
    // 5 kWh at 90 % on top of 20 %.
    expect(await socAfter(0)).toBeCloseTo(29, 6);
    idleSince = NOW;
    expect(await socAfter(1)).toBe(100);
    idleSince = undefined;
    expect(await socAfter(2)).toBe(100);
    // It is tried again, in vain.
    expect(await socAfter(1)).toBeCloseTo(29, 6);
    idleSince = clock.now();
    expect(await socAfter(1)).toBe(100);
    await estimator.stop();
  });

  it("is estimated where a warm tank has reported the same temperature for two days", async () => {
    const clock = manualClock(NOW);
    const live: LiveState = { slot_2_temperature_c: { value: 55, at: hoursAgo(0) } };
    const history = [hoursAgo(60), hoursAgo(47), hoursAgo(20), NOW].map((at, n) => ({
      at,
      value: n === 0 ? 54 : 55,
    }));
    const estimator = new DeviceEstimator({
      clock,
      sites: { list: () => [site] },
      telemetry: {
        live: () => live,
        slotState: () => ({ temperatureC: 55 }),
        slotEnergy: async () => [{ start: hoursAgo(30), end: hoursAgo(29), kwh: 1 }],
        readings: async () => history,
      },
      follower,
      log: silentLog,
    });
    estimator.start({ current: () => [], assumedSteps: () => [] });
    await estimator.settled();
    expect(estimator.state("home", 2)).toEqual({ temperatureC: 55 });
    live.slot_2_temperature_c = { value: 55, at: hoursAgo(-1) };
    await clock.advance(HOUR_MS);
    await estimator.settled();
    // Without losses and draws, 1 kWh hotter than when it got stuck.
    expect(estimator.state("home", 2)).toEqual({
      temperatureC: expect.closeTo(55 + 1 / (200 * 0.001163), 6),
      sensorSince: hoursAgo(47),
    });
    await estimator.stop();
  });

  it("begins anew with the least state of charge after a trip", async () => {
    const { estimator, setStay, advance, clock } = await started({
      slot_1_soc_pct: { value: 70, at: hoursAgo(2.5) },
    });
    setStay({ since: clock.now(), leftAt: hoursAgo(1) });
    // At once, before the next estimate.
    expect(estimator.state("home", 1)).toBeUndefined();
    await advance();
    // Plugged in for an hour: 2 kWh at 90 % on top of 20 %.
    expect(estimator.state("home", 1)!.socPct).toBeCloseTo(20 + (100 * 1.8) / 50, 1);
  });

  // https://github.com/evcc-io/evcc/issues/10623
  it("is not that of the vehicle that left a minute before", async () => {
    const { estimator, setStay } = await started(
      { slot_1_soc_pct: { value: 80, at: hoursAgo(0.2) } },
      { socPct: 80 },
    );
    expect(estimator.state("home", 1)).toEqual({ socPct: 80 });
    setStay({ since: hoursAgo(0.05), leftAt: hoursAgo(0.15) });
    expect(estimator.state("home", 1)).toBeUndefined();
    // Sent on the way home.
    setStay({ since: hoursAgo(0.05), leftAt: hoursAgo(9) });
    expect(estimator.state("home", 1)).toEqual({ socPct: 80 });
  });

  it("is not known any more after the usual departure where the plug is not read", async () => {
    // 07:00 in Vienna are 13 hours ago; the report is from before.
    const { estimator } = await started({ slot_1_soc_pct: { value: 70, at: hoursAgo(20) } });
    // At the least state of charge since the departure, with 13 hours of 2 kWh at 90 %.
    expect(estimator.state("home", 1)!.socPct).toBeCloseTo(20 + (100 * 13 * 1.8) / 50, 6);
  });
});
