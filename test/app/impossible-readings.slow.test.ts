import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mqtt, { type MqttClient } from "mqtt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { Links } from "../../src/accounts/links.js";
import { createGateway } from "../../src/app/gateway.js";
import { parse } from "../../src/config/load.js";
import { silentLog } from "../../src/core/log.js";
import { openStore } from "../../src/store/store.js";
import { manualClock } from "../support/manual-clock.js";

const NOW = "2026-01-15T08:20:00.000Z";
const BEFORE = "2026-01-15T08:19:00.000Z";
const KEY = `hg_live_${"k".repeat(43)}`;

/** Readings of a home at rest, and for each kind what a faulty bridge or register sends instead. */
const GOOD = {
  soc_pct: 60,
  import_kwh: 40_134.4,
  battery_power_kw: 0,
  grid_power_kw: 0.4,
  slot_3_power_kw: 0,
  slot_3_energy_kwh: 812,
};
const KINDS = {
  "a power beyond the settings": ["battery_power_kw", 655.35],
  "a power beyond the connection": ["grid_power_kw", 655.35],
  "a counter that is 0": ["import_kwh", 0],
  "a counter that leaps": ["import_kwh", 65_535],
  "a state of charge that jumps": ["soc_pct", 0],
  "a state of charge that does not exist": ["soc_pct", 655.35],
  "a power of a device": ["slot_3_power_kw", 65.535],
  "a counter of a device": ["slot_3_energy_kwh", 0],
} as const satisfies Record<string, readonly [reading: keyof typeof GOOD, value: number]>;

const folder = await mkdtemp(join(tmpdir(), "hourgate-entrances-"));
let stop: () => Promise<unknown> = async () => {};
let url = "";
let device: MqttClient;
let acknowledged: () => void = () => {};

beforeAll(async () => {
  const mapped = Object.keys(GOOD).map((reading) => {
    const [, slot, field] = /^slot_(\d)_(.*)$/.exec(reading) ?? [];
    return { topic: `meter/${reading}`, path: "value", field: field ?? reading, slot: Number(slot) || null };
  });
  const { settings } = parse(
    stringify({
      data_dir: join(folder, "data"),
      http: { host: "127.0.0.1", port: 0 },
      clock: { start: NOW, speed: 0 },
      owner: { key: KEY, password: "a password for tests" },
      market: { sources: [] },
      weather: { sources: [] },
      mqtt: { broker: { host: "127.0.0.1", port: 0 }, telemetry: mapped },
      node_red: { enabled: false },
      plants: [
        {
          id: "home",
          battery: { capacity_kwh: 10, max_charge_power_kw: 5, max_discharge_power_kw: 5 },
          slots: [{ slot: 3, kind: "boiler", power_kw: 2 }],
        },
      ],
    }),
  );
  const store = await openStore(settings.data_dir, silentLog);
  const site = { id: "home", accountId: "owner", plant: settings.plants[0]! };
  const links = new Links({
    state: store.state,
    clock: manualClock(new Date(NOW)),
    sites: { list: () => [site], get: () => site },
  });
  const { token } = await links.create("home", { scope: "telemetry" });
  await store.close();
  const gateway = createGateway(settings, { log: silentLog, sampledLoads: 2 });
  await gateway.start();
  url = `http://127.0.0.1:${gateway.ports.http}`;
  link = `${url}/c/${token}/telemetry`;
  device = await mqtt.connectAsync(`mqtt://127.0.0.1:${gateway.ports.mqtt}`, {
    username: "x",
    password: KEY,
  });
  device.on("message", () => acknowledged());
  await device.subscribeAsync("hourgate/home/ack");
  stop = async () => {
    await device.endAsync();
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  };
  await post("/v1/plant/telemetry", { timestamp: BEFORE, ...GOOD });
});
afterAll(() => stop());
let link = "";

async function post(path: string, body: object) {
  const answer = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": KEY },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as { latest: Record<string, number> };
}

/** Publishes a message and waits for its answer. */
async function publish(topic: string, payload: string) {
  const answered = new Promise<void>((resolve) => {
    acknowledged = resolve;
  });
  await device.publishAsync(topic, payload, { qos: 1 });
  await answered;
}

/** Topic below the plant's, and name in it, of a reading. */
function topicOf(reading: string): { folder: string; name: string } {
  const [, slot, name] = /^slot_(\d)_(.*)$/.exec(reading) ?? [];
  return slot === undefined
    ? { folder: "telemetry", name: reading }
    : { folder: `slots/${slot}/telemetry`, name: name! };
}

/** The ways of readings into the gateway. */
const ENTRANCES: Record<string, (reading: string, value: number) => Promise<unknown>> = {
  "HTTP, one sample": (reading, value) => post("/v1/plant/telemetry", { timestamp: NOW, [reading]: value }),
  "HTTP, a batch": (reading, value) =>
    post("/v1/plant/telemetry", { samples: [{ timestamp: NOW, [reading]: value, ev_connected: 1 }] }),
  "HTTP, with the request for a plan": (reading, value) =>
    post("/v1/decision/hours-demand", { mode: "telemetry", timestamp: NOW, [reading]: value }),
  "controller link": (reading, value) => fetch(`${link}?${reading}=${value}`),
  "MQTT, a topic for each reading": (reading, value) => {
    const { folder: below, name } = topicOf(reading);
    return publish(`hourgate/home/${below}/${name}`, String(value));
  },
  "MQTT, one JSON": (reading, value) => {
    const { folder: below, name } = topicOf(reading);
    return publish(`hourgate/home/${below}`, JSON.stringify({ [name]: value }));
  },
  "mapped topics": (reading, value) => publish(`meter/${reading}`, JSON.stringify({ value })),
};

/** The number of readings left out, and the sentence about them. */
async function leftOut(): Promise<{ count: number; text: string }> {
  const answer = await fetch(`${url}/v1/status`, { headers: { "x-api-key": KEY } });
  const { components } = (await answer.json()) as { components: { name: string; detail: string }[] };
  const text = components.find(({ name }) => name === "readings home")?.detail ?? "";
  return { count: Number(/left out since the start: (\d+)/.exec(text)?.[1] ?? 0), text };
}

// docs/meter-data.md#where-the-gate-stands
describe.each(Object.keys(ENTRANCES))("an impossible reading over %s", (entrance) => {
  it.each(Object.entries(KINDS))("%s is counted, shown and not used", async (_, [reading, value]) => {
    const before = await leftOut();
    await ENTRANCES[entrance]!(reading, value);
    const { count, text } = await leftOut();
    expect(count).toBe(before.count + 1);
    expect(text).toContain(`the last one is ${reading} ${value} of`);
    const { latest } = await post("/v1/plant/telemetry", { timestamp: NOW, ev_connected: 1 });
    expect(latest).toMatchObject(GOOD);
  });
});
