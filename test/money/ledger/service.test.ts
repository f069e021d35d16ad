import { describe, expect, it, onTestFinished } from "vitest";
import { parsePlant } from "../../../src/config/plant.js";
import { SiteRuntimes } from "../../../src/config/site-runtimes.js";
import { createBus } from "../../../src/core/bus.js";
import type { Sample } from "../../../src/core/domain/sample.js";
import { silentLog } from "../../../src/core/log.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { Ledger } from "../../../src/money/ledger/ledger.js";
import { savingsView } from "../../../src/money/ledger/savings-view.js";
import { LedgerService, type LedgerServiceOptions } from "../../../src/money/ledger/service.js";
import { totalOf } from "../../../src/money/ledger/totals.js";
import { readMeterFile } from "../../../src/money/meter/read.js";
import type { SlotPlan } from "../../../src/plan/windows/slot-schedule.js";
import { TelemetryService } from "../../../src/telemetry/service.js";
import { samplePlan } from "../../api/fake-services.js";
import { temporaryStore } from "../../store/support/folder.js";
import { manualClock } from "../../support/manual-clock.js";

const HOUR_MS = 3_600_000;
const QUARTER_MS = HOUR_MS / 4;
/** Midnight in Vienna. */
const DAY = Date.parse("2026-01-14T23:00:00Z");
const DATE = "2026-01-15";
const parsed = parsePlant(
  {
    id: "home",
    name: "Home",
    battery: {
      capacity_kwh: 10,
      min_soc_pct: 0,
      efficiency_pct: 100,
      wear_ct_kwh: 1,
      max_charge_power_kw: 5,
    },
  },
  [],
);
if ("findings" in parsed) throw new Error(JSON.stringify(parsed.findings));
const SITE = { id: "home", accountId: "owner", plant: parsed.plant };

/** 100 EUR/MWh in the first two hours of each day, then 400 EUR/MWh. */
const prices = PriceSeries.of(
  Array.from({ length: 72 }, (_, hour) => ({
    start: new Date(DAY + hour * HOUR_MS),
    minutes: 60 as const,
    eurPerMwh: hour % 24 < 2 ? 100 : 400,
  })),
);

/** A day of readings: 1 kW load, 4 kW into the battery in the first two hours, 1 kW out of it in the next eight. */
function readings(startMs: number): Sample[] {
  let importKwh = 1000;
  let socPct = 0;
  return Array.from({ length: 98 }, (_, quarter) => {
    const batteryKw = quarter < 8 ? 4 : quarter < 40 ? -1 : 0;
    const sample = {
      at: new Date(startMs + quarter * QUARTER_MS),
      values: { import_kwh: importKwh, soc_pct: socPct, battery_power_kw: batteryKw },
    };
    importKwh += (1 + batteryKw) / 4;
    socPct += (batteryKw / 4) * 10;
    return sample;
  });
}

async function start(
  samples: Sample[],
  { now = DAY, flex }: { now?: number; flex?: LedgerServiceOptions["flex"] } = {},
) {
  const { store } = await temporaryStore();
  const bus = createBus();
  const clock = manualClock(new Date(now));
  const sites = new SiteRuntimes(bus, [SITE]);
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
  const ledger = new Ledger({ ...store, clock, series: () => prices });
  const service = new LedgerService({ bus, clock, sites, ledger, log: silentLog, ...(flex && { flex }) });
  onTestFinished(async () => {
    await service.stop();
    await telemetry.stop();
  });
  /** A plan is published at an instant and promises so much for the day. */
  const plan = async (ms: number, savingDayEur: number) => {
    const at = new Date(ms);
    const sample = samplePlan();
    bus.emit("plan.updated", {
      ...sample,
      siteId: "home",
      issuedAt: at,
      expectation: { ...sample.expectation, at, savingDayEur },
    });
    await service.settled();
  };
  const at = async (ms: number) => {
    await clock.set(new Date(ms));
    await service.settled();
  };
  return { bus, service, plan, ledger, at, telemetry, documents: store.documents, meter: store.meter };
}

const dayOf = async ({ ledger }: Awaited<ReturnType<typeof start>>) =>
  (await ledger.days(SITE, DATE, DATE, { compute: false }))[0]!;

describe("LedgerService", () => {
  it("compares the promise of each day with its result, and keeps both", async () => {
    const site = await start(readings(DAY));
    await site.service.start();
    await site.plan(DAY, 2);
    await site.plan(DAY + HOUR_MS / 2, 9);
    await site.at(DAY + 24 * HOUR_MS + 2 * HOUR_MS);
    // 8 kWh bought at 10 ct serve the load at 40 ct.
    expect(await dayOf(site)).toMatchObject({ complete: true, savedEur: 2.4, promisedSavingEur: 2 });
    expect(await site.ledger.months(SITE)).toEqual([
      { month: "2026-01", promisedEur: 2, achievedEur: 2.4, days: 1, daysWithoutTelemetry: 0 },
    ]);
    expect(site.service.now("home")).toMatchObject({ date: "2026-01-16", monthEur: 2.4 });
  });

  it("knows today so far, and publishes it", async () => {
    const site = await start(readings(DAY), { now: DAY + 12 * HOUR_MS });
    const seen: string[] = [];
    site.bus.on("savings.updated", ({ siteId }) => seen.push(siteId));
    await site.service.start();
    await site.service.settled();
    expect(site.service.now("home")).toMatchObject({ date: DATE, todayEur: 2.4, monthEur: 2.4 });
    expect(seen).toContain("home");
    expect(await dayOf(site)).toMatchObject({
      complete: false,
      soFar: true,
      savedEur: 2.4,
      perfectEur: null,
    });
    expect(totalOf([await dayOf(site)]).savedEur).toBe(2.4);
    // The amount of yesterday is not that of today, also where nothing computes the new day.
    await site.service.stop();
    await site.at(DAY + 24 * HOUR_MS);
    expect(site.service.now("home")).toMatchObject({ date: "2026-01-16", todayEur: null, monthEur: 2.4 });
    await site.at(Date.parse("2026-01-31T23:00:00Z"));
    expect(site.service.now("home")).toMatchObject({ date: "2026-02-01", monthEur: null, totalEur: 2.4 });
  });

  it("settles today so far at the end of what is known, not with later readings of the battery", async () => {
    const known = readings(DAY).slice(0, 28);
    const later = { at: new Date(DAY + 6.9 * HOUR_MS), values: { soc_pct: 31 } };
    const site = await start([...known, later], { now: DAY + 7 * HOUR_MS });
    // Until 06:45 4.75 kWh of 8 at 10 ct have served the load at 40 ct; 3.25 are worth what they cost.
    expect(await dayOf(site)).toMatchObject({ costEur: 1, storedChangeEur: 0.325, savedEur: 1.425 });
  });

  it("goes on from the days before when they are computed after today", async () => {
    const samples: Sample[] = [];
    let importKwh = 0;
    let socPct = 0;
    for (let quarter = 0; quarter <= 128; quarter++) {
      const batteryKw = quarter < 88 ? 0 : quarter < 96 ? 4 : -1;
      const values = { import_kwh: importKwh, soc_pct: socPct, battery_power_kw: batteryKw };
      samples.push({ at: new Date(DAY + quarter * QUARTER_MS), values });
      importKwh += (1 + batteryKw) / 4;
      socPct += (batteryKw / 4) * 10;
    }
    const site = await start(samples, { now: DAY + 32 * HOUR_MS });
    const today = async (compute: boolean) =>
      (await site.ledger.days(SITE, "2026-01-16", "2026-01-16", { compute }))[0]!;
    expect(await today(false)).toMatchObject({ savedEur: 0 });
    // 2 h at 10 ct and 6 h at 40 ct are served by 8 kWh, worth 10 ct each the evening before.
    expect(await today(true)).toMatchObject({ storedChangeEur: -0.8, savedEur: 1.8 });
  });

  it("counts no day before the installation, and notes what a negative day has to explain", async () => {
    const site = await start(readings(DAY), { now: DAY + 26 * HOUR_MS });
    await site.service.start();
    await site.service.settled();
    expect(site.service.now("home")?.totalEur).toBe(2.4);
    await site.plan(DAY + 26 * HOUR_MS, 1);
    await site.at(DAY + 27 * HOUR_MS);
    expect(await dayOf(site)).toMatchObject({ savedEur: 2.4, isEarlier: true });
    expect(site.service.now("home")).toMatchObject({ monthEur: null, totalEur: null });
    site.bus.emit("following.changed", { siteId: "home", state: "no", cause: "not_charging" });
    await site.service.settled();
    const { incidents } = await site.ledger.details("home", "2026-01-16");
    expect(incidents).toEqual({ notFollowed: true });
  });

  it("counts from the first planned device on in a home without a battery", async () => {
    const site = await start(readings(DAY), { now: DAY + 26 * HOUR_MS });
    await site.service.start();
    await site.service.settled();
    site.bus.emit("slots.updated", { siteId: "home" });
    await site.at(DAY + 27 * HOUR_MS);
    expect(await dayOf(site)).toMatchObject({ savedEur: 2.4, isEarlier: true });
    expect(site.service.now("home")).toMatchObject({ totalEur: null });
  });

  it("counts from the start on where a device was planned before it", async () => {
    const flex = { current: () => [{ result: {} } as SlotPlan], flexLoad: () => [] };
    const site = await start(readings(DAY), { now: DAY + 26 * HOUR_MS, flex });
    await site.service.start();
    await site.service.settled();
    expect(await dayOf(site)).toMatchObject({ savedEur: 2.4, isEarlier: true });
  });

  it("counts a promised day without measurements, and invents nothing", async () => {
    const site = await start(readings(DAY).slice(0, 70));
    await site.service.start();
    await site.plan(DAY, 2);
    await site.at(DAY + 26 * HOUR_MS);
    expect(await dayOf(site)).toMatchObject({ complete: false, costEur: null, savedEur: null });
    expect(await site.ledger.months(SITE)).toEqual([
      { month: "2026-01", promisedEur: 0, achievedEur: 0, days: 0, daysWithoutTelemetry: 1 },
    ]);
    expect(site.service.now("home")).toMatchObject({ todayEur: null, monthEur: null });
  });

  it("computes a day again when its measurements arrive late", async () => {
    const all = readings(DAY);
    const site = await start(all.slice(0, 70));
    await site.service.start();
    await site.at(DAY + 26 * HOUR_MS);
    await site.telemetry.ingest("home", all.slice(70));
    await site.at(DAY + 26 * HOUR_MS + 60_000);
    expect(await dayOf(site)).toMatchObject({ complete: true, savedEur: 2.4 });
  });

  it("shows today with readings that arrive late at once, and publishes it within a minute", async () => {
    const site = await start([]);
    await site.service.start();
    await site.at(DAY + 10.1 * HOUR_MS);
    expect(await dayOf(site)).toMatchObject({ kwh: { import: 0 } });
    await site.telemetry.ingest("home", readings(DAY).slice(0, 41));
    // 10 kWh of load, all of 8 kWh from the battery stored from the grid.
    expect(await dayOf(site)).toMatchObject({ kwh: { import: 10 } });
    expect(site.service.now("home")?.today.kwh.import).toBe(0);
    // The page of the money shows sums of the days that it lists.
    const view = await savingsView(site.ledger, SITE, "2026-01", new Date(DAY + 10.1 * HOUR_MS));
    expect(view.now.today).toEqual(view.days.at(-1));
    await site.at(DAY + 10.1 * HOUR_MS + 60_000);
    expect(site.service.now("home")?.today.kwh.import).toBe(10);
  });

  it("computes a day again when an import changes it, or is removed", async () => {
    const site = await start(readings(DAY));
    await site.service.start();
    await site.at(DAY + 26 * HOUR_MS);
    expect(await dayOf(site)).toMatchObject({ costEur: 6.6 });
    // The counter has seen 14 kWh at 40 ct; the grid operator's meter another kWh in the last hour.
    const rows = [92, 93, 94, 95].map(
      (quarter) => `${new Date(DAY + quarter * QUARTER_MS).toISOString()},0.5`,
    );
    const file = new TextEncoder().encode(["start_utc,import_kwh", ...rows].join("\n"));
    const [series] = await readMeterFile(file, "meter.csv");
    const [added] = await site.meter.add("home", [[{ ...series!, quantity: "import" }]], new Date(DAY));
    site.bus.emit("meter.changed", { siteId: "home" });
    await site.service.settled();
    expect(await dayOf(site)).toMatchObject({ costEur: 7, noBatteryEur: 9.4, savedEur: 2.4 });
    await site.meter.remove(added!.import.id);
    site.bus.emit("meter.changed", { siteId: "home" });
    await site.service.settled();
    expect(await dayOf(site)).toMatchObject({ costEur: 6.6, noBatteryEur: 9 });
  });

  it("takes no promise that was made later in the day, or for other settings", async () => {
    const site = await start(readings(DAY));
    await site.service.start();
    await site.plan(DAY + 5 * HOUR_MS, 2);
    await site.at(DAY + 26 * HOUR_MS);
    expect(await dayOf(site)).toMatchObject({ complete: true, promisedSavingEur: null });
    const other = await start(readings(DAY));
    await other.service.start();
    await other.plan(DAY, 2);
    other.bus.emit("site.changed", SITE);
    await other.plan(DAY + HOUR_MS / 4, 3);
    await other.at(DAY + 26 * HOUR_MS);
    expect(await other.ledger.months(SITE)).toEqual([]);
  });

  it("takes over the monthly sums of version 0.1, repeatedly", async () => {
    const site = await start(readings(DAY));
    const old = { month: "2026-01", promisedEur: 5, achievedEur: 4, days: 3, daysWithoutTelemetry: 1 };
    const record = { version: 1, open: { date: DATE, promisedEur: 2 }, months: [old] };
    for (let times = 0; times < 2; times++) {
      await site.documents.put("calibration/home", record);
      await site.ledger.migrate(SITE);
    }
    expect(await site.ledger.months(SITE)).toEqual([old]);
    expect(await site.documents.get("calibration/home")).toBeUndefined();
    await site.service.start();
    await site.at(DAY + 26 * HOUR_MS);
    expect(await site.ledger.months(SITE)).toEqual([
      { ...old, promisedEur: 7, achievedEur: 4 + 2.4, days: 4 },
    ]);
  });
});
