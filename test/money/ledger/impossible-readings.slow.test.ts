import { describe, expect, it, onTestFinished } from "vitest";
import { parsePlant } from "../../../src/config/plant.js";
import { SiteRuntimes } from "../../../src/config/site-runtimes.js";
import { createBus } from "../../../src/core/bus.js";
import { DAY_MS, HOUR_MS, MINUTE_MS, QUARTER_MS } from "../../../src/core/domain/interval.js";
import type { Sample } from "../../../src/core/domain/sample.js";
import { HealthRegistry } from "../../../src/core/health-registry.js";
import { silentLog } from "../../../src/core/log.js";
import { forecastLoad } from "../../../src/forecast/load/forecast-load.js";
import { PriceSeries } from "../../../src/forecast/market/price-series.js";
import { BillService } from "../../../src/money/bill/bill-service.js";
import { Ledger } from "../../../src/money/ledger/ledger.js";
import { LoadLearner } from "../../../src/telemetry/load-learner.js";
import { TelemetryService } from "../../../src/telemetry/service.js";
import { temporaryStore } from "../../store/support/folder.js";
import { manualClock } from "../../support/manual-clock.js";
import { USUAL_PRESENCE } from "../../telemetry/usual-presence.js";

const MONTH = Date.parse("2026-05-31T22:00:00Z");
const parsed = parsePlant(
  {
    id: "home",
    timezone: "Europe/Vienna",
    tariff: [{ energy: { type: "fixed", ct_kwh: 10 }, vat_pct: 0 }],
    battery: { capacity_kwh: 10, max_charge_power_kw: 5, max_discharge_power_kw: 5 },
  },
  [],
);
if ("findings" in parsed) throw new Error(JSON.stringify(parsed.findings));
const SITE = { id: "home", accountId: "owner", plant: parsed.plant };

const prices = PriceSeries.of(
  Array.from({ length: 32 * 24 }, (_, hour) => ({
    start: new Date(MONTH - DAY_MS + hour * HOUR_MS),
    minutes: 60 as const,
    eurPerMwh: hour % 24 < 6 ? 50 : 150,
  })),
);

/** A clean home: 0.4 kW all the time, the battery at rest at 60 %. */
function month(days: number): Sample[] {
  return Array.from({ length: days * 96 + 8 }, (_, index) => ({
    at: new Date(MONTH + index * QUARTER_MS),
    values: { import_kwh: 40_134.4 + index * 0.1, soc_pct: 60, battery_power_kw: 0 },
  }));
}

/** One in a hundred readings replaced by what a faulty bridge or register sends. */
function noisy(samples: readonly Sample[]): Sample[] {
  return samples.map((sample, index) => {
    if (index % 100 !== 37) return sample;
    const turn = Math.floor(index / 100) % 3;
    return {
      at: sample.at,
      values: {
        import_kwh: [0, 65_535, 40_134_400][turn]!,
        soc_pct: [0, 100, 0][turn]!,
        battery_power_kw: [655.35, -655.35, 32.767][turn]!,
      },
    };
  });
}

/** `live`: through the gate; else stored as an earlier version did. */
async function started(samples: readonly Sample[], entrance: "live" | "stored") {
  const { store } = await temporaryStore();
  const bus = createBus();
  const clock = manualClock(new Date(samples.at(-1)!.at.getTime() + HOUR_MS));
  const sites = new SiteRuntimes(bus, [SITE]);
  const components = new HealthRegistry(clock);
  const telemetry = new TelemetryService({
    clock,
    bus,
    samples: store.samples,
    sites,
    components,
    freshness: { staleMinutes: 15, lostMinutes: 120 },
    log: silentLog,
  });
  if (entrance === "stored") await store.samples.append("home", samples);
  await telemetry.start();
  if (entrance === "live")
    for (let index = 0; index < samples.length; index += 96)
      await telemetry.ingest("home", samples.slice(index, index + 96));
  const ledger = new Ledger({ ...store, clock, series: () => prices });
  const bills = new BillService({ ...store, sites, series: () => prices });
  const loads = new LoadLearner({
    ...store,
    clock,
    bus,
    sites,
    telemetry,
    presence: USUAL_PRESENCE,
    log: silentLog,
  });
  onTestFinished(async () => {
    await loads.stop();
    await telemetry.stop();
  });
  return { telemetry, ledger, bills, loads, components };
}

const dayOf = async (samples: readonly Sample[], entrance: "live" | "stored") => {
  const { ledger } = await started(samples, entrance);
  return (await ledger.days(SITE, "2026-06-15", "2026-06-15"))[0]!;
};

const total = (bill: { quantity: number }[]) => bill[0]!.quantity;

describe.each(["live", "stored"] as const)("impossible readings, %s", (entrance) => {
  // https://github.com/kodebach/hacs-idm-heatpump/issues/322
  it("of a counter that is 0 for one reading lose nothing in a day", async () => {
    const from = new Date("2026-06-14T21:30:00Z");
    const samples = month(16)
      .filter(({ at }) => at >= from)
      .map(({ at, values }) => ({
        at,
        values: { import_kwh: at.toISOString() === "2026-06-15T10:15:00.000Z" ? 0 : values.import_kwh! },
      }));
    const { bills, ledger } = await started(samples, entrance);
    const { bill } = await bills.month({ month: "2026-06" });
    expect(total(bill.lines.filter(({ part }) => part === "energy"))).toBeGreaterThan(9.4);
    const [day] = await ledger.days(SITE, "2026-06-15", "2026-06-15");
    expect(day?.kwh.import).toBeCloseTo(9.6);
  });

  it("in a month leave bill, savings and learned load as they are", async () => {
    const clean = month(30);
    const of = async (samples: readonly Sample[]) => {
      const { bills, ledger, loads } = await started(samples, entrance);
      const { bill, missingHours } = await bills.month({ month: "2026-06" });
      const days = await ledger.days(SITE, "2026-06-01", "2026-06-29");
      await loads.start();
      await loads.learned();
      return { bill, missingHours, days, model: loads.model("home") };
    };
    const [expected, actual] = [await of(clean), await of(noisy(clean))];
    expect(total(actual.bill.lines)).toBeCloseTo(288);
    expect(actual.bill.totalEur).toBeCloseTo(expected.bill.totalEur, 6);
    expect(actual.missingHours).toBe(0);
    for (const [index, day] of actual.days.entries()) {
      expect(day.costEur).toBeCloseTo(expected.days[index]!.costEur!, 6);
      expect(day.savedEur).toBeCloseTo(expected.days[index]!.savedEur!, 6);
    }
    const ahead = { start: new Date("2026-07-01T00:00:00Z"), hours: 96 };
    const { loadKwh } = forecastLoad(expected.model!, ahead);
    for (const [hour, kwh] of forecastLoad(actual.model!, ahead).loadKwh.entries())
      expect(kwh).toBeCloseTo(loadKwh[hour]!, 6);
  });

  // https://github.com/evcc-io/evcc/issues/7631
  it.each([655.35, -655.35])("of a battery power of %d kW cost and save nothing", async (kw) => {
    const from = Date.parse("2026-06-14T21:00:00Z");
    const samples = Array.from({ length: 27 * 12 }, (_, index) => ({
      at: new Date(from + index * 5 * MINUTE_MS),
      values: { soc_pct: 60, import_kwh: 1000 + index * 0.05, battery_power_kw: 0 },
    }));
    const wrong = samples.map((sample, index) =>
      index === 150 ? { at: sample.at, values: { ...sample.values, battery_power_kw: kw } } : sample,
    );
    const [clean, day] = [await dayOf(samples, entrance), await dayOf(wrong, entrance)];
    expect(day).toEqual(clean);
    expect(day.costEur).not.toBeNull();
  });
});

describe("what is left out", () => {
  it("is counted and shown with its value and time, while the rest of the sample is used", async () => {
    const samples = month(1);
    const { telemetry, components } = await started(samples, "live");
    const at = new Date(samples.at(-1)!.at.getTime() + MINUTE_MS);
    const { accepted, held, latest } = await telemetry.ingest("home", [
      { at, values: { battery_power_kw: 655.35, import_kwh: 0, soc_pct: 61 } },
    ]);
    expect([accepted, held?.map(({ reading }) => reading)]).toEqual([1, ["battery_power_kw", "import_kwh"]]);
    expect(latest).toMatchObject({ battery_power_kw: { value: 0 }, soc_pct: { value: 61, at } });
    const later = new Date(at.getTime() + MINUTE_MS);
    await telemetry.ingest("home", [
      { at: later, values: { battery_power_kw: 0, import_kwh: samples.at(-1)!.values.import_kwh! } },
    ]);
    expect(telemetry.leftOut("home")).toEqual({
      count: 2,
      last: [
        { reading: "import_kwh", at, value: 0 },
        { reading: "battery_power_kw", at, value: 655.35 },
      ],
    });
    expect(components.list()).toMatchObject([
      { state: "ok", detail: [{ code: "readings_left_out", count: 2, reading: "import_kwh", value: 0, at }] },
    ]);
  });

  it("asks about a new meter, whose jump is not booked", async () => {
    const samples = month(1);
    const { telemetry, components } = await started(samples, "live");
    const lastMs = samples.at(-1)!.at.getTime();
    for (const step of [1, 2, 3])
      await telemetry.ingest("home", [
        { at: new Date(lastMs + step * QUARTER_MS), values: { import_kwh: 5 + step * 0.1 } },
      ]);
    expect(telemetry.live("home").import_kwh?.value).toBeCloseTo(5.3);
    expect(telemetry.leftOut("home").count).toBe(0);
    expect(components.list()).toMatchObject([{ state: "ok", detail: [{ code: "counter_replaced" }] }]);
  });

  it("asks about the unit when a counter is a thousand times as high", async () => {
    const samples = month(1);
    const { telemetry, components } = await started(samples, "live");
    const { at, values } = samples.at(-1)!;
    for (const step of [1, 2, 3, 4])
      await telemetry.ingest("home", [
        { at: new Date(at.getTime() + step * MINUTE_MS), values: { import_kwh: values.import_kwh! * 1000 } },
      ]);
    expect(telemetry.live("home").import_kwh?.value).toBe(values.import_kwh);
    expect(components.list()).toMatchObject([
      { state: "degraded", detail: [{ code: "counter_unit" }, { code: "readings_left_out" }] },
    ]);
  });
});
