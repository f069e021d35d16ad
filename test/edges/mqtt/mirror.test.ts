import { describe, expect, it } from "vitest";
import { hoursDemandDocument } from "../../../src/api/documents/hours-demand.js";
import { parsePlant } from "../../../src/config/plant.js";
import {
  OUTPUT_NAMES,
  type PlanScalars,
  TOPIC_FIELDS,
  topicOf,
} from "../../../src/core/domain/plan-field-lists.js";
import { createMirror, type MirrorOptions } from "../../../src/edges/mqtt/topics/mirror.js";
import { createTopics } from "../../../src/edges/mqtt/topics/topics.js";
import { Device, KEYS, planWith, socketsTo, startGateway, VIEW, withFolder, withGateway } from "./harness.js";

const OUTPUTS = {
  O1: 1,
  O2: 3.45,
  O3: 2.25,
  O4: 1,
  O5: 7.1235,
  O6: 0,
  O7: 1,
  O8: 21.37,
  O9: 85.5,
  O10: 0,
  O11: 10,
  O12: 5,
  O13: 1,
  O14: 5,
  O15: 7.5,
  O16: 0,
};

const plan = (changes: Partial<PlanScalars> = {}) =>
  planWith({
    chargeNow: 1,
    chargePowerKw: 3.45,
    chargeStopSocPct: 85.5,
    minSocPct: 10,
    gridChargeAllowed: true,
    hoursNeeded: 2.25,
    hoursNeededToday: 1,
    energyChargeKwh: 7.1234567891,
    prefixHoursNeededToday: 0,
    prefixPeriodHoursToday: 0.0001,
    prefixEnergyChargeKwh: 0,
    planHash: "0123456789abcdef",
    socAgeMinutes: 3,
    socStale: false,
    chargeCapKw: 5,
    chargeCapReason: "full",
    feedInLimitKw: 7.5,
    dischargeSetKw: 0,
    importTargetKw: 3.25,
    following: "yes",
    followingCause: "none",
    dischargePowerKw: 5,
    dischargeReason: "full",
    adaptiveDischarge: false,
    minutesToChargeStart: 0,
    currentQuartile: 1,
    currentPriceCtKwh: 21.37,
    ...changes,
  });

const EXPECTED: Record<string, string> = {
  charge_now: "1",
  charge_power_kw: "3.45",
  charge_stop_soc_pct: "85.5",
  min_soc_pct: "10",
  grid_charge_allowed: "1",
  hours_needed: "2.25",
  hours_needed_today: "1",
  energy_charge_kwh: "7.1235",
  prefix_hours_needed_today: "0",
  prefix_period_hours_today: "0.0001",
  prefix_energy_charge_kwh: "0",
  plan_hash: "0123456789abcdef",
  soc_age_minutes: "3",
  soc_stale: "0",
  "discharge/power_kw": "5",
  "discharge/reason": "full",
  "discharge/adaptive": "0",
  "charge/cap_kw": "5",
  "charge/cap_reason": "full",
  "charge/next_start": "2026-01-15T13:00:00+01:00",
  "feed_in/limit_kw": "7.5",
  "discharge/set_kw": "0",
  "grid/import_target_kw": "3.25",
  following: "yes",
  following_cause: "none",
  "battery/override": "auto",
  "price/now_ct_kwh": "21.37",
  "price/quartile": "1",
  "price/signal": "cheap",
  outputs: JSON.stringify(OUTPUTS),
};

it("say before the first plan what the settings of each of several batteries say, and that its SOC is not known", () => {
  const [one, two] = ["one", "two"].map((id, index) => ({
    id,
    capacity_kwh: 6,
    max_discharge_power_kw: 2 + index,
  }));
  const parsed = parsePlant({ id: "home", batteries: [one, two] }, []);
  if ("findings" in parsed) throw new Error(JSON.stringify(parsed.findings));
  const values = new Map<string, string>();
  const options = {
    topics: createTopics("hourgate"),
    sites: { get: () => parsed, parts: () => ({ of: () => ({ batteries: new Set() }) }) },
    plans: { current: () => undefined, present: () => undefined },
    zoneOf: () => "Europe/Vienna",
    chargeTargetPct: () => undefined,
    setValue: (topic: string, payload: string) => values.set(topic, payload),
  };
  createMirror(options as unknown as MirrorOptions).plan("home");
  const of = (name: string) =>
    ["one", "two"].map((id) => values.get(`hourgate/home/batteries/${id}/${name}`));
  expect(of("soc_stale")).toEqual(["1", "1"]);
  expect(of("discharge/power_kw")).toEqual(["2", "3"]);
  expect(of("soc_pct")).toEqual(["", ""]);
});

describe("output topics", () => {
  it("are all retained", () =>
    withGateway(async ({ plans, planned }, device) => {
      const early = await device(KEYS.home);
      await early.subscribe("hourgate/home/plan");
      plans.set("home", plan());
      planned("home");
      await early.settled();
      await early.until(() => early.last("hourgate/home/plan")?.includes("hours_demand") === true);
      const late = await device(KEYS.home);
      await late.subscribe("hourgate/home/#");
      // Besides plan and forecast, for displays.
      const display = ["home_assistant/plant", "now_and_next", "plan_curve", "price/curve"];
      const count = Object.keys(EXPECTED).length + OUTPUT_NAMES.length + 2 + display.length;
      await late.until(() => late.messages.length === count);
      for (const name of display) expect([name, late.last(`hourgate/home/${name}`)]).not.toContain(undefined);
      for (const [name, text] of Object.entries(EXPECTED))
        expect([name, late.last(`hourgate/home/${name}`)]).toEqual([name, text]);
      for (const [name, value] of Object.entries(OUTPUTS))
        expect([name, late.last(`hourgate/home/outputs/${name}`)]).toEqual([name, String(value)]);
      expect(Object.keys(OUTPUTS)).toEqual(OUTPUT_NAMES);
      expect(TOPIC_FIELDS.every((name) => topicOf(name)! in EXPECTED)).toBe(true);
      const published = JSON.parse(late.last("hourgate/home/plan")!);
      expect(published).toEqual(hoursDemandDocument(plan(), VIEW));
      expect(JSON.parse(late.last("hourgate/home/forecast")!)).toEqual({
        schema: "forecast_v1",
        plant: "home",
        prices: [],
      });
      expect(late.messages.every(({ retain }) => retain)).toBe(true);
    }));

  it("contain the PV forecast without access, updated when it changes, absent without PV", () =>
    withFolder(async (folder) => {
      let kwh = 12;
      const gateway = await startGateway(
        folder,
        {},
        {
          pvForecastDocument: (plant) =>
            plant === "home"
              ? { schema: "pv_forecast_v1", total_kwh: kwh, access: {}, daily: [] }
              : undefined,
        },
      );
      const owner = new Device(gateway.service.port!, KEYS.owner);
      await owner.subscribe("hourgate/home/pv_forecast");
      await owner.subscribe("hourgate/cabin/pv_forecast");
      const shown = () => owner.last("hourgate/home/pv_forecast");
      await owner.until(() => shown() === '{"schema":"pv_forecast_v1","total_kwh":12,"daily":[]}');
      kwh = 13;
      gateway.bus.emit("pv.updated", { siteId: "home" });
      await owner.until(() => shown()?.includes("13") === true);
      expect(owner.last("hourgate/cabin/pv_forecast") ?? "").toBe("");
      owner.client.end(true);
      await gateway.service.stop();
    }));

  it("contain the savings, and nothing while they are not known", () =>
    withFolder(async (folder) => {
      let savings: { todayEur: number | null; monthEur: number } | undefined;
      const gateway = await startGateway(folder, {}, { savings: { now: () => savings } });
      const owner = new Device(gateway.service.port!, KEYS.owner);
      await owner.subscribe("hourgate/home/savings/#");
      await owner.settled();
      expect(owner.last("hourgate/home/savings/month_eur") ?? "").toBe("");
      savings = { todayEur: null, monthEur: -0.05 };
      gateway.bus.emit("savings.updated", { siteId: "home" });
      await owner.until(() => owner.last("hourgate/home/savings/month_eur") === "-0.05");
      expect(owner.last("hourgate/home/savings/today_eur") ?? "").toBe("");
      owner.client.end(true);
      await gateway.service.stop();
    }));

  it("are published on changes only and removed when a value becomes unknown", () =>
    withGateway(async ({ plans, planned }, device) => {
      const home = await device(KEYS.home);
      plans.set("home", plan());
      planned("home");
      await home.settled();
      await home.subscribe("hourgate/home/plan");
      await home.subscribe("hourgate/home/charge_now");
      await home.subscribe("hourgate/home/min_soc_pct");
      await home.until(() => home.messages.length === 4);
      home.messages.length = 0;
      planned("home");
      plans.set("home", plan({ chargeNow: 0 }));
      planned("home");
      await home.until(() => home.last("hourgate/home/plan") !== undefined);
      expect(home.messages.map(({ topic, text }) => [topic, text === "0" || topic.endsWith("plan")])).toEqual(
        [
          ["hourgate/home/charge_now", true],
          ["hourgate/home/plan", true],
        ],
      );
      plans.delete("home");
      planned("home");
      await home.until(() => home.last("hourgate/home/plan") === "");
      const late = await device(KEYS.home);
      await late.subscribe("hourgate/home/#");
      await late.until(() => late.messages.length === 5);
      expect(late.messages.map(({ topic }) => topic).sort()).toEqual(
        ["forecast", "home_assistant/plant", "now_and_next", "plan_curve", "price/curve"].map(
          (name) => `hourgate/home/${name}`,
        ),
      );
    }));

  it("deliver every retained value while other clients publish", () =>
    withGateway(async ({ plans, planned }, device) => {
      const home = await device(KEYS.home);
      await home.settled();
      await home.subscribe("hourgate/home/#");
      const meters = await Promise.all([device(KEYS.home), device(KEYS.home)]);
      for (let round = 1; round <= 60; round++) {
        plans.set("home", plan({ chargePowerKw: round, energyChargeKwh: round / 8 }));
        planned("home");
        await Promise.all(
          meters.map((meter, index) =>
            meter.publish("hourgate/home/telemetry/soc_pct", `${round}`, index === 0 ? 0 : 1),
          ),
        );
        await home.until(
          () => home.last("hourgate/home/plan")?.includes(`"charge_power_kw":${round},`) === true,
        );
        // The document is last: all values before it have arrived by then.
        expect(home.last("hourgate/home/energy_charge_kwh")).toBe(String(round / 8));
        expect(home.last("hourgate/home/charge_power_kw")).toBe(String(round));
      }
    }));

  it("are cleared at the start if the plant, a device or an actuator no longer exists", () =>
    withFolder(async (folder) => {
      const meter = {
        id: "meter",
        name: "Meter",
        template: "shelly",
        controls: null,
        state: "ok",
        readAt: new Date("2026-01-15T02:00:00Z"),
        readings: { grid_power_kw: { value: 1.5, unit: "kW" } },
        command: null,
      };
      const relay = {
        id: "relay",
        phase: "idle",
        enabled: true,
        wanted: null,
        confirmed: null,
        lastError: null,
        writesToday: 0,
      };
      const first = await startGateway(folder, undefined, {
        devices: { list: () => [meter], commandDocument: () => null },
        actuators: { list: () => [relay], setEnabled: async () => {} },
      });
      for (const event of ["device.read", "actuator.changed"] as const)
        first.bus.emit(event, { siteId: "home", id: "x" } as never);
      first.plans.set("home", plan());
      first.planned("home");
      const watcher = await new Device(first.service.port!, KEYS.home).connected();
      await watcher.subscribe("hourgate/home/plan");
      await watcher.until(() => watcher.messages.length === 1);
      await watcher.end();
      await first.service.stop();
      const second = await startGateway(folder);
      const owner = await new Device(second.service.port!, KEYS.owner).connected();
      await owner.settled();
      const late = await new Device(second.service.port!, KEYS.home).connected();
      await late.subscribe("hourgate/home/#");
      await late.until(() => late.last("hourgate/home/forecast") !== undefined);
      // Without a plan only these have a value.
      expect(late.messages.map(({ topic }) => topic.replace("hourgate/home/", "")).sort()).toEqual([
        "forecast",
        "home_assistant/plant",
        "now_and_next",
        "plan_curve",
        "price/curve",
      ]);
      await Promise.all([owner.end(), late.end()]);
      await second.service.stop();
    }));
});

describe("status", () => {
  it("is online while the gateway runs and offline after it has stopped", () =>
    withFolder(async (folder) => {
      const gateway = await startGateway(folder);
      const port = gateway.service.port!;
      const device = await new Device(port, KEYS.home).connected();
      await device.subscribe("hourgate/status");
      await device.until(() => device.last("hourgate/status") === "online");
      expect(gateway.components.list()).toMatchObject([
        { name: "broker", state: "ok", vital: false },
        { name: "broker_limits", state: "ok", vital: false },
      ]);
      await gateway.service.stop();
      await device.until(() => device.last("hourgate/status") === "offline");
      await device.end();
    }));

  it("needs no connection to the port of the embedded broker", () =>
    withGateway(async ({ plans, planned, service }, device) => {
      const owner = await device(KEYS.owner);
      await owner.subscribe("hourgate/home/#");
      plans.set("home", plan());
      planned("home");
      await owner.until(() => owner.last("hourgate/home/charge_now") === "1");
      await owner.settled();
      expect(socketsTo(service.port!)).toEqual([owner.client.stream]);
    }));
});
