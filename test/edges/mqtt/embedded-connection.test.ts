import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.js";
import { BrokerBudgets } from "../../../src/edges/mqtt/broker/budget.js";
import { EmbeddedConnection } from "../../../src/edges/mqtt/broker/embedded-connection.js";
import { OrderedAedes } from "../../../src/edges/mqtt/broker/ordered-aedes.js";
import { RetainedMessages } from "../../../src/edges/mqtt/broker/retained.js";
import { eventually } from "../../support/eventually.js";
import { Device, KEYS, limits, startGateway, withFolder } from "./harness.js";

interface Embedded {
  aedes: OrderedAedes;
  connection: EmbeddedConnection;
  retained: RetainedMessages;
  /** Topic, text and whether it was retained, in the order of arrival. */
  received: [topic: string, text: string, retained: boolean][];
}

async function withConnection(work: (embedded: Embedded) => Promise<void>): Promise<void> {
  const aedes = new OrderedAedes({});
  await aedes.listen();
  const budgets = new BrokerBudgets(limits(), { onRefused: () => {}, now: () => 0 });
  const retained = new RetainedMessages(budgets, () => false);
  const received: Embedded["received"] = [];
  const connection = new EmbeddedConnection({
    aedes,
    retained,
    onMessage: async (topic, payload, message) => {
      received.push([topic, payload.toString(), message.retained]);
    },
    log: silentLog,
  });
  try {
    await work({ aedes, connection, retained, received });
  } finally {
    await new Promise<void>((resolve) => aedes.close(resolve));
  }
}

it("receives each message once and in order, however many filters match it", () =>
  withConnection(async ({ aedes, connection, received }) => {
    connection.subscribeTo(["a/+", "a/#", "#", "b/c"]);
    for (const [index, topic] of ["a/1", "b/c", "a/2", "$SYS/x", "d"].entries())
      await aedes.publishOwn(topic, String(index), false);
    expect(received).toEqual([
      ["a/1", "0", false],
      ["b/c", "1", false],
      ["a/2", "2", false],
      ["d", "4", false],
    ]);
  }));

it("keeps a filter that is removed and added again at once, and loses one that is removed", () =>
  withConnection(async ({ aedes, connection, received }) => {
    connection.subscribeTo(["a", "b"]);
    connection.subscribeTo(["b"]);
    connection.subscribeTo(["a", "b"]);
    connection.subscribeTo(["a"]);
    await new Promise((resolve) => setImmediate(resolve));
    await aedes.publishOwn("b", "1", false);
    await aedes.publishOwn("a", "2", false);
    expect(received).toEqual([["a", "2", false]]);
  }));

it("receives the retained messages of added filters, marked as such", () =>
  withConnection(async ({ connection, retained, received }) => {
    retained.set({ topic: "meter/power", payload: "5" });
    retained.set({ topic: "meter/energy", payload: "7" });
    connection.subscribeTo(["meter/power"]);
    await eventually(() => expect(received).toEqual([["meter/power", "5", true]]));
    connection.subscribeTo(["meter/power", "meter/energy"]);
    await eventually(() => expect(received.slice(1)).toEqual([["meter/energy", "7", true]]));
  }));

it("neither receives nor publishes once it is closed", () =>
  withConnection(async ({ aedes, connection, received }) => {
    connection.subscribeTo(["a"]);
    connection.close();
    await aedes.publishOwn("a", "1", false);
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
