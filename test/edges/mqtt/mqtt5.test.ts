import fc from "fast-check";
import { generate, type IConnackPacket, type IPublishPacket, type Packet } from "mqtt-packet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { componentOf } from "../../support/components.js";
import { eventually } from "../../support/eventually.js";
import { Device, type Gateway, KEYS, limits, startGateway, withFolder } from "./harness.js";
import { connectPacket, type RawClient, rawClient } from "./raw-client.js";

let gateway: Gateway;
let end = () => {};
let ended: Promise<void>;
const clients: { end(): unknown }[] = [];

beforeAll(async () => {
  await new Promise<void>((ready) => {
    ended = withFolder(async (folder) => {
      const users = [
        { username: "meter", password: "secret", plant: "home", publish: ["answers/#"], subscribe: [] },
      ];
      const options = {
        limits: limits({ subscriptions: { per_packet: 5 }, qos2_in_flight: { per_sign_in: 2 } }),
      };
      gateway = await startGateway(folder, { users }, options);
      ready();
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      await Promise.all(clients.map((client) => client.end()));
      await gateway.service.stop();
    });
  });
});
afterAll(async () => {
  end();
  await ended;
});

async function raw(
  options: Parameters<typeof connectPacket>[0] = {},
): Promise<RawClient & { connack: IConnackPacket }> {
  const packet = connectPacket({
    protocolVersion: 5,
    password: KEYS.home,
    clientId: `raw-${clients.length}`,
    ...options,
  });
  const client = await rawClient(gateway.service.port!, packet);
  clients.push({ end: () => client.close() });
  return Object.assign(client, { connack: await client.next("connack") });
}

async function device(
  password: string,
  options: ConstructorParameters<typeof Device>[2] = {},
): Promise<Device> {
  const one = new Device(gateway.service.port!, password, { protocolVersion: 5, ...options });
  clients.push(one);
  return one.connected();
}

const publish = (topic: string, changes: Partial<IPublishPacket> = {}): IPublishPacket => ({
  cmd: "publish",
  topic,
  payload: "1",
  qos: 1,
  messageId: 9,
  retain: false,
  dup: false,
  ...changes,
});

const reasonOf = (packet: { properties?: { reasonString?: string } }) =>
  packet.properties?.reasonString ?? "";

it("tells in CONNACK what it accepts, and the client id and keepalive that it has set", async () => {
  const { connack } = await raw({
    clientId: "",
    keepalive: 0,
    properties: { sessionExpiryInterval: 0xffffffff },
  });
  expect(connack).toMatchObject({
    reasonCode: 0,
    sessionPresent: false,
    properties: {
      maximumPacketSize: 256 * 1024 + 5,
      receiveMaximum: 2,
      topicAliasMaximum: 32,
      sharedSubscriptionAvailable: false,
      serverKeepAlive: 3600,
      sessionExpiryInterval: 7 * 86_400,
      assignedClientIdentifier: expect.stringMatching(/^[0-9a-f-]{36}$/),
    },
  });
});

describe("a refusal has a reason code and a sentence", () => {
  it("of a sign-in", async () => {
    const { connack } = await raw({ password: "wrong" });
    expect([connack.reasonCode, reasonOf(connack)]).toEqual([134, expect.stringContaining("API key")]);
    const old = await raw({ password: "wrong", protocolVersion: 4 });
    expect(old.connack.returnCode).toBe(4);
  });

  it("of a publish, and the connection stays", async () => {
    const client = await raw();
    client.send(publish("hourgate/cabin/telemetry/soc_pct"));
    const ack = await client.next("puback");
    expect([ack.reasonCode, reasonOf(ack)]).toEqual([
      135,
      expect.stringContaining("may only publish below hourgate/home/"),
    ]);
    client.send(publish("hourgate/status", { qos: 2 }));
    expect(await client.next("pubrec")).toMatchObject({ messageId: 9, reasonCode: 135 });
    client.send({ cmd: "pingreq" });
    await client.next("pingresp");
  });

  it("of a subscription", async () => {
    const client = await raw();
    const suback = async (...topics: string[]) => {
      client.send({
        cmd: "subscribe",
        messageId: 3,
        subscriptions: topics.map((topic) => ({ topic, qos: 1 })),
      });
      const packet = await client.next("suback");
      return [packet.granted, reasonOf(packet)];
    };
    expect(await suback("hourgate/home/5", "hourgate/home/3", "hourgate/home/5")).toEqual([[1, 1, 1], ""]);
    expect(await suback("hourgate/home/plan", "#", "hourgate/home/#/x")).toEqual([
      [1, 135, 143],
      "This sign-in may only subscribe to filters that begin with hourgate/home/ and to hourgate/status.",
    ]);
    expect(await suback("$share/group/hourgate/home/plan")).toEqual([[158], expect.any(String)]);
    expect(await suback(...Array.from({ length: 6 }, (_, index) => `hourgate/home/${index}`))).toEqual([
      [151, 151, 151, 151, 151, 151],
      expect.stringContaining("The packet has 6 filters, and 5 are allowed"),
    ]);
  });

  it.each([
    [144, publish("a/+/b")],
    [130, publish("hourgate/home/telemetry", { properties: { responseTopic: "a/#" } })],
    [148, publish("hourgate/home/telemetry", { properties: { topicAlias: 33 } })],
    [149, publish("hourgate/home/telemetry", { payload: Buffer.alloc(300_000) })],
  ])("of a packet that ends the connection: %i", async (code, packet) => {
    const client = await raw();
    client.send(packet);
    const disconnect = await client.next("disconnect");
    await client.closed;
    expect([disconnect.reasonCode, reasonOf(disconnect)]).toEqual([code, expect.stringMatching(/\.$/)]);
  });

  it("of messages of QoS 2 above the receive maximum", async () => {
    const client = await raw();
    for (const messageId of [1, 2, 3])
      client.send(publish("hourgate/home/telemetry/x", { qos: 2, messageId }));
    expect(await client.next("disconnect")).toMatchObject({ reasonCode: 147 });
  });

  it("without the sentence for a client that wants none", async () => {
    const client = await raw({ properties: { requestProblemInformation: false } });
    client.send(publish("hourgate/cabin/telemetry/soc_pct"));
    expect((await client.next("puback")).properties).toBeUndefined();
  });
});

it("names a client that was refused for its protocol or a subscription in the status", async () => {
  const other = await rawClient(
    gateway.service.port!,
    connectPacket({ clientId: "new", password: KEYS.home }),
    {
      level: 6,
    },
  );
  expect(await other.next("connack")).toMatchObject({ reasonCode: 132 });
  await other.closed;
  const meter = await device(KEYS.home, { clientId: "greedy" });
  await meter.subscribe("everything/#");
  await eventually(() =>
    expect(componentOf(gateway.components, "broker")).toMatchObject({
      state: "ok",
      detail: expect.stringMatching(
        /"greedy", subscription to everything\/#.*127\.0\.0\.1, MQTT protocol level 6|protocol level 6.*"greedy"/s,
      ),
    }),
  );
  const clients = gateway.service.clients("home");
  expect(clients.find(({ clientId }) => clientId === "greedy")?.refusedFilter).toBe("everything/#");
  expect(clients.find(({ clientId }) => clientId === "127.0.0.1")?.refusedLevel).toBe(6);
  const logged = gateway.logged.filter((line) => /level 6|"greedy" was refused/.test(line));
  expect(logged).toHaveLength(2);
});

describe("a client is told why its connection ends", () => {
  it("when another one takes its id", async () => {
    for (let round = 0; round < 5; round++) {
      const first = await raw({ clientId: "taken" });
      // Bytes that the broker has not read must not keep the DISCONNECT from arriving.
      first.send({ cmd: "pingreq" });
      const second = await raw({ clientId: "taken" });
      expect(await first.next("disconnect")).toMatchObject({ reasonCode: 142 });
      second.send({ cmd: "pingreq" });
      await second.next("pingresp");
    }
    expect(gateway.service.usage().find(({ resource }) => resource === "connections")?.used).toBe(
      gateway.service.clients("home").filter(({ isConnected }) => isConnected).length +
        gateway.service.clients("cabin").filter(({ isConnected }) => isConnected).length,
    );
  });

  it("when the gateway stops", () =>
    withFolder(async (folder) => {
      const other = await startGateway(folder);
      const packet = connectPacket({ protocolVersion: 5, password: KEYS.home });
      const client = await rawClient(other.service.port!, packet);
      client.send({ cmd: "pingreq" });
      const stopped = other.service.stop();
      expect(await client.next("disconnect")).toMatchObject({ reasonCode: 139 });
      await stopped;
    }));
});

describe("a request with a response topic", () => {
  const ask = async (client: Device, responseTopic: string) => {
    const properties = { responseTopic, correlationData: Buffer.from("7") };
    return new Promise<number>((resolve) =>
      client.client.publish(
        "hourgate/home/request/hours-demand",
        "{}",
        { qos: 1, properties },
        (error, packet) =>
          resolve(
            (error as { code?: number } | null)?.code ?? (packet as { reasonCode?: number })?.reasonCode ?? 0,
          ),
      ),
    );
  };

  it("is answered there with its correlation data", async () => {
    const answers: IPublishPacket[] = [];
    const owner = await device(KEYS.owner);
    await owner.subscribe("#");
    owner.client.on("packetreceive", (packet) => {
      if (packet.cmd === "publish" && /^answers|\/response\//.test(packet.topic)) answers.push(packet);
    });
    const user = await device("secret", { username: "meter" });
    expect(await ask(user, "answers/1")).toBe(0);
    expect(await ask(user, "hourgate/home/response/mine")).toBe(0);
    await eventually(() => expect(answers).toHaveLength(2));
    expect(answers.map(({ topic, properties }) => [topic, String(properties?.correlationData)])).toEqual([
      ["answers/1", "7"],
      ["hourgate/home/response/mine", "7"],
    ]);
    expect(JSON.parse(String(answers[0]?.payload))).toMatchObject({ schema: "hours_demand_v1.11" });
  });

  it("is refused in a last will, too", async () => {
    const home = await device(KEYS.home);
    await home.subscribe("hourgate/home/ack");
    const topic = "hourgate/home/request/hours-demand";
    const will = { topic, payload: "{}", properties: { responseTopic: "lights/kitchen/set" } };
    await raw({ will });
    await home.until(() => home.acks().some((ack) => ack.topic === topic && !ack.ok));
    expect(home.acks().at(-1)?.error).toContain("The last will was dropped. The response topic must be one");
  });

  it.each([
    "lights/kitchen/set",
    "hourgate/cabin/response/x",
    "hourgate/home/telemetry",
    "hourgate/home/charge_now",
    "homeassistant/status",
  ])("is refused where the asking client may not publish: %s", async (topic) => {
    const home = await device(KEYS.home);
    await home.subscribe("hourgate/home/ack");
    expect(await ask(home, topic)).toBe(135);
    await home.until(() => home.acks().some(({ ok }) => !ok));
  });
});

it("resolves topic aliases, and passes properties on without them", async () => {
  const owner = await device(KEYS.owner);
  const packets: IPublishPacket[] = [];
  owner.client.on("packetreceive", (packet) => {
    if (packet.cmd === "publish") packets.push(packet);
  });
  await owner.subscribe("alias/x");
  const sender = await raw({ password: KEYS.owner });
  sender.send(publish("alias/x", { payload: "a", properties: { topicAlias: 3, contentType: "text/plain" } }));
  sender.send(publish("", { payload: "b", messageId: 10, properties: { topicAlias: 3 } }));
  await owner.until(() => owner.texts("alias/x").length === 2);
  expect(packets.map(({ payload, properties }) => [String(payload), properties])).toEqual([
    ["a", { contentType: "text/plain" }],
    ["b", undefined],
  ]);
});

it("outlives packets with wrong bytes in either version", async () => {
  const packets: Packet[] = [
    publish("hourgate/home/telemetry/soc_pct", { properties: { topicAlias: 1, messageExpiryInterval: 5 } }),
    publish("hourgate/home/telemetry", { qos: 2, properties: { userProperties: { a: ["1", "2"] } } }),
    {
      cmd: "subscribe",
      messageId: 4,
      subscriptions: [{ topic: "hourgate/home/#", qos: 2, rh: 1, nl: true }],
    },
    { cmd: "unsubscribe", messageId: 5, unsubscriptions: ["hourgate/home/#"] },
    { cmd: "pubrel", messageId: 9 },
    { cmd: "pubrec", messageId: 9 },
    { cmd: "pubcomp", messageId: 9 },
    { cmd: "puback", messageId: 9 },
    { cmd: "disconnect", reasonCode: 4, properties: { sessionExpiryInterval: 60 } },
  ];
  const attempt = fc.record({
    version: fc.constantFrom(4 as const, 5 as const),
    packet: fc.constantFrom(...packets),
    changes: fc.array(fc.record({ at: fc.nat(60), byte: fc.nat(255) }), { maxLength: 3 }),
  });
  // A packet identifier of 0 is not allowed, and could not be answered.
  const zeroes = packets.map((packet) => ({
    version: 5 as const,
    packet,
    changes: [2, 3].map((at) => ({ at, byte: 0 })),
  }));
  for (const { version, packet, changes } of [...zeroes, ...fc.sample(attempt, { numRuns: 40, seed: 5 })]) {
    const client = await raw({ protocolVersion: version });
    const bytes = generate(packet, { protocolVersion: version });
    for (const { at, byte } of changes) if (at < bytes.length) bytes[at] = byte;
    client.sendBytes(bytes);
    client.close();
    await client.closed;
  }
  const client = await raw();
  client.send({ cmd: "pingreq" });
  await client.next("pingresp");
});
