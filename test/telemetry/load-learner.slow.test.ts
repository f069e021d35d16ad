import { describe, expect, it, onTestFinished, vi } from "vitest";
import { defaultSettings } from "../../src/config/load.js";
import type { SlotSettings } from "../../src/config/settings.js";
import { SiteRuntimes } from "../../src/config/site-runtimes.js";
import { createBus } from "../../src/core/bus.js";
import type { Sample } from "../../src/core/domain/sample.js";
import { silentLog } from "../../src/core/log.js";
import { forecastLoad } from "../../src/forecast/load/forecast-load.js";
import { learnLoad } from "../../src/forecast/load/learn-load.js";
import type { LoadModel } from "../../src/forecast/load/load-model.js";
import { readMeterFile } from "../../src/money/meter/read.js";
import { StoreError } from "../../src/store/errors.js";
import { LoadLearner } from "../../src/telemetry/load-learner.js";
import { TelemetryService } from "../../src/telemetry/service.js";
import { slotSettings } from "../api/fake-services.js";
import { temporaryStore } from "../store/support/folder.js";
import { manualClock } from "../support/manual-clock.js";
import { USUAL_PRESENCE } from "./usual-presence.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MINUTE_MS = 60_000;
const NOW = new Date("2026-01-15T10:30:00Z");
const TODAY_MS = Date.parse("2026-01-15T00:00:00Z");

/** An import counter read hourly: `kwh` per hour from `fromDay` to `toDay` (days before today). */
function meter(fromDay: number, toDay: number, kwh: number): Sample[] {
  return Array.from({ length: (fromDay - toDay) * 24 + 1 }, (_, index) => ({
    at: new Date(TODAY_MS - fromDay * DAY_MS + index * HOUR_MS),
    values: { import_kwh: 1000 + index * kwh },
  }));
}

/** A learner over a real store with the samples in it. */
async function learner(samples: Sample[], kept?: unknown, slots: SlotSettings[] = []) {
  const { store } = await temporaryStore();
  const clock = manualClock(NOW);
  const bus = createBus();
  const plant = { ...defaultSettings().plants[0]!, battery: null, slots };
  const sites = new SiteRuntimes(bus, [{ id: "home", accountId: "owner", plant }]);
  const telemetry = new TelemetryService({
    clock,
    bus,
    samples: store.samples,
    sites,
    freshness: { staleMinutes: 15, lostMinutes: 120 },
    log: silentLog,
  });
  await telemetry.start();
  await telemetry.ingest("home", samples);
  if (kept !== undefined) await store.documents.put("load/home", kept);
  const loads = new LoadLearner({
    clock,
    bus,
    sites,
    telemetry,
    meter: store.meter,
    documents: store.documents,
    presence: USUAL_PRESENCE,
    log: silentLog,
  });
  const learned: string[] = [];
  bus.on("load.learned", ({ siteId }) => learned.push(siteId));
  onTestFinished(async () => {
    await loads.stop();
    await telemetry.stop();
  });
  return { loads, bus, clock, telemetry, store, learned };
}

/** Expected load of the next day, kWh. */
function dailyKwh(model: LoadModel | undefined): number {
  const { loadKwh } = forecastLoad(model!, { start: new Date(TODAY_MS + DAY_MS), hours: 24 });
  return loadKwh.reduce((sum, kwh) => sum + kwh, 0);
}

describe("LoadLearner", () => {
  it("learns at the start and stores the model", async () => {
    const { loads, store, learned } = await learner(meter(20, 0, 0.5));
    await loads.start();
    await loads.learned();
    expect(dailyKwh(loads.model("home"))).toBeCloseTo(12, 0);
    expect(learned).toEqual(["home"]);
    expect(await store.documents.get("load/home")).toEqual(loads.model("home"));
  });

  it("compares the forecast of each night with the day, also after a restart", async () => {
    const { loads, clock, telemetry, store } = await learner(meter(20, 0, 0.5));
    await loads.start();
    // The first night is at 23:00 UTC; the model learns at midnight.
    await clock.advance(DAY_MS - (NOW.getTime() - TODAY_MS) + MINUTE_MS);
    await loads.learned();
    expect(loads.quality("home")).toEqual([]);
    const counter = 1000 + 20 * 24 * 0.5;
    await telemetry.ingest(
      "home",
      Array.from({ length: 48 }, (_, hour) => ({
        at: new Date(TODAY_MS + (hour + 1) * HOUR_MS),
        values: { import_kwh: counter + (hour + 1) * 0.6 },
      })),
    );
    await clock.advance(DAY_MS);
    await loads.learned();
    const [score] = loads.quality("home");
    expect(score).toMatchObject({ day: 1, days: 1 });
    expect(score!.meanKwh).toBeCloseTo(14.4, 1);
    expect(score!.biasKwh).toBeLessThan(-1);
    expect(await store.documents.get("load-record/home")).toMatchObject({
      outcomes: [[{}], [], [], [], [], [], []],
    });
  });

  it("leaves out a boiler in the time in which it is metered, and knows it apart", async () => {
    // The home uses 0.5 kWh an hour, the boiler 2 kW from 1:00 to 4:00 UTC; it is metered for the last 10 of 20 days.
    const isHeating = (ms: number) => [1, 2, 3].includes(new Date(ms).getUTCHours());
    let counter = 1000;
    const samples: Sample[] = [];
    for (let ms = TODAY_MS - 20 * DAY_MS; ms <= TODAY_MS; ms += HOUR_MS / 4) {
      const boiler = ms >= TODAY_MS - 10 * DAY_MS ? { slot_2_power_kw: isHeating(ms) ? 2 : 0 } : {};
      samples.push({ at: new Date(ms), values: { import_kwh: counter, ...boiler } });
      counter += 0.125 + (isHeating(ms) ? 0.5 : 0);
    }
    const boiler = slotSettings({ slot: 2, kind: "boiler", power_kw: 2, energy_kwh: 6 });
    const { loads, bus, clock } = await learner(samples, undefined, [boiler]);
    await loads.start();
    await loads.learned();
    const half = dailyKwh(loads.model("home"));
    // Without a plan of its own the boiler has a forecast beside the load.
    const plant = {
      ...defaultSettings().plants[0]!,
      battery: null,
      slots: [{ ...boiler, energy_kwh: null }],
    };
    bus.emit("site.changed", { id: "home", accountId: "owner", plant });
    await clock.advance(MINUTE_MS);
    await loads.learned();
    const start = new Date(TODAY_MS + DAY_MS);
    const model = loads.model("home")!;
    const { loadKwh } = forecastLoad(model, { start, hours: 24, devices: [{ slot: 2 }] });
    const boilerKwh = loadKwh.reduce((sum, kwh) => sum + kwh, 0) - dailyKwh(model);
    // A power of 0 applies until the next reading, so the night after the last one counts, too.
    expect(boilerKwh).toBeGreaterThan(5.4);
    expect(boilerKwh).toBeLessThanOrEqual(6);
    expect(dailyKwh(model)).toBeCloseTo(half, 6);
    // The last ten days weigh more than those before.
    expect(half).toBeGreaterThan(12);
    expect(half).toBeLessThan(15);
  });

  it("has no model without a day of telemetry", async () => {
    const { loads, learned } = await learner([{ at: NOW, values: { import_kwh: 3 } }]);
    await loads.start();
    await loads.learned();
    expect(loads.model("home")).toBeUndefined();
    expect(loads.model("elsewhere")).toBeUndefined();
    expect(learned).toEqual([]);
  });

  it("learns a wallbox apart from the load, and nothing from readings that cannot be", async () => {
    const samples = (wrong: boolean) =>
      Array.from({ length: 20 * 96 }, (_, k): Sample => {
        const at = new Date(TODAY_MS - 20 * DAY_MS + k * 15 * MINUTE_MS);
        // From 18:00 UTC for two hours with 2 kW.
        const kw = at.getUTCHours() === 18 || at.getUTCHours() === 19 ? 2 : 0;
        // A meter that jumps, and powers that no connection has.
        const faulty = wrong && k % 200 === 100;
        return {
          at,
          values: {
            grid_power_kw: faulty ? 900 : 0.5 + kw,
            slot_4_power_kw: faulty ? -50 : kw,
          },
        };
      });
    const wallbox = slotSettings({ slot: 4 });
    const modelOf = async (wrong: boolean) => {
      const { loads } = await learner(samples(wrong), undefined, [wallbox]);
      await loads.start();
      await loads.learned();
      return loads.model("home")!;
    };
    const model = await modelOf(false);
    const start = new Date(TODAY_MS + DAY_MS);
    const withDevice = forecastLoad(model, { start, hours: 24, devices: [{ slot: 4 }] }).loadKwh;
    expect(dailyKwh(model)).toBeCloseTo(12, 0);
    expect(withDevice.reduce((sum, kwh) => sum + kwh, 0)).toBeCloseTo(12 + 4, 0);
    const other = await modelOf(true);
    // What is left out leaves gaps, of less than one part in a hundred.
    expect(Math.abs(dailyKwh(other) / dailyKwh(model) - 1)).toBeLessThan(0.01);
    // Where the wallbox is not known, it is part of the load.
    expect(Math.max(...other.hourKwh.map((kwh) => kwh ?? 0))).toBeLessThanOrEqual(2.5);
    expect(Math.max(...other.devices![0]!.hourKwh.map((kwh) => kwh ?? 0))).toBeLessThanOrEqual(2);
  });

  it("restores a stored model, but not one of another shape", async () => {
    const model = learnLoad({ history: [], timeZone: "Europe/Vienna", now: NOW });
    const { loads } = await learner([], model);
    await loads.start();
    expect(loads.model("home")).toEqual(model);
    const other = await learner([], {
      timeZone: model.timeZone,
      profileKwh: [[1]],
      lastDayKwh: [],
      ratios: [],
    });
    await other.loads.start();
    expect(other.loads.model("home")).toBeUndefined();
  });

  it("learns every three hours, and within a minute when an earlier day arrives late", async () => {
    const { loads, clock, telemetry, learned } = await learner(meter(3, 0, 0.5));
    await loads.start();
    await loads.learned();
    const first = dailyKwh(loads.model("home"));
    await clock.advance(5 * MINUTE_MS);
    expect(learned).toHaveLength(1);

    // Three days before those, at six times the load, older than the newest reading and so not part of the live state.
    const late = meter(6, 3, 3).slice(0, -1);
    await telemetry.ingest("home", late);
    await clock.advance(MINUTE_MS);
    await loads.learned();
    expect(learned).toHaveLength(2);
    const second = dailyKwh(loads.model("home"));
    expect(second).toBeGreaterThan(1.1 * first);

    await clock.set(new Date("2026-01-15T12:01:00Z"));
    await loads.learned();
    expect(learned).toHaveLength(3);
  });

  it("learns from imported quarter-hours within a minute, and from telemetry again after their removal", async () => {
    const { loads, bus, clock, store } = await learner(meter(20, 0, 0.5));
    await loads.start();
    await loads.learned();
    const before = dailyKwh(loads.model("home"));
    const learnedAnew = async () => {
      bus.emit("meter.changed", { siteId: "home" });
      await clock.advance(MINUTE_MS);
      await loads.learned();
      return dailyKwh(loads.model("home"));
    };
    const rows = Array.from({ length: 20 * 24 }, (_, hour) => {
      const start = new Date(TODAY_MS - 20 * DAY_MS + hour * HOUR_MS);
      return `${start.toISOString()},1.5`;
    });
    const text = ["start_utc,import_kwh", ...rows].join("\n");
    const [series] = await readMeterFile(new TextEncoder().encode(text), "meter.csv");
    const [added] = await store.meter.add("home", [[{ ...series!, quantity: "import" }]], NOW);
    expect(before).toBeCloseTo(12, 0);
    // The telemetry of the current day still shows 0.5 kWh an hour.
    expect(await learnedAnew()).toBeGreaterThan(30);
    await store.meter.remove(added!.import.id);
    expect(await learnedAnew()).toBeCloseTo(before, 6);
  });

  it("reads a day again if readings of it arrived during the read", async () => {
    const { loads, clock, telemetry } = await learner(meter(3, 0, 0.5));
    const readings = telemetry.readings.bind(telemetry);
    const late = meter(6, 3, 3).slice(0, -1);
    const comes = late;
    telemetry.readings = async (...requested) => {
      const read = await readings(...requested);
      const [, reading, from] = requested;
      // Just after the first of the late days was read.
      if (reading === "import_kwh" && +from === TODAY_MS - 6 * DAY_MS)
        await telemetry.ingest("home", comes.splice(0));
      return read;
    };
    await loads.start();
    await loads.learned();
    await clock.advance(MINUTE_MS);
    await loads.learned();
    const other = await learner(meter(3, 0, 0.5));
    await other.telemetry.ingest("home", meter(6, 3, 3).slice(0, -1));
    await other.loads.start();
    await other.loads.learned();
    expect(loads.model("home")).toEqual(other.loads.model("home"));
  });

  it("keeps the model when the store fails", async () => {
    const { loads, clock, store } = await learner(meter(5, 0, 0.5));
    await loads.start();
    await loads.learned();
    const before = loads.model("home");
    await store.close();
    await clock.set(new Date("2026-01-16T00:01:00Z"));
    await loads.learned();
    expect(loads.model("home")).toEqual(before);
  });

  it("learns a minute later what it could not read of a busy store", async () => {
    const { loads, clock, store } = await learner(meter(5, 0, 0.5));
    const busy = new StoreError("storage_unavailable", "The store is busy.");
    const range = vi.spyOn(store.samples, "range").mockRejectedValue(busy);
    await loads.start();
    await loads.learned();
    expect(loads.model("home")).toBeUndefined();
    range.mockRestore();
    await clock.set(new Date(NOW.getTime() + MINUTE_MS));
    await loads.learned();
    expect(loads.model("home")).toBeDefined();
  });
});
