import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import type { IClientOptions, IPublishPacket } from "mqtt";
import mqtt from "mqtt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.js";
import { manualClock } from "../../support/manual-clock.js";
import { Device, type Gateway, KEYS, NOW, startGateway, withFolder } from "./harness.js";
import { connectPacket, rawClient } from "./raw-client.js";

/** A client whose session outlives its connections, in either version. */
const session = (clientId: string, protocolVersion: 4 | 5, options: IClientOptions = {}): IClientOptions => ({
  clientId,
  clean: false,
  protocolVersion,
  resubscribe: false,
  ...options,
  ...(protocolVersion === 5 && { properties: { sessionExpiryInterval: 3600, ...options.properties } }),
});

/** A topic that nobody else uses. */
const topicOf = (name: string) => `test/${name}`;

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => String(from + index));

/** What version 0.2 had stored of a session with three messages, recorded from its broker. */
const RECORDS_OF_0_2: readonly [key: string, base64: string][] = [
  [
    "outgoing:%24administrator%3Aold:1233f147-37a0-4a73-b069-be3b8b67b0d9:0000000000000031",
    "iaNjbWSncHVibGlzaKhicm9rZXJJZNkkMTIzM2YxNDctMzdhMC00YTczLWIwNjktYmUzYjhiNjdiMGQ5rWJyb2tlckNvdW50ZXIfpXRvcGljo3gvMadwYXlsb2FkxAVmaXJzdKNxb3MBpnJldGFpbsKjZHVwwqltZXNzYWdlSWTA",
  ],
  [
    "outgoing:%24administrator%3Aold:1233f147-37a0-4a73-b069-be3b8b67b0d9:0000000000000033",
    "iaNjbWSncHVibGlzaKhicm9rZXJJZNkkMTIzM2YxNDctMzdhMC00YTczLWIwNjktYmUzYjhiNjdiMGQ5rWJyb2tlckNvdW50ZXIhpXRvcGljo3gvMadwYXlsb2FkxAZzZWNvbmSjcW9zAaZyZXRhaW7Co2R1cMKpbWVzc2FnZUlkwA==",
  ],
  [
    "outgoing:%24administrator%3Aold:1233f147-37a0-4a73-b069-be3b8b67b0d9:0000000000000035",
    "iaNjbWSncHVibGlzaKhicm9rZXJJZNkkMTIzM2YxNDctMzdhMC00YTczLWIwNjktYmUzYjhiNjdiMGQ5rWJyb2tlckNvdW50ZXIjpXRvcGljo3gvMadwYXlsb2FkxAV0aGlyZKNxb3MBpnJldGFpbsKjZHVwwqltZXNzYWdlSWTA",
  ],
  [
    "retained:house/mode",
    "iqNjbWSncHVibGlzaKhicm9rZXJJZNkkMTIzM2YxNDctMzdhMC00YTczLWIwNjktYmUzYjhiNjdiMGQ5rWJyb2tlckNvdW50ZXIdpXRvcGljqmhvdXNlL21vZGWncGF5bG9hZMQEYXdheaNxb3MBpnJldGFpbsOjZHVwwqltZXNzYWdlSWTApW93bmVyriRhZG1pbmlzdHJhdG9y",
  ],
  ["session:%24administrator%3Aold", "MTc2ODQ0Mjg1MDAwMA=="],
  [
    "subscriptions:%24administrator%3Aold:x/#",
    "g6V0b3BpY6N4LyOjcW9zAahjbGllbnRJZLIkYWRtaW5pc3RyYXRvcjpvbGQ=",
  ],
];

const VERSIONS = [4, 5] as const;

describe("a session", () => {
  let gateway: Gateway;
  let sender: Device;
  const devices: Device[] = [];
  let end = () => {};
  let ended: Promise<void>;

  const connect = async (options: IClientOptions, onPacket?: (packet: IPublishPacket) => void) => {
    const device = new Device(gateway.service.port!, KEYS.owner, options);
    device.client.on("packetreceive", (packet) => {
      if (packet.cmd === "publish") onPacket?.(packet);
    });
    devices.push(device);
    return device.connected();
  };

  beforeAll(async () => {
    await new Promise<void>((ready) => {
      ended = withFolder(async (folder) => {
        gateway = await startGateway(folder);
        sender = await new Device(gateway.service.port!, KEYS.owner).connected();
        ready();
        await new Promise<void>((resolve) => {
          end = resolve;
        });
        await Promise.all([sender, ...devices].map((device) => device.end()));
        await gateway.service.stop();
      });
    });
  });
  afterAll(async () => {
    end();
    await ended;
  });

  describe.each(VERSIONS)("of version %i", (version) => {
    it.each([1, 2] as const)("gets its queue before what is published meanwhile, QoS %i", async (qos) => {
      const topic = topicOf(`order-${version}-${qos}`);
      const options = session(`order-${version}-${qos}`, version);
      const first = await connect(options);
      await first.client.subscribeAsync(topic, { qos });
      await first.client.endAsync(true);
      for (const text of numbered(0, 60)) await sender.publish(topic, text, qos);
      // It comes back while more is published.
      const publishing = (async () => {
        for (const text of numbered(60, 120)) await sender.publish(topic, text, qos);
      })();
      const back = await connect(options);
      await publishing;
      await back.until(() => back.last(topic) === "119");
      expect(back.texts(topic)).toEqual(numbered(0, 120));
    });

    it("gets a message again, with DUP and the same packet identifier, until it has acknowledged it", async () => {
      const topic = topicOf(`again-${version}`);
      const options = session(`again-${version}`, version, { reconnectPeriod: 0 });
      const arrivals: [string, boolean, number | undefined][] = [];
      const seen = ({ payload, dup, messageId }: IPublishPacket) =>
        void arrivals.push([payload.toString(), dup, messageId]);
      const first = await connect(options, seen);
      await first.client.subscribeAsync(topic, { qos: 2 });
      // It never acknowledges anything.
      first.client.handleMessage = () => {};
      await sender.publish(topic, "one", 1);
      await eventually(() => expect(arrivals).toHaveLength(1));
      first.client.stream.destroy();
      await first.until(() => first.closes === 1);
      await sender.publish(topic, "two", 1);
      const back = await connect(options, seen);
      await back.until(() => back.last(topic) === "two");
      const [sent, again, next] = arrivals;
      expect([sent?.[1], again, next?.slice(0, 2)]).toEqual([
        false,
        ["one", true, sent?.[2]],
        ["two", false],
      ]);
      await back.client.endAsync();
      const third = await connect(options, seen);
      await sender.publish(topic, "three", 1);
      await third.until(() => third.texts(topic).length > 0);
      expect(third.texts(topic)).toEqual(["three"]);
    });
  });

  it("gets at most as many messages at a time as it takes", async () => {
    const topic = topicOf("receive-maximum");
    const connect = connectPacket({
      clientId: "receive-maximum",
      password: KEYS.owner,
      protocolVersion: 5,
      properties: { receiveMaximum: 2, sessionExpiryInterval: 3600 },
    });
    const first = await rawClient(gateway.service.port!, connect);
    first.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic, qos: 2 }] });
    await first.next("suback");
    first.close();
    await first.closed;
    for (const text of numbered(0, 4)) await sender.publish(topic, text, text === "0" ? 2 : 1);
    const back = await rawClient(gateway.service.port!, { ...connect, clean: false });
    const texts = () =>
      back.received.flatMap((packet) => (packet.cmd === "publish" ? [String(packet.payload)] : []));
    const pinged = async () => {
      back.send({ cmd: "pingreq" });
      await back.next("pingresp");
      return texts();
    };
    const [one, two] = [await back.next("publish"), await back.next("publish")];
    expect(await pinged()).toEqual(["0", "1"]);
    // A message of QoS 2 counts until its PUBCOMP.
    back.send({ cmd: "pubrec", messageId: one.messageId! });
    await back.next("pubrel");
    expect(await pinged()).toEqual(["0", "1"]);
    back.send({ cmd: "pubcomp", messageId: one.messageId! });
    await back.next("publish");
    expect(await pinged()).toEqual(["0", "1", "2"]);
    back.send({ cmd: "puback", messageId: two.messageId! });
    await back.next("publish");
    expect(await pinged()).toEqual(["0", "1", "2", "3"]);
    back.close();
  });

  it("does not get packets that are larger than it takes", async () => {
    const topic = topicOf("packet-size");
    const small = await connect({ protocolVersion: 5, properties: { maximumPacketSize: 100 } });
    await small.client.subscribeAsync(topic, { qos: 1 });
    await sender.publish(topic, "x".repeat(101));
    await sender.publish(topic, "small");
    await small.until(() => small.last(topic) === "small");
    expect(small.texts(topic)).toEqual(["small"]);
  });

  it("gets each message once for overlapping subscriptions, with all identifiers and the highest QoS", async () => {
    const packets: IPublishPacket[] = [];
    const device = await connect({ protocolVersion: 5 }, (packet) => void packets.push(packet));
    const subscribe = (filter: string, qos: 0 | 1, subscriptionIdentifier: number) =>
      device.client.subscribeAsync(filter, { qos, properties: { subscriptionIdentifier } });
    await subscribe("test/overlap/+", 0, 1);
    await subscribe("test/overlap/#", 1, 2);
    await sender.publish("test/overlap/x", "a", 1);
    await device.until(() => device.messages.length > 0);
    const [packet] = packets;
    expect([packets.length, packet?.qos]).toEqual([1, 1]);
    expect([packet?.properties?.subscriptionIdentifier].flat().sort()).toEqual([1, 2]);
  });
});

it("a session ends after the time that its client has asked for", () =>
  withFolder(async (folder) => {
    const clock = manualClock(NOW);
    const gateway = await startGateway(folder, {}, { clock });
    const present: boolean[] = [];
    const connect = connectPacket({
      clientId: "expiring",
      password: KEYS.owner,
      protocolVersion: 5,
      clean: false,
      properties: { sessionExpiryInterval: 60 },
    });
    for (const seconds of [59, 61, 0]) {
      const client = await rawClient(gateway.service.port!, connect);
      present.push((await client.next("connack")).sessionPresent);
      client.send({ cmd: "disconnect", reasonCode: 0 });
      await client.closed;
      await clock.advance(seconds * 1000);
    }
    expect(present).toEqual([false, true, false]);
    await gateway.service.stop();
  }));

describe("after a restart", () => {
  it("queues come back in order with their properties, and expired messages do not", () =>
    withFolder(async (folder) => {
      const options = session("away", 5);
      const first = await startGateway(folder);
      const away = await new Device(first.service.port!, KEYS.owner, options).connected();
      await away.client.subscribeAsync("r/#", { qos: 2, properties: { subscriptionIdentifier: 7 } });
      await away.client.subscribeAsync("own", { qos: 1, nl: true });
      await away.end();
      const publish = async (gateway: Gateway, texts: readonly string[], expiry = 3600) => {
        const sender = await new Device(gateway.service.port!, KEYS.owner, {
          protocolVersion: 5,
        }).connected();
        const properties = {
          messageExpiryInterval: expiry,
          contentType: "text/plain",
          responseTopic: "answers",
          correlationData: Buffer.from([1, 2, 255]),
          userProperties: { a: ["1", "2"], __proto__x: "3" },
          payloadFormatIndicator: true,
        };
        for (const text of texts) await sender.client.publishAsync("r/x", text, { qos: 2, properties });
        await sender.end();
      };
      await publish(first, numbered(0, 12));
      await first.service.stop();
      const second = await startGateway(folder);
      await publish(second, ["gone"], 0);
      await publish(second, numbered(12, 15));
      await second.service.stop();
      const third = await startGateway(folder);
      const packets: IPublishPacket[] = [];
      const back = new Device(third.service.port!, KEYS.owner, options);
      back.client.on("packetreceive", (packet) => {
        if (packet.cmd === "publish") packets.push(packet);
      });
      await back.until(() => back.last("r/x") === "14");
      expect(back.texts("r/x")).toEqual(numbered(0, 15));
      expect(packets[0]?.properties).toMatchObject({
        contentType: "text/plain",
        responseTopic: "answers",
        correlationData: Buffer.from([1, 2, 255]),
        userProperties: { a: ["1", "2"], __proto__x: "3" },
        payloadFormatIndicator: true,
        subscriptionIdentifier: 7,
        messageExpiryInterval: expect.any(Number),
      });
      // No local holds for the subscription of the earlier connection.
      await back.publish("own", "mine");
      await back.publish("r/x", "other");
      await back.until(() => back.last("r/x") === "other");
      expect(back.texts("own")).toEqual([]);
      await back.end();
      await third.service.stop();
    }));

  it("a QoS 2 message that was delivered and not released does not come twice", () =>
    withFolder(async (folder) => {
      const first = await startGateway(folder);
      const raw = await rawClient(
        first.service.port!,
        connectPacket({ clientId: "two", password: KEYS.owner, clean: false }),
      );
      raw.send({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: "two", qos: 2 }] });
      await raw.next("suback");
      const sender = await new Device(first.service.port!, KEYS.owner).connected();
      await sender.publish("two", "once", 2);
      const { messageId } = await raw.next("publish");
      raw.send({ cmd: "pubrec", messageId: messageId! });
      await raw.next("pubrel");
      raw.close();
      await sender.end();
      await first.service.stop();
      const second = await startGateway(folder);
      const back = await rawClient(
        second.service.port!,
        connectPacket({ clientId: "two", password: KEYS.owner, clean: false }),
      );
      expect(await back.next("pubrel")).toMatchObject({ messageId });
      back.send({ cmd: "pubcomp", messageId: messageId! });
      back.send({ cmd: "pingreq" });
      await back.next("pingresp");
      expect(back.received.map(({ cmd }) => cmd)).toEqual(["connack", "pubrel", "pingresp"]);
      back.close();
      await second.service.stop();
    }));
});

it("takes over retained messages, sessions and queues of version 0.2", () =>
  withFolder(async (folder) => {
    const database = new ClassicLevel<string, Buffer>(join(folder, "broker"), { valueEncoding: "buffer" });
    for (const [key, value] of RECORDS_OF_0_2) await database.put(key, Buffer.from(value, "base64"));
    await database.close();
    const gateway = await startGateway(folder);
    const options = { clientId: "old", clean: false, resubscribe: false };
    const client = mqtt.connect({
      host: "127.0.0.1",
      port: gateway.service.port!,
      username: "x",
      password: KEYS.owner,
      ...options,
    });
    const got: [string, string, boolean][] = [];
    client.on("message", (topic, payload, { retain }) => void got.push([topic, payload.toString(), retain]));
    await eventually(() => expect(got).toHaveLength(3));
    await client.subscribeAsync("house/mode");
    await eventually(() => expect(got).toHaveLength(4));
    expect(got).toEqual([
      ["x/1", "first", false],
      ["x/1", "second", false],
      ["x/1", "third", false],
      ["house/mode", "away", true],
    ]);
    await client.endAsync(true);
    await gateway.service.stop();
    const after = new ClassicLevel(join(folder, "broker"));
    expect((await after.keys().all()).filter((key) => key.startsWith("outgoing"))).toEqual([]);
    await after.close();
  }));
