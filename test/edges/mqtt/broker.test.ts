import { createServer } from "node:net";
import mqtt from "mqtt";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { componentOf } from "../../support/components.js";
import { Device, KEYS, startGateway, withFolder, withGateway } from "./harness.js";

/** The CONNACK code of a connection attempt. */
async function connackOf(port: number, options: mqtt.IClientOptions): Promise<number> {
  const client = mqtt.connect({ host: "127.0.0.1", port, protocol: "mqtt", reconnectPeriod: 0, ...options });
  return new Promise((resolve) => {
    client.on("connect", () => resolve(0));
    client.on("error", (error) => resolve((error as { code?: number }).code ?? -1));
  }).then(async (code) => {
    await client.endAsync(true);
    return code as number;
  });
}

describe("sign-in", () => {
  it("accepts keys with any user name and configured users with their password", () =>
    withGateway(
      async ({ service, revoked }) => {
        const port = service.port!;
        expect(await connackOf(port, { username: "anything", password: KEYS.home })).toBe(0);
        expect(await connackOf(port, { username: "meter", password: "secret" })).toBe(0);
        expect(await connackOf(port, { username: "meter", password: "Secret" })).toBe(4);
        expect(await connackOf(port, { username: "other", password: "secret" })).toBe(4);
        expect(await connackOf(port, { username: KEYS.home, password: "x" })).toBe(4);
        expect(await connackOf(port, { username: "x" })).toBe(4);
        expect(await connackOf(port, {})).toBe(4);
        revoked.add(KEYS.home);
        expect(await connackOf(port, { username: "anything", password: KEYS.home })).toBe(4);
      },
      { users: [{ username: "meter", password: "secret", plant: null, publish: [], subscribe: [] }] },
    ));

  it("assigns users without a plant to the first plant", () =>
    withGateway(
      async (_gateway, device) => {
        const meter = await device("secret", { username: "meter" });
        expect(await meter.subscribe("hourgate/home/#")).toBe(1);
        expect(await meter.subscribe("hourgate/cabin/#")).toBe(128);
      },
      { users: [{ username: "meter", password: "secret", plant: null, publish: [], subscribe: [] }] },
    ));

  it("admits clients without a password if anonymous is on, but not with a wrong password", () =>
    withGateway(
      async ({ service }) => {
        expect(await connackOf(service.port!, {})).toBe(0);
        expect(await connackOf(service.port!, { username: "x", password: "wrong" })).toBe(4);
      },
      { anonymous: true },
    ));

  it("accepts a client without keep-alive", () =>
    withGateway(async ({ service }) => {
      expect(await connackOf(service.port!, { username: "x", password: KEYS.home, keepalive: 0 })).toBe(0);
    }));

  it("separates equal client ids of two plants", () =>
    withGateway(async (_gateway, device) => {
      const home = await device(KEYS.home, { clientId: "node-red" });
      const cabin = await device(KEYS.cabin, { clientId: "node-red" });
      const owner = await device(KEYS.owner, { clientId: "hourgate-test" });
      await Promise.all([home.subscribe("hourgate/status"), cabin.subscribe("hourgate/status")]);
      await owner.subscribe("hourgate/status");
      await owner.until(() => owner.last("hourgate/status") === "online");
      expect([home.closes, cabin.closes, owner.closes]).toEqual([0, 0, 0]);
    }));
});

describe("rights of a plant's key", () => {
  it("may only subscribe to its own plant and the status", () =>
    withGateway(async (_gateway, device) => {
      const home = await device(KEYS.home);
      for (const filter of ["hourgate/home/#", "hourgate/home/+", "hourgate/status", "hourgate/home/plan"])
        expect([filter, await home.subscribe(filter)]).toEqual([filter, 1]);
      for (const filter of [
        "#",
        "+/home/#",
        "hourgate/#",
        "hourgate/+/plan",
        "hourgate/cabin/#",
        "hourgate/homestead/plan",
        "$SYS/#",
        "homeassistant/#",
      ])
        expect([filter, await home.subscribe(filter)]).toEqual([filter, 128]);
      expect(home.closes).toBe(0);
    }));

  it.each([0, 1, 2] as const)(
    "gets an ack for a refused publish of QoS %i and stays connected; nothing is delivered",
    (qos) =>
      withGateway(async ({ stored }, device) => {
        const owner = await device(KEYS.owner);
        await owner.subscribe("#");
        const home = await device(KEYS.home);
        await home.subscribe("hourgate/home/ack");
        const refused = [
          "hourgate/home/charge_now",
          "hourgate/cabin/telemetry/soc_pct",
          "hourgate/status",
          "x",
          "$SYS/y",
        ];
        for (const topic of refused) await home.publish(topic, "1", qos, true);
        await home.until(() => home.acks().length === refused.length);
        for (const ack of home.acks())
          expect(ack).toEqual({ topic: ack.topic, ok: false, error: expect.any(String) });
        expect(home.acks().map(({ topic }) => topic)).toEqual(refused);
        await home.publish("hourgate/home/telemetry/soc_pct", "55", qos);
        await home.until(() => home.acks().some(({ ok }) => ok));
        // One ack each: a client in a loop would get more.
        expect(home.acks().length).toBe(refused.length + 1);
        expect([home.closes, home.connects]).toEqual([0, 1]);
        expect(stored).toHaveLength(1);
        await owner.until(() => owner.acks().some(({ ok }) => ok));
        expect(owner.texts("x")).toEqual([]);
        expect(owner.texts("hourgate/cabin/telemetry/soc_pct")).toEqual([]);
        expect(new Set(owner.texts("hourgate/status"))).toEqual(new Set(["online"]));
        expect(owner.messages.filter(({ topic }) => topic.startsWith("$"))).toEqual([]);
      }),
  );

  it("is disconnected when the key is revoked; the next publish is not delivered", () =>
    withGateway(async ({ revoked, stored }, device) => {
      const home = await device(KEYS.home);
      revoked.add(KEYS.home);
      await home.publish("hourgate/home/telemetry/soc_pct", "55");
      await home.until(() => home.closes > 0);
      expect(stored).toEqual([]);
    }));

  it("cannot have a last will on another plant's topics", () =>
    withGateway(async (_gateway, device) => {
      const owner = await device(KEYS.owner);
      await owner.subscribe("hourgate/#");
      const rogue = await device(KEYS.home, {
        will: { topic: "hourgate/cabin/charge_now", payload: Buffer.from("1"), qos: 1, retain: true },
      });
      await owner.until(() => owner.acks().some(({ topic }) => topic === "hourgate/cabin/charge_now"));
      const good = await device(KEYS.home, {
        will: {
          topic: "hourgate/home/telemetry/ev_connected",
          payload: Buffer.from("0"),
          qos: 1,
          retain: false,
        },
      });
      rogue.client.options.reconnectPeriod = 0;
      good.client.options.reconnectPeriod = 0;
      rogue.client.stream.destroy();
      await rogue.until(() => rogue.closes === 1);
      good.client.stream.destroy();
      await owner.until(() => owner.texts("hourgate/home/telemetry/ev_connected").length === 1);
      expect(owner.texts("hourgate/cabin/charge_now").filter((text) => text !== "")).toEqual([]);
    }));
});

it("the administrator may subscribe to everything and publish everywhere except $SYS and output topics", () =>
  withGateway(async (_gateway, device) => {
    const owner = await device(KEYS.owner);
    expect(await owner.subscribe("#")).toBe(1);
    await owner.publish("zigbee2mqtt/meter", "1");
    await owner.publish("$SYS/broker", "1");
    await owner.until(() => owner.acks().length === 1);
    expect(owner.acks()[0]).toMatchObject({ topic: "$SYS/broker", ok: false });
    expect(owner.texts("zigbee2mqtt/meter")).toEqual(["1"]);
    await owner.publish("hourgate/home/charge_now", "7", 1, true);
    await owner.publish("hourgate/status", "gone", 1, true);
    await owner.until(() => owner.acks().length === 3);
    expect(owner.acks()[1]).toMatchObject({ topic: "hourgate/home/charge_now", ok: false });
    expect(owner.texts("hourgate/home/charge_now")).not.toContain("7");
    expect(owner.texts("hourgate/status")).toEqual(["online"]);
  }));

it("an anonymous client may only publish telemetry of existing plants and read outputs", () =>
  withGateway(
    async ({ stored }, device) => {
      const owner = await device(KEYS.owner);
      const meter = await device();
      expect(await meter.subscribe("hourgate/home/#")).toBe(1);
      expect(await meter.subscribe("#")).toBe(128);
      await meter.publish("hourgate/home/telemetry/soc_pct", "40");
      await meter.until(() => meter.acks().length === 1);
      expect(meter.acks()).toEqual([{ topic: "hourgate/home/telemetry/soc_pct", ok: true }]);
      await meter.publish("hourgate/home/request/hours-demand", "{}");
      await meter.until(() => meter.acks().length === 2);
      expect(meter.acks()[1]).toMatchObject({ topic: "hourgate/home/request/hours-demand", ok: false });
      await owner.subscribe("hourgate/home/response/#");
      await owner.publish("hourgate/home/request/hours-demand", "{}");
      await owner.until(() => owner.texts("hourgate/home/response/hours-demand").length === 1);
      await meter.publish("hourgate/home/telemetry/soc_pct", "41");
      await meter.until(() => meter.acks().length === 3);
      expect(meter.messages.some(({ topic }) => /request|response/.test(topic))).toBe(false);
      expect(stored.map(({ sample }) => sample.values)).toEqual([{ soc_pct: 40 }, { soc_pct: 41 }]);
    },
    { anonymous: true },
  ));

describe("listening", () => {
  it("continues after an error in a message handler and logs it", () =>
    withFolder(async (folder) => {
      const heard: string[] = [];
      const receive = (payload: string) => {
        heard.push(payload);
        throw new Error("no such thing");
      };
      const gateway = await startGateway(folder, {}, { listeners: [{ topic: "prices/at", receive }] });
      const device = await new Device(gateway.service.port!, KEYS.owner).connected();
      await device.publish("prices/at", "one");
      await device.publish("prices/at", "two");
      await vi.waitFor(() => expect(heard).toEqual(["one", "two"]));
      expect(gateway.logged).toContain("An MQTT message could not be handled.");
      await device.end();
      await gateway.service.stop();
    }));

  it("reports a port in use, continues without MQTT and stops cleanly", () =>
    withFolder(async (folder) => {
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
      const { port } = other.address() as { port: number };
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      onTestFinished(() => void vi.useRealTimers());
      const gateway = await startGateway(folder, { port });
      expect(gateway.service.port).toBeUndefined();
      // A restart of the gateway would not help: its health is that of its store.
      expect(gateway.components.failing()).toBeUndefined();
      expect(componentOf(gateway.components, "broker")).toMatchObject({
        state: "down",
        detail: expect.stringContaining(`Port ${port} on 127.0.0.1 is in use; stop`),
      });
      // Retried every five seconds, logged once.
      const reports = vi.spyOn(gateway.components, "report");
      for (let tries = 1; tries <= 2; tries++) {
        vi.advanceTimersByTime(5_000);
        await vi.waitUntil(() => reports.mock.calls.length === tries, { interval: 5 });
      }
      expect(gateway.logged.filter((line) => line.includes("is in use"))).toHaveLength(1);
      await gateway.service.stop();
      await new Promise((resolve) => other.close(resolve));
    }));

  it("keeps retained messages of clients across a restart", () =>
    withFolder(async (folder) => {
      const first = await startGateway(folder);
      const writer = await new Device(first.service.port!, KEYS.owner).connected();
      await writer.publish("house/mode", "away", 1, true);
      await writer.end();
      await first.service.stop();
      const second = await startGateway(folder);
      const reader = await new Device(second.service.port!, KEYS.owner).connected();
      await reader.subscribe("house/#");
      await reader.until(() => reader.messages.length === 1);
      expect(reader.messages).toEqual([{ topic: "house/mode", text: "away", retain: true }]);
      await reader.end();
      await second.service.stop();
    }));

  it("stops with clients that neither read nor respond, before these have gone", () =>
    withFolder(async (folder) => {
      const gateway = await startGateway(folder);
      const idle = await new Device(gateway.service.port!, KEYS.owner).connected();
      await idle.subscribe("#");
      idle.client.stream.pause();
      await gateway.service.stop();
      expect(idle.client.stream.isPaused()).toBe(true);
      await expect(connackOf(gateway.service.port!, {})).resolves.not.toBe(0);
      await idle.end();
    }));
});
