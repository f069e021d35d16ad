import { describe, expect, it, onTestFinished } from "vitest";
import { createBus } from "../../src/bus.js";
import { addDay, type CalibrationRecord, EMPTY_RECORD } from "../../src/calibration/record.js";
import { CalibrationService } from "../../src/calibration/service.js";
import { parsePlant } from "../../src/config/plant.js";
import type { Sample } from "../../src/domain/sample.js";
import { silentLog } from "../../src/log.js";
import { PriceSeries } from "../../src/market/price-series.js";
import { TelemetryService } from "../../src/telemetry/service.js";
import { manualClock } from "../../src/time/clock.js";
import { samplePlan } from "../api/fake-services.js";
import { temporaryStore } from "../store/support/folder.js";

const HOUR_MS = 3_600_000;
const QUARTER_MS = HOUR_MS / 4;
/** Midnight in Vienna. */
const DAY = Date.parse("2026-01-14T23:00:00Z");
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
  return Array.from({ length: 97 }, (_, quarter) => {
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

async function start(samples: Sample[]) {
  const { store } = await temporaryStore();
  const bus = createBus();
  const clock = manualClock(new Date(DAY + 30 * HOUR_MS));
  const telemetry = new TelemetryService({
    clock,
    bus,
    samples: store.samples,
    sites: [SITE],
    log: silentLog,
  });
  await telemetry.start();
  await telemetry.ingest("home", samples);
  const open = async () => {
    const service = new CalibrationService({
      bus,
      sites: [SITE],
      telemetry,
      published: () => prices,
      tariff: () => undefined,
      stepMinutes: 60,
      documents: store.documents,
      log: silentLog,
    });
    await service.start();
    return service;
  };
  const service = await open();
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
  return { bus, service, plan, open, documents: store.documents };
}

describe("CalibrationService", () => {
  it("compares the promise of each day with what was measured, and keeps it over a restart", async () => {
    const { service, plan, open } = await start(readings(DAY));
    await plan(DAY, 2);
    await plan(DAY + HOUR_MS, 9);
    expect(service.record("home")).toMatchObject({
      open: { date: "2026-01-15", promisedEur: 2 },
      months: [],
    });
    await plan(DAY + 24 * HOUR_MS, 3);
    const [month] = service.record("home").months;
    // 8 kWh bought at 10 ct serve the load at 40 ct; wear 1 ct a kWh.
    expect(month).toMatchObject({ month: "2026-01", promisedEur: 2, days: 1, daysWithoutTelemetry: 0 });
    expect(month!.achievedEur).toBeCloseTo(8 * 0.3 - 0.08, 6);
    expect((await open()).record("home")).toEqual(service.record("home"));
    expect(service.record("home").open).toEqual({ date: "2026-01-16", promisedEur: 3 });
  });

  it("counts a day without measurements, and says so", async () => {
    const { service, plan } = await start(readings(DAY).slice(0, 70));
    await plan(DAY, 2);
    await plan(DAY + 24 * HOUR_MS, 3);
    expect(service.record("home").months).toEqual([
      { month: "2026-01", promisedEur: 0, achievedEur: 0, days: 0, daysWithoutTelemetry: 1 },
    ]);
  });

  it("takes no promise that was made later in the day, or for other settings", async () => {
    const { bus, service, plan } = await start(readings(DAY));
    await plan(DAY + 5 * HOUR_MS, 2);
    expect(service.record("home")).toEqual(EMPTY_RECORD);
    await plan(DAY + 24 * HOUR_MS, 2);
    bus.emit("site.changed", SITE);
    await plan(DAY + 48 * HOUR_MS, 2);
    expect(service.record("home").months).toEqual([]);
  });

  it("compares a day whose end the gateway missed", async () => {
    const { service, plan } = await start(readings(DAY));
    await plan(DAY, 2);
    await plan(DAY + 53 * HOUR_MS, 2);
    expect(service.record("home").months[0]).toMatchObject({ days: 1, promisedEur: 2 });
    expect(service.record("home").open).toBeNull();
  });
});

it("keeps the last 36 months", () => {
  let record: CalibrationRecord = EMPTY_RECORD;
  for (let month = 0; month < 40; month++) {
    const date = `${2020 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}-01`;
    record = addDay(record, { date, promisedEur: 1 }, 1);
  }
  expect(record.months).toHaveLength(36);
  expect(record.months[0]!.month).toBe("2020-05");
  expect(record.months.at(-1)!.month).toBe("2023-04");
});
