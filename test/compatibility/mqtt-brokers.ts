import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectAsync, type MqttClient } from "mqtt";
import { call, sandbox, startGateway } from "../e2e/gateway-process.js";
import { HOURLY_PRICES, recordedFile } from "../support/recorded-data.js";
import {
  eventually,
  execute,
  expectEqual,
  freePort,
  programPath,
  runUntilEnd,
  type Trial,
  trial,
} from "./support.js";

/**
 * Brokers with MQTT 5 from Debian's packages (mosquitto, ejabberd with mod_mqtt) that the gateway joins with
 * `mqtt.external`: outputs, last will, persistent session, response topics, restart of the broker.
 */
const GATEWAY = { username: "gateway", password: "secret" };
const DEVICE = { username: "device", password: "secret" };
/** ejabberd's users belong to a host. */
const HOST = "localhost";

interface Broker {
  version: string;
  gateway: { username: string; password: string };
  device: { username: string; password: string };
  /** Starts it, or starts it again after `stop`, on the same port with the same data. */
  start(): { stop(): Promise<void>; output(): string };
}

async function mosquitto(of: Trial, port: number): Promise<Broker> {
  const program = needed("mosquitto");
  const folder = join(of.folder, "mosquitto");
  mkdirSync(folder);
  const passwords = join(folder, "passwords");
  writeFileSync(passwords, [GATEWAY, DEVICE].map((one) => `${one.username}:${one.password}\n`).join(""));
  await execute(needed("mosquitto_passwd"), ["-U", passwords]);
  const configuration = join(folder, "mosquitto.conf");
  const lines = [
    `listener ${port} 127.0.0.1`,
    `password_file ${passwords}`,
    "persistence true",
    `persistence_location ${folder}/`,
    ...(process.getuid?.() === 0 ? ["user root"] : []),
  ];
  writeFileSync(configuration, `${lines.join("\n")}\n`);
  const help = await execute(program, ["-h"]).catch((error: { stdout: string }) => error.stdout);
  return {
    version: /mosquitto version \S+/.exec(help)![0],
    gateway: GATEWAY,
    device: DEVICE,
    start: () => runUntilEnd(of, [program, "-c", configuration]),
  };
}

async function ejabberd(of: Trial, port: number): Promise<Broker> {
  const control = needed("ejabberdctl");
  const folder = join(of.folder, "ejabberd");
  mkdirSync(folder);
  const configuration = join(folder, "ejabberd.yml");
  const yaml = [
    `hosts: [${HOST}]`,
    "auth_method: [internal]",
    `listen: [{ port: ${port}, ip: "127.0.0.1", module: mod_mqtt }]`,
    "modules: { mod_mqtt: { session_expiry: 3600 } }",
  ];
  writeFileSync(configuration, `${yaml.join("\n")}\n`);
  const users = [GATEWAY, DEVICE].map(
    ({ username, password }) =>
      `ejabberd_auth:try_register(<<"${username}">>, <<"${HOST}">>, <<"${password}">>)`,
  );
  const [libraries] = /(?<=ERL_LIBS=')[^']+/.exec(await execute("cat", [control])) ?? [""];
  const env = {
    ...process.env,
    HOME: folder,
    ERL_LIBS: libraries,
    EJABBERD_CONFIG_PATH: configuration,
    EJABBERD_LOG_PATH: join(folder, "ejabberd.log"),
  };
  const spool = JSON.stringify(join(folder, "spool"));
  // Without ejabberdctl there is neither a node name nor a port mapper that stays behind.
  const start = ["-noinput", "-mnesia", "dir", spool, "-s", "ejabberd", "-eval", `${users.join(", ")}.`];
  const listed = await execute("dpkg-query", ["-W", "ejabberd"]);
  const withHost = <User extends { username: string }>(user: User) => ({
    ...user,
    username: `${user.username}@${HOST}`,
  });
  return {
    version: listed.trim().replace("\t", " "),
    gateway: withHost(GATEWAY),
    device: withHost(DEVICE),
    start: () => runUntilEnd(of, [needed("erl"), ...start], { env }),
  };
}

function needed(name: string): string {
  const path = programPath(name);
  if (path === undefined) throw new Error(`${name} is missing: install the packages mosquitto and ejabberd.`);
  return path;
}

/** A client with MQTT 5 that keeps the last message of each topic. */
class Watcher {
  readonly last = new Map<string, string>();
  /** Acknowledgements that say that a reading is stored. */
  readonly acks: string[] = [];
  readonly client: MqttClient;

  private constructor(client: MqttClient) {
    this.client = client;
    client.on("message", (topic, payload) => {
      this.last.set(topic, payload.toString());
      if (topic.endsWith("/ack") && JSON.parse(payload.toString()).ok) this.acks.push(payload.toString());
    });
    // It connects again by itself.
    client.on("error", () => {});
  }

  static async connected(of: Trial, url: string, user: object): Promise<Watcher> {
    const options = {
      ...user,
      protocolVersion: 5,
      clientId: "trial",
      reconnectPeriod: 250,
      clean: true,
    } as const;
    const client = await eventually("a connection to the broker", () => connectAsync(url, options, false));
    of.atEnd(() => client.endAsync(true));
    const watcher = new Watcher(client);
    await client.subscribeAsync("hourgate/#", { qos: 1 });
    return watcher;
  }

  has(topic: string, payload: string): Promise<unknown> {
    return eventually(`${topic} = ${payload}`, () => this.last.get(topic) === payload);
  }
}

async function tryBroker(
  of: Trial,
  name: string,
  make: (of: Trial, port: number) => Promise<Broker>,
): Promise<void> {
  const port = await freePort();
  const broker = await make(of, port);
  const url = `mqtt://127.0.0.1:${port}`;
  let running = broker.start();
  const watcher = await Watcher.connected(of, url, broker.device);
  of.step(`${name}: ${broker.version} accepts clients with MQTT 5`);

  const box = sandbox({
    clock: { start: "2026-01-15T02:30:00+01:00", speed: 1 },
    market: { sources: [{ type: "file", path: recordedFile(HOURLY_PRICES) }] },
    weather: { sources: [] },
    plants: [{ id: "home", battery: { capacity_kwh: 10 } }],
    mqtt: { external: { url, ...broker.gateway } },
  });
  of.atEnd(box.remove);
  let gateway = await startGateway(box.config);
  of.atEnd(() => gateway.end("SIGKILL"));
  await watcher.has("hourgate/status", "online");
  await watcher.client.publishAsync("hourgate/home/telemetry/soc_pct", "20", { qos: 1 });
  await watcher.has("hourgate/home/ack", '{"topic":"hourgate/home/telemetry/soc_pct","ok":true}');
  const { json: plan } = await call(gateway, "/v1/decision/hours-demand", { body: {} });
  await watcher.has("hourgate/home/charge_power_kw", String(plan.charge_power_kw));
  await watcher.has("hourgate/home/outputs/O12", String(plan.outputs.O12));
  of.step("telemetry is acknowledged; outputs equal those of the API");

  const answer = new Promise<[string, string | undefined]>((answered) =>
    watcher.client.on("message", (topic, payload, { properties }) => {
      if (topic === "trial/answer")
        answered([JSON.parse(payload.toString()).schema, properties?.correlationData?.toString()]);
    }),
  );
  await watcher.client.subscribeAsync("trial/answer", { qos: 1 });
  await watcher.client.publishAsync("hourgate/home/request/hours-demand", "{}", {
    qos: 1,
    properties: { responseTopic: "trial/answer", correlationData: Buffer.from("42") },
  });
  expectEqual("the answer to a request", await answer, [plan.schema, "42"]);
  of.step("a request is answered on its response topic with its correlation data: the gateway speaks MQTT 5");

  await gateway.end("SIGTERM");
  await watcher.has("hourgate/status", "offline");
  const before = watcher.acks.length;
  for (const value of [21, 22, 23])
    await watcher.client.publishAsync("hourgate/home/telemetry/soc_pct", `${value}`, { qos: 1 });
  gateway = await startGateway(box.config);
  await watcher.has("hourgate/status", "online");
  await eventually("the readings sent while the gateway was off", () => watcher.acks.length === before + 3);
  of.step("readings sent while the gateway is off are delivered when it is back");

  await running.stop();
  const health = async () => (await call(gateway, "/health")).json.component;
  await eventually("/health names the broker", async () => (await health()) === "broker");
  watcher.last.clear();
  running = broker.start();
  await eventually("/health without the broker", async () => (await health()) !== "broker");
  // The watcher connects and subscribes again by itself.
  await watcher.has("hourgate/status", "online");
  await watcher.has("hourgate/home/charge_power_kw", String(plan.charge_power_kw));
  await watcher.client.publishAsync("hourgate/home/telemetry/soc_pct", "40", { qos: 1 });
  await watcher.has("hourgate/home/ack", '{"topic":"hourgate/home/telemetry/soc_pct","ok":true}');
  of.step("after a restart of the broker the gateway connects again and publishes all topics");

  await gateway.end("SIGKILL");
  await watcher.has("hourgate/status", "offline");
  of.step("after a crash of the gateway its last will is published");
  await running.stop();
}

await trial("MQTT 5 brokers", async (of) => {
  await tryBroker(of, "Mosquitto", mosquitto);
  await tryBroker(of, "ejabberd", ejabberd);
});
