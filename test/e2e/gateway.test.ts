import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type MqttClient } from "mqtt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recentPricesFile } from "../support/recorded-data.js";
import { call, type GatewayProcess, sandbox, startGateway, TEST_KEY } from "./gateway-process.js";

const RECORDED_PRICES = recentPricesFile();

/** Stores the last payload of every topic; `until` waits for a condition on them. */
function listener(port: number) {
  const client: MqttClient = connect(`mqtt://127.0.0.1:${port}`, {
    username: "test",
    password: TEST_KEY,
    reconnectPeriod: 50,
  });
  const last = new Map<string, string>();
  const waiting = new Set<() => void>();
  client.on("message", (topic, payload) => {
    last.set(topic, payload.toString());
    for (const look of [...waiting]) look();
  });
  const until = (what: (last: Map<string, string>) => boolean) =>
    new Promise<void>((done) => {
      const look = () => {
        if (!what(last)) return;
        waiting.delete(look);
        done();
      };
      waiting.add(look);
      look();
    });
  return { client, last, until };
}

describe("a gateway without any price source", () => {
  const box = sandbox({
    market: { sources: [{ type: "awattar", url: "http://127.0.0.1:9/marketdata" }] },
    plants: [
      {
        id: "home",
        batteries: [
          { id: "garage", capacity_kwh: 10 },
          { id: "cellar", capacity_kwh: 5, max_discharge_power_kw: 2, efficiency_pct: 80 },
        ],
      },
    ],
  });
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGateway(box.config);
  });
  afterAll(async () => {
    await gateway.end("SIGTERM");
    box.remove();
  });

  it("serves 168 hours of climatology and reports a degraded state", async () => {
    const { json } = await call(gateway, "/v1/forecast");
    expect(json.prices).toHaveLength(168);
    expect(new Set(json.prices.map((price: { source: string }) => price.source))).toEqual(
      new Set(["climatology"]),
    );
    const status = (await call(gateway, "/v1/status")).json;
    const states = Object.fromEntries(
      status.components.map((part: { name: string; state: string }) => [part.name, part.state]),
    );
    expect(status.ready).toBe(true);
    expect(states.price_source).not.toBe("ok");
    expect(states.forecast).toBe("degraded");
    expect((await call(gateway, "/health", { key: null })).json).toEqual({
      status: "degraded",
      component: "price_source",
    });
  });

  it("plans several batteries together and publishes the part of each on MQTT and /v1", async () => {
    const mqtt = listener(gateway.mqttPort);
    mqtt.client.subscribe("hourgate/home/#", { qos: 1 });
    await call(gateway, "/v1/plant/telemetry", {
      body: { samples: [{ battery_id: "garage", soc_pct: 70, battery_power_kw: 0 }] },
    });
    mqtt.client.publish("hourgate/home/batteries/cellar/telemetry/soc_pct", "10", { qos: 1 });
    await mqtt.until((last) => last.get("hourgate/home/batteries/cellar/soc_pct") === "10");
    const { json } = await call(gateway, "/v1/decision/hours-demand", { body: {} });
    expect(json.day_plan[0].soc_start_pct).toBe(50);
    const [garage, cellar] = json.batteries;
    expect([garage.soc_pct, cellar.soc_pct]).toEqual([70, 10]);
    // The cellar is empty: the garage gives what the plan allows, up to its own power.
    expect(cellar.discharge_power_kw).toBe(0);
    expect(garage.discharge_power_kw).toBe(Math.min(5, json.discharge_power_kw));
    expect(garage.charge_cap_kw + cellar.charge_cap_kw).toBe(json.charge_cap_kw);
    expect((await call(gateway, "/v1/status")).json.batteries).toMatchObject([
      { id: "garage", soc_stale: false },
      { id: "cellar", soc_stale: false },
    ]);
    const topic = (name: string) => mqtt.last.get(`hourgate/home/batteries/garage/${name}`);
    expect(topic("discharge/power_kw")).toBe(String(garage.discharge_power_kw));
    expect(topic("charge/cap_kw")).toBe(String(garage.charge_cap_kw));
    await mqtt.client.endAsync();
  });

  it("never charges based on unpublished prices", async () => {
    await call(gateway, "/v1/plant/telemetry", { body: { soc_pct: 11 } });
    const { json } = await call(gateway, "/v1/decision/hours-demand", { body: { battery: { soc_pct: 0 } } });
    expect(json.charge_now).toBe(0);
    expect(json.charge_hours.every((run: { provisional: boolean }) => run.provisional)).toBe(true);
  });
});

describe("a gateway on recorded prices", () => {
  const box = sandbox({
    clock: { start: "2026-01-15T02:30:00+01:00", speed: 0 },
    market: { sources: [{ type: "file", path: RECORDED_PRICES }] },
  });
  const data = join(box.folder, "data");
  let gateway: GatewayProcess;
  beforeAll(async () => {
    // A folder as earlier versions made it.
    mkdirSync(data, { mode: 0o755 });
    writeFileSync(join(data, "state.json.damaged-20260101T000000Z"), "{}", { mode: 0o644 });
    gateway = await startGateway(box.config);
  });
  afterAll(async () => {
    await gateway.end("SIGKILL");
    box.remove();
  });

  it("accepts the SOC over MQTT, plans, and publishes the same plan on MQTT and /v1", async () => {
    const { client, last, until } = listener(gateway.mqttPort);
    await client.subscribeAsync("hourgate/#", { qos: 1 });
    await until((seen) => seen.get("hourgate/status") === "online");
    await client.publishAsync("hourgate/home/telemetry/soc_pct", "20", { qos: 1 });
    await until((seen) => seen.has("hourgate/home/ack"));
    expect(JSON.parse(last.get("hourgate/home/ack")!)).toMatchObject({
      topic: "hourgate/home/telemetry/soc_pct",
      ok: true,
    });
    await until(
      (seen) => seen.get("hourgate/home/plan") !== undefined && seen.get("hourgate/home/plan") !== "",
    );

    const { json: plan } = await call(gateway, "/v1/decision/hours-demand", { body: {} });
    const mirrored = JSON.parse(last.get("hourgate/home/plan")!);
    const { access: _, ...served } = plan;
    expect(mirrored).toEqual(served);
    for (const name of [
      "charge_now",
      "hours_needed",
      "charge_stop_soc_pct",
      "min_soc_pct",
      "energy_charge_kwh",
    ]) {
      expect([name, Number(last.get(`hourgate/home/${name}`))]).toEqual([name, Number(plan[name])]);
    }
    expect(Object.keys(plan.outputs)).toEqual(Array.from({ length: 16 }, (_, index) => `O${index + 1}`));
    for (const [name, value] of Object.entries(plan.outputs)) {
      // Without a feed-in limit O15 has no topic.
      const topic = last.get(`hourgate/home/outputs/${name}`);
      expect([name, topic === undefined || topic === "" ? null : Number(topic)]).toEqual([name, value]);
    }
    expect(plan.day_plan[0].soc_start_pct).toBe(20);
    // Without telemetry history the load is certain: the policy reaches the bound within its grid.
    expect(plan.solver.objective_eur).toBeGreaterThanOrEqual(plan.solver.bound_eur - 1e-5);
    expect(plan.solver.objective_eur - plan.solver.bound_eur).toBeLessThan(0.05);

    const forecast = (await call(gateway, "/v1/forecast")).json;
    // The recorded price of 2026-01-15 02:00 in Vienna.
    expect(forecast.prices[0]).toMatchObject({ start: "2026-01-15T02:00:00+01:00", source: "day_ahead" });
    expect(JSON.parse(last.get("hourgate/home/forecast")!).prices).toHaveLength(168);
    await client.endAsync();
  });

  it("keeps acknowledged data after kill -9, and serves plan and forecast immediately", async () => {
    const before = (await call(gateway, "/v1/decision/hours-demand", { body: {} })).json;
    await call(gateway, "/v1/plant/telemetry", { body: { soc_pct: 20, import_kwh: 4711.5 } });
    await gateway.end("SIGKILL");
    gateway = await startGateway(box.config);
    const after = (await call(gateway, "/v1/decision/hours-demand", { body: {} })).json;
    expect(after.plan_hash).toBe(before.plan_hash);
    expect(after.charge_hours).toEqual(before.charge_hours);
    const { json } = await call(gateway, "/v1/plant/telemetry", { body: { export_kwh: 1 } });
    expect(json.latest).toMatchObject({ soc_pct: 20, import_kwh: 4711.5, export_kwh: 1 });
  });

  it("lets no other user read its data", () => {
    const paths = [data, ...readdirSync(data, { recursive: true }).map((name) => join(data, String(name)))];
    expect(paths.length).toBeGreaterThan(8);
    expect(paths.filter((path) => (statSync(path).mode & 0o077) !== 0)).toEqual([]);
  });

  it("refuses a second gateway on the same data", async () => {
    await expect(startGateway(box.config)).rejects.toThrow(/Another hourgate is using/);
  });
});

describe("an invalid start", () => {
  it("does not start partially: names every problem of the configuration and writes nothing", async () => {
    const box = sandbox({ htp: {}, plants: [{ id: "home", battery: { capacity_kwh: -1 } }] });
    const failure = await startGateway(box.config).catch((error: Error) => error.message);
    expect(failure).toMatch(/hourgate\.yaml:\d+.*htp.*http/);
    expect(failure).toMatch(/capacity_kwh/);
    expect(failure).not.toMatch(/serves the portal/);
    box.remove();
  });
});

describe("a running gateway", () => {
  const box = sandbox({});
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGateway(box.config);
  });
  afterAll(async () => {
    await gateway.end("SIGKILL");
    box.remove();
  });

  it("keeps its port: a second one names it and says what to do", async () => {
    expect(gateway.output()).toContain(`serves the portal on ${gateway.http} and the API`);
    const port = Number(new URL(gateway.http).port);
    const other = sandbox({ http: { host: "127.0.0.1", port }, owner: {} });
    mkdirSync(join(other.folder, "data"));
    const failure = await startGateway(other.config).catch((error: Error) => error.message);
    expect(failure).toContain(`Port ${port} on 127.0.0.1 is in use`);
    // No account is created: the next start creates it and prints its password.
    expect(failure).not.toContain("shown only now");
    other.remove();
  });

  it("has nothing of Node-RED when that is disabled", async () => {
    expect((await fetch(`${gateway.http}/node-red/`)).status).toBe(404);
    expect((await call(gateway, "/v1/status")).text).not.toContain("node_red");
    expect(existsSync(join(box.folder, "data/node-red"))).toBe(false);
  });

  it("ends on SIGTERM with code 0 and publishes offline on MQTT", async () => {
    const { client, last, until } = listener(gateway.mqttPort);
    await client.subscribeAsync("hourgate/status", { qos: 1 });
    await until((seen) => seen.get("hourgate/status") === "online");
    const ended = gateway.end("SIGTERM");
    await until((seen) => seen.get("hourgate/status") === "offline");
    expect(await ended).toBe(0);
    expect(last.get("hourgate/status")).toBe("offline");
    await client.endAsync(true);
  });
});
