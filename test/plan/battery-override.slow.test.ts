import { describe, expect, it } from "vitest";
import { outputsDocument } from "../../src/api/documents/hours-demand.js";
import { defaultSettings } from "../../src/config/load.js";
import type { PlantSettings } from "../../src/config/settings.js";
import { SiteRuntimes } from "../../src/config/site-runtimes.js";
import { createBus } from "../../src/core/bus.js";
import type { LiveState } from "../../src/core/domain/sample.js";
import { silentLog } from "../../src/core/log.js";
import { type BatteryOverrideRequest, batteryOverrideOf } from "../../src/plan/battery-override.js";
import { PlanInputError } from "../../src/plan/overrides.js";
import { planSite } from "../../src/plan/plan-site.js";
import { PlanService } from "../../src/plan/service.js";
import { manualClock } from "../support/manual-clock.js";
import { planSources } from "./plan-sources.js";
import { siteInput } from "./site-fixture.js";

const HOUR_MS = 3_600_000;
/** 19:07 in Vienna. The price is 30 ct until midnight, then 5 ct: without an override the battery serves the load. */
const NOW = new Date("2026-01-15T18:07:00Z");
const plant = defaultSettings().plants[0]!;
const battery = plant.battery!;
const until = (time: string) => new Date(`2026-01-15T${time}Z`);
const priceAt = (start: Date) => (start < until("23:00:00") ? 300 : 50);

async function serviceOf({ documents = new Map<string, unknown>(), socPct = 50, clock = manualClock(NOW) }) {
  const live: LiveState = {};
  const bus = createBus();
  const service = new PlanService({
    clock,
    bus,
    sites: new SiteRuntimes(bus, [{ id: "home", accountId: "owner", plant }]),
    ...planSources(
      (count) =>
        Array.from({ length: count }, (_, index) => {
          const start = new Date(Math.floor(clock.now().getTime() / HOUR_MS + index) * HOUR_MS);
          const price = priceAt(start);
          return { start, p10: price, p50: price, p90: price, source: "day_ahead" as const };
        }),
      { telemetry: { live: () => live } },
    ),
    documents: {
      get: async (name) => documents.get(name),
      put: async (name, value) => void documents.set(name, JSON.parse(JSON.stringify(value))),
    },
    components: { report: () => {}, removeSite: () => {} },
    log: silentLog,
  });
  const report = (pct: number) => {
    const at = clock.now();
    live.soc_pct = { value: pct, at };
    bus.emit("telemetry.received", { siteId: "home", sample: { at, values: { soc_pct: pct } } });
    service.settle("home");
  };
  await service.start();
  report(socPct);
  const outputs = () => {
    const { O1, O2, O9, O12, O14 } = outputsDocument(service.current("home")!);
    return { O1, O2, O9, O12, O14 };
  };
  /** Advances to a time with a reading every 5 minutes. */
  const pass = async (to: Date, pct: number) => {
    while (clock.now() < to) {
      await clock.advance(Math.min(5 * 60_000, to.getTime() - clock.now().getTime()));
      report(pct);
    }
  };
  return { service, documents, clock, outputs, report, pass };
}

const FREE = { O1: 0, O12: 5, O14: 5 };

describe("the override of a battery", () => {
  it("holds until its time, also over a restart, in outputs and schedule; then the plan applies", async () => {
    const { service, outputs, documents, clock } = await serviceOf({});
    expect(outputs()).toMatchObject(FREE);
    await service.override("home", { action: "hold", until: until("20:20:00") });
    expect(outputs()).toMatchObject({ O1: 0, O12: 0, O14: 5 });
    expect(service.current("home")!.scalars.dischargeReason).toBe("override");
    await service.stop();

    const next = await serviceOf({ documents, clock });
    expect(next.service.current("home")!.override).toEqual({
      action: "hold",
      until: until("20:30:00"),
      targetSocPct: battery.max_soc_pct,
    });
    const hours = next.service.current("home")!.days.flatMap((day) => day.hours);
    for (const hour of hours) {
      if (hour.start >= until("20:30:00")) expect(hour.reason.code).not.toBe("override");
      if (hour.end <= until("20:30:00"))
        expect([hour.reason.code, hour.dischargeKwh]).toEqual(["override", 0]);
    }
    await next.pass(until("20:29:00"), 50);
    expect(next.outputs()).toMatchObject({ O12: 0 });
    await next.pass(until("20:30:00"), 50);
    expect(next.outputs()).toMatchObject(FREE);
    expect(next.service.current("home")!.override).toBeUndefined();
    await next.service.stop();
    expect(documents.get("battery-override/home")).toBeNull();
  });

  it("charges to the SOC and does not start again below it; auto takes it back", async () => {
    const { service, outputs, pass, report } = await serviceOf({});
    await service.override("home", { action: "charge", targetSocPct: 60 });
    expect(outputs()).toEqual({ O1: 1, O2: 5, O9: 60, O12: 5, O14: 5 });
    const run = service.current("home")!.chargeHours[0]!;
    expect([run.start <= NOW, run.reason.code]).toEqual([true, "override"]);
    // 10 % of the capacity at the efficiency of charging.
    const energyKwh = (0.1 * battery.capacity_kwh) / Math.sqrt(battery.efficiency_pct / 100);
    expect(run.energyKwh).toBeCloseTo(energyKwh, 3);
    await pass(until("18:30:00"), 58);
    expect(outputs()).toMatchObject({ O1: 1 });
    report(60);
    expect(outputs()).toMatchObject(FREE);
    report(58);
    expect(outputs()).toMatchObject(FREE);
    await service.override("home", { action: "charge" });
    expect(outputs()).toMatchObject({ O1: 1, O9: battery.max_soc_pct });
    await service.override("home", { action: "auto" });
    expect(outputs()).toMatchObject(FREE);
    // Values of another battery are not about this one.
    await service.override("home", { action: "hold" });
    expect(service.decide("home", { capacityKwh: 8, socPct: 50 }).override).toBeUndefined();
    expect(service.decide("home", { socPct: 50 }).override).toBeDefined();
    await service.stop();
  });

  it("keeps to the import limit, to the rule for negative prices and to the fail-safe", () => {
    const override = {
      action: "charge" as const,
      until: new Date("2026-01-15T03:00:00Z"),
      targetSocPct: 100,
    };
    const plan = (changes: Parameters<typeof siteInput>[1], prices = [30, 30, 30, 30]) =>
      planSite(siteInput(prices, { soc: { pct: 50, ageMinutes: 0, lost: false }, override, ...changes }));
    expect(plan({}).scalars).toMatchObject({ chargeNow: 1, chargePowerKw: 5 });
    const limited = plan({ grid: { importLimitKw: 3 } });
    expect(limited.scalars).toMatchObject({ chargeNow: 1, chargePowerKw: 2 });
    for (const { importKwh } of limited.days.flatMap((day) => day.hours))
      expect(importKwh).toBeLessThan(3 + 1e-9);
    expect(plan({ grid: { importLimitKw: 1 } }).scalars).toMatchObject({ chargeNow: 0, dischargePowerKw: 0 });
    const lost = plan({ soc: { pct: 50, ageMinutes: 200, lost: true } });
    expect(lost.scalars).toMatchObject({ chargeNow: 0, dischargeReason: "telemetry_lost" });
    const hold = { ...override, action: "hold" as const };
    expect(plan({ override: hold }, [-5, 30, 30, 30]).scalars.dischargePowerKw).toBe(0);
    expect(plan({ override: hold, ev: { powerKw: 7, batterySharePct: 100 } }).scalars).toMatchObject({
      dischargePowerKw: 0,
      dischargeReason: "override",
    });
  });

  const changed = (changes: Partial<NonNullable<PlantSettings["battery"]>>): PlantSettings => ({
    ...plant,
    battery: { ...battery, ...changes },
  });
  it.each<[string, BatteryOverrideRequest, PlantSettings, RegExp]>([
    ["slot_id", { action: "hold" }, { ...plant, battery: null }, /no battery/],
    ["override", { action: "charge" }, changed({ grid_charge_allowed: false }), /grid_charge_allowed/],
    ["override", { action: "hold" }, changed({ controls: ["charge"] }), /do not list hold/],
    ["until", { action: "hold", until: NOW }, plant, /in the future/],
    ["until", { action: "hold", until: new Date("2026-01-23T00:00:00Z") }, plant, /at most 7 days/],
    ["target_soc_pct", { action: "hold", targetSocPct: 50 }, plant, /charge only/],
    ["target_soc_pct", { action: "charge", targetSocPct: 95 }, changed({ max_soc_pct: 90 }), /at most 90/],
    ["target_soc_pct", { action: "charge", targetSocPct: 10 }, plant, /above 10/],
    ["target_soc_pct", { action: "charge", targetSocPct: 40 }, plant, /already at 50 %/],
  ])("is refused with a sentence about %s: %j", (field, request, of, sentence) => {
    const refused = () => batteryOverrideOf(request, { plant: of, socPct: 50, now: NOW });
    expect(refused).toThrow(sentence);
    try {
      refused();
    } catch (error) {
      expect(error).toBeInstanceOf(PlanInputError);
      expect((error as PlanInputError).field).toBe(field);
    }
  });

  it("costs more than the plan: what is bought dear, or not used while electricity is dear", async () => {
    const { service } = await serviceOf({});
    const cost = (request: BatteryOverrideRequest) => service.overrideCostEur("home", request);
    // 30 ct until midnight, 5 ct after it.
    const charge = await cost({ action: "charge", until: until("21:00:00") });
    expect(charge).toBeGreaterThan(0.5);
    expect(await cost({ action: "hold", until: until("23:00:00") })).toBeGreaterThan(0.05);
    expect(await cost({ action: "auto" })).toBe(0);
    // Night is when the plan charges anyway.
    expect(service.current("home")!.override).toBeUndefined();
    await expect(cost({ action: "charge", targetSocPct: 20 })).rejects.toThrow(PlanInputError);
    // Beside the plan, not beside another override that is in force.
    await service.override("home", { action: "hold", until: until("23:00:00") });
    expect(await cost({ action: "charge", until: until("21:00:00") })).toBeCloseTo(charge!, 2);
    expect(await cost({ action: "auto" })).toBe(0);
    await service.stop();
  });
});
