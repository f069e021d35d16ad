import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filterCovers, filterMatches } from "../../../src/core/domain/mqtt-filter.js";
import type { Sample } from "../../../src/core/domain/sample.js";
import { numberFromText } from "../../../src/core/number-text.js";
import { BrokerBudgets } from "../../../src/edges/mqtt/broker/budget.js";
import { OrderedWrites, type StoredValue } from "../../../src/edges/mqtt/broker/ordered-writes.js";
import { MAX_PACKET_BYTES, PacketError, PacketFilter } from "../../../src/edges/mqtt/broker/packet-guard.js";
import { RetainedMessages } from "../../../src/edges/mqtt/broker/retained.js";
import { BrokerStore } from "../../../src/edges/mqtt/broker/store.js";
import { PublishQueue } from "../../../src/edges/mqtt/client/publish-queue.js";
import { numberText, scalarText } from "../../../src/edges/mqtt/topics/number-text.js";
import { QueueFullError, SampleIntake, SiteQueue } from "../../../src/edges/mqtt/topics/sample-intake.js";
import { createTopics } from "../../../src/edges/mqtt/topics/topics.js";
import { defaultPlant } from "../../../src/equipment/reading/facts-settings.js";
import type { ReadingLimits } from "../../../src/telemetry/reading-limits.js";
import { eventually } from "../../support/eventually.js";
import { manualClock } from "../../support/manual-clock.js";
import { limits } from "./harness.js";

const log = { trace: () => {}, debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe("numbers as text", () => {
  it.each([
    [0, "0"],
    [-0, "0"],
    [1e21, "1000000000000000000000"],
    [-1.5e22, "-15000000000000000000000"],
    [1e-7, "0.0000001"],
    [-1.25e-9, "-0.00000000125"],
    [0.1 + 0.2, "0.30000000000000004"],
    [21.37, "21.37"],
    [Number.NaN, ""],
    [Number.POSITIVE_INFINITY, ""],
  ])("%d is %s", (value, text) => expect(numberText(value)).toBe(text));

  it("is a decimal that parses to the same number", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = numberText(value);
        expect(text).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Number(text)).toBe(value + 0);
        expect(numberFromText(text.replace(".", ","))).toBe(value + 0 === 0 ? 0 : value);
      }),
    );
  });

  it("writes booleans as 0 and 1 and unknown values as an empty text", () => {
    expect([true, false, null, undefined, {}, "full"].map(scalarText)).toEqual([
      "1",
      "0",
      "",
      "",
      "",
      "full",
    ]);
  });
});

describe("inbound topics", () => {
  const topics = createTopics("site/hourgate");
  it.each([
    ["site/hourgate/home/telemetry", { kind: "telemetry", plant: "home", field: undefined }],
    ["site/hourgate/home/telemetry/soc_pct", { kind: "telemetry", plant: "home", field: "soc_pct" }],
    ["site/hourgate/home/request/forecast", { kind: "request", plant: "home", name: "forecast" }],
    ["site/hourgate/home/slots/3/set", { kind: "slot", plant: "home", slot: "3", action: "set" }],
    ["site/hourgate/home/slots/3/plugged/set", { kind: "slot", plant: "home", slot: "3", action: "plugged" }],
    ["site/hourgate/home/slots/3/plan", undefined],
    ["site/hourgate/home/charge_now", undefined],
    ["site/hourgate//telemetry", undefined],
    ["site/hourgate/status", undefined],
    ["hourgate/home/telemetry", undefined],
  ])("%s", (topic, expected) => expect(topics.inbound(topic)).toEqual(expected));
});

/** A PUBLISH of MQTT 3.1.1 (section 3.3). */
function publishPacket(topic: string, payload: Buffer, qos: number): Buffer {
  const name = Buffer.from(topic);
  const body = Buffer.concat([
    Buffer.from([name.length >> 8, name.length & 0xff]),
    name,
    qos > 0 ? Buffer.from([0, 7]) : Buffer.alloc(0),
    payload,
  ]);
  const length: number[] = [];
  let rest = body.length;
  do {
    length.push((rest % 128) | (rest >= 128 ? 0x80 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Buffer.concat([Buffer.from([0x30 | (qos << 1) | 1, ...length]), body]);
}

describe("PacketFilter", () => {
  it("passes packets unchanged and removes oversized payloads, for any split of the bytes", () => {
    const packet = fc.record({
      size: fc.oneof(fc.nat(20), fc.constantFrom(100, 127, 128, 200, 201, 5000)),
      qos: fc.constantFrom(0, 1, 2),
      topic: fc.constantFrom("a", "hourgate/home/telemetry"),
    });
    fc.assert(
      fc.property(
        fc.array(packet, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 97 }), { minLength: 1 }),
        (packets, cuts) => {
          const limit = 200;
          const fits = (bytes: Buffer) => bytes.length - (bytes[1]! < 128 ? 2 : 3) <= limit;
          const sent = packets.map(({ size, qos, topic }) =>
            publishPacket(topic, Buffer.alloc(size, "p"), qos),
          );
          const wanted = packets.map(({ qos, topic }, index) => {
            if (fits(sent[index]!)) return sent[index]!;
            const cut = publishPacket(`$oversize/${topic}`, Buffer.alloc(0), qos);
            cut[0] = cut[0]! & 0xfe;
            return cut;
          });
          const stream = Buffer.concat(sent);
          const filter = new PacketFilter({ limit });
          const out: Buffer[] = [];
          for (let at = 0, turn = 0; at < stream.length; turn++) {
            const size = cuts[turn % cuts.length]!;
            out.push(filter.push(stream.subarray(at, at + size)).passed);
            at += size;
          }
          expect(Buffer.concat(out).equals(Buffer.concat(wanted))).toBe(true);
        },
      ),
    );
  });

  it("throws for an oversized packet that is not a publish and for an invalid length", () => {
    const connect = Buffer.from([0x10, 0xff, 0xff, 0xff, 0x7f]);
    expect(() => new PacketFilter({ limit: MAX_PACKET_BYTES }).push(connect)).toThrow(PacketError);
    expect(() => new PacketFilter().push(Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff]))).toThrow(PacketError);
  });
});

describe("PublishQueue", () => {
  const keyOf = (topic: string) => topic.split("/")[1] ?? "";

  /** A broker that acknowledges when the test calls `acknowledge`. */
  function broker() {
    const sent: string[] = [];
    const open: (() => void)[] = [];
    const publish = (topic: string, payload: string, { retain }: { retain: boolean }) => {
      sent.push(`${topic}=${payload}${retain ? "" : " (message)"}`);
      return new Promise<void>((resolve) => open.push(resolve));
    };
    const acknowledge = async () => {
      open.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { sent, publish, acknowledge };
  }

  it("sends one at a time, replaces outdated values, keeps all messages and repeats values after a connect", async () => {
    const { sent, publish, acknowledge } = broker();
    const queue = new PublishQueue({ publish, keyOf, parallel: () => 1, log });
    queue.setValue("a", "1");
    queue.connected();
    queue.setValue("b", "1");
    queue.sendMessage("ack", "x");
    queue.setValue("b", "2");
    queue.setValue("b", "2");
    queue.sendMessage("ack", "x");
    expect(sent).toEqual(["a=1"]);
    for (let turn = 0; turn < 9; turn++) await acknowledge();
    expect(sent).toEqual(["a=1", "ack=x (message)", "b=2", "ack=x (message)"]);
    await queue.flushed();
    queue.disconnected();
    queue.setValue("a", "3");
    queue.connected();
    for (let turn = 0; turn < 9; turn++) await acknowledge();
    expect(sent.slice(4)).toEqual(["a=3", "b=2"]);
  });

  it("serves the plants in turn, each in its own order", async () => {
    const { sent, publish, acknowledge } = broker();
    const queue = new PublishQueue({ publish, keyOf, parallel: () => 1, log });
    for (const text of ["1", "2", "3"]) queue.sendMessage("hourgate/flooder/ack", text);
    queue.sendMessage("hourgate/home/ack", "4");
    queue.connected();
    for (let turn = 0; turn < 4; turn++) await acknowledge();
    expect(sent.map((text) => text.split(/[= ]/)[1])).toEqual(["1", "4", "2", "3"]);
  });

  it("sends messages of different plants together, up to the number that the broker takes", async () => {
    const { sent, publish, acknowledge } = broker();
    const queue = new PublishQueue({ publish, keyOf, parallel: () => 2, log });
    for (const plant of ["a", "b", "c"]) {
      queue.setValue(`hourgate/${plant}/x`, "1");
      queue.setValue(`hourgate/${plant}/y`, "2");
    }
    queue.connected();
    expect(sent).toEqual(["hourgate/a/x=1", "hourgate/b/x=1"]);
    await acknowledge();
    expect(sent.slice(2)).toEqual(["hourgate/c/x=1"]);
    for (let turn = 0; turn < 5; turn++) await acknowledge();
    expect(sent.slice(3)).toEqual(["hourgate/a/y=2", "hourgate/b/y=2", "hourgate/c/y=2"]);
    await queue.flushed();
  });

  it("limits the waiting messages, drops the oldest first and says so once with the number", async () => {
    const { sent, publish, acknowledge } = broker();
    const warned: string[] = [];
    const warning = { ...log, warn: (_fields: object, message: string) => void warned.push(message) };
    const queue = new PublishQueue({ publish, keyOf, parallel: () => 1, log: warning, maxMessages: 2 });
    for (const text of ["1", "2", "3", "4"]) queue.sendMessage("ack", text);
    expect(queue.usage).toEqual({ used: 2, limit: 2, refused: 2 });
    expect(warned).toEqual(["More than 2 MQTT answers wait for the broker; the oldest are dropped."]);
    queue.connected();
    for (let turn = 0; turn < 4; turn++) await acknowledge();
    expect(sent).toEqual(["ack=3 (message)", "ack=4 (message)"]);
    expect(warned.slice(1)).toEqual([
      "2 MQTT answers were dropped because too many waited for the broker; it takes them again.",
    ]);
    expect(queue.usage).toEqual({ used: 0, limit: 2, refused: 2 });
  });
});

it("writes in order, one batch at a time, and of a key only the latest value", async () => {
  const batches: [string, string | undefined][][] = [];
  const open: (() => void)[] = [];
  const batch = (operations: readonly { key: string; value?: StoredValue }[]) => {
    batches.push(operations.map(({ key, value }) => [key, value?.toString()]));
    return new Promise<void>((resolve) => open.push(resolve));
  };
  const failures: unknown[] = [];
  const writes = new OrderedWrites({ batch } as never, (error) => failures.push(error));
  const first = writes.set("a", Buffer.from("a1"));
  await eventually(() => expect(batches).toHaveLength(1));
  void writes.set("a", Buffer.from("a2"));
  void writes.set("b", Buffer.from("b1"));
  void writes.set("a", undefined);
  const idle = writes.idle();
  open.shift()?.();
  await first;
  await eventually(() => expect(batches).toHaveLength(2));
  open.shift()?.();
  await idle;
  expect(batches).toEqual([
    [["a", "a1"]],
    [
      ["a", undefined],
      ["b", "b1"],
    ],
  ]);
  expect(failures).toEqual([]);
});

describe("SiteQueue", () => {
  const sample = (minute: number): Sample => ({ at: new Date(minute * 60_000), values: { soc_pct: 1 } });

  it("stores in order, combines waiting samples and fails only those of a failed write", async () => {
    const writes: number[] = [];
    const queue = new SiteQueue(async (samples) => {
      writes.push(samples.length);
      await Promise.resolve();
      if (writes.length === 2) throw new Error("disk full");
      return {};
    }, 5);
    const results = Promise.allSettled([1, 2, 3].map((minute) => queue.add([sample(minute)])));
    await expect(queue.add([sample(4), sample(5), sample(6)])).rejects.toBeInstanceOf(QueueFullError);
    expect((await results).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    await queue.add([sample(7)]);
    expect(writes).toEqual([1, 2, 1]);
  });

  it("answers the messages of a batch with a reading that is not used, and only these", async () => {
    const site = { id: "home", accountId: "owner", plant: defaultPlant() };
    const used = { at: new Date(0), value: 100 };
    const at = new Date(60_000);
    const intake = new SampleIntake({
      clock: manualClock(at),
      store: async () => ({
        held: [{ reading: "import_kwh", at, value: 5, used, limits: {} as ReadingLimits }],
      }),
      leaveOut: () => {},
      log,
    });
    const answers = [{ soc_pct: 50 }, { import_kwh: 5, soc_pct: 50 }, { import_kwh: 6, id: 7 }].map((body) =>
      intake.take(site, body),
    );
    const [good, part, nothing] = await Promise.allSettled(answers);
    expect(good).toEqual({ status: "fulfilled", value: undefined });
    const text = "import_kwh 5 is not possible after 100 and not used yet.";
    expect(part).toMatchObject({ reason: { message: `Stored in part. ${text}` } });
    expect(nothing).toMatchObject({ reason: { message: `Nothing was stored. ${text}`, id: 7 } });
  });
});

const budgets = () => new BrokerBudgets(limits(), { onRefused: () => {}, now: () => 0 });

it("delivers the retained value that is current at delivery", async () => {
  const retained = new RetainedMessages(budgets(), { isExempt: () => false, now: () => 0 });
  const set = (topic: string, text: string) =>
    retained.set({ topic, payload: Buffer.from(text), qos: 1, retain: true });
  set("a/b", "old");
  set("a/c", "gone");
  set("x", "other");
  const got: string[] = [];
  for await (const topic of retained.matching(["a/#", "a/b"])) {
    set("a/b", "new");
    set("a/c", "");
    const message = retained.get(topic);
    if (message !== undefined) got.push(`${topic}=${message.payload}`);
  }
  expect(got).toEqual(["a/b=new"]);
});

it.each([
  ["a/+/c", "a/b/c", true],
  ["a/+", "a/b/c", false],
  ["a/#", "a", true],
  ["a/#", "a/b/c", true],
  ["a/#", "ab", false],
  ["+", "a", true],
  ["+", "/a", false],
  ["/+", "/a", true],
  ["+/+", "/a", true],
  ["#", "$SYS/x", false],
  ["$SYS/#", "$SYS/x", true],
  ["a", "a/b", false],
])("filter %s and topic %s: %s (MQTT 3.1.1 section 4.7)", (filter, topic, expected) => {
  expect(filterMatches(filter, topic)).toBe(expected);
});

it.each([
  ["a/#", "a/b/+", true],
  ["a/#", "a", true],
  ["a/+", "a/b", true],
  ["a/+", "a/#", false],
  ["a/+/c", "a/+/c", true],
  ["a/b", "a/+", false],
  ["#", "a/#", true],
  ["#", "$SYS/#", false],
  ["meters/#", "#", false],
])("filter %s covers filter %s: %s", (outer, inner, expected) => {
  expect(filterCovers(outer, inner)).toBe(expected);
});

it("stores the last of the gateway's values together, and a removal at once", async () => {
  const batches: unknown[] = [];
  const batch = async (operations: { type: string; key: string }[]) =>
    void batches.push(operations.map(({ type, key }) => `${type} ${key}`));
  const now = () => 0;
  const store = new BrokerStore({
    database: { batch } as never,
    limits: limits(),
    budgets: new BrokerBudgets(limits(), { onRefused: () => {}, now }),
    isNeverRetained: () => false,
    isGatewayTopic: () => true,
    isConnected: () => false,
    mayReceive: () => true,
    now,
    log,
  });
  const set = (topic: string, text: string) =>
    store.retain({ topic, payload: Buffer.from(text), qos: 1, retain: true });
  for (const text of ["1", "2", "3"]) expect(set("hourgate/home/plan", text)).toBeUndefined();
  expect(set("hourgate/home/soc_pct", "55")).toBeUndefined();
  await set("hourgate/home/soc_pct", "");
  expect(batches).toEqual([["del retained:hourgate/home/soc_pct"]]);
  await store.idle();
  expect(batches.slice(1)).toEqual([["put retained:hourgate/home/plan"]]);
});

it("says once a minute that the disk takes nothing, with the number of writes that failed", async () => {
  let nowMs = 0;
  const lines: object[] = [];
  const now = () => nowMs;
  const full = () => Promise.reject(new Error("No space left on device"));
  const store = new BrokerStore({
    database: { batch: full } as never,
    limits: limits(),
    budgets: new BrokerBudgets(limits(), { onRefused: () => {}, now }),
    isNeverRetained: () => false,
    isGatewayTopic: () => true,
    isConnected: () => false,
    mayReceive: () => true,
    now,
    log: { ...log, error: ({ failures }: { failures: number }) => void lines.push({ failures }) } as never,
  });
  for (let count = 0; count < 100; count++) {
    store.remember({ user: `u${count}`, network: "10.0.0.1" });
    await new Promise((turn) => setImmediate(turn));
  }
  expect(lines).toEqual([{ failures: 1 }]);
  nowMs = 60_000;
  store.remember({ user: "u", network: "10.0.0.1" });
  await eventually(() => expect(lines).toEqual([{ failures: 1 }, { failures: 100 }]));
});
