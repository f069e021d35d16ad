import { describe, expect, it } from "vitest";
import { MqttConnection } from "../../../src/edges/mqtt/client/client.js";
import type { TopicMapEntry } from "../../../src/telemetry/topic-map.js";
import { componentOf } from "../../support/components.js";
import { eventually } from "../../support/eventually.js";
import {
  Device,
  type Gateway,
  type GatewayOptions,
  KEYS,
  planWith,
  SITES,
  socketsTo,
  startGateway,
  withFolder,
} from "./harness.js";
import { freePort, hasMosquitto, Mosquitto } from "./mosquitto.js";

interface ExternalBroker {
  broker: Mosquitto;
  url: string;
  gateway(options?: GatewayOptions): Promise<Gateway>;
  device(options?: ConstructorParameters<typeof Device>[2]): Promise<Device>;
}

/** Runs the work with a Mosquitto; stops gateways, devices and broker afterwards. */
async function withMosquitto(
  work: (external: ExternalBroker) => Promise<void>,
  { started = true } = {},
): Promise<void> {
  await withFolder(async (folder) => {
    const broker = new Mosquitto(folder, await freePort());
    const ends: (() => Promise<unknown>)[] = [];
    const url = `mqtt://127.0.0.1:${broker.port}`;
    if (started) await broker.start();
    try {
      await work({
        broker,
        url,
        gateway: async (options = {}) => {
          const external = { url, username: null, password: null };
          const gateway = await startGateway(
            folder,
            {},
            { ...options, settings: { external, ...options.settings } },
          );
          ends.push(() => gateway.service.stop());
          return gateway;
        },
        device: async (options) => {
          const device = new Device(broker.port, undefined, options);
          ends.push(() => device.end());
          return device.connected();
        },
      });
    } finally {
      for (const end of ends.reverse()) await end();
      await broker.stop();
    }
  });
}

const stateOf = ({ components }: Gateway) => componentOf(components, "broker");
const soc = ({ stored }: Gateway) => stored.map(({ sample }) => sample.values.soc_pct);
const topic = "hourgate/home/telemetry/soc_pct";

describe.skipIf(!hasMosquitto())("an external broker", () => {
  it("gets retained outputs and a last will and delivers telemetry; the embedded broker is not started", () =>
    withMosquitto(async ({ gateway, device }) => {
      const watcher = await device();
      await watcher.subscribe("hourgate/#");
      const home = await gateway();
      await watcher.until(() => watcher.last("hourgate/status") === "online");
      await watcher.until(() => watcher.last("hourgate/cabin/forecast") !== undefined);
      expect(home.service.port).toBeUndefined();
      expect(stateOf(home)).toMatchObject({ state: "ok", vital: false });
      home.plans.set("home", planWith({ chargeNow: 1 }));
      home.planned("home");
      await watcher.until(() => watcher.last("hourgate/home/charge_now") === "1");
      await watcher.publish(topic, "55");
      await watcher.until(() => watcher.acks().length === 1);
      expect([watcher.acks(), soc(home)]).toEqual([[{ topic, ok: true }], [55]]);
      await home.service.stop();
      await watcher.until(() => watcher.last("hourgate/status") === "offline");
      const late = await device();
      await late.subscribe("hourgate/home/charge_now");
      await late.until(() => late.last("hourgate/home/charge_now") === "1");
      expect(late.messages[0]?.retain).toBe(true);
    }));

  it("loses the topics of a device that was removed while the gateway was off", () =>
    withMosquitto(async ({ gateway, device }) => {
      const meter = {
        id: "meter",
        name: "Meter",
        template: "shelly",
        controls: null,
        state: "ok",
        readAt: null,
        readings: { grid_power_kw: { value: 1.5, unit: "kW" } },
        command: null,
      };
      const before = await gateway({ devices: { list: () => [meter], commandDocument: () => null } });
      const watcher = await device();
      await watcher.subscribe("hourgate/home/devices/#");
      before.bus.emit("device.read", { siteId: "home", id: "meter" } as never);
      const power = "hourgate/home/devices/meter/readings/grid_power_kw";
      await watcher.until(() => watcher.last(power) === "1.5");
      await before.service.stop();
      await gateway();
      await watcher.until(() => watcher.last(power) === "");
      await watcher.until(() => watcher.last("hourgate/home/devices/meter/state") === "");
    }));

  it("stores QoS 1 messages while the gateway is offline", () =>
    withMosquitto(async ({ gateway, device }) => {
      const meter = await device();
      await meter.subscribe("hourgate/+/ack");
      const before = await gateway();
      await meter.subscribe("hourgate/status");
      await meter.until(() => meter.last("hourgate/status") === "online");
      await meter.publish(topic, "1");
      await meter.until(() => meter.acks().length === 1);
      await before.service.stop();
      const values = Array.from({ length: 60 }, (_, index) => index + 2);
      for (const value of values) await meter.publish(topic, String(value));
      const after = await gateway();
      await meter.until(() => meter.acks().length === 61);
      expect(soc(after)).toEqual(values);
    }));

  it("redelivers messages that were not stored before a crash, because they are acknowledged after storing", () =>
    withMosquitto(async ({ gateway, device }) => {
      const meter = await device();
      await meter.subscribe("hourgate/+/ack");
      let reached = () => {};
      const asked = new Promise<void>((resolve) => {
        reached = resolve;
      });
      const dying = await gateway({
        telemetry: {
          ingest: () => {
            reached();
            return new Promise(() => {});
          },
          leaveOut: () => {},
        },
      });
      await meter.subscribe("hourgate/status");
      await meter.until(() => meter.last("hourgate/status") === "online");
      for (const value of ["41", "42", "43"]) await meter.publish(topic, value);
      await asked;
      await dying.service.stop();
      const after = await gateway();
      await meter.until(() => meter.acks().length === 3);
      expect(soc(after)).toEqual([41, 42, 43]);
    }));

  it("gives the gateway a hundred messages at a time, which are acknowledged in their order", () =>
    withMosquitto(async ({ url, device }) => {
      const held: { text: string; handle: () => void }[] = [];
      let connected = 0;
      const connect = () => {
        const connection = new MqttConnection({
          url,
          username: undefined,
          password: undefined,
          clientId: "reader",
          persistentSession: true,
          will: undefined,
          subscriptions: ["readings"],
          onConnect: () => void connected++,
          onDisconnect: () => {},
          onMessage: (_topic, payload) =>
            new Promise((handle) => held.push({ text: payload.toString(), handle })),
          log: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
        });
        connection.start();
        return connection;
      };
      const first = connect();
      await eventually(() => expect(connected).toBe(1));
      const meter = await device();
      for (let number = 1; number <= 150; number++) await meter.publish("readings", `${number}`);
      await eventually(() => expect(held).toHaveLength(100));
      // The second may only be acknowledged after the first.
      held[1]!.handle();
      await first.stop({ leaveWill: true });
      held.length = 0;
      const second = connect();
      await eventually(() => expect(held).toHaveLength(100));
      expect(held[0]!.text).toBe("1");
      held[1]!.handle();
      held[0]!.handle();
      await eventually(() => expect(held.at(-1)?.text).toBe("102"));
      await second.stop({ leaveWill: true });
      held.length = 0;
      const third = connect();
      await eventually(() => expect(held).toHaveLength(100));
      expect(held[0]!.text).toBe("3");
      await third.stop({ leaveWill: true });
    }));

  it("is connected when it becomes available after the start and after an interruption", () =>
    withMosquitto(
      async ({ broker, gateway, device }) => {
        const home = await gateway();
        expect(stateOf(home)).toMatchObject({ state: "down", vital: false });
        expect(stateOf(home)?.detail).toContain("tries again every second");
        home.plans.set("home", planWith({ chargeNow: 1 }));
        home.planned("home");
        await broker.start();
        const watcher = await device();
        await watcher.subscribe("hourgate/#");
        await watcher.until(() => watcher.last("hourgate/home/charge_now") === "1");
        await watcher.until(() => watcher.last("hourgate/status") === "online");
        await broker.stop();
        await watcher.until(() => !watcher.client.connected);
        home.plans.set("home", planWith({ chargeNow: 0 }));
        home.planned("home");
        await broker.start();
        await watcher.until(() => watcher.client.connected);
        await watcher.subscribe("hourgate/#");
        await watcher.until(() => watcher.last("hourgate/home/charge_now") === "0");
        await watcher.publish(topic, "44");
        await watcher.until(() => watcher.acks().some(({ ok }) => ok));
        expect([stateOf(home)?.state, soc(home)]).toEqual(["ok", [44]]);
      },
      { started: false },
    ));

  it("publishes the last will when the connection is lost, and gets all values again after the reconnect", () =>
    withMosquitto(async ({ broker, gateway, device }) => {
      const home = await gateway();
      home.plans.set("home", planWith({ chargeNow: 1 }));
      home.planned("home");
      const watcher = await device();
      await watcher.subscribe("hourgate/#");
      await watcher.until(() => watcher.last("hourgate/home/plan") !== undefined);
      for (const socket of socketsTo(broker.port)) if (socket !== watcher.client.stream) socket.destroy();
      await watcher.until(() => watcher.last("hourgate/status") === "offline");
      expect(home.components.degraded()?.name).toBe("broker");
      watcher.messages.length = 0;
      await watcher.until(() => watcher.last("hourgate/status") === "online");
      await watcher.until(() => watcher.last("hourgate/home/charge_now") === "1");
      await watcher.until(() => watcher.last("hourgate/home/plan") !== undefined);
      expect(home.components.degraded()).toBeUndefined();
    }));

  it("uses response topic and correlation data of MQTT 5, except for topics of the gateway", () =>
    withMosquitto(async ({ gateway, device }) => {
      await gateway();
      const asker = await device({ protocolVersion: 5 });
      await asker.subscribe("hourgate/#");
      await asker.until(() => asker.last("hourgate/status") === "online");
      await asker.subscribe("flows/17/answer");
      const correlations: (string | undefined)[] = [];
      asker.client.on("message", (name, _payload, { properties }) => {
        if (name === "flows/17/answer") correlations.push(properties?.correlationData?.toString());
      });
      const ask = (responseTopic: string) =>
        asker.client.publishAsync("hourgate/home/request/hours-demand", '{"id":9}', {
          qos: 1,
          properties: { responseTopic, correlationData: Buffer.from("c-9") },
        });
      await ask("flows/17/answer");
      await asker.until(() => asker.texts("flows/17/answer").length === 1);
      expect(JSON.parse(asker.last("flows/17/answer")!)).toMatchObject({
        id: 9,
        schema: "hours_demand_v1.11",
      });
      expect(correlations).toEqual(["c-9"]);
      expect(asker.texts("hourgate/home/response/hours-demand")).toEqual([]);
      // Without a response topic the mark comes with the answer at its usual place.
      const marked = new Promise<string | undefined>((resolve) =>
        asker.client.on("message", (name, _payload, { properties }) => {
          if (name === "hourgate/home/response/hours-demand")
            resolve(properties?.correlationData?.toString());
        }),
      );
      await asker.client.publishAsync("hourgate/home/request/hours-demand", "{}", {
        qos: 1,
        properties: { correlationData: Buffer.from("c-10") },
      });
      expect(await marked).toBe("c-10");
      await ask("hourgate/home/charge_now");
      await ask("homeassistant/device/hourgate_home/config");
      await asker.until(() => asker.acks().length === 2);
      expect(asker.acks().map(({ ok }) => ok)).toEqual([false, false]);
      expect(asker.texts("hourgate/home/charge_now").join("")).toBe("");
    }));

  it("is used with MQTT 3.1.1 if it does not support MQTT 5; refused subscriptions are reported", () =>
    withFolder(async (folder) => {
      const other = await startGateway(folder, { users: [] }, { settings: { prefix: "other" } });
      const url = `mqtt://127.0.0.1:${other.service.port}`;
      const map: TopicMapEntry[] = [];
      const join = (own: string, password: string) =>
        startGateway(
          own,
          {},
          {
            installationId: password,
            telemetryMap: () => map,
            settings: { external: { url, username: "x", password } },
          },
        );
      const watcher = await new Device(other.service.port!, KEYS.owner).connected();
      await watcher.subscribe("hourgate/#");
      await withFolder(async (own) => {
        const gateway = await join(own, KEYS.owner);
        await watcher.until(() => watcher.last("hourgate/status") === "online");
        await watcher.publish(topic, "45");
        await watcher.until(() => watcher.acks().length === 1);
        expect([soc(gateway), stateOf(gateway)?.state]).toEqual([[45], "ok"]);
        await gateway.service.stop();
      });
      await watcher.subscribe("other/home/ack");
      await withFolder(async (own) => {
        // A plant's key may not subscribe to the whole tree: the refusal is reported.
        const gateway = await join(own, KEYS.home);
        await watcher.until(() =>
          watcher.texts("other/home/ack").some((text) => text.includes("hourgate/home/forecast")),
        );
        expect(stateOf(gateway)).toMatchObject({ state: "degraded" });
        expect(stateOf(gateway)?.detail).toContain("hourgate/+/telemetry/#");
        // A topic that is mapped later and refused is reported too; the connection stays open.
        map.push({ topic: "N/+/Soc", path: "", field: "soc_pct", scale: 1, offset: 0 });
        gateway.bus.emit("site.changed", SITES[0]!);
        await eventually(() => expect(stateOf(gateway)?.detail?.includes("N/+/Soc")).toBe(true));
        expect(stateOf(gateway)).toMatchObject({ state: "degraded" });
        map.pop();
        gateway.bus.emit("site.changed", SITES[0]!);
        await eventually(() => expect(stateOf(gateway)?.detail?.includes("N/+/Soc")).toBe(false));
        expect(stateOf(gateway)).toMatchObject({ state: "degraded" });
        await gateway.service.stop();
      });
      await watcher.end();
      await other.service.stop();
    }));
});
