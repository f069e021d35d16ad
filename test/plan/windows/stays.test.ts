import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/domain/interval.js";
import type { Delivered } from "../../../src/plan/windows/delivered.js";
import type { FlexRequest } from "../../../src/plan/windows/request.js";
import { slotMoment } from "../../../src/plan/windows/slot-schedule.js";
import { hour, slotOf, startedFlex as started } from "./started-flex.js";

const night = { window_start_hour: 20, window_end_hour: 7 } as const;
const vehicle = {
  capacity_kwh: 60,
  min_soc_pct: 30,
  target_soc_pct: 60,
  departure: "07:00",
  min_power_kw: null,
  max_power_kw: null,
  phases: 3,
  efficiency_pct: 100,
  surplus: "ignore",
} as const;

/** A device that takes `kw` of the hours that it is on, as measured. */
function measuring(kw: (hoursSinceMidnight: number) => number) {
  return (_site: string, _slot: number, from: Date, to: Date): Delivered => {
    const middle = (from.getTime() + to.getTime()) / 2;
    const hours = (to.getTime() - from.getTime()) / HOUR_MS;
    return { kwh: kw((middle - hour(0).getTime()) / HOUR_MS) * hours, isMeasured: true };
  };
}

describe("a device that takes nothing although it is on", () => {
  // https://github.com/evcc-io/evcc/issues/26847 and https://github.com/frodeheg/no.sparegris/issues/100
  it("still needs its energy: a sleeping car is planned again before the end of the window", async () => {
    const { clock, plan, windows, service } = await started({
      slots: [slotOf({ ...night, energy_kwh: 20 })],
      price: (of) => [90, 20, 21, 80, 50, 51][of] ?? 90,
      delivered: measuring(() => 0),
    });
    expect(windows()).toEqual([[1, 3]]);
    await clock.set(hour(3.1));
    expect(plan().result).toMatchObject({ demandHours: 2, unmetHours: 0 });
    expect(windows()).toEqual([[4, 6]]);
    expect(plan().idleSince).toEqual(hour(1));
    await service.stop();
  });

  it("counts what was measured, also beside the plan, and says nothing of a device that runs", async () => {
    const { clock, plan } = await started({
      slots: [slotOf({ ...night, energy_kwh: 20 })],
      price: (of) => [90, 20, 21, 80, 50, 51][of] ?? 90,
      delivered: measuring((of) => (of < 2 ? 4 : 0)),
    });
    await clock.set(hour(2));
    // 8 kWh in two hours.
    expect(plan().result?.demandEnergyKwh).toBeCloseTo(12, 6);
    expect(plan().idleSince).toBeUndefined();
    await clock.set(hour(3));
    expect(plan().idleSince).toEqual(hour(2));
  });

  it.each([40, 50])(
    "is a boiler only while its tank is cold: a warm one has a thermostat (%s °C)",
    async (celsius) => {
      const tank = { litres: 200, min_c: 45, max_c: 60, loss_w: 0, daily_kwh: 5, legionella_c: null };
      const store = { ...tank, draw_profile: null };
      const { clock, plan, service } = await started({
        slots: [slotOf({ kind: "boiler", power_kw: 2, store })],
        price: (of) => of,
        deviceState: () => ({ temperatureC: celsius }),
        delivered: measuring(() => 0),
      });
      await clock.set(hour(1.1));
      expect(plan().idleSince).toEqual(celsius < 45 ? hour(0) : undefined);
      await service.stop();
    },
  );

  // https://github.com/evcc-io/evcc/issues/9550 and https://github.com/evcc-io/evcc/issues/33082
  it("gets the hours that it needs at the power that it takes, and is still asked for all of it", async () => {
    const { clock, plan } = await started({
      slots: [slotOf({ ...night, energy_kwh: 15 })],
      price: (of) => ({ 1: 20, 5: 25, 6: 26 })[of] ?? 90,
      delivered: measuring((of) => (of < 1 ? 0 : of < 1.75 ? 3.5 : 10)),
    });
    await clock.set(hour(1.25));
    // One slow quarter-hour may be a car that woke up late.
    expect(plan().result?.demandHours).toBe(1.5);
    await clock.set(hour(1.5));
    // 15 kWh less half an hour of 3.5 kW, at 3.5 kW.
    expect(plan().result).toMatchObject({ demandHours: 4, unmetHours: 0, powerKw: 3.5 });
    expect(plan().result?.demandEnergyKwh).toBeCloseTo(13.25, 6);
    expect(slotMoment(plan(), hour(1.5))).toMatchObject({ chargeNow: 1, powerKw: 10 });
    await clock.set(hour(2));
    // It takes its full power again: 2.625 and 2.5 kWh are done.
    expect(plan().result).toMatchObject({ demandHours: 1, powerKw: 10 });
    expect(plan().result?.demandEnergyKwh).toBeCloseTo(9.875, 6);
  });

  it("is not said to be idle before its window, and begins anew in the next one", async () => {
    const { clock, plan, windows } = await started({
      slots: [slotOf({ kind: "boiler", power_kw: 2, hours: 1, window_start_hour: 1, window_end_hour: 6 })],
      price: (of) => (of % 24 === 2 ? 1 : 5),
      delivered: measuring(() => 0),
    });
    await clock.set(hour(5.5));
    // A full boiler, or a breaker that is off: on until the end of the window.
    expect(plan().result).toMatchObject({ demandHours: 1, unmetHours: 0.5 });
    expect(plan().idleSince).toEqual(hour(2));
    await clock.set(hour(6.1));
    expect(windows()).toEqual([[26, 27]]);
    expect(plan().idleSince).toBeUndefined();
  });

  it("has run for the hours of its programme although it does not draw its full power all the time", async () => {
    const { clock, plan } = await started({
      slots: [slotOf({ kind: "other", power_kw: 2, hours: 2, ...night, segment_consecutive: "required" })],
      price: (of) => [90, 20, 21, 80][of] ?? 90,
      delivered: measuring((of) => (of < 1.5 ? 1.9 : 0.15)),
    });
    await clock.set(hour(3.1));
    expect(plan().result).toMatchObject({ demandHours: 0 });
  });

  it("is not switched on again for a crumb", async () => {
    const { clock, plan } = await started({
      slots: [slotOf({ ...night, energy_kwh: 20 })],
      price: (of) => [90, 20, 21, 80][of] ?? 90,
      delivered: measuring(() => 9.9),
    });
    await clock.set(hour(2.5));
    expect(plan().result?.demandHours).toBeCloseTo(0, 6);
  });
});

describe("a device that nothing measures", () => {
  it("has done what its actuator confirmed", async () => {
    const { clock, plan } = await started({
      slots: [slotOf({ ...night, energy_kwh: 20 })],
      price: (of) => [90, 20, 21, 80, 50, 51][of] ?? 90,
      // The relay could not be reached in the first hour; then it answers a few seconds late.
      delivered: (_site, _slot, from) => ({ confirmedHours: from < hour(2) ? 0 : 0.245 }),
    });
    await clock.set(hour(3.1));
    expect(plan().result).toMatchObject({ demandHours: 1, demandEnergyKwh: 10 });
    expect(plan().idleSince).toBeUndefined();
  });

  it("has done what was planned without an actuator", async () => {
    const { clock, plan } = await started({
      slots: [slotOf({ ...night, energy_kwh: 20 })],
      price: (of) => [90, 20, 21, 80][of] ?? 90,
    });
    await clock.set(hour(2));
    expect(plan().result).toMatchObject({ demandHours: 1, demandEnergyKwh: 10 });
  });

  it("remembers the energy of a vehicle for its state of charge", async () => {
    const { clock, service, documents } = await started({
      slots: [slotOf({ kind: "wallbox", vehicle })],
      price: (of) => (of === 1 ? 20 : 90),
    });
    await clock.set(hour(3));
    const steps = service.assumedSteps("home", 1, hour(0), hour(3));
    expect(steps.reduce((sum, { kwh }) => sum + kwh, 0)).toBeCloseTo(18, 6);
    const again = await started({ slots: [slotOf({ vehicle })], documents, now: hour(3) });
    expect(again.service.assumedSteps("home", 1, hour(0), hour(3))).toEqual(steps);
    expect(again.service.assumedSteps("home", 1, hour(2), hour(3))).toEqual([]);
  });
});

describe("the stay of a vehicle", () => {
  // https://github.com/evcc-io/evcc/issues/10623
  it("has its own energy: a second car at the same wallbox is charged too", async () => {
    const { clock, plan, windows, service } = await started({
      slots: [slotOf({ ...night, energy_kwh: 10 })],
      price: (of) => ({ 21: 20, 26: 60 })[of] ?? 90,
      now: hour(20),
    });
    await service.sites.of("home").setPlugged(1, 1);
    await clock.set(hour(22.1));
    expect(plan().result?.demandHours).toBe(0);
    await service.sites.of("home").setPlugged(1, 0);
    await clock.set(hour(22.5));
    await service.sites.of("home").setPlugged(1, 1);
    expect(plan().result?.demandHours).toBe(1);
    expect(windows()).toEqual([[26, 27]]);
    await service.stop();
  });

  // https://github.com/fredli74/smartcharge-dev/issues/430
  it("goes on over a flicker of the plug, with what was done and the override, also over a restart", async () => {
    const { clock, plan, service, documents } = await started({
      slots: [slotOf({ ...night, energy_kwh: 20 })],
      price: (of) => ({ 21: 20, 26: 60 })[of] ?? 90,
      now: hour(19),
    });
    await service.sites.of("home").setPlugged(1, 0);
    await clock.set(hour(20.5));
    await service.sites.of("home").setPlugged(1, 1);
    expect(plan().stay).toEqual({ since: hour(20.5), leftAt: undefined });
    await clock.set(hour(22));
    expect(plan().result?.demandHours).toBe(1);
    await service.sites.of("home").override(1, { action: "skip", until: hour(24) });
    await service.sites.of("home").setPlugged(1, 0);
    await clock.advance(4 * MINUTE_MS);
    const again = await started({
      slots: [slotOf({ ...night, energy_kwh: 20 })],
      documents,
      now: clock.now(),
    });
    for (const one of [service, again.service]) {
      await one.sites.of("home").setPlugged(1, 1);
      const [now] = one.current("home");
      expect(now?.stay?.since).toEqual(hour(20.5));
      expect(now?.override?.action).toBe("skip");
      expect(now?.result?.demandHours).toBe(1);
    }
  });

  it("ends with its override, not with its window", async () => {
    const { clock, plan, service } = await started({
      slots: [slotOf({ ...night, energy_kwh: 10 })],
      price: (of) => (of === 21 ? 20 : 90),
      now: hour(20),
    });
    await service.sites.of("home").setPlugged(1, 1);
    await service.sites.of("home").override(1, { action: "run", until: hour(30) });
    await service.sites.of("home").setPlugged(1, 0);
    await clock.advance(5 * MINUTE_MS);
    expect(plan().override?.action).toBe("run");
    await clock.set(hour(20.25));
    expect(plan().override).toBeUndefined();
    // An override for the vehicle that is to come stays.
    await service.sites.of("home").override(1, { action: "run", until: hour(30) });
    await clock.set(hour(21));
    expect(plan().override?.action).toBe("run");
  });

  it("ends a demand by a deadline", async () => {
    const { clock, plan, service } = await started({
      slots: [slotOf({ ...night, energy_kwh: 10 })],
      now: hour(20),
    });
    await service.sites.of("home").setPlugged(1, 1);
    await service.sites.of("home").override(1, { action: "full", until: hour(30) });
    expect(plan().origin).toBe("request");
    await service.sites.of("home").setPlugged(1, 0);
    await clock.advance(20 * MINUTE_MS);
    expect([plan().origin, plan().override]).toEqual(["settings", undefined]);
  });

  // https://github.com/evcc-io/evcc/issues/15027
  it("that ended before the deadline of a demand leaves nothing due for the evening", async () => {
    const { clock, plan, service, charging } = await started({
      slots: [slotOf({ vehicle: { ...vehicle, departure: "07:00" } })],
      price: (of) => (of === 26 || of === 27 ? 1 : 50),
      now: hour(2),
      deviceState: () => ({ socPct: 40 }),
    });
    await service.sites.of("home").setPlugged(1, 1);
    await service.sites.of("home").override(1, { action: "full", until: hour(9) });
    await clock.set(hour(8.5));
    await service.sites.of("home").setPlugged(1, 0);
    await clock.set(hour(20));
    await service.sites.of("home").setPlugged(1, 1);
    expect([plan().origin, plan().override, charging()]).toEqual(["settings", undefined, 0]);
    // Planned for the next departure instead.
    expect(plan().result?.window.askedEnd).toEqual(hour(31));
  });

  // https://github.com/snaptec/openWB/issues/737: a vehicle that stays is not charged for every percent that it loses.
  it("that is longer than its window needs in the next one what is missing, no more", async () => {
    const setting = { slots: [slotOf({ ...night, energy_kwh: 20 })], now: hour(18) };
    const full = await started({ ...setting, delivered: measuring((of) => (of >= 20 && of < 22 ? 10 : 0)) });
    const half = await started({ ...setting, delivered: measuring((of) => (of >= 20 && of < 21 ? 10 : 0)) });
    for (const { service, clock } of [full, half]) {
      await service.sites.of("home").setPlugged(1, 0);
      await clock.advance(10 * MINUTE_MS);
      await service.sites.of("home").setPlugged(1, 1);
      await clock.set(hour(45));
    }
    expect(full.plan().result?.demandHours).toBe(0);
    expect(half.plan().result?.demandHours).toBe(1);
  });

  it("is not known before the plug was out: each window has its energy", async () => {
    const { clock, plan, service } = await started({
      slots: [slotOf({ ...night, energy_kwh: 20 })],
      now: hour(18),
    });
    await service.sites.of("home").setPlugged(1, 1);
    await clock.set(hour(43));
    expect(plan().result?.demandHours).toBe(2);
  });

  it("counts what a request needs for each vehicle", async () => {
    const { clock, plan, service } = await started({ slots: [slotOf({})], now: hour(20) });
    const request: FlexRequest = {
      gridMinutes: 15,
      window: { kind: "fixed", start: hour(20), end: hour(31) },
      energyKwh: 10,
    };
    await service.sites.of("home").request(1, request);
    await service.sites.of("home").setPlugged(1, 1);
    await clock.set(hour(30));
    expect(plan().result?.demandHours).toBe(0);
    await service.sites.of("home").setPlugged(1, 0);
    await clock.advance(6 * MINUTE_MS);
    await service.sites.of("home").setPlugged(1, 1);
    expect(plan().result?.demandHours).toBe(1);
  });

  it("is one of a wallbox: a boiler whose plug is used as a switch has its hours once", async () => {
    const { clock, plan, service } = await started({
      slots: [slotOf({ kind: "boiler", hours: 1, ...night })],
      price: (of) => (of === 21 ? 20 : 90),
      now: hour(20),
    });
    await clock.set(hour(22));
    await service.sites.of("home").setPlugged(1, 0);
    await clock.set(hour(23));
    await service.sites.of("home").setPlugged(1, 1);
    expect([plan().result?.demandHours, plan().stay]).toEqual([0, undefined]);
  });
});

describe("a vehicle below its least state of charge", () => {
  // https://github.com/evcc-io/evcc/issues/9667
  it("is charged at once in a home without battery and PV, the rest at the cheapest time", async () => {
    const { windows, charging, plan } = await started({
      slots: [slotOf({ power_kw: 12, vehicle })],
      price: (of) => (of === 26 ? 20 : 90 + (of % 24)),
      now: hour(18.1),
      deviceState: () => ({ socPct: 5 }),
    });
    // 15 kWh to 30 % are 1.25 hours, 18 kWh more to 60 % are 1.5 hours.
    expect(windows()).toEqual([
      [18, 19.25],
      [24, 24.5],
      [26, 27],
    ]);
    expect(charging()).toBe(1);
    expect(plan().result).toMatchObject({ demandHours: 2.75 });
  });

  it("is planned from its arrival on: while it is away, nothing is due at once", async () => {
    const { windows, service } = await started({
      slots: [slotOf({ power_kw: 12, vehicle })],
      price: (of) => (of >= 26 && of < 29 ? 20 : 90),
      now: hour(18.1),
      deviceState: () => ({ socPct: 5 }),
    });
    await service.sites.of("home").setPlugged(1, 0);
    expect(windows()).toEqual([[26, 28.75]]);
  });

  // https://github.com/evcc-io/evcc/issues/25612
  it("that does not leave at its departure is planned for the next one", async () => {
    const { clock, plan } = await started({
      slots: [slotOf({ power_kw: 12, vehicle })],
      price: (of) => of % 24,
      now: hour(6),
      deviceState: () => ({ socPct: 40 }),
    });
    await clock.set(hour(7.5));
    expect(plan().result?.window.askedEnd).toEqual(hour(31));
    expect(plan().result).toMatchObject({ demandHours: 1, unmetHours: 0 });
  });
});

it("does not charge a vehicle again whose state of charge goes up and down at its target", async () => {
  let socPct = 59;
  const { clock, plan, service } = await started({
    slots: [slotOf({ vehicle })],
    price: () => 50,
    deviceState: () => ({ socPct }),
  });
  const demands: number[] = [];
  for (const [index, soc] of [60, 59, 60, 58.4, 58].entries()) {
    socPct = soc;
    await clock.set(hour(0.25 * (index + 1)));
    demands.push(plan().result?.demandHours ?? 0);
  }
  // 2 points of 60 kWh are 1.2 kWh.
  expect(demands).toEqual([0, 0, 0, 0, 0.25]);
  await service.stop();
});
