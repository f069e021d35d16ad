import { describe, expect, it, onTestFinished, vi } from "vitest";
import { defaultSettings } from "../../src/config/load.js";
import type { PlantSettings } from "../../src/config/settings.js";
import { SiteRuntimes } from "../../src/config/site-runtimes.js";
import { createBus } from "../../src/core/bus.js";
import type { Sample } from "../../src/core/domain/sample.js";
import { LevelSeries } from "../../src/store/level-series.js";
import { openStore, type Store } from "../../src/store/store.js";
import { TelemetryService } from "../../src/telemetry/service.js";
import { recordingLog, temporaryStore } from "../store/support/folder.js";
import { manualClock } from "../support/manual-clock.js";
import { PLAIN_BATTERY } from "../support/plain-battery.js";

const start = new Date("2026-01-15T12:00:00Z");
const at = (second: number) => new Date(start.getTime() + second * 1000);
const soc = (second: number, value: number): Sample => ({ at: at(second), values: { soc_pct: value } });

const withBattery = { battery: PLAIN_BATTERY };

async function runningService(store: Store, of: Partial<PlantSettings> = {}) {
  const bus = createBus();
  const events: { siteId: string; sample: Sample }[] = [];
  const errors: unknown[] = [];
  bus.on("telemetry.received", (event) => events.push(event));
  const clock = manualClock(start);
  const log = { warn: () => {}, error: (...parts: unknown[]) => void errors.push(parts) };
  const [example] = defaultSettings().plants;
  const plant = { ...example!, battery: null, ...of };
  const sites = new SiteRuntimes(
    bus,
    ["home", "cabin/ä"].map((id) => ({ id, accountId: "owner", plant: { ...plant, id } })),
  );
  const service = new TelemetryService({ clock, bus, samples: store.samples, sites, freshness, log });
  await service.start();
  onTestFinished(() => service.stop());
  return { service, bus, events, clock, errors };
}

const freshness = { staleMinutes: 15, lostMinutes: 120 };

async function freshService() {
  const { folder, store } = await temporaryStore();
  return { folder, store, ...(await runningService(store)) };
}

const history = async (service: TelemetryService, site = "home") =>
  (await service.readings(site, "soc_pct", at(-1e6), at(1e6))).map(({ value }) => value);

describe("an impossible reading", () => {
  // https://github.com/wills106/homeassistant-solax-modbus/issues/1800
  it("is neither live nor stored until a second one confirms it", async () => {
    const { store } = await temporaryStore();
    const { service, events } = await runningService(store, withBattery);
    await service.ingest("home", [soc(0, 100)]);
    const held = await service.ingest("home", [soc(5, 0)]);
    expect(held).toMatchObject({ accepted: 1, latest: { soc_pct: { value: 100 } } });
    expect(held.held).toMatchObject([{ reading: "soc_pct", value: 0 }]);
    expect([events.length, await history(service)]).toEqual([1, [100]]);
    const good = await service.ingest("home", [soc(8, 100)]);
    expect([good.held, await history(service)]).toEqual([undefined, [100, 100]]);
    await service.ingest("home", [soc(20, 40)]);
    await service.ingest("home", [soc(25, 41)]);
    expect([service.live("home").soc_pct?.value, await history(service)]).toEqual([41, [100, 100, 40, 41]]);
  });

  it("counts without a second one where the device sends no other, also after a restart", async () => {
    const { folder, store } = await temporaryStore();
    const first = await runningService(store, withBattery);
    await first.service.ingest("home", [soc(-1, 90)]);
    await first.service.stop();
    await store.close();
    const again = await openStore(folder, recordingLog());
    onTestFinished(() => again.close());
    const { service, clock, events } = await runningService(again, withBattery);
    await service.ingest("home", [soc(0, 20)]);
    expect(service.live("home").soc_pct?.value).toBe(90);
    await clock.advance(10 * 60_000 - 1);
    expect(events).toEqual([]);
    await clock.advance(1);
    await service.stop();
    expect([service.live("home").soc_pct, events.length]).toEqual([{ value: 20, at: at(0) }, 1]);
  });

  it("is used in a plant whose settings do not bound it", async () => {
    const { service } = await freshService();
    await service.ingest("home", [soc(0, 100), soc(1, 0)]);
    expect(service.live("home").soc_pct?.value).toBe(0);
  });
});

describe("TelemetryService", () => {
  it("stores a sample, updates the live state and emits an event", async () => {
    const { service, events } = await freshService();
    const sample: Sample = { at: at(0), values: { soc_pct: 40, ev_connected: 1 } };
    const latest = { soc_pct: { value: 40, at: at(0) }, ev_connected: { value: 1, at: at(0) } };
    expect(await service.ingest("home", [sample])).toEqual({ accepted: 1, duplicates: 0, latest });
    expect(service.live("home")).toEqual(latest);
    expect(service.live("cabin/ä")).toEqual({});
    expect(events).toEqual([{ siteId: "home", sample }]);
    expect(await history(service)).toEqual([40]);
  });

  it("has the fresh readings of a slot, also after a restart", async () => {
    const { folder, store, service } = await freshService();
    await service.ingest("home", [
      { at: at(-20 * 60), values: { slot_2_soc_pct: 40, slot_2_power_kw: 3 } },
      { at: at(-60), values: { slot_2_power_kw: 7.4, slot_3_temperature_c: 48 } },
    ]);
    const state = { powerKw: 7.4, at: at(-60) };
    expect(service.slotState("home", 2)).toEqual(state);
    expect(service.slotState("home", 3)).toEqual({ temperatureC: 48, at: at(-60) });
    expect(service.slotState("home", 4)).toBeUndefined();
    await store.close();
    const again = await openStore(folder, recordingLog());
    onTestFinished(() => again.close());
    expect((await runningService(again)).service.slotState("home", 2)).toEqual(state);
  });

  it("has the measured energy of a slot by quarter-hour", async () => {
    const { service } = await freshService();
    await service.ingest("home", [
      { at: at(-3600), values: { slot_2_power_kw: 0 } },
      { at: at(300), values: { slot_2_power_kw: 6 } },
      { at: at(900), values: { slot_2_power_kw: 2 } },
    ]);
    const energy = await service.slotEnergy("home", 2, at(0), at(1800));
    expect(energy.map(({ start: from, kwh }) => [from, kwh])).toEqual([
      [at(0), expect.closeTo(1, 9)],
      [at(900), expect.closeTo(0.5, 9)],
    ]);
  });

  it("updates the live state before it emits the event", async () => {
    const { service, bus } = await freshService();
    let seen: number | undefined;
    bus.on("telemetry.received", () => {
      seen = service.live("home").soc_pct?.value;
    });
    await service.ingest("home", [soc(0, 33)]);
    expect(seen).toBe(33);
  });

  it("adds an older sample to the history only", async () => {
    const { service, events } = await freshService();
    await service.ingest("home", [soc(10, 50)]);
    await service.ingest("home", [soc(5, 45)]);
    expect(service.live("home").soc_pct).toEqual({ value: 50, at: at(10) });
    expect(await history(service)).toEqual([45, 50]);
    expect(events).toHaveLength(1);
  });

  it("updates each reading independently", async () => {
    const { service } = await freshService();
    await service.ingest("home", [soc(10, 50), { at: at(5), values: { soc_pct: 1, load_power_kw: 2 } }]);
    expect(service.live("home")).toEqual({
      soc_pct: { value: 50, at: at(10) },
      load_power_kw: { value: 2, at: at(5) },
    });
  });

  it("counts a repeated sample as a duplicate and keeps its last value", async () => {
    const { service, events } = await freshService();
    await service.ingest("home", [soc(0, 40)]);
    expect(await service.ingest("home", [soc(0, 40)])).toMatchObject({ accepted: 1, duplicates: 1 });
    expect(events).toHaveLength(1);
    expect(await service.ingest("home", [soc(0, 41)])).toMatchObject({ accepted: 1, duplicates: 1 });
    expect(service.live("home").soc_pct?.value).toBe(41);
    expect(await history(service)).toEqual([41]);
    expect(events).toHaveLength(2);
  });

  it("accepts a sample as new if only some of its readings were stored", async () => {
    const { service } = await freshService();
    await service.ingest("home", [soc(0, 40)]);
    const fuller: Sample = { at: at(0), values: { soc_pct: 40, load_power_kw: 1 } };
    expect(await service.ingest("home", [fuller])).toMatchObject({ accepted: 1, duplicates: 0 });
  });

  it("finds duplicates within one batch and between calls at the same time", async () => {
    const { service } = await freshService();
    expect(await service.ingest("home", [soc(0, 40), soc(0, 41)])).toMatchObject({
      accepted: 2,
      duplicates: 1,
    });
    const together = await Promise.all(
      Array.from({ length: 10 }, () => service.ingest("home", [soc(1, 42)])),
    );
    expect(together.reduce((sum, { duplicates }) => sum + duplicates, 0)).toBe(9);
  });

  it("separates sites, also with unusual names", async () => {
    const { service } = await freshService();
    await service.ingest("home", [soc(0, 1)]);
    await service.ingest("cabin/ä", [soc(0, 2)]);
    expect([await history(service), await history(service, "cabin/ä")]).toEqual([[1], [2]]);
    await expect(service.ingest("nowhere", [soc(0, 3)])).rejects.toThrow('There is no plant "nowhere"');
  });

  it("thins the history by the time of the samples, while the live state takes all", async () => {
    const { service, events } = await freshService();
    for (const [second, value] of [
      [0, 1],
      [3, 2],
      [9.999, 3],
      [10, 4],
      [29, 5],
      [21, 6],
      [5, 7],
    ] as const) {
      await service.ingest("home", [soc(second, value)], { thinSeconds: 10 });
    }
    expect(await history(service)).toEqual([1, 4, 5]);
    expect(service.live("home").soc_pct).toEqual({ value: 5, at: at(29) });
    expect(events.map(({ sample }) => sample.values.soc_pct)).toEqual([1, 2, 3, 4, 5]);
  });

  it("thins each reading independently, within a batch and over a restart, and accepts a correction of a stored one", async () => {
    const { folder, store, service } = await freshService();
    const batch = [soc(0, 1), { at: at(4), values: { soc_pct: 2, load_power_kw: 9 } }];
    await service.ingest("home", batch, { thinSeconds: 60 });
    expect(await history(service)).toEqual([1]);
    expect(await service.readings("home", "load_power_kw", at(0), at(10))).toEqual([{ at: at(4), value: 9 }]);
    await service.stop();
    await store.close();
    const again = await openStore(folder, recordingLog());
    onTestFinished(() => again.close());
    const restarted = (await runningService(again)).service;
    await restarted.ingest("home", [soc(30, 3), soc(0, 8)], { thinSeconds: 60 });
    expect(await history(restarted)).toEqual([8]);
  });

  it("restores the live state at a restart, including readings that were thinned from the history", async () => {
    const { folder, store, service } = await freshService();
    await service.ingest("home", [soc(0, 1), soc(5, 2)], { thinSeconds: 10 });
    const before = service.live("home");
    await service.stop();
    await store.close();
    const again = await openStore(folder, recordingLog());
    onTestFinished(() => again.close());
    const restarted = await runningService(again);
    expect(before.soc_pct).toEqual({ value: 2, at: at(5) });
    expect(restarted.service.live("home")).toEqual(before);
    expect(restarted.events).toEqual([]);
  });

  it("acknowledges a stored sample although a listener fails", async () => {
    const { service, bus, errors } = await freshService();
    bus.on("telemetry.received", () => {
      throw new Error("listener");
    });
    expect(await service.ingest("home", [soc(0, 1)])).toMatchObject({ accepted: 1 });
    expect(errors).toHaveLength(1);
  });

  it("gives a history range that includes its start and not its end", async () => {
    const { service } = await freshService();
    await service.ingest("home", [soc(0, 1), soc(1, 2), soc(2, 3)]);
    expect((await service.readings("home", "soc_pct", at(0), at(2))).map(({ value }) => value)).toEqual([
      1, 2,
    ]);
    expect(await service.readings("home", "soc_pct", at(2), at(0))).toEqual([]);
  });

  it("compacts history older than 90 days once a day", async () => {
    const { service, clock } = await freshService();
    await service.ingest("home", [soc(0, 10), soc(60, 20), soc(900, 30)]);
    await clock.advance(89 * 86_400_000);
    expect(await history(service)).toEqual([10, 20, 30]);
    await clock.advance(2 * 86_400_000);
    await service.stop();
    expect(await history(service)).toEqual([15, 30]);
  });

  it("compacts nothing after the clock was set, until it has been steady for an hour", async () => {
    const { service, clock } = await freshService();
    await service.ingest("home", [soc(0, 10), soc(60, 20), soc(900, 30)]);
    await clock.leap(new Date("2099-01-15T23:59:00Z"));
    await clock.advance(30 * 60_000);
    expect(await history(service)).toEqual([10, 20, 30]);
    await clock.leap(start);
    await clock.advance(89 * 86_400_000);
    await service.stop();
    expect(await history(service)).toEqual([10, 20, 30]);
    // A gateway that was off for that long compacts then.
    const { service: later, clock: right } = await freshService();
    await later.ingest("home", [soc(0, 10), soc(60, 20), soc(900, 30)]);
    await right.leap(new Date("2027-01-15T23:59:00Z"));
    await right.advance(3_600_000);
    await later.stop();
    expect(await history(later)).toEqual([15, 30]);
  });

  it("accepts current readings as new although the clock was ahead at the last reading", async () => {
    const { service, clock } = await freshService();
    await clock.leap(new Date("2099-06-01T12:00:00Z"));
    await service.ingest("home", [{ at: clock.now(), values: { soc_pct: 90 } }]);
    await clock.leap(at(60));
    const { latest } = await service.ingest("home", [soc(60, 40)]);
    expect(latest.soc_pct).toEqual({ value: 40, at: at(60) });
    expect(service.live("home").soc_pct?.value).toBe(40);
    // From then on the newest reading applies again.
    await service.ingest("home", [soc(30, 45)]);
    expect(service.live("home").soc_pct?.value).toBe(40);
  });

  it("needs far fewer flushes than calls for a burst of calls", async () => {
    const { service } = await freshService();
    const flushes = vi.spyOn(LevelSeries.prototype, "write");
    await Promise.all(
      Array.from({ length: 2000 }, (_, index) => service.ingest("home", [soc(index, index % 100)])),
    );
    expect(await history(service)).toHaveLength(2000);
    expect(flushes.mock.calls.length).toBeLessThan(20);
  });
});
