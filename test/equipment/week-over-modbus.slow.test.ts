import { expect, it, onTestFinished } from "vitest";
import { stringify } from "yaml";
import { parse } from "../../src/config/load.js";
import { newDevice } from "../../src/config/new-device.js";
import type { PlantSettings } from "../../src/config/settings.js";
import { createBus } from "../../src/core/bus.js";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/core/domain/interval.js";
import type { Sample } from "../../src/core/domain/sample.js";
import { silentLog } from "../../src/core/log.js";
import type { Clock } from "../../src/core/time/clock.js";
import { localTime } from "../../src/core/time/zone.js";
import { ReadingService } from "../../src/equipment/reading/service.js";
import { TemplateLibrary } from "../../src/equipment/template-library.js";
import { PriceSeries } from "../../src/forecast/market/price-series.js";
import { Ledger } from "../../src/money/ledger/ledger.js";
import { totalOf } from "../../src/money/ledger/totals.js";
import { type HomeCommands, SimulatedHome } from "../../src/ops/demo/home.js";
import { createScenario, demoSettings } from "../../src/ops/demo/scenario.js";
import { temporaryStore } from "../store/support/folder.js";
import { manualClock } from "../support/manual-clock.js";
import { openSources } from "./reading/rig.js";
import { NOON } from "./simulated/home.js";
import { SUNSPEC_FAMILIES } from "./simulated/sunspec-families.js";

const DAYS = 7;
/** Both ways have the same pace. */
const STEP_MINUTES = 15;
const [FIRST, LAST] = ["2026-05-04", "2026-05-10"];
const scenario = createScenario(DAYS, 3);
const { plants } = parse(
  stringify(
    demoSettings(scenario, {
      folder: "/tmp",
      speed: 300,
      httpPort: 0,
      mqttPort: 0,
      key: `hg_live_${"a".repeat(43)}`,
      password: "a password of the owner",
    }),
  ),
).settings;
const plant: PlantSettings = { ...plants[0]!, slots: [] };
const { capacity_kwh: capacityKwh } = plant.battery!;

/** In the morning PV is sold while it is dear, and the battery is filled when electricity costs nothing. */
function commandsAt(at: Date): HomeCommands {
  const { hour } = localTime(at, plant.timezone);
  const price = scenario.priceAt(at);
  if (hour >= 11 && hour < 16 && price < 5)
    return { chargeNow: true, chargePowerKw: 5, chargeStopSocPct: 100 };
  return { chargeCapKw: hour >= 6 && hour < 10 && price > 40 ? 0 : 5 };
}

/** What the ledger makes of the stored readings of the week. */
async function savedBy(samples: readonly Sample[]) {
  const { store } = await temporaryStore();
  await store.samples.append("home", samples);
  const hourly = scenario.quarters.filter(({ start }) => start.getTime() % HOUR_MS === 0);
  const series = PriceSeries.of(
    hourly.map(({ start, eurPerMwh }) => ({ start, minutes: 60 as const, eurPerMwh })),
  );
  const clock = manualClock(new Date(scenario.start.getTime() + DAYS * DAY_MS + 2 * HOUR_MS));
  const ledger = new Ledger({ ...store, clock, series: () => series });
  await ledger.installed("home", FIRST);
  const days = await ledger.days({ id: "home", accountId: "owner", plant }, FIRST, LAST);
  return { days, total: totalOf(days) };
}

it("a week that is read only over Modbus saves the same as over MQTT within 1 %", async () => {
  const home = new SimulatedHome({
    storage: {
      capacityKwh,
      minSocKwh: 0.1 * capacityKwh,
      maxSocKwh: capacityKwh,
      maxChargePowerKw: 5,
      maxDischargePowerKw: 5,
      chargeEfficiency: Math.sqrt(0.9),
      dischargeEfficiency: Math.sqrt(0.9),
    },
    startSocKwh: 0.4 * capacityKwh,
    seed: 3,
  });
  // A GEN24 with its meter, whose registers are those of the home; the counters began long ago.
  let shown = NOON;
  const counters = { pvWh: 12_345_678, chargeWh: 3_456_789, dischargeWh: 3_210_987 };
  const family = SUNSPEC_FAMILIES.find(({ template }) => template === "fronius-gen24")!;
  const device = await family.start(() => shown);
  onTestFinished(() => device.stop());

  let now = scenario.start;
  const clock: Clock = { now: () => now, at: () => () => {}, steadyMs: () => Infinity };
  const overModbus: Sample[] = [];
  const overMqtt: Sample[] = [];
  const library = await TemplateLibrary.open();
  const settings = {
    ...newDevice("fronius-gen24", plant),
    with: device.with,
    poll_s: 60 * STEP_MINUTES,
  };
  const site = { id: "home", accountId: "owner", plant: { ...plant, devices: [settings] } as PlantSettings };
  const service = new ReadingService({
    ...openSources(),
    clock,
    bus: createBus(),
    components: { report: () => {}, remove: () => {} },
    sites: { list: () => [site], get: () => site },
    templates: () => library,
    telemetry: { ingest: async (_site, samples) => void overModbus.push(...samples) },
    commandOf: () => undefined,
    log: silentLog,
  });
  onTestFinished(() => service.stop());

  for (let step = 0; step <= (DAYS * DAY_MS) / (STEP_MINUTES * MINUTE_MS); step++) {
    if (step > 0) {
      const flows = home.advance(scenario.stepAt(now, STEP_MINUTES), commandsAt(now));
      counters.pvWh += 1000 * flows.pvKwh;
      counters.chargeWh += 1000 * flows.chargeKwh;
      counters.dischargeWh += 1000 * flows.dischargeKwh;
      now = new Date(now.getTime() + STEP_MINUTES * MINUTE_MS);
    }
    const values = home.readings();
    overMqtt.push({ at: now, values });
    const { pv_power_kw, load_power_kw, battery_power_kw, soc_pct, import_kwh, export_kwh } = values;
    const whole = (kilo: number) => Math.round(1000 * kilo);
    shown = {
      ...NOON,
      pvW: Math.max(0, whole(pv_power_kw)),
      batteryW: whole(battery_power_kw),
      loadW: whole(load_power_kw),
      gridW: whole(load_power_kw + battery_power_kw - pv_power_kw),
      socPct: Math.round(soc_pct),
      importWh: 4_321_000 + whole(import_kwh),
      exportWh: 2_100_400 + whole(export_kwh),
      pvWh: Math.round(counters.pvWh),
      chargeWh: Math.round(counters.chargeWh),
      dischargeWh: Math.round(counters.dischargeWh),
    };
    if (step === 0) await service.start();
    await service.read("home", settings.id);
  }

  const [mqtt, modbus] = [await savedBy(overMqtt), await savedBy(overModbus)];
  for (const { days } of [mqtt, modbus]) expect(days.filter(({ complete }) => complete)).toHaveLength(DAYS);
  expect(mqtt.total.savedEur).toBeGreaterThan(0.5);
  const difference = modbus.total.savedEur! / mqtt.total.savedEur! - 1;
  expect(Math.abs(difference)).toBeLessThan(0.01);
  expect(modbus.total.costEur! / mqtt.total.costEur!).toBeCloseTo(1, 2);
});
