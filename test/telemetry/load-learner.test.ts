import { describe, expect, it, onTestFinished } from "vitest";
import { createBus } from "../../src/bus.js";
import { defaultSettings } from "../../src/config/load.js";
import type { Sample } from "../../src/domain/sample.js";
import { silentLog } from "../../src/log.js";
import { LoadLearner } from "../../src/telemetry/load-learner.js";
import { TelemetryService } from "../../src/telemetry/service.js";
import { manualClock } from "../../src/time/clock.js";
import { temporaryStore } from "../store/support/folder.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MINUTE_MS = 60_000;
const NOW = new Date("2026-01-15T10:30:00Z");
const TODAY_MS = Date.parse("2026-01-15T00:00:00Z");

/** An hourly read import counter: `kwh` an hour from `fromDay` to `toDay` (days before today). */
function meter(fromDay: number, toDay: number, kwh: number): Sample[] {
  return Array.from({ length: (fromDay - toDay) * 24 + 1 }, (_, index) => ({
    at: new Date(TODAY_MS - fromDay * DAY_MS + index * HOUR_MS),
    values: { import_kwh: 1000 + index * kwh },
  }));
}

/** A learner over a real store with the samples in it. */
async function learner(samples: Sample[], kept?: unknown) {
  const { store } = await temporaryStore();
  const clock = manualClock(NOW);
  const bus = createBus();
  const plant = { ...defaultSettings().plants[0]!, battery: null };
  const sites = [{ id: "home", accountId: "owner", plant }];
  const telemetry = new TelemetryService({ clock, bus, samples: store.samples, sites, log: silentLog });
  await telemetry.start();
  await telemetry.ingest("home", samples);
  if (kept !== undefined) await store.documents.put("load/home", kept);
  const loads = new LoadLearner({ clock, bus, sites, telemetry, documents: store.documents, log: silentLog });
  const learnt: string[] = [];
  bus.on("load.learnt", ({ siteId }) => learnt.push(siteId));
  onTestFinished(async () => {
    await loads.stop();
    await telemetry.stop();
  });
  return { loads, clock, telemetry, store, learnt };
}

describe("LoadLearner", () => {
  it("learns at the start from the days that are over, and keeps it", async () => {
    const { loads, store, learnt } = await learner(meter(20, 0, 0.5));
    await loads.start();
    await loads.learnt();
    expect(loads.model("home")!.dailyKwh).toBeCloseTo(12, 0);
    expect(learnt).toEqual(["home"]);
    expect(await store.documents.get("load/home")).toEqual(loads.model("home"));
  });

  it("knows nothing without telemetry, nor of today alone", async () => {
    const { loads, learnt } = await learner([{ at: NOW, values: { import_kwh: 3 } }]);
    await loads.start();
    await loads.learnt();
    expect(loads.model("home")).toBeUndefined();
    expect(loads.model("elsewhere")).toBeUndefined();
    expect(learnt).toEqual([]);
  });

  it("takes up what was kept, unless it is nonsense", async () => {
    const week = Array.from({ length: 7 }, () => new Array<number>(24).fill(1));
    const { loads } = await learner([], { dailyKwh: 7, week });
    await loads.start();
    expect(loads.model("home")).toEqual({ dailyKwh: 7, week });
    const other = await learner([], { dailyKwh: 7, week: [[1]] });
    await other.loads.start();
    expect(other.loads.model("home")).toBeUndefined();
  });

  it("learns anew after midnight UTC, and within a minute when an earlier day comes late", async () => {
    const { loads, clock, telemetry, learnt } = await learner(meter(3, 0, 0.5));
    await loads.start();
    await loads.learnt();
    const first = loads.model("home")!.dailyKwh;
    await clock.advance(5 * MINUTE_MS);
    expect(learnt).toHaveLength(1);

    // Three days before those, at six times the use, and older than the newest reading: they move no live state.
    const late = meter(6, 3, 3).slice(0, -1);
    await telemetry.ingest("home", late);
    await clock.advance(MINUTE_MS);
    await loads.learnt();
    expect(learnt).toHaveLength(2);
    const second = loads.model("home")!.dailyKwh;
    expect(second).toBeGreaterThan(1.3 * first);

    await clock.set(new Date("2026-01-16T00:01:00Z"));
    await loads.learnt();
    expect(learnt).toHaveLength(3);
  });

  it("reads a day again whose readings came while it was being read", async () => {
    const { loads, clock, telemetry } = await learner(meter(3, 0, 0.5));
    const readings = telemetry.readings.bind(telemetry);
    const late = meter(6, 3, 3).slice(0, -1);
    const comes = late;
    telemetry.readings = async (...asked) => {
      const read = await readings(...asked);
      const [, reading, from] = asked;
      // Just behind the look at the first of the late days.
      if (reading === "import_kwh" && +from === TODAY_MS - 6 * DAY_MS)
        await telemetry.ingest("home", comes.splice(0));
      return read;
    };
    await loads.start();
    await loads.learnt();
    await clock.advance(MINUTE_MS);
    await loads.learnt();
    const other = await learner(meter(3, 0, 0.5));
    await other.telemetry.ingest("home", meter(6, 3, 3).slice(0, -1));
    await other.loads.start();
    await other.loads.learnt();
    expect(loads.model("home")).toEqual(other.loads.model("home"));
  });

  it("a store that fails leaves what was learnt", async () => {
    const { loads, clock, store } = await learner(meter(5, 0, 0.5));
    await loads.start();
    await loads.learnt();
    const before = loads.model("home");
    await store.close();
    await clock.set(new Date("2026-01-16T00:01:00Z"));
    await loads.learnt();
    expect(loads.model("home")).toEqual(before);
  });
});
