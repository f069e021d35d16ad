import type { Install, TestNode } from "node-red-node-test-helper";
import { describe, expect, it } from "vitest";
import { OUTPUT_NAMES } from "../../../src/core/domain/plan-field-lists.js";
import { KEY, startBroker, startHttp, topics } from "./doubles.js";
import { brokerTests, type Running, run, unload } from "./harness.js";

const tests = brokerTests();
const { follow, publishTopic } = tests;
const texts = ({ statuses }: Running) => statuses.map(({ text }) => text);

describe("hourgate-config", () => {
  it("asks the gateway for its broker where no MQTT address is entered, until it answers, and after each loss", async () => {
    const http = await startHttp();
    const answerBroker = (port: number) =>
      http.answerStatusNext(200, JSON.stringify({ mqtt: { url: null, port, prefix: "hourgate" } }));
    try {
      http.answerStatusNext(503, JSON.stringify({ error: { code: "starting", message: "Try again." } }));
      answerBroker(tests.broker.port);
      const running = await run("hourgate-charge-now", {}, { url: http.url, mqttUrl: "" });
      expect(await running.message()).toMatchObject({ payload: 0 });
      expect(http.askedStatus).toMatchObject([{ key: KEY }, { key: KEY }]);
      const moved = await startBroker({ held: { ...topics, "hourgate/home/charge_now": "1" } });
      answerBroker(moved.port);
      await tests.broker.stop();
      tests.broker = moved;
      expect(await running.message(1)).toMatchObject({ payload: 1, stale: false });
    } finally {
      await http.stop();
    }
  });
});

describe("hourgate-charge-now", () => {
  it("sends the value as a number with the next change, at each change", async () => {
    const running = await follow("hourgate-charge-now");
    expect(await running.message()).toMatchObject({
      topic: "hourgate/home/charge_now",
      payload: 0,
      next_change: "2026-01-18T04:00:00+01:00",
      override: "auto",
      stale: false,
    });
    await running.until(() => running.status()?.text === "0 → 01-18 04:00");
    expect(running.status()).toMatchObject({ fill: "grey", shape: "dot" });
    await publishTopic("charge_now", "1");
    expect(await running.message(1)).toMatchObject({ payload: 1 });
    expect(tests.broker.connections()).toBe(1);
  });

  it("is overridden by a message, and returns to the plan when the override ends", async () => {
    const running = await follow("hourgate-charge-now");
    await running.message();
    const until = new Date(Date.now() + 400).toISOString();
    running.node.receive({ override: "on", override_until: until });
    expect(await running.message(1)).toMatchObject({ payload: 1, override: "on", override_until: until });
    expect(await running.message(2)).toMatchObject({ payload: 0, override: "auto", override_until: null });
    expect(running.statuses.some(({ fill }) => fill === "blue")).toBe(true);
  });

  it("shows the end of an override in the plant's time zone, or the start of one without an end", async () => {
    const running = await follow("hourgate-charge-now");
    await running.message();
    // Noon in Vienna, given in UTC.
    running.node.receive({ override: "on", override_until: "2999-01-15T11:00:00Z" });
    await running.until(() => running.status()?.text === "1 → 01-15 12:00");
    running.node.receive({ override: "off", override_minutes: 0 });
    await running.until(() => /^0 \d\d:\d\d$/.test(running.status()?.text ?? ""));
    expect(running.status()).toMatchObject({ fill: "blue", shape: "dot" });
  });

  it("reports an invalid override to the catch nodes", async () => {
    const running = await follow("hourgate-charge-now");
    running.node.receive({ override: "perhaps" });
    expect(await running.error()).toMatchObject({
      message: "msg.override must be on, off or auto.",
      code: "invalid_override",
    });
  });

  it("shows a lost connection as stale, reconnects, and sends the value changed in the meantime", async () => {
    const running = await follow("hourgate-charge-now");
    await running.message();
    await tests.broker.stop();
    await running.until(() => /^0 stale \d\d:\d\d$/.test(running.status()?.text ?? ""));
    expect(running.status()).toMatchObject({ fill: "yellow", shape: "ring" });
    expect((await running.error()).message).toMatch(
      /cannot be reached \(ECONNREFUSED\); the connection is retried/,
    );
    tests.broker = await startBroker({
      port: tests.broker.port,
      held: { ...topics, "hourgate/home/charge_now": "1" },
    });
    expect(await running.message(1)).toMatchObject({ payload: 1, stale: false });
    await running.until(() => running.status()?.fill === "green");
  });

  it("is stale while the gateway is offline or the state of charge is outdated", async () => {
    const running = await follow("hourgate-charge-now");
    await running.message();
    await tests.broker.publish("hourgate/status", "offline");
    await running.until(() => running.status()?.shape === "ring");
    await tests.broker.publish("hourgate/status", "online");
    await running.until(() => running.status()?.shape === "dot");
    await publishTopic("soc_stale", "1");
    await running.until(() => running.status()?.shape === "ring");
    running.node.receive({ payload: "how is it?" });
    expect(await running.message(1)).toMatchObject({ payload: 0, stale: true });
  });
});

it("marks values that depend on an outdated state of charge as stale, but not prices", async () => {
  await publishTopic("soc_stale", "1");
  const price = await follow("hourgate-output", { output: "O8" });
  expect(await price.message()).toMatchObject({ stale: false });
  await unload();
  const hours = await follow("hourgate-output", { output: "O3" });
  expect(await hours.message()).toMatchObject({ payload: 0.75, stale: true });
});

describe("hourgate-discharge-cap", () => {
  it("sends power and reason in one message", async () => {
    const running = await follow("hourgate-discharge-cap");
    expect((await running.message()).payload).toEqual({ discharge_power_kw: 5, reason: "full" });
    await publishTopic("discharge/power_kw", "0");
    await publishTopic("discharge/reason", "cheap_hold");
    expect((await running.message(1)).payload).toEqual({ discharge_power_kw: 0, reason: "cheap_hold" });
    await running.until(() => running.status()?.fill === "grey");
    expect(running.messages[0]).toHaveLength(2);
  });
});

describe("hourgate-output", () => {
  it("sends the selected output as a number", async () => {
    const running = await follow("hourgate-output", { output: "O8" });
    expect(await running.message()).toMatchObject({ topic: "hourgate/home/outputs/O8", payload: 32.37 });
    await running.until(() => /^32.37 \d\d:\d\d$/.test(running.status()?.text ?? ""));
  });

  it("rejects an output that does not exist, and sends nothing while the value is unknown", async () => {
    const wrong = await follow("hourgate-output", { output: "O17" });
    wrong.node.receive({});
    expect((await wrong.error()).message).toBe(`The output must be one of O1 to ${OUTPUT_NAMES.at(-1)}.`);
    await unload();
    await publishTopic("outputs/O8", "");
    const empty = await follow("hourgate-output", { output: "O8" });
    await empty.until(() => texts(empty).includes("–"));
    empty.node.receive({});
    expect((await empty.error()).code).toBe("not_known");
    expect(empty.messages[0]).toEqual([]);
  });
});

describe("hourgate-plan", () => {
  const plan = JSON.parse(topics["hourgate/home/plan"]!) as Record<string, unknown>;

  it("sends the full plan at each change, and the event only for changes that require an action", async () => {
    const running = await follow("hourgate-plan");
    expect((await running.message()).payload).toEqual(plan);
    await running.until(() => running.status()?.text === "0.75 → 01-18 04:00");
    // A corrected SOC changes the plan but requires no action.
    await publishTopic("plan", JSON.stringify({ ...plan, charge_stop_soc_pct: 52 }));
    expect((await running.message(1)).payload).toMatchObject({ charge_stop_soc_pct: 52 });
    await publishTopic(
      "plan",
      JSON.stringify({ ...plan, discharge_power_kw: 0, discharge_reason: "cheap_hold" }),
    );
    const event = (await running.message(0, 1)).payload as Record<string, unknown>;
    expect(event).toMatchObject({
      event: "plant.plan_updated",
      discharge_power_kw: 0,
      plan_hash: plan.plan_hash,
      charge_hours_today: [],
    });
    expect(event).not.toHaveProperty("day_plan");
    expect(running.messages[0]).toHaveLength(3);
    expect(running.messages[1]).toHaveLength(1);
  });
});

describe("hourgate-plan with changes in small steps", () => {
  const plan = JSON.parse(topics["hourgate/home/plan"]!) as Record<string, unknown> & { issued_at: string };
  /** Wraps the node so that its context contains this stored plan. */
  const withStored =
    (stored: object) =>
    (install: Install): Install =>
    (red) => {
      const { nodes } = red as unknown as { nodes: { createNode(node: TestNode, settings: object): void } };
      const createNode = (node: TestNode, settings: object) => {
        nodes.createNode(node, settings);
        (node as unknown as { context(): { set(name: string, value: unknown): void } })
          .context()
          .set("plan", stored);
      };
      install({ ...red, nodes: { ...nodes, createNode } } as unknown as Parameters<Install>[0]);
    };
  const publish = (change: object) => publishTopic("plan", JSON.stringify({ ...plan, ...change }));

  it("sends the event as soon as the steps add up to a change that the webhook reports too", async () => {
    const running = await follow("hourgate-plan");
    await running.message();
    const cap = plan.discharge_power_kw as number;
    await publish({ discharge_power_kw: cap - 0.008 });
    await running.message(1);
    expect(running.messages[1]).toEqual([]);
    await publish({ discharge_power_kw: cap - 0.016 });
    expect((await running.message(0, 1)).payload).toMatchObject({ discharge_power_kw: cap - 0.016 });

    // A run at the end of the horizon is ignored until it is less than 144 hours ahead.
    const later = (hours: number) => new Date(Date.parse(plan.issued_at) + hours * 3_600_000).toISOString();
    const [first] = plan.charge_hours as { start: string; end: string }[];
    const charge_hours = [first, { ...first, start: later(150), end: later(151) }];
    await publish({ discharge_power_kw: cap - 0.016, charge_hours });
    await running.message(3);
    expect(running.messages[1]).toHaveLength(1);
    await publish({ discharge_power_kw: cap - 0.016, charge_hours, issued_at: later(8) });
    await running.message(1, 1);
  });

  it("works with an unreadable stored plan", async () => {
    const running = await run(
      "hourgate-plan",
      {},
      { mqttUrl: tests.broker.url },
      { wrap: withStored({ by: "hand" }) },
    );
    expect((await running.message()).payload).toEqual(plan);
    expect((await running.error()).message).toMatch(
      /^The plan could not be compared with the previous one: /,
    );
    await publish({ discharge_power_kw: 0 });
    await running.message(0, 1);
  });

  it("ignores invalid plans", async () => {
    const running = await follow("hourgate-plan");
    await running.message();
    for (const text of ["null", "7", "[", "{}", '{"charge_hours":[null]}']) await publishTopic("plan", text);
    await publishTopic("ack", "null");
    await running.until(() => running.errors.length > 0);
    expect(running.errors[0]!.message).toMatch(/^A value from the broker could not be processed: /);
    // It also recovers when the connection is lost afterwards.
    await tests.broker.stop();
    await running.until(() => running.errors.some(({ code }) => code === "unreachable"));
    tests.broker = await startBroker({ port: tests.broker.port });
    await running.until(() => running.status()?.text === "0.75 → 01-18 04:00");
  });
});

describe("pushed documents", () => {
  it.each([
    ["hourgate-forecast", "forecast", /^32.37 /],
    ["hourgate-pv-forecast", "pv_forecast", /^7.96 /],
  ])("%s sends the published document at each change", async (type, name, text) => {
    const running = await follow(type);
    expect((await running.message()).payload).toEqual(JSON.parse(topics[`hourgate/home/${name}`]!));
    await running.until(() => text.test(running.status()?.text ?? ""));
  });
});

describe("telemetry over MQTT", () => {
  it("resolves with the gateway's acknowledgement", async () => {
    const running = await follow("hourgate-telemetry", { reading: "soc_pct", transport: "mqtt" });
    // It waits for the connection.
    running.node.receive({ payload: "55,5" });
    expect((await running.message()).payload).toMatchObject({ topic: "hourgate/home/telemetry", ok: true });
    expect(JSON.parse(tests.broker.received[0]!.text)).toMatchObject({ soc_pct: "55,5" });
  });
});

describe("invalid connection settings", () => {
  it("reports a wrong key or plant to the catch nodes", async () => {
    const refused = await run(
      "hourgate-output",
      { output: "O8" },
      { mqttUrl: tests.broker.url },
      {
        credentials: { gateway: { apiKey: "wrong" } },
      },
    );
    expect(await refused.error()).toMatchObject({
      code: "refused",
      message:
        "The broker rejects the credentials: check the API key, or user name and password in the MQTT address.",
    });
    await refused.until(() => refused.status()?.fill === "red" && refused.status()?.text === "–");
    await unload();
    const other = await run(
      "hourgate-output",
      { output: "O8" },
      { mqttUrl: tests.broker.url, plant: "cabin" },
    );
    expect((await other.error()).message).toMatch(
      /rejects subscriptions below hourgate\/cabin\/: check the topic prefix, the plant/,
    );
    await other.until(() => other.status()?.fill === "red");
    other.node.receive({});
    expect((await other.error(1)).message).toMatch(/^The broker rejects subscriptions/);
  });

  it("reports an error for each message of a node without a gateway", async () => {
    const running = await run("hourgate-charge-now", {}, undefined);
    running.node.receive({});
    expect((await running.error()).message).toMatch(/no gateway/);
  });
});
