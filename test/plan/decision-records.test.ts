import { expect, it } from "vitest";
import { SiteRuntimes } from "../../src/config/site-runtimes.js";
import { createBus } from "../../src/core/bus.js";
import { DAY_MS, HOUR_MS } from "../../src/core/domain/interval.js";
import { silentLog } from "../../src/core/log.js";
import { DecisionRecords } from "../../src/plan/decision-records.js";
import { fakeServices, memoryDocuments, samplePlan } from "../api/fake-services.js";
import { manualClock } from "../support/manual-clock.js";

const NOW = new Date("2026-01-15T12:00:10Z");

it("records what the first plan of each hour knew and decided, once, and removes records after 400 days", async () => {
  const bus = createBus();
  const clock = manualClock(NOW);
  const { sites } = fakeServices();
  const runtimes = new SiteRuntimes(bus, sites.list() as never);
  const documents = memoryDocuments();
  const old = `decisions/home/${new Date(NOW.getTime() - 401 * DAY_MS).toISOString().slice(0, 10)}`;
  await documents.put(old, { version: 1, hours: [] });
  const records = new DecisionRecords({ clock, bus, sites: runtimes, documents, log: silentLog });
  records.start();
  const plan = samplePlan();
  bus.emit("plan.updated", plan);
  // Later plans of the hour do not replace it.
  bus.emit("plan.updated", { ...plan, days: plan.days.map((day) => ({ ...day, socStartPct: 55 })) });
  const record = await records.at("home", NOW);
  expect(record).toEqual({
    atMs: Date.parse("2026-01-15T12:00:00Z"),
    action: "grid_charge",
    reason: plan.days[0]!.hours[0]!.reason,
    socPct: 20,
    socEndPct: 60,
    priceCtKwh: 19.1,
    isPublished: true,
    pvKwh: 0,
    loadKwh: 0.4,
  });
  // 24 of these are a day: less than 8 kB.
  expect(24 * JSON.stringify(record).length).toBeLessThan(8000);
  expect(await documents.get(old)).toBeNull();
  expect(await records.at("home", new Date(NOW.getTime() + HOUR_MS))).toBeUndefined();
  await records.stop();
});
