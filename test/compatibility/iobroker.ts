import { createCipheriv, randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { call, type GatewayProcess, TEST_KEY } from "../e2e/gateway-process.js";
import {
  counterpartEnvironment,
  eventually,
  execute,
  expectEqual,
  freePort,
  gatewayOnRecordedPrices,
  npmInstall,
  runUntilEnd,
  type Trial,
  trial,
} from "./support.js";

/**
 * ioBroker from npm with its MQTT adapter, set up as docs/iobroker.md says: as a client of the gateway's broker with the
 * site's key, then as the broker that the gateway joins. In both it reads values and sends readings.
 */
const CONTROLLER = "node_modules/iobroker.js-controller/iobroker.js";

/** An installed ioBroker with one instance of the MQTT adapter; the databases listen on free ports. */
class IoBroker {
  readonly #trial: Trial;
  readonly #folder: string;
  readonly #node: { node: string; env: NodeJS.ProcessEnv };
  #instance = "";

  constructor(of: Trial, folder: string, node: { node: string; env: NodeJS.ProcessEnv }) {
    this.#trial = of;
    this.#folder = folder;
    this.#node = node;
  }

  static async install(trial: Trial): Promise<IoBroker> {
    const node = await counterpartEnvironment(trial);
    // The adapters need the admin adapter. A patch of the dependency of the controller is missing in some copies of the registry.
    const packages = ["iobroker.js-controller", "iobroker.admin", "iobroker.mqtt"];
    const overrides = { "@iobroker/plugin-sentry": "^3.1.2" };
    const folder = await npmInstall(trial, "iobroker", packages, { overrides, env: node.env });
    const one = new IoBroker(trial, folder, node);
    await one.command("setup", "first");
    const path = join(folder, "iobroker-data/iobroker.json");
    const settings = JSON.parse(readFileSync(path, "utf8"));
    settings.objects.port = await freePort();
    settings.states.port = await freePort();
    writeFileSync(path, JSON.stringify(settings));
    await one.command("add", "admin", "--enabled", "false");
    // The admin adapter is enabled all the same, on port 8081.
    await one.command("stop", "admin.0");
    await one.useInstance(0);
    return one;
  }

  /** Adds an instance of the MQTT adapter, which is used from then on; its states are its own. */
  async useInstance(number: number): Promise<void> {
    await this.command("add", "mqtt", "--enabled", "false");
    this.#instance = `mqtt.${number}`;
  }

  command(...args: string[]): Promise<string> {
    return execute(this.#node.node, [CONTROLLER, ...args], { cwd: this.#folder, env: this.#node.env });
  }

  /** Settings of the MQTT instance; the password is encrypted as the admin adapter does. */
  async set({ pass, ...settings }: Readonly<Record<string, string | number | boolean>>): Promise<void> {
    const secret = (await this.command("object", "get", "system.config", "native.secret")).trim();
    const all = { ...settings, pass: encrypted(`${pass}`, secret.replaceAll('"', "")) };
    const pairs = Object.entries(all).flatMap(([key, value]) => [`--${key}`, `${value}`]);
    await this.command("set", this.#instance, ...pairs);
  }

  /** Starts the controller with the MQTT instance. */
  start() {
    const controller = join(this.#folder, "node_modules/iobroker.js-controller/controller.js");
    runUntilEnd(this.#trial, [this.#node.node, controller], { cwd: this.#folder, env: this.#node.env });
  }

  /** Value of a state; undefined if there is none. */
  async value(id: string): Promise<string | undefined> {
    const text = (await this.command("state", "getvalue", `${this.#instance}.${id}`)).trim();
    return text === "null" || text === "" || text.includes("not found") ? undefined : text;
  }

  /** Waits until a state has the value. */
  async has(id: string, value: string): Promise<void> {
    await eventually(`${id} = ${value} in ioBroker`, async () => (await this.value(id)) === value);
  }

  /** Writes a state as a script or a visualization does. */
  write(id: string, value: string): Promise<string> {
    return this.command("state", "set", `${this.#instance}.${id}`, value);
  }

  /** Publishes as scripts do with `sendTo`. */
  send(topic: string, message: string): Promise<string> {
    const body = JSON.stringify({ topic, message, retain: false });
    return this.command("message", this.#instance, "sendMessage2Client", body);
  }
}

/** The form in which ioBroker stores passwords. */
function encrypted(value: string, secret: string): string {
  const iv = randomBytes(16);
  const cipher = createCipheriv("aes-192-cbc", Buffer.from(secret, "hex"), iv);
  return `$/aes-192-cbc:${iv.toString("hex")}:${cipher.update(value, "utf8", "hex")}${cipher.final("hex")}`;
}

type SendCommand = (name: "slots.1.override" | "battery.override", value: string) => Promise<unknown>;

/** Reads values of the plan, sends a reading, and overrides the wallbox and the battery. */
async function readAndWrite(
  of: Trial,
  broker: IoBroker,
  { gateway, command }: { gateway: GatewayProcess; command: SendCommand },
): Promise<void> {
  await broker.has("hourgate.status", "online");
  of.step("hourgate.status is online");
  await broker.send("hourgate/home/telemetry/soc_pct", "20");
  await broker.has("hourgate.home.ack", '{"topic":"hourgate/home/telemetry/soc_pct","ok":true}');
  of.step("sendMessage2Client: a reading is stored and acknowledged");

  const { json: plan } = await call(gateway, "/v1/decision/hours-demand", { body: {} });
  expectEqual("the SOC of the plan", plan.day_plan[0].soc_start_pct, 20);
  const values: Record<string, string | number> = {
    charge_now: plan.charge_now,
    charge_power_kw: plan.charge_power_kw,
    "discharge.power_kw": plan.discharge_power_kw,
    "discharge.reason": plan.discharge_reason,
    "outputs.O8": plan.outputs.O8,
    "outputs.O12": plan.outputs.O12,
  };
  for (const [id, value] of Object.entries(values)) await broker.has(`hourgate.home.${id}`, `${value}`);
  of.step(`states equal to the API: ${JSON.stringify(values)}`);

  for (const [id, topic, value] of [
    ["slots.1.override", "slots/1/override/set", "run"],
    ["battery.override", "battery/override/set", "hold"],
  ] as const) {
    await command(id, value);
    await broker.has("hourgate.home.ack", JSON.stringify({ topic: `hourgate/home/${topic}`, ok: true }));
    await broker.has(`hourgate.home.${id}`, value);
  }
  const { json: schedules } = await call(gateway, "/v1/plant/device-schedules");
  expectEqual("the override of the wallbox", schedules.recipes[0].override, "run");
  await broker.has("hourgate.home.slots.1.charge_now", "1");
  of.step("the wallbox and the battery are overridden; slots.1.charge_now is 1");
}

const QUIET = { publishAllOnStart: false, defaultQoS: 1 };

await trial("ioBroker", async (of) => {
  const broker = await IoBroker.install(of);

  of.step("1. ioBroker as a client of the gateway's broker, with the site's key");
  const gateway = await gatewayOnRecordedPrices(of);
  await broker.set({
    ...QUIET,
    // Writing a state sends a command: `…/override` is set on `…/override/set`. Nothing else is published.
    publish: "mqtt.0.hourgate.home.slots.*.override,mqtt.0.hourgate.home.battery.override",
    extraSet: true,
    type: "client",
    url: "127.0.0.1",
    port: gateway.mqttPort,
    user: "iobroker",
    pass: TEST_KEY,
    patterns: "hourgate/home/#,hourgate/status",
  });
  await broker.command("start", "mqtt.0");
  broker.start();
  await readAndWrite(of, broker, {
    gateway,
    command: (name, value) => broker.write(`hourgate.home.${name}`, value),
  });
  await gateway.end("SIGTERM");
  await broker.has("info.connection", "false");
  of.step("the end of the gateway is seen: info.connection is false");

  of.step("2. ioBroker as the broker that the gateway joins");
  const port = await freePort();
  await broker.command("stop", "mqtt.0");
  await broker.useInstance(1);
  await broker.set({
    ...QUIET,
    publish: "",
    type: "server",
    bind: "127.0.0.1",
    port,
    user: "gateway",
    pass: "secret",
  });
  await broker.command("start", "mqtt.1");
  const joined = await gatewayOnRecordedPrices(of, {
    mqtt: { external: { url: `mqtt://127.0.0.1:${port}`, username: "gateway", password: "secret" } },
  });
  await readAndWrite(of, broker, {
    gateway: joined,
    // As the broker it delivers a written state only to subscribers of the state's own topic.
    command: (name, value) => broker.send(`hourgate/home/${name.replaceAll(".", "/")}/set`, value),
  });
  await joined.end("SIGTERM");
  await broker.has("hourgate.status", "offline");
  of.step("the end of the gateway is seen: hourgate.status is offline");
});
