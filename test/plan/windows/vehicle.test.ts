import { describe, expect, it } from "vitest";
import { VIENNA } from "../../../src/core/time/zone.js";
import { deviceOf } from "../../../src/plan/devices/site-devices.js";
import { flexLoadKwh } from "../../../src/plan/windows/load.js";
import { nextReturn } from "../../../src/plan/windows/vehicle.js";
import { hour, slotOf, startedFlex } from "./started-flex.js";

const vehicle = {
  capacity_kwh: 60,
  min_soc_pct: 20,
  target_soc_pct: 80,
  departure: "07:00",
  min_power_kw: null,
  max_power_kw: null,
  phases: 1,
  efficiency_pct: 100,
  surplus: "ignore",
} as const;
const commuter = slotOf({
  kind: "wallbox",
  energy_kwh: 9,
  window_start_hour: 18,
  window_end_hour: 7,
  vehicle,
});

describe("a vehicle that is away", () => {
  it("is expected at its usual hour, now where it is late, and on the next day after three hours", () => {
    expect(nextReturn(commuter, hour(12), VIENNA)).toEqual(hour(18));
    expect(nextReturn(commuter, hour(20), VIENNA)).toEqual(hour(20));
    expect(nextReturn(commuter, hour(21), VIENNA)).toEqual(hour(42));
    expect(nextReturn({ ...commuter, energy_kwh: null }, hour(12), VIENNA)).toBeUndefined();
    expect(nextReturn({ ...commuter, vehicle: null }, hour(12), VIENNA)).toEqual(hour(18));
    const anytime = { ...commuter, vehicle: null, window_start_hour: null, window_end_hour: null };
    expect(nextReturn(anytime, hour(12), VIENNA)).toBeUndefined();
  });

  it("that nobody knows when to expect is planned as if it came now, as by a request", async () => {
    const { plan, service } = await startedFlex({
      slots: [{ ...commuter, energy_kwh: null }],
      deviceState: () => ({ socPct: 50 }),
    });
    await service.sites.of("home").setPlugged(1, 0);
    const steps = Array.from({ length: 48 }, (_, h) => ({ start: hour(h), end: hour(h + 1) }));
    // The joint plan has no energy for what is not there.
    const costs = { steps, ctKwh: steps.map((_, h) => h % 24), kwh: steps.map(() => 0) };
    service.sites.of("home").setCosts(new Map([[1, costs]]));
    // 18 kWh at 10 kW, in the first and cheapest hours of the night.
    expect(plan().result).toMatchObject({ demandEnergyKwh: 18, unmetHours: 0 });
    expect(plan().result?.windows).toMatchObject([{ start: hour(0), hours: 2 }]);
    expect(flexLoadKwh([plan()], [{ start: hour(0), end: hour(7) }])).toEqual([0]);
  });

  it("has tonight's charge in the plan, from its return on, and charges nothing before", async () => {
    const { clock, plan, service } = await startedFlex({
      slots: [commuter],
      price: () => 100,
      deviceState: () => ({ socPct: 80 }),
    });
    await clock.set(hour(12));
    await service.sites.of("home").setPlugged(1, 0);
    const away = plan();
    expect(away.returnsAt).toEqual(hour(18));
    expect(away.result?.demandEnergyKwh).toBeGreaterThan(8.9);
    const [afternoon, night] = [
      { start: hour(12), end: hour(18) },
      { start: hour(18), end: hour(31) },
    ];
    expect(flexLoadKwh([away], [afternoon, night])).toEqual([0, 9]);
    const steps = Array.from({ length: 48 }, (_, h) => ({ start: hour(12 + h), end: hour(13 + h) }));
    const device = deviceOf(away, {
      now: hour(12),
      zone: VIENNA,
      steps,
      importCtKwh: steps.map(() => 20),
      surplusKwh: steps.map(() => 0),
      state: { socPct: 80 },
    });
    if (device?.kind !== "store") throw new Error("a vehicle is a store");
    // Home from 18:00 to 07:00, and again from 18:00 on.
    const home = device.store.stages.map(({ available }) => available);
    expect(home.indexOf(true)).toBe(6);
    expect(home.slice(6, 19).every(Boolean)).toBe(true);
    expect(home.slice(19, 30).some(Boolean)).toBe(false);
    expect(home[30]).toBe(true);
    // 80 % of 60 kWh less the usual trip.
    expect(device.store.storedKwh).toBeCloseTo(39, 9);
    await service.stop();
  });
});
