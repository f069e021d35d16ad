import { describe, expect, it, vi } from "vitest";
import { defaultSettings } from "../../src/config/load.js";
import { HOUR_MS } from "../../src/core/domain/interval.js";
import { PlanInputError } from "../../src/plan/overrides.js";
import type { SitePlan } from "../../src/plan/site-plan.js";
import { eventually } from "../support/eventually.js";
import { manualClock } from "../support/manual-clock.js";
import { pass, START, startService } from "./plan-service.js";

describe("PlanService", () => {
  it("has no plan and names the missing field until a SOC is known", async () => {
    const { service, plans } = await startService();
    expect(service.current("home")).toBeUndefined();
    expect(() => service.decide("home", {})).toThrow(PlanInputError);
    expect(() => service.decide("home", {})).toThrow(/battery\.soc_pct/);
    expect(plans).toEqual([]);
    expect(service.decide("home", { socPct: 50 }).days[0]!.socStartPct).toBe(50);
    expect(service.present("home")).toEqual({ currentPriceCtKwh: 5, currentQuartile: 1 });
  });

  it("plans on a reading, and answers with the published plan", async () => {
    const { service, plans, report } = await startService();
    const plan = report("soc_pct", 20);
    expect(plan.days[0]!.socStartPct).toBe(20);
    expect(plan.material).toBe(true);
    expect(plans.at(-1)).toBe(plan);
    expect(service.current("home")).toBe(plan);
    expect(report("soc_pct", 30).days[0]!.socStartPct).toBe(30);
    expect(service.current("home")).toBe(plans.at(-1));
  });

  it("reports one material plan for a change of prices, when the devices are planned too", async () => {
    let shiftHours = 0;
    let isPlanning = false;
    const { bus, plans, report, service } = await startService({
      // Cheap from 01:00 on for five hours, or later.
      priceOf: (start) => ((start.getTime() - START.getTime()) / HOUR_MS - shiftHours < 5 ? 50 : 300),
      devices: { isPlanning: () => isPlanning },
    });
    report("soc_pct", 20);
    const change = (hours: number) => {
      shiftHours = hours;
      bus.emit("forecast.updated", {} as never);
      service.settle("home");
    };
    const materials = () => plans.splice(0).filter(({ material }) => material).length;
    expect(materials()).toBe(1);
    isPlanning = true;
    change(-4);
    expect(materials()).toBe(0);
    isPlanning = false;
    bus.emit("devices.planned", { siteId: "home" });
    await eventually(() => expect(materials()).toBe(1));
    // A change that the plan of the devices takes back is none.
    isPlanning = true;
    change(0);
    change(-4);
    isPlanning = false;
    bus.emit("devices.planned", { siteId: "home" });
    service.settle("home");
    expect(materials()).toBe(0);
  });

  it("plans one site per event loop turn, and a requested site at once", async () => {
    // No turn is long, so that none is followed by a rest.
    vi.spyOn(performance, "now").mockReturnValue(0);
    const { bus, plans, service, report } = await startService({ ids: ["home", "b", "c", "d"] });
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    // Without the plans that follow when loads have been sampled.
    const planned = () =>
      plans.splice(0).flatMap(({ siteId, solver }) => (solver.objectiveEur === 0 ? siteId : []));
    for (let waits = 0; waits < 5; waits++) await turn();
    report("soc_pct", 20);
    await turn();
    expect(planned()).toEqual(["home"]);
    for (const siteId of ["b", "c", "d"]) bus.emit("slots.updated", { siteId });
    expect(planned()).toEqual(["b"]);
    expect(service.decide("d", {}).siteId).toBe("d");
    expect(planned()).toEqual([]);
    service.settle("d");
    expect(planned()).toEqual(["d"]);
    // After a rest, in which answers and publications proceed.
    await eventually(() => expect(planned()).toEqual(["c"]));
    await turn();
    expect(planned()).toEqual([]);
  });

  it("publishes that the battery does not follow, with event and component, and that it follows again", async () => {
    const { bus, clock, service, reports, report } = await startService();
    const events: string[] = [];
    bus.on("following.changed", ({ state, cause }) => events.push(`${state} ${cause}`));
    report("soc_pct", 20);
    expect(service.current("home")!.scalars).toMatchObject({ following: "unknown", chargeNow: 1 });
    await pass(clock, 6);
    report("battery_power_kw", 0);
    await pass(clock, 3);
    expect(events).toEqual(["no not_charging"]);
    expect(service.current("home")!.scalars).toMatchObject({
      following: "no",
      followingCause: "not_charging",
    });
    expect(reports.at(-1)).toEqual(["battery home", "degraded"]);
    report("battery_power_kw", service.current("home")!.command.chargePowerKw);
    expect(events).toEqual(["no not_charging", "yes none"]);
    expect(service.current("home")!.scalars.following).toBe("yes");
    expect(reports.at(-1)).toEqual(["battery home", "ok"]);
  });

  it.each(["external", "offline", "declined"] as const)(
    "says at once that a battery whose actuator is %s does not follow",
    async (obstacle) => {
      const { bus, clock, service, reports, report } = await startService();
      const events: string[] = [];
      bus.on("following.changed", ({ state, cause }) => events.push(`${state} ${cause}`));
      report("soc_pct", 20);
      const { chargePowerKw } = service.current("home")!.command;
      await pass(clock, 6);
      report("battery_power_kw", chargePowerKw);
      expect(events).toEqual(["yes none"]);
      const of = { siteId: "home", id: "battery", controls: "battery" };
      bus.emit("actuator.changed", { ...of, obstacle });
      // Before any time has passed, although the measured power still fits.
      expect(service.current("home")!.scalars).toMatchObject({
        following: "no",
        followingCause: obstacle,
        followingSince: clock.now(),
      });
      expect(reports.at(-1)).toEqual(["battery home", "degraded"]);
      bus.emit("actuator.changed", { ...of, obstacle: undefined });
      report("battery_power_kw", chargePowerKw);
      expect(events.slice(0, 2)).toEqual(["yes none", `no ${obstacle}`]);
      expect(service.current("home")!.scalars.following).toBe("yes");
    },
  );

  it("answers a request about another battery with its optimum, without hysteresis", async () => {
    const { service, report } = await startService();
    report("soc_pct", 20);
    const request = { socPct: 60, capacityKwh: 200, loadDailyKwh: 1 };
    const { solver } = service.decide("home", request);
    const unplanned = (await startService()).service.decide("home", request);
    expect(solver.objectiveEur).toBeCloseTo(unplanned.solver.objectiveEur, 9);
  });

  it("advances only the countdown between two plans", async () => {
    const { clock, service, report } = await startService();
    const plan = report("soc_pct", 100);
    expect(plan.scalars.minutesToChargeStart).toBeGreaterThan(60);
    await pass(clock, 3);
    const later = service.current("home")!;
    expect(later.scalars.minutesToChargeStart).toBe(plan.scalars.minutesToChargeStart - 3);
    expect(later.scalars.socAgeMinutes).toBe(3);
    expect(later.chargeHours).toBe(plan.chargeHours);
    expect(later.material).toBe(false);
  });

  it("carries a stale SOC forward, then applies the fail-safe, and recovers with a reading", async () => {
    const { clock, service, report } = await startService();
    const plan = report("soc_pct", 20);
    expect(plan.scalars.chargeNow).toBe(1);
    await pass(clock, 60);
    const carried = service.decide("home", {});
    expect(carried.scalars).toMatchObject({ socAgeMinutes: 60, socStale: true });
    // After an hour of charging the SOC is carried forward from 20 % by the plan.
    expect(carried.days[0]!.socStartPct).toBeGreaterThan(30);
    await pass(clock, 61);
    const lost = service.decide("home", {});
    expect(lost.scalars).toMatchObject({
      socAgeMinutes: 121,
      chargeNow: 0,
      chargePowerKw: 0,
      dischargePowerKw: 5,
      dischargeReason: "telemetry_lost",
      adaptiveDischarge: false,
    });
    expect(report("soc_pct", 40).scalars).toMatchObject({
      chargeNow: 1,
      dischargeReason: "full",
      socAgeMinutes: 0,
    });
  });

  it("caps the discharge while the wallbox charges", async () => {
    const { report } = await startService({ clock: manualClock(new Date("2026-01-15T06:00:00Z")) });
    report("soc_pct", 90);
    expect(report("ev_power_kw", 7.4).scalars).toMatchObject({
      dischargePowerKw: 0,
      dischargeReason: "ev_charge_block",
    });
    expect(report("ev_power_kw", 0).scalars.dischargeReason).not.toBe("ev_charge_block");
  });

  it("adapts the cap to load and wallbox while the vehicle charges, without small changes", async () => {
    const { clock, report, plans } = await startService({
      batterySharePct: 25,
      plant: { ...defaultSettings().plants[0]!, telemetry: { load_without: [1] } },
    });
    await clock.advance(5 * HOUR_MS);
    report("soc_pct", 90);
    report("load_power_kw", 0.6);
    const cap = (plan: SitePlan) => [plan.scalars.dischargeReason, plan.scalars.dischargePowerKw];
    expect(cap(report("ev_power_kw", 4))).toEqual(["ev_charge_limit", 1.6]);
    expect(cap(report("ev_power_kw", 11))).toEqual(["ev_charge_limit", 3.35]);
    expect(cap(report("load_power_kw", 1.6))).toEqual(["ev_charge_limit", 4.35]);
    const count = plans.length;
    expect(cap(report("load_power_kw", 1.65))).toEqual(["ev_charge_limit", 4.35]);
    expect(plans).toHaveLength(count);
  });

  it("serves the last plan after a restart, not as a material one", async () => {
    const documents = new Map<string, unknown>();
    const first = await startService({ documents });
    const plan = first.report("soc_pct", 20);
    await first.service.stop();
    const second = await startService({ documents });
    expect(second.service.current("home")).toEqual(plan);
    const next = second.report("soc_pct", 20.1);
    expect(next).not.toBe(plan);
    expect(next.material).toBe(false);
  });

  it("discards the stored plan of a battery that was removed from the configuration", async () => {
    const documents = new Map<string, unknown>();
    const first = await startService({ documents });
    first.report("soc_pct", 20);
    await first.service.stop();
    const { service } = await startService({ documents, plant: { ...first.plant, battery: null } });
    expect(service.current("home")).toBeUndefined();
    expect(() => service.decide("home", {})).toThrow(/battery/);
  });

  it("ranks the current hour by rounded prices, as the decision does", async () => {
    // 01:00 in Vienna: six hours are cheaper by less than the rounding. Rounded they are equal, and the earlier hour
    // ranks first.
    const at = (start: Date) =>
      start.getTime() === START.getTime() ? 100.0004 : start.getUTCHours() < 8 ? 100 : 200;
    const { service } = await startService({ priceOf: at });
    expect(service.present("home")?.currentQuartile).toBe(1);
  });

  it("ignores a stored plan of another version", async () => {
    const documents = new Map<string, unknown>([["plan/home", { version: 0, json: "{}" }]]);
    const { service, report } = await startService({ documents });
    expect(service.current("home")).toBeUndefined();
    expect(report("soc_pct", 20).days.length).toBeGreaterThan(2);
  });

  it("replans for new settings, and discards the plan of a removed battery", async () => {
    const { bus, plant, service, report } = await startService();
    report("soc_pct", 20);
    const change = (battery: typeof plant.battery) =>
      bus.emit("site.changed", { id: "home", accountId: "owner", plant: { ...plant, battery } });
    change({ ...plant.battery!, min_soc_pct: 35 });
    expect(service.decide("home", {}).scalars.minSocPct).toBe(35);
    change(null);
    expect(service.current("home")).toBeUndefined();
    expect(() => service.decide("home", {})).toThrow(/battery/);
    bus.emit("site.removed", { siteId: "home" });
    expect(() => service.decide("home", {})).toThrow(RangeError);
  });

  it("plans for a site that is added at runtime", async () => {
    const { bus, plant, service, report } = await startService();
    report("soc_pct", 20);
    bus.emit("site.changed", { id: "cabin", accountId: "owner", plant: { ...plant, id: "cabin" } });
    expect(service.current("cabin")?.siteId).toBe("cabin");
  });

  it("names the field of an invalid override", async () => {
    const { service } = await startService();
    const attempt = () => service.decide("home", { socPct: 50, minSocPct: 80, maxSocPct: 60 });
    expect(attempt).toThrow(/battery\.min_soc_pct/);
  });
});
