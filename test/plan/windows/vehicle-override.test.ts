import { describe, expect, it } from "vitest";
import type { SlotSettings, VehicleSettings } from "../../../src/config/settings.js";
import type { DeviceState } from "../../../src/plan/windows/estimates.js";
import type { OverrideRequest } from "../../../src/plan/windows/override.js";
import { FlexInputError } from "../../../src/plan/windows/request.js";
import { departuresOf } from "../../../src/plan/windows/vehicle.js";
import { hour, slotOf, startedFlex } from "./started-flex.js";

/** 40 kWh, of which a kWh at the wallbox stores all: 10 % are 4 kWh, or 24 minutes at 10 kW. */
const VEHICLE: VehicleSettings = {
  capacity_kwh: 40,
  min_soc_pct: 20,
  target_soc_pct: 80,
  departure: "07:00",
  min_power_kw: null,
  max_power_kw: 10,
  phases: 3,
  efficiency_pct: 100,
  surplus: "prefer",
};
const CAR = slotOf({ kind: "wallbox", vehicle: VEHICLE, min_run_minutes: 15 });

/** A car at 50 %; the price falls by 1 ct an hour from 24 ct at midnight. */
const atHome = (
  more: { slots?: SlotSettings[]; state?: DeviceState } & Omit<
    Parameters<typeof startedFlex>[0],
    "slots" | "deviceState"
  > = {},
) => {
  const { slots = [CAR], state = { socPct: 50 }, ...rest } = more;
  return startedFlex({ slots, price: (of) => 24 - (of % 24), deviceState: () => state, ...rest });
};

it("run: no more energy is expected than fits into the vehicle", async () => {
  const { service, plan } = await atHome();
  // From 50 % to full: 10 kWh each at 24 and 23 ct, of the 60 kWh that the wallbox gives in six hours.
  const request: OverrideRequest = { action: "run", until: hour(6) };
  const { cost } = service.sites.of("home").tryOverride(1, request);
  expect(cost?.override).toEqual({ energyKwh: 20, costEur: expect.closeTo(4.7, 9) });
  await service.sites.of("home").override(1, request);
  // It stays on, and has what its departure needs.
  expect(plan().result?.windows).toMatchObject([{ start: hour(0), end: hour(6), energyKwh: 20 }]);
  await service.stop();
});

it("run: at the power that the import limit leaves, but no less than the vehicle takes", async () => {
  const { service, plan } = await atHome({ slots: [{ ...CAR, optimise: "cost" }] });
  const home = service.sites.of("home");
  const steps = [0, 1, 2].map((h) => ({ start: hour(h), end: hour(h + 1) }));
  home.setCosts(new Map([[1, { steps, ctKwh: [9, 9, 9], roomKwh: [5.5, 2, 20] }]]));
  await home.override(1, { action: "run", until: hour(3) });
  const { slots = [], powerKw } = plan().result ?? {};
  const powers = [0.5, 1.5, 2.5].map((of) => slots.find(({ end }) => end > hour(of))?.setPointKw ?? powerKw);
  // 6 A on three phases are 4.14 kW.
  expect(powers).toEqual([5.5, 4.14, 10]);
  await service.stop();
});

describe("target: the vehicle at a state of charge by a departure", () => {
  it("changes the demand, its price and its end; the settings apply again after it", async () => {
    const { service, clock, plan, windows } = await atHome();
    // 30 % are 12 kWh: the cheapest hour, and a quarter-hour of the one before.
    expect(windows()).toEqual([
      [5, 5.25],
      [6, 7],
    ]);
    await service.sites.of("home").override(1, { action: "target", targetSocPct: 100, until: hour(6) });
    // 20 kWh in the last two hours before 6.
    expect(windows()).toEqual([[4, 6]]);
    expect(plan()).toMatchObject({
      origin: "settings",
      override: { action: "target", until: hour(6), targetSocPct: 100 },
      settings: { vehicle: { target_soc_pct: 100 } },
      usual: { vehicle: { target_soc_pct: 80 } },
      result: { demandEnergyKwh: 20 },
    });
    expect(service.sites.of("home").settings(1)?.vehicle?.target_soc_pct).toBe(80);
    await clock.set(hour(6));
    expect(plan()).toMatchObject({ override: undefined, result: { demandEnergyKwh: 12 } });
    await service.stop();
  });

  it("costs what its plan costs, beside charging now", async () => {
    const { service } = await atHome();
    const { cost } = service.sites
      .of("home")
      .tryOverride(1, { action: "target", targetSocPct: 100, until: hour(6) });
    // 10 kWh each at 20 and 19 ct; the plan: 2 kWh at 19 ct and 10 kWh at 18 ct; now: 10 kWh each at 24 and 23 ct.
    expect(cost).toEqual({
      override: { energyKwh: 20, costEur: expect.closeTo(3.9, 9) },
      plan: { energyKwh: 12, costEur: expect.closeTo(2.18, 9) },
      atOnce: { energyKwh: 20, costEur: expect.closeTo(4.7, 9) },
    });
    await service.stop();
  });

  it("charges the least state of charge at once, whatever it costs", async () => {
    const { service, windows } = await atHome();
    // 10 % at once are 4 kWh, so two quarter-hours; the other 8 kWh in the cheapest hour.
    await service.sites.of("home").override(1, { action: "target", minSocPct: 60 });
    expect(windows()).toEqual([
      [0, 0.5],
      [6, 6.75],
    ]);
    await service.stop();
  });

  it("reaches its target with import although the settings take surplus only", async () => {
    const { service, plan } = await atHome({
      slots: [{ ...CAR, vehicle: { ...VEHICLE, surplus: "only" } }],
    });
    await service.sites.of("home").override(1, { action: "target", targetSocPct: 90 });
    expect(plan().settings.vehicle).toMatchObject({ surplus: "prefer", target_soc_pct: 90 });
    expect(plan().override?.until).toEqual(hour(7));
    await service.stop();
  });

  it("replaces the usual departures until the end of its day", () => {
    const until = hour(72);
    const times = (leavesAt?: Date) =>
      departuresOf(VEHICLE, { now: hour(1), until, zone: "Europe/Vienna", leavesAt });
    expect(times()).toEqual([hour(7), hour(31), hour(55)]);
    expect(times(hour(6))).toEqual([hour(6), hour(31), hour(55)]);
    expect(times(hour(33))).toEqual([hour(33), hour(55)]);
  });

  it("survives a restart, and ends with the stay of the vehicle", async () => {
    const first = await atHome();
    await first.service.sites.of("home").setPlugged(1, 1);
    await first.service.sites.of("home").override(1, { action: "target", targetSocPct: 100 });
    await first.service.stop();
    const again = await atHome({ documents: first.documents, now: hour(1) });
    expect(again.plan()).toMatchObject({ override: { targetSocPct: 100 }, result: { demandEnergyKwh: 20 } });
    await again.service.sites.of("home").setPlugged(1, 0);
    await again.clock.set(hour(1.25));
    expect(again.plan().override).toBeUndefined();
    await again.service.stop();
  });
});

describe("guest: energy for another vehicle", () => {
  it("gets its energy by its time, without the vehicle of the settings", async () => {
    const { service, clock, plan, windows } = await atHome();
    await service.sites.of("home").override(1, { action: "guest", energyKwh: 15, until: hour(4) });
    expect(windows()).toEqual([[2.5, 4]]);
    expect(plan()).toMatchObject({
      origin: "request",
      override: { action: "guest", energyKwh: 15 },
      settings: { vehicle: null, power_kw: 10 },
      result: { demandEnergyKwh: 15 },
    });
    expect(plan().socPct).toBeUndefined();
    await clock.set(hour(4));
    expect(plan()).toMatchObject({
      origin: "settings",
      override: undefined,
      settings: { vehicle: VEHICLE },
      result: { demandEnergyKwh: 12 },
    });
    await service.stop();
  });

  it("ends when the vehicle is unplugged, and is replaced by another override", async () => {
    const { service, clock, plan } = await atHome();
    await service.sites.of("home").setPlugged(1, 1);
    await service.sites.of("home").override(1, { action: "guest", energyKwh: 15, until: hour(12) });
    await service.sites.of("home").setPlugged(1, 0);
    await clock.set(hour(0.25));
    expect(plan()).toMatchObject({ origin: "settings", override: undefined, settings: { vehicle: VEHICLE } });
    await service.sites.of("home").setPlugged(1, 1);
    await service.sites.of("home").override(1, { action: "guest", energyKwh: 15, until: hour(12) });
    await service.sites.of("home").override(1, { action: "target", targetSocPct: 100 });
    expect(plan()).toMatchObject({ origin: "settings", result: { demandEnergyKwh: 20 } });
    await service.sites.of("home").override(1, { action: "auto" });
    expect(plan()).toMatchObject({ settings: { vehicle: VEHICLE }, result: { demandEnergyKwh: 12 } });
    await service.stop();
  });
});

describe("overrides of a vehicle", () => {
  it("are refused where they do not fit, and then change nothing", async () => {
    const slots = [CAR, slotOf({ slot: 2, kind: "boiler", hours: 1 }), slotOf({ slot: 3, power_kw: null })];
    const { service, plan } = await atHome({ slots });
    await service.sites.of("home").override(1, { action: "target", targetSocPct: 90 });
    const refused: [number, OverrideRequest, string, RegExp][] = [
      [2, { action: "target", targetSocPct: 90 }, "override", /no vehicle/],
      [1, { action: "surplus" }, "override", /no PV/],
      [2, { action: "guest", energyKwh: 5 }, "override", /no wallbox/],
      [3, { action: "guest", energyKwh: 5 }, "override", /power of slot 3/],
      [1, { action: "guest" }, "energy_kwh", /above 0/],
      [1, { action: "guest", energyKwh: 5, until: hour(0) }, "until", /in the future/],
      [1, { action: "run", targetSocPct: 50 }, "target_soc_pct", /target only/],
      [1, { action: "run", minSocPct: 50 }, "min_soc_pct", /target and surplus only/],
      [1, { action: "target", targetSocPct: 50, minSocPct: 60 }, "min_soc_pct", /at most 50/],
    ];
    for (const [slot, request, field, reason] of refused) {
      const error = await service.sites
        .of("home")
        .override(slot, request)
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(FlexInputError);
      expect([(error as FlexInputError).field, (error as Error).message]).toEqual([
        field,
        expect.stringMatching(reason),
      ]);
    }
    expect(plan()).toMatchObject({ override: { action: "target" }, result: { demandEnergyKwh: 16 } });
    await service.stop();
  });

  it("need a known state of charge for a least one", async () => {
    const { service } = await atHome({ state: {} });
    await expect(service.sites.of("home").override(1, { action: "target", minSocPct: 30 })).rejects.toThrow(
      /not known/,
    );
    await service.stop();
  });
});
