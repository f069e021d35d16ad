import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.js";
import type { BrokerCore } from "../../../src/edges/mqtt/broker/broker-core.js";
import { EmbeddedConnection } from "../../../src/edges/mqtt/broker/embedded-connection.js";
import type { RetainedMessages } from "../../../src/edges/mqtt/broker/retained.js";
import { openBroker } from "../../support/devices/test-broker.js";
import { eventually } from "../../support/eventually.js";
import { Device, KEYS, startGateway, withFolder } from "./harness.js";

interface Embedded {
  publish(topic: string, text: string): Promise<unknown> | undefined;
  connection: EmbeddedConnection;
  retained: RetainedMessages;
  /** Topic, text and whether it was retained, in the order of arrival. */
  received: [topic: string, text: string, retained: boolean][];
}

async function withConnection(work: (embedded: Embedded) => Promise<void>): Promise<void> {
  const received: Embedded["received"] = [];
  const { core, store } = await openBroker({ onMessage: (message) => connection.published(message) });
  const connection = new EmbeddedConnection({
    publish: (message) => core.publish(message),
    retained: store.retained,
    onMessage: async (topic, payload, message) => {
      received.push([topic, payload.toString(), message.retained]);
    },
    log: silentLog,
  });
  const publish = (topic: string, text: string) => core.publish(messageWith(topic, text));
  try {
    await work({ publish, connection, retained: store.retained, received });
  } finally {
    await core.stop();
  }
}

const messageWith = (topic: string, text: string, retain = false): Parameters<BrokerCore["publish"]>[0] => ({
  topic,
  payload: Buffer.from(text),
  qos: 1,
  retain,
});

it("receives each message once and in order, however many filters match it", () =>
  withConnection(async ({ publish, connection, received }) => {
    connection.subscribeTo(["a/+", "a/#", "#", "b/c"]);
    for (const [index, topic] of ["a/1", "b/c", "a/2", "$SYS/x", "d"].entries())
      await publish(topic, String(index));
    expect(received).toEqual([
      ["a/1", "0", false],
      ["b/c", "1", false],
      ["a/2", "2", false],
      ["d", "4", false],
    ]);
  }));

it("keeps a filter that is removed and added again at once, and loses one that is removed", () =>
  withConnection(async ({ publish, connection, received }) => {
    connection.subscribeTo(["a", "b"]);
    connection.subscribeTo(["b"]);
    connection.subscribeTo(["a", "b"]);
    connection.subscribeTo(["a"]);
    await new Promise((resolve) => setImmediate(resolve));
    await publish("b", "1");
    await publish("a", "2");
    expect(received).toEqual([["a", "2", false]]);
  }));

it("receives the retained messages of added filters, marked as such", () =>
  withConnection(async ({ connection, retained, received }) => {
    retained.set(messageWith("meter/power", "5", true));
    retained.set(messageWith("meter/energy", "7", true));
    connection.subscribeTo(["meter/power"]);
    await eventually(() => expect(received).toEqual([["meter/power", "5", true]]));
    connection.subscribeTo(["meter/power", "meter/energy"]);
    await eventually(() => expect(received.slice(1)).toEqual([["meter/energy", "7", true]]));
  }));

it("neither receives nor publishes once it is closed", () =>
  withConnection(async ({ publish, connection, received }) => {
    connection.subscribeTo(["a"]);
    connection.close();
    await publish("a", "1");
    await expect(connection.publish("a", "2", { retain: false })).rejects.toThrow("not connected");
    expect([received, connection.isConnected]).toEqual([[], false]);
  }));

it("misses no message of a client that connects while the gateway starts", () =>
  withFolder(async (folder) => {
    const first = await startGateway(folder);
    const port = first.service.port!;
    await first.service.stop();
    const device = new Device(port, KEYS.home);
    const sent = device.publish("hourgate/home/telemetry/soc_pct", "61");
    const second = await startGateway(folder, { port });
    await sent;
    await eventually(() => expect(second.stored.map(({ sample }) => sample.values.soc_pct)).toEqual([61]));
    await device.end();
    await second.service.stop();
  }));

it("forgets the last will of the gateway's client of an earlier version, which would report it as offline", () =>
  withFolder(async (folder) => {
    const keys = ["will:%24gateway%3Ahourgate-test", "will:home%3Ameter"];
    const database = () =>
      new ClassicLevel<string, Buffer>(join(folder, "broker"), { valueEncoding: "buffer" });
    const before = database();
    for (const key of keys) await before.put(key, Buffer.from([0x80]));
    await before.close();
    const gateway = await startGateway(folder);
    await gateway.service.stop();
    const after = database();
    expect(await after.keys({ gte: "will:", lt: "will;" }).all()).toEqual(keys.slice(1));
    await after.close();
  }));
