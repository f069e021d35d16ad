import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { expect, it, onTestFinished } from "vitest";
import { LevelPersistence, type StoredPacket } from "../../../src/edges/mqtt/broker/level-persistence.js";
import { decodeStored, encodeStored } from "../../../src/edges/mqtt/broker/stored-values.js";

async function opened() {
  const folder = await mkdtemp(join(tmpdir(), "hourgate-level-"));
  const database = new ClassicLevel(folder);
  await database.open();
  onTestFinished(async () => {
    await database.close();
    await rm(folder, { recursive: true });
  });
  const persistence = new LevelPersistence(database);
  await persistence.setup({ id: "broker" });
  return { database, persistence };
}

const client = { id: "a:b" };
const packet = (brokerCounter: number): StoredPacket & { qos: number } => ({
  cmd: "publish",
  topic: "t",
  payload: Buffer.from(String(brokerCounter)),
  qos: 1,
  brokerId: "broker",
  brokerCounter,
});

it("reads what versions before 0.2 have stored", () => {
  // Written by msgpack-lite 0.1.26.
  const stored = Buffer.from(
    "89a3636d64a77075626c697368a862726f6b65724964a178ad62726f6b6572436f756e74657207a5746f706963a3612f62a77061796c6f6164c4023535a3716f7301a672657461696ec2a3647570c2a96d6573736167654964c0",
    "hex",
  );
  expect(decodeStored(stored)).toMatchObject({
    topic: "a/b",
    payload: Buffer.from("55"),
    qos: 1,
    brokerId: "x",
    brokerCounter: 7,
    messageId: null,
  });
  expect(Buffer.isBuffer((decodeStored(stored) as StoredPacket).payload)).toBe(true);
  expect(
    decodeStored(Buffer.from("83a3626967cb41f0000000100000a36e6567fba166cb3fe0000000000000", "hex")),
  ).toEqual({ big: 4294967297, neg: -5, f: 0.5 });
  expect(decodeStored(encodeStored({ a: undefined, c: () => {}, b: Buffer.from([1]) }))).toEqual({
    b: Buffer.from([1]),
  });
});

it("queues for each client once with its highest QoS, also after a restart and without the wider filter", async () => {
  const { database, persistence } = await opened();
  const subscriptions = [
    { topic: "#", qos: 1 },
    { topic: "a/+", qos: 2 },
    { topic: "a/b", qos: 0 },
  ];
  await persistence.addSubscriptions(client, subscriptions);
  expect(await persistence.subscriptionsByTopic("a/b")).toMatchObject([{ clientId: "a:b", qos: 2 }]);
  expect(await persistence.subscriptionsByClient(client)).toEqual(
    expect.arrayContaining(subscriptions.map((one) => expect.objectContaining(one))),
  );
  await persistence.removeSubscriptions(client, ["a/+"]);
  const again = new LevelPersistence(database);
  await again.setup({ id: "broker" });
  expect(await again.subscriptionsByTopic("a/b")).toMatchObject([{ qos: 1 }]);
  await again.addSubscriptions(client, [{ topic: "#", qos: 0 }]);
  expect(await again.subscriptionsByTopic("a/b")).toEqual([]);
  await again.cleanSubscriptions(client);
  expect(await again.subscriptionsByClient(client)).toEqual([]);
});

it("keeps the order of queued messages, and removes those that are acknowledged", async () => {
  const { persistence } = await opened();
  for (const counter of [9, 10, 100]) await persistence.outgoingEnqueue({ clientId: "a:b" }, packet(counter));
  await persistence.outgoingEnqueue({ clientId: "a" }, packet(1));
  const queue = async () => {
    const list = (await persistence.outgoingStream(client).toArray()) as StoredPacket[];
    return list.map(({ brokerCounter }) => brokerCounter);
  };
  expect(await queue()).toEqual([9, 10, 100]);
  await persistence.outgoingUpdate(client, { ...packet(10), messageId: 5 });
  // PUBREL, which has no number of the broker.
  await persistence.outgoingUpdate(client, { cmd: "pubrel", topic: "", payload: "", messageId: 5 });
  expect(await persistence.outgoingClearMessageId(client, { messageId: 5 })).toMatchObject({
    brokerCounter: 10,
  });
  expect(await persistence.outgoingClearMessageId(client, { messageId: 5 })).toBeUndefined();
  expect(await queue()).toEqual([9, 100]);
  await expect(persistence.outgoingUpdate(client, { ...packet(10), messageId: 6 })).rejects.toThrow(
    "no such packet",
  );
});

it("keeps wills until they are removed", async () => {
  const { persistence } = await opened();
  await persistence.putWill(client, packet(1));
  expect(await persistence.streamWill({ broker: 1 }).toArray()).toEqual([]);
  expect(await persistence.streamWill({ other: 1 }).toArray()).toMatchObject([{ clientId: "a:b" }]);
  expect(await persistence.delWill(client)).toMatchObject({ topic: "t" });
  expect(await persistence.delWill(client)).toBeUndefined();
});
