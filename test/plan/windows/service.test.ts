import { describe, expect, it } from "vitest";
import { recipeDocument } from "../../../src/api/documents/device-schedules.js";
import { MINUTE_MS } from "../../../src/core/domain/interval.js";
import { VIENNA } from "../../../src/core/time/zone.js";
import { wantedOfSgReady } from "../../../src/equipment/wanted.js";
import type { ForecastRun } from "../../../src/forecast/price/forecast.js";
import { deviceSentences } from "../../../src/plan/device-sentences.js";
import type { FlexRequest } from "../../../src/plan/windows/request.js";
import { sgStateOf, slotMoment } from "../../../src/plan/windows/slot-schedule.js";
import { formatOf } from "../../../src/texts/format.js";
import { memoryDocuments } from "../../api/fake-services.js";
import { hour, slotOf, startedFlex as started } from "./started-flex.js";

const requestOf = (changes: Partial<FlexRequest>): FlexRequest => ({ gridMinutes: 15, ...changes });
const until = (end: number): FlexRequest["window"] => ({ kind: "fixed", end: hour(end) });

describe("slots whose settings change", () => {
  it("are planned again, with the request of a remaining slot and without that of a removed one", async () => {
    const { change, windows, plan, service, changes } = await started({
      slots: [slotOf({ hours: 1 }), slotOf({ slot: 2 })],
      price: (of) => Math.abs((of % 24) - 12),
    });
    await service.sites.of("home").request(2, requestOf({ window: until(8), count: 2 }));
    expect([windows(1), windows(2)]).toEqual([[[12, 13]], [[6, 8]]]);
    changes.length = 0;
    change([
      slotOf({ hours: 3, window_start_hour: 0, window_end_hour: 6 }),
      slotOf({ slot: 2, power_kw: 5 }),
      slotOf({ slot: 3 }),
    ]);
    expect([windows(1), windows(2)]).toEqual([[[3, 6]], [[6, 8]]]);
    expect(plan(2)).toMatchObject({ origin: "request", settings: { power_kw: 5 } });
    expect(changes).not.toEqual([]);
    change([slotOf({ slot: 3 })]);
    expect(service.sites.of("home").settings(2) !== undefined).toBe(false);
    change([slotOf({ slot: 2 })]);
    expect(plan(2).origin).toBe("settings");
    await service.stop();
  });
});

describe("a slot by its settings", () => {
  it("is planned with the power that the actuator's device takes, once that is known", async () => {
    let takenKw = 11;
    const { plan, windows, bus, service } = await started({
      slots: [slotOf({ window_start_hour: 1, window_end_hour: 6, energy_kwh: 33.12, power_kw: 11 })],
      takenKw: () => takenKw,
    });
    // 33.12 kWh at 11 kW take 3 h and 39 s, so a fourth hour is begun.
    expect([plan().result?.powerKw, windows()]).toEqual([11, [[1, 4.25]]]);
    // Three phases of 16 A are 11.04 kW: 3 h.
    takenKw = 11.04;
    bus.emit("actuator.changed", { siteId: "home", id: "wallbox", controls: "slot 1", obstacle: undefined });
    expect([plan().result?.powerKw, plan().settings.power_kw, windows()]).toEqual([11.04, 11.04, [[1, 4]]]);
    await service.stop();
  });

  it("charges its energy once, in the best hours of each window", async () => {
    const { clock, windows, charging, service } = await started({
      slots: [slotOf({ window_start_hour: 1, window_end_hour: 6, energy_kwh: 20 })],
    });
    expect(windows()).toEqual([[1, 3]]);
    const charged: number[] = [];
    for (let quarter = 0; quarter < 24 * 4; quarter++) {
      if (charging() === 1) charged.push(quarter / 4);
      await clock.advance(15 * MINUTE_MS);
    }
    expect(charged).toEqual([1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 2.75]);
    // The next night begins with nothing completed.
    expect(windows()).toEqual([[25, 27]]);
    await service.stop();
  });

  it("uses the local day without window hours; has no schedule without a demand; is absent if disabled", async () => {
    const { windows, plan, service } = await started({
      slots: [slotOf({ hours: 1 }), slotOf({ slot: 2 }), slotOf({ slot: 4, enabled: false })],
      now: hour(5),
      price: (of) => -of,
    });
    expect(windows(1)).toEqual([[23, 24]]);
    expect(plan(2)).toMatchObject({ origin: "settings", result: undefined });
    expect(service.current("home").map(({ slot }) => slot)).toEqual([1, 2]);
    expect(service.sites.of("home").settings(4) !== undefined).toBe(false);
  });

  it("is planned by cost where it has a tank: by price it was cold before a cheaper hour and too hot after it", async () => {
    const store = {
      litres: 200,
      min_c: 45,
      max_c: 60,
      loss_w: 60,
      daily_kwh: 5,
      draw_profile: null,
    } as const;
    const tank = { kind: "boiler", store: { ...store, legionella_c: null } } as const;
    const { service } = await started({ slots: [slotOf({ hours: 1 }), slotOf({ slot: 2, ...tank })] });
    expect(service.sites.of("home").plannedByCost()).toEqual([2]);
  });

  it("is planned by cost beside an import limit: by price two wallboxes were on at once", async () => {
    const { service, site, bus } = await started({ slots: [slotOf({ hours: 1 })] });
    expect(service.sites.of("home").plannedByCost()).toEqual([]);
    const grid = { ...site.plant.grid, import_limit_kw: 6 };
    bus.emit("site.changed", { ...site, plant: { ...site.plant, grid } });
    expect(service.sites.of("home").plannedByCost()).toEqual([1]);
  });

  it("has no schedule for an energy without any power", async () => {
    const { plan } = await started({ slots: [slotOf({ energy_kwh: 5, power_kw: null })] });
    expect(plan().result).toBeUndefined();
  });
});

describe("a slot by its last request", () => {
  it("follows it until its window ends, then its settings again", async () => {
    const { clock, service, plan, windows } = await started({ slots: [slotOf({ hours: 1 })], now: hour(2) });
    const answer = await service.sites.of("home").request(1, requestOf({ window: until(5), count: 0.5 }));
    expect(plan()).toMatchObject({ origin: "request", result: { demandHours: 0.5 } });
    expect(plan().result?.slots).toEqual(answer?.slots);
    await clock.set(new Date(hour(5).getTime() - 1));
    expect(plan().origin).toBe("request");
    await clock.set(hour(5));
    expect(plan().origin).toBe("settings");
    // Half of the hour of the day is done.
    expect(windows()).toEqual([[5, 5.5]]);
  });

  it.each([
    { began: "in the window of the settings", start: 3, end: 5, kw: 10, due: 0 },
    { began: "in the window of the settings, with half the power", start: 3, end: 5, kw: 5, due: 10 },
    { began: "before the window of the settings", start: 1, end: 4, kw: 10, due: 20 },
  ])("that began $began leaves $due kWh due when it ends", async ({ start, end, kw, due }) => {
    const { clock, service, plan } = await started({
      slots: [slotOf({ window_start_hour: 2, window_end_hour: 8, energy_kwh: 20, power_kw: 10 })],
    });
    const window = { kind: "fixed", start: hour(start), end: hour(end) } as const;
    await service.sites.of("home").request(1, requestOf({ window, count: 2, maxPowerKw: kw }));
    await clock.set(hour(end));
    expect(plan()).toMatchObject({ origin: "settings", result: { demandEnergyKwh: due } });
    await clock.set(hour(9));
    expect(plan().result).toMatchObject({ window: { start: hour(26) }, demandEnergyKwh: 20 });
    await service.stop();
  });

  it("counts the completed hours in every kind of demand", async () => {
    const { clock, service, plan, windows } = await started({
      slots: [slotOf({})],
      price: (of) => (of === 2 ? 9 : 1),
    });
    await service.sites
      .of("home")
      .request(1, requestOf({ window: until(6), energyKwh: 30, batterySharePct: 50 }));
    expect(windows()).toEqual([[0, 1.5]]);
    await clock.set(hour(1));
    expect(plan().result).toMatchObject({ demandHours: 0.5, demandEnergyKwh: 5, batteryEnergyKwh: 5 });
    await clock.set(hour(3));
    expect(plan().result).toMatchObject({ demandHours: 0, slots: [] });
  });

  it("does not replace a run in progress by a better one", async () => {
    const { clock, service, bus, prices, windows } = await started({
      slots: [slotOf({})],
      price: (of) => [1, 5, 5, 9, 3, 4, 9][of] ?? 99,
    });
    await service.sites
      .of("home")
      .request(1, requestOf({ window: until(7), count: 3, consecutive: "required" }));
    expect(windows()).toEqual([[0, 3]]);
    await clock.set(hour(1));
    // Two hours remain, and 4 to 6 o'clock would now be cheaper.
    expect(windows()).toEqual([[0, 3]]);
    prices.of = (of) => (of === 6 ? -9 : 50);
    bus.emit("forecast.updated", {} as ForecastRun);
    expect(windows()).toEqual([[0, 3]]);
    await clock.set(hour(3));
    expect(windows()).toEqual([]);
  });

  it("continues a run in progress after a restart", async () => {
    const slots = [slotOf({})];
    const price = (of: number) => [1, 5, 5, 9, 3, 4, 9][of] ?? 99;
    const first = await started({ slots, price });
    await first.service.sites
      .of("home")
      .request(1, requestOf({ window: until(7), count: 3, consecutive: "required" }));
    await first.clock.set(hour(1));
    const documents = first.documents;
    // The process is killed after one hour of charging; 4 to 6 o'clock would be cheaper for the other two.
    const second = await started({ slots, price, documents, now: hour(1.1) });
    expect([second.windows(), second.charging()]).toEqual([[[0, 3]], 1]);
    // Down until the end of the run: the remaining hours are planned again.
    const late = await started({ slots, price, documents, now: hour(3) });
    expect(late.windows()).toEqual([[4, 6]]);
  });

  it("follows a new forecast until a run has begun", async () => {
    const { bus, service, prices, windows, changes } = await started({ slots: [slotOf({})] });
    await service.sites.of("home").request(
      1,
      requestOf({
        window: { kind: "fixed", start: hour(2), end: hour(8) },
        count: 1,
        consecutive: "required",
      }),
    );
    expect(windows()).toEqual([[2, 3]]);
    const before = changes.length;
    bus.emit("forecast.updated", {} as ForecastRun);
    expect(changes).toHaveLength(before);
    prices.of = (of) => -of;
    // Each forecast run has its own hour objects.
    bus.emit("forecast.updated", {} as ForecastRun);
    expect(windows()).toEqual([[7, 8]]);
    expect(changes).toHaveLength(before + 1);
  });

  it("is restored after a restart, with its completed hours", async () => {
    const first = await started({ slots: [slotOf({})] });
    await first.service.sites.of("home").request(1, requestOf({ window: until(8), count: 2, plugged: 1 }));
    await first.clock.set(hour(1));
    await first.service.stop();
    const second = await started({ slots: [slotOf({})], documents: first.documents, now: hour(1) });
    expect(second.plan()).toMatchObject({ origin: "request", result: { demandHours: 1 } });
    expect(second.windows()).toEqual(first.windows());
    const late = await started({ slots: [slotOf({})], documents: first.documents, now: hour(8) });
    expect(late.plan().origin).toBe("settings");
  });

  it("does nothing after its strict window until that has expired", async () => {
    const { clock, service, plan } = await started({ slots: [slotOf({ hours: 1 })], now: hour(10) });
    const request = requestOf({ window: { kind: "daily", startHour: 7, endHour: 9 }, deadlineStrict: true });
    expect((await service.sites.of("home").request(1, request))?.slots).toEqual([]);
    expect(plan()).toMatchObject({ origin: "request", result: { demandHours: 0 } });
    await clock.set(hour(24));
    expect(plan().origin).toBe("settings");
  });

  it("is rejected if it cannot be stored, and the slot is unchanged", async () => {
    const documents = memoryDocuments();
    const { service, plan } = await started({
      slots: [slotOf({ hours: 1 })],
      documents: { get: documents.get, put: () => Promise.reject(new Error("disk full")) },
    });
    await expect(
      service.sites.of("home").request(1, requestOf({ window: until(8), count: 2 })),
    ).rejects.toThrow("disk full");
    expect(plan()).toMatchObject({ origin: "settings", result: { demandHours: 1 } });
    await expect(service.sites.of("home").setPlugged(1, 0)).rejects.toThrow("disk full");
    expect(plan().plugged).toBe(1);
  });

  it("is rejected for a slot that is not assigned", async () => {
    const { service } = await started({ slots: [slotOf({})] });
    await expect(service.sites.of("home").request(2, requestOf({ count: 1 }))).rejects.toThrow(
      /Slot 2 is not assigned/,
    );
  });
});

describe("plugged in or not", () => {
  it("from the device: nothing charges, the schedule remains, and no hours are completed", async () => {
    const { clock, service, plan, charging, windows, changes } = await started({
      slots: [slotOf({ hours: 1 })],
    });
    expect(charging()).toBe(1);
    await service.sites.of("home").setPlugged(1, 0);
    expect(changes.length).toBeGreaterThan(1);
    expect([charging(), windows()]).toEqual([0, [[0, 1]]]);
    await clock.set(hour(1));
    expect(windows()).toEqual([[1, 2]]);
    await service.sites.of("home").setPlugged(1, 1);
    expect(charging()).toBe(1);
    // The value in the request applies until a later value from the device.
    await service.sites.of("home").request(1, requestOf({ window: until(9), count: 1, plugged: 0 }));
    expect(plan().plugged).toBe(0);
    await service.sites.of("home").setPlugged(1, 1);
    expect(plan().plugged).toBe(1);
  });

  it("is restored after a restart", async () => {
    const first = await started({ slots: [slotOf({ hours: 1 })] });
    await first.service.sites.of("home").setPlugged(1, 0);
    await first.service.stop();
    const second = await started({ slots: [slotOf({ hours: 1 })], documents: first.documents });
    expect(second.plan().plugged).toBe(0);
  });
});

describe("a slot whose power follows the surplus", () => {
  it("has that power instead of the planned one, which needs no other plan", async () => {
    const { service, plan, bus } = await started({ slots: [slotOf({ hours: 1 })], price: (of) => -of });
    const events: object[] = [];
    bus.on("slots.updated", (event) => events.push(event));
    service.setFollowed("home", 1, 3.4);
    service.setFollowed("home", 1, 3.4);
    expect(events).toEqual([{ siteId: "home", powerOnly: true }]);
    expect(slotMoment(plan(), hour(0))).toMatchObject({ chargeNow: 1, powerKw: 3.4, minutesToStart: 0 });
    expect(recipeDocument(plan(), { now: hour(0), zone: VIENNA })).toMatchObject({
      charge_now: 1,
      set_power_kw: 3.4,
    });
    service.setFollowed("home", 1, undefined);
    expect(slotMoment(plan(), hour(0))).toMatchObject({ chargeNow: 0, powerKw: 0, minutesToStart: 1380 });
  });

  it("counts the energy that it took instead of its planned quarter-hours", async () => {
    const { service, clock, plan } = await started({
      slots: [slotOf({})],
      price: (of) => -of,
      delivered: () => ({ kwh: 0.5 }),
    });
    await service.sites
      .of("home")
      .request(1, requestOf({ window: until(20), energyKwh: 10, maxPowerKw: 10 }));
    expect(plan().result!.demandEnergyKwh).toBe(10);
    await clock.advance(30 * MINUTE_MS);
    expect(plan().result!.demandEnergyKwh).toBeCloseTo(9, 6);
    await service.stop();
  });
});

describe("a tank that was heated against legionella", () => {
  it("is named where its thermostat opens before, and remembered after a restart with a dead sensor", async () => {
    const store = {
      litres: 200,
      min_c: 45,
      max_c: 60,
      loss_w: 60,
      daily_kwh: 5,
      draw_profile: null,
    } as const;
    const tank = slotOf({ kind: "boiler", label: "Hot water", store: { ...store, legionella_c: 65 } });
    const heat = { hotAt: hour(-200), triedAt: hour(-1) };
    const { service, plan, documents, components } = await started({
      slots: [tank],
      deviceState: () => ({ temperatureC: 57, ...heat }),
    });
    expect(components.list()).toMatchObject([
      { name: "device home/1", detail: [{ code: "tank_not_hot", device: "Hot water", celsius: 65 }] },
    ]);
    expect(deviceSentences(plan(), hour(0), formatOf("de", VIENNA)).notHot).toContain("nicht 65 °C heiß");
    await service.stop();
    const again = await started({ slots: [tank], documents });
    expect(again.plan().heat).toEqual(heat);
    await again.service.stop();
  });
});

describe("a heat pump with SG Ready", () => {
  const pump = slotOf({ kind: "heat_pump", sg_ready: { dwell_min: 15, block: true, force: false } });

  it("changes its state with the price, is shown in its document and remembers its blocks after a restart", async () => {
    const { service, plan, clock, changes, documents } = await started({
      slots: [pump],
      price: (of) => ((of + 24) % 24 === 2 ? 40 : 20),
    });
    expect(recipeDocument(plan(), { now: hour(0), zone: VIENNA })).toMatchObject({
      demand_hours: 0,
      sg_ready: {
        state: "normal",
        number: 2,
        plan: [{ state: "normal" }, { start: "2026-01-15T02:00:00+01:00", state: "block" }, {}, {}, {}],
      },
    });
    changes.length = 0;
    await clock.advance(130 * MINUTE_MS);
    expect(recipeDocument(plan(), { now: hour(2.2), zone: VIENNA })).toMatchObject({
      sg_ready: { state: "block", number: 1 },
    });
    expect(changes.length).toBeGreaterThan(0);
    // A dear hour endangers nothing: the state before lasts its least time.
    expect(wantedOfSgReady(plan(), hour(2.2))).toMatchObject({ state: "block", isUrgent: false });
    await service.sites.of("home").override(1, { action: "run" });
    expect(sgStateOf(plan(), hour(2.2))).toBe("encourage");
    await service.sites.of("home").override(1, { action: "auto" });
    await service.stop();
    const again = await started({ slots: [pump], price: () => 20, now: hour(2.2), documents });
    const blocks = again.plan().sgReady!.spans.filter(({ state }) => state === "block");
    expect(blocks).toEqual([{ start: hour(2), end: hour(2.25), state: "block" }]);
    await again.service.stop();
  });
});

describe("values for the battery plan", () => {
  const hours = Array.from({ length: 4 }, (_, index) => ({ start: hour(index), end: hour(index + 1) }));

  it("are the energy per step, the wallbox's hours and the battery's part of them", async () => {
    const { service } = await started({
      slots: [
        slotOf({ hours: 1.5, battery_to_ev_pct: 20 }),
        slotOf({ slot: 2, kind: "boiler", power_kw: 2, hours: 1, window_start_hour: 2, window_end_hour: 4 }),
      ],
    });
    // 1.5 h with a fifth from the battery: 1.2 h from the grid in five quarter-hours, the last with 2 kWh less.
    expect(service.flexLoad("home", hours).map((kwh) => Number(kwh.toFixed(9)))).toEqual([10, 2, 2, 0]);
    expect(
      service
        .wallboxes("home", hours)
        .map((use) => [use.hours, use.fromBatteryKwh].map((value) => Number(value.toFixed(9)))),
    ).toEqual([
      [1, 2],
      [0.2, 0.4],
      [0, 0],
      [0, 0],
    ]);
    expect(service.batterySharePct("home")).toBe(20);
    const shorter = [{ start: hour(0.5), end: hour(1) }];
    expect(service.flexLoad("home", shorter)).toEqual([5]);
    await service.sites.of("home").setPlugged(1, 0);
    expect(service.flexLoad("home", hours)).toEqual([0, 0, 2, 0]);
    expect(service.batterySharePct("home")).toBe(0);
  });

  it("leave the battery to the policy where the wallbox has no share, also when it was started by hand", async () => {
    const { clock, service } = await started({
      slots: [slotOf({ hours: 1, window_start_hour: 0, window_end_hour: 2 })],
    });
    expect(service.flexLoad("home", hours)).toEqual([10, 0, 0, 0]);
    expect(service.wallboxes("home", hours)).toEqual(hours.map(() => ({ hours: 0, fromBatteryKwh: 0 })));
    expect(service.batterySharePct("home")).toBe("auto");
    await clock.set(hour(1.5));
    expect(service.batterySharePct("home")).toBe("auto");
    const none = await started({ slots: [slotOf({ kind: "boiler", hours: 1 })] });
    expect(none.service.batterySharePct("home")).toBe(0);
  });
});
