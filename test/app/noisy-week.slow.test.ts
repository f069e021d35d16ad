import { expect, it, onTestFinished } from "vitest";
import { parsePlant } from "../../src/config/plant.js";
import { SiteRuntimes } from "../../src/config/site-runtimes.js";
import { createBus } from "../../src/core/bus.js";
import { HOUR_MS, MINUTE_MS, QUARTER_MS } from "../../src/core/domain/interval.js";
import type { Reading, Sample } from "../../src/core/domain/sample.js";
import { silentLog } from "../../src/core/log.js";
import { VIENNA } from "../../src/core/time/zone.js";
import { forecastLoad } from "../../src/forecast/load/forecast-load.js";
import { PriceSeries } from "../../src/forecast/market/price-series.js";
import { parsePriceFile } from "../../src/forecast/market/sources/file-format.js";
import { BillService } from "../../src/money/bill/bill-service.js";
import { Ledger } from "../../src/money/ledger/ledger.js";
import { type HomeCommands, SimulatedHome } from "../../src/ops/demo/home.js";
import { springQuarters } from "../../src/ops/demo/spring.js";
import { PlanService } from "../../src/plan/service.js";
import { compileTariff } from "../../src/tariff/compile-tariff.js";
import { LoadLearner } from "../../src/telemetry/load-learner.js";
import { TelemetryService } from "../../src/telemetry/service.js";
import { planSources } from "../plan/plan-sources.js";
import { temporaryStore } from "../store/support/folder.js";
import { manualClock } from "../support/manual-clock.js";
import { HOURLY_PRICES, recordedText } from "../support/recorded-data.js";
import { USUAL_PRESENCE } from "../telemetry/usual-presence.js";

/** Monday, midnight in Vienna. */
const START = new Date("2026-01-11T23:00:00Z");
const DAYS = 7;
/** A command is decided every three hours. */
const BLOCK_HOURS = 3;
const STEP_MINUTES = 5;
const PLACE = { latitude: 48.2, longitude: 16.4 };
const recorded = PriceSeries.of(parsePriceFile(recordedText(HOURLY_PRICES)).points);

const parsed = parsePlant(
  {
    id: "home",
    ...PLACE,
    timezone: VIENNA,
    battery: { capacity_kwh: 10, max_charge_power_kw: 5, max_discharge_power_kw: 5, efficiency_pct: 90 },
    load: { daily_kwh: 12 },
    tariff: [{ energy: { type: "spot", markup_ct_kwh: 1.5 }, grid_usage: { ct_kwh: 8 }, vat_pct: 20 }],
  },
  [],
);
if ("findings" in parsed) throw new Error(JSON.stringify(parsed.findings));
const SITE = { id: "home", accountId: "owner", plant: parsed.plant };

/** What registers full of ones, restarts and other units send in place of a reading. */
const FAULTS = {
  import_kwh: [0, 65_535, 40_000_000],
  soc_pct: [0, 100, 655.35],
  battery_power_kw: [655.35, -655.35, 32.767],
  load_power_kw: [6_553.5, 1_000, 429],
} satisfies Partial<Record<Reading, readonly number[]>>;

/** One in a hundred values of each reading is a fault, at other times for each reading. */
function noisy(samples: readonly Sample[], firstIndex: number): Sample[] {
  return samples.map(({ at, values }, offset) => {
    const index = firstIndex + offset;
    const faults = Object.entries(FAULTS).flatMap(([reading, all], nth) =>
      index % 100 === 35 + 20 * nth ? [[reading, all[Math.floor(index / 100) % all.length]] as const] : [],
    );
    return { at, values: { ...values, ...Object.fromEntries(faults) } };
  });
}

/** The parts of a gateway that readings reach: telemetry, plan, ledger, bill and learned load. */
async function gateway() {
  const { store } = await temporaryStore();
  const clock = manualClock(START);
  const bus = createBus();
  const sites = new SiteRuntimes(bus, [SITE]);
  const freshness = { staleMinutes: 15, lostMinutes: 120 };
  const telemetry = new TelemetryService({
    clock,
    bus,
    samples: store.samples,
    sites,
    freshness,
    log: silentLog,
  });
  const tariff = compileTariff(SITE.plant.tariff!, VIENNA);
  const plans = new PlanService({
    clock,
    bus,
    sites,
    ...planSources(
      (count) =>
        Array.from({ length: Math.min(count, 36) }, (_, index) => {
          const start = new Date(Math.floor(clock.now().getTime() / HOUR_MS) * HOUR_MS + index * HOUR_MS);
          const price = recorded.hour(start.getTime())!;
          return { start, p10: price, p50: price, p90: price, source: "day_ahead" as const };
        }),
      { telemetry, tariff: () => tariff, prices: { published: () => recorded } },
    ),
    documents: { get: async () => undefined, put: async () => {} },
    components: { report: () => {}, removeSite: () => {} },
    sampledLoads: 1,
    log: silentLog,
  });
  const series = () => recorded;
  const loads = new LoadLearner({
    ...store,
    clock,
    bus,
    sites,
    telemetry,
    presence: USUAL_PRESENCE,
    log: silentLog,
  });
  await telemetry.start();
  await telemetry.ingest("home", [{ at: START, values: { soc_pct: 40, import_kwh: 0 } }]);
  await plans.start();
  onTestFinished(async () => {
    await plans.stop();
    await loads.stop();
    await telemetry.stop();
  });
  const command = (): HomeCommands => {
    plans.settle("home");
    const { command: decided, scalars } = plans.current("home")!;
    return {
      chargeNow: decided.mode === "charge",
      ...(decided.mode === "charge" && {
        chargePowerKw: decided.chargePowerKw,
        chargeStopSocPct: 10 * decided.stopSocKwh,
      }),
      dischargeCapKw: scalars.dischargePowerKw,
    };
  };
  /** What the week has cost, saved and taught. */
  const figures = async () => {
    const { bill, missingHours } = await new BillService({ ...store, sites, series }).month({
      month: "2026-01",
    });
    const days = await new Ledger({ ...store, clock, series }).days(SITE, "2026-01-12", "2026-01-17");
    await loads.start();
    await loads.learned();
    return { bill, missingHours, days, model: loads.model("home")! };
  };
  return { clock, telemetry, command, figures };
}

it("a week with one in a hundred readings impossible is commanded, billed, saved and learned as without them", async () => {
  const [clean, other] = [await gateway(), await gateway()];
  const oneWay = Math.sqrt(0.9);
  const home = new SimulatedHome({
    storage: {
      ...{ capacityKwh: 10, minSocKwh: 0, maxSocKwh: 10, maxChargePowerKw: 5, maxDischargePowerKw: 5 },
      ...{ chargeEfficiency: oneWay, dischargeEfficiency: oneWay },
    },
    startSocKwh: 4,
    seed: 5,
  });
  const quarters = springQuarters({ ...PLACE, start: START, days: DAYS + 1, seed: 5, timeZone: VIENNA });
  const differing: unknown[] = [];
  let charging = 0;
  const perBlock = (BLOCK_HOURS * 60) / STEP_MINUTES;
  for (let block = 0; block < (DAYS * 24) / BLOCK_HOURS; block++) {
    const [command, same] = [clean.command(), other.command()];
    if (JSON.stringify(command) !== JSON.stringify(same)) differing.push([block, command, same]);
    charging += Number(command.chargeNow);
    const samples = Array.from({ length: perBlock }, (_, step): Sample => {
      const ms = (block * perBlock + step) * STEP_MINUTES * MINUTE_MS;
      const { householdKw } = quarters[Math.floor(ms / QUARTER_MS)]!;
      home.advance({ minutes: STEP_MINUTES, householdKw, pvKw: 0 }, command);
      const { soc_pct, import_kwh, battery_power_kw, load_power_kw } = home.readings();
      const at = new Date(START.getTime() + ms + STEP_MINUTES * MINUTE_MS);
      return { at, values: { soc_pct, import_kwh, battery_power_kw, load_power_kw } };
    });
    for (const [{ clock, telemetry }, sent] of [
      [clean, samples],
      [other, noisy(samples, block * perBlock)],
    ] as const) {
      await clock.leap(sent.at(-1)!.at);
      await telemetry.ingest("home", sent);
    }
  }
  expect(charging).toBeGreaterThan(5);
  // 80 faults, of which a state of charge of 0 or 100 % may be possible when it comes.
  expect(clean.telemetry.leftOut("home").count).toBe(0);
  expect(other.telemetry.leftOut("home").count).toBeGreaterThan(70);
  expect(differing).toEqual([]);
  const [expected, actual] = [await clean.figures(), await other.figures()];
  expect(actual.bill.totalEur).toBeCloseTo(expected.bill.totalEur, 2);
  expect(actual.missingHours).toBe(expected.missingHours);
  // Where the battery starts or stops while its power is left out, five minutes of 5 kW are not known, at 25 ct.
  const fiveMinutesEur = (5 / 12) * 0.25;
  const saved = ({ days }: typeof actual) => days.reduce((sum, { savedEur }) => sum + savedEur!, 0);
  for (const [index, day] of actual.days.entries()) {
    const { complete, costEur, savedEur } = expected.days[index]!;
    expect(complete).toBe(true);
    expect(day.costEur).toBeCloseTo(costEur!, 2);
    expect(Math.abs(day.savedEur! - savedEur!)).toBeLessThan(fiveMinutesEur);
  }
  expect(saved(actual) / saved(expected)).toBeCloseTo(1, 1);
  const ahead = { start: new Date("2026-07-01T00:00:00Z"), hours: 96 };
  const { loadKwh } = forecastLoad(expected.model, ahead);
  for (const [hour, kwh] of forecastLoad(actual.model, ahead).loadKwh.entries())
    expect(Math.abs(kwh / loadKwh[hour]! - 1)).toBeLessThan(0.01);
});
