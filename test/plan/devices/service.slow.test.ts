import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "../../../src/config/load.js";
import type { Site } from "../../../src/config/site.js";
import { SiteRuntimes } from "../../../src/config/site-runtimes.js";
import { createBus } from "../../../src/core/bus.js";
import { HOUR_MS, type Interval } from "../../../src/core/domain/interval.js";
import { silentLog } from "../../../src/core/log.js";
import type { ForecastHour, ForecastRun } from "../../../src/forecast/price/forecast.js";
import type { StoreDevice } from "../../../src/plan/devices/device.js";
import {
  type DevicePlan,
  type DevicePlanInput,
  planDevices,
} from "../../../src/plan/devices/plan-devices.js";
import { relaxedEnergies } from "../../../src/plan/devices/relaxation.js";
import { DeviceService } from "../../../src/plan/devices/service.js";
import type { DeviceState } from "../../../src/plan/windows/estimates.js";
import { FlexService } from "../../../src/plan/windows/service.js";
import { sgStateAt } from "../../../src/plan/windows/sg-ready.js";
import { memoryDocuments } from "../../api/fake-services.js";
import { eventually } from "../../support/eventually.js";
import { type Highs, loadHighs } from "../../support/highs.js";
import { manualClock } from "../../support/manual-clock.js";
import { planSources } from "../plan-sources.js";

const MIDNIGHT = new Date("2026-06-14T22:00:00Z");
const hour = (offset: number) => new Date(MIDNIGHT.getTime() + offset * HOUR_MS);

let highs: Highs;
beforeAll(async () => {
  highs = await loadHighs();
});

/** A site where nights are cheap and the sun shines from 9 to 17, with the devices planned as in the gateway. */
async function home(slots: string, { now = hour(8), state }: { now?: Date; state?: DeviceState } = {}) {
  const { settings } = parse(
    `plants: [{ id: home, timezone: Europe/Vienna, load: { daily_kwh: 5 }, tariff: { markup_ct_kwh: 0, feed_in: { type: fixed, ct_kwh: 5 } }, pv: [{ peak_kw: 10, tilt_deg: 30, azimuth_deg: 180 }], latitude: 48, longitude: 15, slots: [${slots}] }]`,
  );
  const site: Site = { id: "home", accountId: "a", plant: settings.plants[0]! };
  const clock = manualClock(now);
  const bus = createBus();
  const documents = memoryDocuments();
  const forecastHours = (count: number) => {
    const first = Math.floor((clock.now().getTime() - MIDNIGHT.getTime()) / HOUR_MS);
    return Array.from({ length: Math.min(count, 72) }, (_, index): ForecastHour => {
      const of = (first + index) % 24;
      const p50 = of < 5 ? 120 : 250;
      return { start: hour(first + index), p10: p50, p50, p90: p50, source: "day_ahead" };
    });
  };
  const estimator = { state: () => state };
  const sites = new SiteRuntimes(bus, [site]);
  const sources = planSources(forecastHours, {
    freshness: { staleMinutes: 10, lostMinutes: 60 },
    tariff: () => ({ importCtKwh: (spot) => spot, exportCtKwh: () => 5 }),
    pv: {
      nodes: () => undefined,
      energy: (_, steps: readonly Interval[]) =>
        steps.map(({ start, end }) => {
          const of = ((start.getTime() - MIDNIGHT.getTime()) / HOUR_MS) % 24;
          return of >= 9 && of < 17 ? (5 * (end.getTime() - start.getTime())) / HOUR_MS : 0;
        }),
    },
  });
  const flex = new FlexService({
    clock,
    bus,
    sites,
    ...sources,
    breakPenaltyCtKwh: 1,
    estimator,
    deliveries: { of: () => undefined },
    switches: { startBudget: () => undefined, takenKw: (_site, _slot, askedKw) => askedKw },
    documents,
    log: silentLog,
  });
  await flex.start();
  const byPrice = flex.current("home");
  const inputs: DevicePlanInput[] = [];
  const answers: DevicePlan[] = [];
  const devices = new DeviceService({
    clock,
    bus,
    sites,
    ...sources,
    flex,
    estimator,
    optimizer: {
      prepareDevices() {},
      planDevices: (input) => {
        inputs.push(input);
        const start = relaxedEnergies(highs, input)!;
        answers.push(planDevices({ ...input, start }));
        return Promise.resolve(answers.at(-1)!);
      },
    },
    log: silentLog,
  });
  devices.start();
  await devices.settled();
  const plan = (slot = 1) => flex.current("home").find((each) => each.slot === slot)!;
  const hoursOf = (slots: readonly { start: Date }[]) => [
    ...new Set(slots.map(({ start }) => Math.floor((start.getTime() - MIDNIGHT.getTime()) / HOUR_MS))),
  ];
  return { bus, flex, devices, byPrice, plan, hoursOf, clock, plans: () => inputs.length, inputs, answers };
}

describe("devices planned by what they cost the site", () => {
  it("have a vehicle charged that leaves within the only cheap hour", async () => {
    const { plan, hoursOf } = await home(
      '{ slot: 1, kind: wallbox, power_kw: 11, vehicle: { capacity_kwh: 50, target_soc_pct: 60, departure: "00:40", efficiency_pct: 100 } }',
      { now: hour(22), state: { socPct: 50 } },
    );
    // 5 kWh in 40 minutes at up to 11 kW.
    expect(hoursOf(plan().result!.slots)).toEqual([24]);
    expect(plan().result!.unmetHours).toBe(0);
    expect(plan().result!.slots.reduce((sum, { energyKwh }) => sum + energyKwh!, 0)).toBeCloseTo(5, 6);
  });

  it("run in the sun instead of the cheap night, on every day of the horizon", async () => {
    const { plan, hoursOf, byPrice, plans } = await home(
      "{ slot: 1, kind: other, power_kw: 3, hours: 2, segment_consecutive: required }",
      { now: hour(0) },
    );
    expect(hoursOf(byPrice[0]!.result!.slots).every((at) => at < 5)).toBe(true);
    const { result, later } = plan();
    expect(later.length).toBe(2);
    for (const [day, { slots }] of [result!, ...later].entries()) {
      const hours = hoursOf(slots).map((at) => at - 24 * day);
      expect(hours.length).toBeGreaterThan(0);
      expect(hours.every((at) => at >= 9 && at < 17)).toBe(true);
    }
    // The new schedules ask for no other plan.
    expect(plans()).toBe(1);
  });

  it("are said to be planned once they are, and are being planned before that", async () => {
    const { bus, devices, clock } = await home("{ slot: 1, kind: other, power_kw: 3, hours: 2 }");
    const states: boolean[] = [];
    bus.on("slots.updated", () => states.push(devices.isPlanning("home")));
    bus.on("devices.planned", ({ siteId }) => states.push(devices.isPlanning(siteId)));
    await clock.advance(HOUR_MS);
    await eventually(() => expect(states.at(-1)).toBe(false));
    expect(devices.isPlanning("elsewhere")).toBe(false);
  });

  it("give a heat pump with SG Ready the surplus as cheap hours", async () => {
    const { plan } = await home(
      "{ slot: 1, kind: heat_pump, power_kw: 2, sg_ready: { dwell_min: 15, force: true } }",
      { now: hour(0) },
    );
    // 5 kW of sun less the load cover its power; by price only the night is cheap.
    expect(sgStateAt(plan().sgReady, hour(12))).toBe("force");
    expect(sgStateAt(plan().sgReady, hour(2))).not.toBe("force");
    expect(sgStateAt(plan().sgReady, hour(20))).toBe("normal");
  });

  it("know what an override does: no energy while a vehicle is skipped, and full power while it runs", async () => {
    const { plan, flex, devices, plans, inputs, answers } = await home(
      '{ slot: 1, kind: wallbox, vehicle: { capacity_kwh: 60, target_soc_pct: 80, departure: "07:00", phases: 1, max_power_kw: 11, efficiency_pct: 100 } }',
      { state: { socPct: 50 } },
    );
    await flex.sites.of("home").override(1, { action: "skip", until: hour(14) });
    await devices.settled();
    await eventually(() => expect(plans()).toBe(2));
    await devices.settled();
    const skipped = inputs.at(-1)!.devices[0] as StoreDevice;
    expect(skipped.store.stages.slice(0, 7).map(({ available }) => available)).toEqual([
      ...Array.from({ length: 6 }, () => false),
      true,
    ]);
    // The 18 kWh are planned for the rest of the day and the night, not lost.
    const slots = plan().result!.slots;
    expect(slots.every(({ start }) => start >= hour(14))).toBe(true);
    expect(slots.reduce((sum, { energyKwh }) => sum + energyKwh!, 0)).toBeCloseTo(18, 1);

    await flex.sites.of("home").override(1, { action: "run", until: hour(9) });
    await eventually(() => expect(plans()).toBe(3));
    await devices.settled();
    const { store } = inputs.at(-1)!.devices[0] as StoreDevice;
    expect(store.maxKwh).toBe(60);
    expect(store.stages[0]!.leastKwh).toBe(60);
    expect(answers.at(-1)!.kwh[0]![0]).toBeCloseTo(11, 6);
  });

  it("keep to the price where the settings say so", async () => {
    const { plan, byPrice, plans } = await home(
      "{ slot: 1, kind: other, power_kw: 3, hours: 2, optimise: price }",
      { now: hour(0) },
    );
    expect(plan().result!.slots).toEqual(byPrice[0]!.result!.slots);
    expect(plans()).toBe(0);
  });

  it("charge a vehicle from PV surplus at the power that is left, and the rest at night before it leaves", async () => {
    const { plan } = await home(
      '{ slot: 1, kind: wallbox, vehicle: { capacity_kwh: 60, target_soc_pct: 80, departure: "07:00", phases: 1, max_power_kw: 11, efficiency_pct: 100 } }',
      { state: { socPct: 20 } },
    );
    const { result } = plan();
    const energy = result!.slots.reduce((sum, { energyKwh }) => sum + energyKwh!, 0);
    expect(energy).toBeCloseTo(36, 1);
    const inSun = result!.slots.filter(({ start }) => start < hour(17));
    // 5 kW of sun less the load of the home for eight hours.
    const sunKwh = inSun.reduce((sum, { energyKwh }) => sum + energyKwh!, 0);
    expect(sunKwh).toBeGreaterThan(33);
    expect(Math.max(...inSun.map(({ energyKwh }) => energyKwh! * 4))).toBeLessThan(7);
    for (const { start } of result!.slots.filter(({ start: at }) => at >= hour(17)))
      expect(start >= hour(24) && start < hour(29)).toBe(true);
    expect(result!.unmetHours).toBe(0);
  });

  it("charge a vehicle with `surplus: only` from surplus alone above its least state of charge", async () => {
    const { plan, hoursOf } = await home(
      '{ slot: 1, kind: wallbox, vehicle: { capacity_kwh: 100, min_soc_pct: 20, target_soc_pct: 80, departure: "07:00", phases: 1, max_power_kw: 11, efficiency_pct: 100, surplus: only } }',
      { state: { socPct: 18 } },
    );
    const { result } = plan();
    expect(hoursOf(result!.slots).every((at) => at >= 8 && at < 17)).toBe(true);
    const atOnce = result!.slots.filter(({ start }) => start < hour(9));
    const sunny = result!.slots.filter(({ start }) => start >= hour(9));
    // 2 kWh up to the least state of charge, before the sun shines.
    expect(atOnce.reduce((sum, { energyKwh }) => sum + energyKwh!, 0)).toBeCloseTo(2, 1);
    expect(atOnce.some(({ fromSurplus }) => fromSurplus)).toBe(false);
    expect(sunny.length).toBeGreaterThan(20);
    expect(sunny.every(({ setPointKw, fromSurplus }) => fromSurplus && setPointKw! < 5.01)).toBe(true);
    // What the sun covers of each quarter-hour is known: nothing in the night, all of it later.
    expect(atOnce.every(({ surplusKwh }) => surplusKwh === 0)).toBe(true);
    for (const { energyKwh, surplusKwh } of sunny) expect(surplusKwh).toBeCloseTo(energyKwh!, 3);
    // 62 kWh are wanted; the sun gives less than 40 of them.
    expect(result!.unmetHours).toBeGreaterThan(1.8);
  });

  it("charge up to the least state of charge at once", async () => {
    const { plan } = await home(
      '{ slot: 1, kind: wallbox, vehicle: { capacity_kwh: 60, min_soc_pct: 30, target_soc_pct: 60, departure: "07:00", max_power_kw: 11, efficiency_pct: 100 } }',
      { now: hour(18), state: { socPct: 10 } },
    );
    const first = plan().result!.slots.filter(({ start }) => start < hour(20));
    expect(first.reduce((sum, { energyKwh }) => sum + energyKwh!, 0)).toBeGreaterThan(11.9);
  });

  it("heat a tank before it falls below its least temperature", async () => {
    const { plan, hoursOf } = await home(
      "{ slot: 1, kind: boiler, power_kw: 3, hours: 2, store: { litres: 200, min_c: 45, max_c: 65, daily_kwh: 6 } }",
      { now: hour(8), state: { temperatureC: 50 } },
    );
    const hours = hoursOf(plan().result!.slots);
    expect(hours.length).toBeGreaterThan(0);
    expect(hours.every((at) => at >= 9 && at < 17)).toBe(true);
  });

  it("try an override of a vehicle with a plan of its own, which is the plan once it is set", async () => {
    // From 17 o'clock on there is no sun; the night costs 12 ct, the rest 25 ct.
    const { bus, plan, plans, flex, devices, hoursOf } = await home(
      "{ slot: 1, kind: wallbox, power_kw: 11, vehicle: { capacity_kwh: 40 } }",
      { now: hour(17), state: { socPct: 50 } },
    );
    const request = { action: "target", targetSocPct: 100, until: hour(30) } as const;
    const { cost, plan: tried } = await devices.tryOverride("home", 1, request);
    const asked = plans();
    // The slider is moved away and back: the same answer without another joint plan.
    expect((await devices.tryOverride("home", 1, request)).cost).toEqual(cost);
    expect(plans()).toBe(asked);
    // 50 % of 40 kWh at an efficiency of 90 %.
    const kwh = 20 / 0.9;
    expect(cost?.override.energyKwh).toBeCloseTo(kwh, 6);
    expect(cost?.override.costEur).toBeCloseTo(kwh * 0.12, 6);
    expect(cost?.plan.energyKwh).toBeCloseTo(12 / 0.9, 6);
    expect(cost?.atOnce?.costEur).toBeCloseTo(kwh * 0.25, 6);
    expect(plan().override).toBeUndefined();
    await flex.sites.of("home").override(1, request);
    // As it was shown, from the first moment on.
    expect(plan().result?.slots).toEqual(tried.result?.slots);
    expect(plans()).toBe(asked);
    const { result } = plan();
    expect(result?.slots.reduce((sum, { energyKwh = 0 }) => sum + energyKwh, 0)).toBeCloseTo(kwh, 6);
    expect(hoursOf(result!.slots).every((at) => at >= 24 && at < 29)).toBe(true);
    // What was tried is of the forecast of that time.
    bus.emit("forecast.updated", {} as ForecastRun);
    await eventually(() => expect(plans()).toBe(asked + 1));
  });

  it("charge a vehicle from the sun only by an override, but for its least state of charge", async () => {
    const { plan, devices, hoursOf } = await home(
      "{ slot: 1, kind: wallbox, power_kw: 11, vehicle: { capacity_kwh: 40, surplus: ignore } }",
      { now: hour(17), state: { socPct: 50 } },
    );
    expect(hoursOf(plan().result!.slots).every((at) => at >= 24 && at < 29)).toBe(true);
    const sun = await devices.tryOverride("home", 1, { action: "surplus" });
    expect(sun.cost?.override).toEqual({ energyKwh: 0, costEur: 0 });
    expect(sun.plan).toMatchObject({
      override: { action: "surplus", until: hour(31) },
      settings: { vehicle: { surplus: "only" } },
      result: { slots: [] },
    });
    const least = await devices.tryOverride("home", 1, { action: "surplus", minSocPct: 60 });
    const { slots } = least.plan.result!;
    // 4 kWh in the vehicle, at once.
    expect(slots.reduce((sum, { energyKwh = 0 }) => sum + energyKwh, 0)).toBeCloseTo(4 / 0.9, 6);
    expect(hoursOf(slots)).toEqual([17]);
  });
});
