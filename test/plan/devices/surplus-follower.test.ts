import { describe, expect, it } from "vitest";
import { parse } from "../../../src/config/load.js";
import type { Site } from "../../../src/config/site.js";
import { SiteRuntimes } from "../../../src/config/site-runtimes.js";
import { createBus } from "../../../src/core/bus.js";
import { HOUR_MS, MINUTE_MS } from "../../../src/core/domain/interval.js";
import type { LiveState } from "../../../src/core/domain/sample.js";
import { SurplusFollower } from "../../../src/plan/devices/surplus-follower.js";
import { inverterStep } from "../../../src/plan/physics/inverter.js";
import type { DeviceState } from "../../../src/plan/windows/estimates.js";
import type { ChosenSlot, FlexResult } from "../../../src/plan/windows/result.js";
import type { SlotPlan } from "../../../src/plan/windows/slot-schedule.js";
import { manualClock } from "../../support/manual-clock.js";
import { seeded } from "../../support/random.js";

const NOON = new Date("2026-06-15T10:00:00Z");
const TICK_MS = 10_000;
const battery = "battery: { capacity_kwh: 10, max_charge_power_kw: 4, max_soc_pct: 100 },";

/** A plan whose vehicle may charge in the given quarter-hours. */
function planOf(site: Site, slots: Partial<ChosenSlot>[] = [], more: Partial<SlotPlan> = {}): SlotPlan {
  const result = {
    role: "consume",
    slots,
    windows: [],
    powerKw: 7.36,
    demandEnergyKwh: 30,
    window: { start: NOON, end: new Date(NOON.getTime() + 20 * HOUR_MS) },
  } as unknown as FlexResult;
  const settings = site.plant.slots[0]!;
  return { slot: 1, settings, origin: "settings", plugged: 1, result, later: [], ...more };
}

function started(
  surplus: "only" | "prefer" | "ignore",
  {
    now = NOON,
    hasBattery = false,
    limitKw = null,
  }: { now?: Date; hasBattery?: boolean; limitKw?: number | null } = {},
) {
  const { settings } = parse(
    `plants: [{ id: home, grid: { import_limit_kw: ${limitKw} }, ${hasBattery ? battery : ""} slots: [{ slot: 1, kind: wallbox, vehicle: { capacity_kwh: 60, phases: 1, max_power_kw: 7.4, surplus: ${surplus} } }], telemetry: { load_without: [1] } }]`,
  );
  const site: Site = { id: "home", accountId: "a", plant: settings.plants[0]! };
  const clock = manualClock(now);
  const known: { live: LiveState; device: DeviceState } = { live: {}, device: { socPct: 50 } };
  const set: { kw: number | undefined; plan: SlotPlan } = { kw: undefined, plan: planOf(site) };
  const bus = createBus();
  const follower = new SurplusFollower({
    clock,
    bus,
    sites: new SiteRuntimes(bus, [site]),
    telemetry: { live: () => known.live },
  });
  follower.start({
    flex: {
      current: () => [{ ...set.plan, followedKw: set.kw }],
      setFollowed: (_site, _slot, kw) => {
        set.kw = kw;
      },
    },
    estimator: { state: () => known.device },
    plans: { current: () => undefined },
  });
  const measure = (values: Record<string, number>) => {
    const at = clock.now();
    known.live = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value, at }]));
  };
  /** Lets `seconds` pass with these readings and returns the power that is set then. */
  const setAfter = async (seconds: number, values: Record<string, number>) => {
    for (let passed = 0; passed < seconds; passed += 10) {
      measure(values);
      await clock.advance(TICK_MS);
    }
    return set.kw;
  };
  return { follower, site, clock, known, set, measure, setAfter };
}

const sun = (kw: number) => ({ pv_power_kw: kw + 0.5, load_power_kw: 0.5 });
const quarter = (more: Partial<ChosenSlot>): Partial<ChosenSlot> => ({
  start: NOON,
  end: new Date(NOON.getTime() + 15 * MINUTE_MS),
  ...more,
});

describe("a vehicle that follows the surplus", () => {
  it("takes of its planned power what the measured load leaves of the import limit, and waits where that is too little", async () => {
    const { set, site, setAfter } = started("prefer", { limitKw: 4 });
    set.plan = planOf(site, [quarter({ setPointKw: 3 })]);
    const load = (kw: number) => ({ pv_power_kw: 0, load_power_kw: kw });
    expect(await setAfter(10, load(0.5))).toBe(3);
    expect(await setAfter(10, load(2))).toBe(2);
    // 6 A on one phase are 1.38 kW.
    expect(await setAfter(10, load(3))).toBe(0);
    // It does not start between two short loads.
    expect(await setAfter(50, load(0.5))).toBe(0);
    expect(await setAfter(10, load(0.5))).toBe(0);
    expect(await setAfter(50, load(0.5))).toBe(3);
  });

  it("starts after a minute of enough surplus, follows it in steps, and stops after three minutes without", async () => {
    const { setAfter } = started("prefer");
    expect(await setAfter(50, sun(3))).toBe(0);
    expect(await setAfter(30, sun(3))).toBe(3);
    expect(await setAfter(10, sun(3.15))).toBe(3);
    expect(await setAfter(10, sun(4.27))).toBe(4.2);
    expect(await setAfter(10, sun(2.19))).toBe(2.1);
    expect(await setAfter(10, sun(20))).toBe(7.4);
    expect(await setAfter(170, sun(0.2))).toBeCloseTo(1.38, 9);
    expect(await setAfter(20, sun(0.2))).toBe(0);
    // Ten minutes have to pass between two starts.
    expect(await setAfter(120, sun(3))).toBe(0);
    expect(await setAfter(240, sun(3))).toBe(3);
  });

  it("takes at least the planned power in an hour in which the plan imports, but not in one planned for surplus", async () => {
    const grid = started("prefer");
    grid.set.plan = planOf(grid.site, [quarter({ setPointKw: 3 })]);
    expect(await grid.setAfter(10, sun(0))).toBe(3);
    expect(await grid.setAfter(20, sun(5))).toBe(5);
    expect(await grid.setAfter(300, sun(-1))).toBe(3);
    const sunny = started("prefer");
    sunny.set.plan = planOf(sunny.site, [quarter({ setPointKw: 3, fromSurplus: true })]);
    expect(await sunny.setAfter(120, sun(0))).toBe(0);
    expect(await sunny.setAfter(80, sun(2))).toBe(2);
  });

  it("ends with the planned hour where there is no surplus", async () => {
    const { set, site, setAfter } = started("prefer");
    set.plan = planOf(site, [quarter({ setPointKw: 3 })]);
    expect(await setAfter(14 * 60 + 50, sun(0))).toBe(3);
    expect(await setAfter(10, sun(0))).toBe(0);
  });

  it("never imports with `only`, except below the least state of charge or for a request", async () => {
    const { set, site, known, setAfter } = started("only");
    set.plan = planOf(site, [quarter({ setPointKw: 3 })]);
    expect(await setAfter(60, sun(0))).toBe(0);
    known.device = { socPct: 10 };
    expect(await setAfter(10, sun(0))).toBe(3);
    known.device = { socPct: 50 };
    set.plan = planOf(site, [quarter({ setPointKw: 3 })], { origin: "request" });
    expect(await setAfter(10, sun(0))).toBe(3);
  });

  it("keeps to the plan without fresh readings; with `only` it waits", async () => {
    const prefer = started("prefer");
    expect(await prefer.setAfter(80, sun(4))).toBe(4);
    await prefer.clock.advance(70_000);
    expect(prefer.set.kw).toBeUndefined();
    const only = started("only");
    expect(await only.setAfter(80, sun(4))).toBe(4);
    await only.clock.advance(70_000);
    expect(only.set.kw).toBe(0);
  });

  it("does not charge a full or unplugged vehicle, and leaves overrides alone", async () => {
    const { set, site, known, setAfter } = started("prefer");
    expect(await setAfter(80, sun(4))).toBe(4);
    known.device = { socPct: 80 };
    expect(await setAfter(10, sun(4))).toBe(0);
    known.device = { socPct: 50 };
    set.plan = planOf(site, [], { plugged: 0 });
    expect(await setAfter(900, sun(4))).toBe(0);
    set.plan = planOf(site, [], { override: { action: "run", until: NOON } });
    expect(await setAfter(10, sun(4))).toBeUndefined();
  });

  it("leaves the battery its power first, and comes first where the plan gives it energy", async () => {
    const { set, site, setAfter } = started("prefer", { hasBattery: true });
    const full = { soc_pct: 50, battery_power_kw: 4 };
    expect(await setAfter(120, { ...sun(5), ...full })).toBe(0);
    // 4 of 6.1 kW go to the battery.
    expect(await setAfter(120, { ...sun(6.1), ...full })).toBe(2.1);
    set.plan = planOf(site, [quarter({ setPointKw: 3, fromSurplus: true })]);
    expect(await setAfter(10, { ...sun(6.1), ...full })).toBe(6.1);
    set.plan = planOf(site);
    // Near full the battery takes 1 kW, the rest is exported.
    const tapering = { soc_pct: 97, battery_power_kw: 1 };
    expect(await setAfter(20, { ...sun(6.1), ...tapering, slot_1_power_kw: 2 })).toBe(5.1);
  });

  it("counts what it took", async () => {
    const { follower, setAfter, clock } = started("prefer");
    await setAfter(80, sun(4));
    await setAfter(900, { ...sun(4), slot_1_power_kw: 3.6 });
    const kwh = follower.takenKwh("home", 1, NOON, clock.now())!;
    expect(kwh).toBeGreaterThan(0.85);
    expect(kwh).toBeLessThan(0.95);
    expect(follower.takenKwh("home", 2, NOON, clock.now())).toBeUndefined();
  });
});

/** PV and load of a summer day with passing clouds and short loads, kW by ten seconds. */
function cloudyDay(seed: number): { pvKw: number; loadKw: number }[] {
  const random = seeded(seed).next;
  let [cloud, cloudLeft, kettleLeft] = [1, 0, 0];
  return Array.from({ length: 8640 }, (_, tick) => {
    if (cloudLeft-- <= 0) {
      cloud = random() < 0.5 ? 0.15 + 0.3 * random() : 0.75 + 0.25 * random();
      cloudLeft = Math.round(3 + 60 * random() ** 2);
    }
    if (kettleLeft-- <= 0 && random() < 0.003) kettleLeft = 18;
    const height = Math.max(0, Math.sin((Math.PI * (tick - 1800)) / 5040));
    return { pvKw: 9 * height * cloud, loadKw: 0.35 + (kettleLeft > 0 ? 2 : 0) };
  });
}

/** A day of ten-second steps: the vehicle obeys with the delay of one step, meters are one step old. */
async function simulate(
  surplus: "only" | "prefer",
  { seed, hasBattery }: { seed: number; hasBattery: boolean },
) {
  const { set, clock, known, measure } = started(surplus, {
    now: new Date("2026-06-14T22:00:00Z"),
    hasBattery,
  });
  const storage = {
    minSocKwh: 0.5,
    maxSocKwh: 10,
    maxChargePowerKw: hasBattery ? 4 : 0,
    maxDischargePowerKw: hasBattery ? 4 : 0,
    chargeEfficiency: 0.95,
    dischargeEfficiency: 0.95,
  };
  known.device = { socPct: 30 };
  let [socKwh, carKw] = [3, 0];
  const sum = {
    carKwh: 0,
    carImportKwh: 0,
    fromBatteryKwh: 0,
    idealKwh: 0,
    starts: 0,
    shortestOnMs: Infinity,
  };
  let onSinceMs = 0;
  for (const { pvKw, loadKw } of cloudyDay(seed)) {
    const hours = TICK_MS / HOUR_MS;
    const minutes = TICK_MS / MINUTE_MS;
    const step = { minutes, loadKwh: (loadKw + carKw) * hours, pvKwh: pvKw * hours };
    // The plan holds the battery while the vehicle charges.
    const mode = carKw > 0 ? ("hold" as const) : ("free" as const);
    const flows = inverterStep({ storage, command: { mode }, step, socKwh });
    socKwh = flows.socEndKwh;
    sum.carKwh += carKw * hours;
    sum.carImportKwh += Math.min(flows.importKwh, carKw * hours);
    sum.fromBatteryKwh += carKw > 0 ? flows.dischargeKwh : 0;
    const freeKw = pvKw - loadKw;
    if (freeKw >= 1.38) sum.idealKwh += Math.min(7.4, freeKw) * hours;
    measure({
      pv_power_kw: pvKw,
      load_power_kw: loadKw,
      slot_1_power_kw: carKw,
      ...(hasBattery && {
        soc_pct: (socKwh / 10) * 100,
        battery_power_kw: (flows.chargeKwh - flows.dischargeKwh) / hours,
      }),
    });
    const before = carKw;
    await clock.advance(TICK_MS);
    carKw = set.kw ?? 0;
    const nowMs = clock.now().getTime();
    if (before === 0 && carKw > 0) {
      sum.starts++;
      onSinceMs = nowMs;
    }
    if (before > 0 && carKw === 0) sum.shortestOnMs = Math.min(sum.shortestOnMs, nowMs - onSinceMs);
  }
  return { ...sum, socKwh };
}

describe("a cloudy day in steps of ten seconds", () => {
  it("charges nearly all of the surplus with little import and a bounded number of starts", async () => {
    const day = await simulate("only", { seed: 1, hasBattery: false });
    expect(day.idealKwh).toBeGreaterThan(35);
    expect(day.carKwh).toBeGreaterThan(0.95 * day.idealKwh);
    expect(day.carImportKwh).toBeLessThan(0.04 * day.carKwh);
    expect(day.starts).toBeGreaterThan(1);
    expect(day.starts).toBeLessThan(30);
    expect(day.shortestOnMs).toBeGreaterThan(3 * MINUTE_MS);
  });

  it("lets the battery charge first and never discharges it into the vehicle", async () => {
    const day = await simulate("only", { seed: 3, hasBattery: true });
    expect(day.socKwh).toBeGreaterThan(6);
    expect(day.fromBatteryKwh).toBe(0);
    expect(day.carKwh).toBeGreaterThan(0.7 * day.idealKwh);
    expect(day.carImportKwh).toBeLessThan(0.04 * day.carKwh);
  });

  it("follows the surplus by an override although the settings do not, and no longer once it has ended", async () => {
    const { clock, follower, set, site, setAfter } = started("ignore");
    const sunny = { pv_power_kw: 5, load_power_kw: 1 };
    expect(await setAfter(90, sunny)).toBeUndefined();
    const usual = site.plant.slots[0]!;
    const override = { action: "surplus", until: new Date(NOON.getTime() + HOUR_MS) } as const;
    const settings = { ...usual, vehicle: { ...usual.vehicle!, surplus: "only" as const } };
    set.plan = planOf(site, [], { settings, usual, override });
    // 5 kW of PV less 1 kW of load, after a minute.
    expect(await setAfter(90, sunny)).toBe(4);
    set.plan = planOf(site);
    expect(await setAfter(10, sunny)).toBeUndefined();
    const taken = () => follower.takenKwh("home", 1, NOON, clock.now());
    const before = taken();
    expect(before).toBeGreaterThan(0);
    expect(await setAfter(30, sunny)).toBeUndefined();
    expect(taken()).toBe(before);
  });
});
