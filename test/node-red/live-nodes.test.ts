import type { Install, TestNode } from "node-red-node-test-helper";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type BrokerDouble, startBroker, topics } from "./doubles.js";
import { type Running, run, startServer, stopServer, unload } from "./harness.js";

let broker: BrokerDouble;

beforeAll(startServer);
afterAll(stopServer);
beforeEach(async () => {
  broker = await startBroker();
});
afterEach(async () => {
  await unload();
  await broker.stop();
});

const follow = (type: string, settings = {}) => run(type, settings, { mqttUrl: broker.url });
const say = (name: string, text: string) => broker.publish(`hourgate/home/${name}`, text);
const texts = ({ statuses }: Running) => statuses.map(({ text }) => text);

describe("hourgate-charge-now", () => {
  it("gives the value as a number with the next change, and follows each change", async () => {
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
    await say("charge_now", "1");
    expect(await running.message(1)).toMatchObject({ payload: 1 });
    expect(broker.connections()).toBe(1);
  });

  it("is overridden by a message, and goes back to the plan when the override ends", async () => {
    const running = await follow("hourgate-charge-now");
    await running.message();
    const until = new Date(Date.now() + 400).toISOString();
    running.node.receive({ override: "on", override_until: until });
    expect(await running.message(1)).toMatchObject({ payload: 1, override: "on", override_until: until });
    expect(await running.message(2)).toMatchObject({ payload: 0, override: "auto", override_until: null });
    expect(running.statuses.some(({ fill }) => fill === "blue")).toBe(true);
  });

  it("shows when an override ends on the plant's clocks, and since when one without end holds", async () => {
    const running = await follow("hourgate-charge-now");
    await running.message();
    // Noon in Vienna in a far winter, by the name of UTC.
    running.node.receive({ override: "on", override_until: "2999-01-15T11:00:00Z" });
    await running.until(() => running.status()?.text === "1 → 01-15 12:00");
    running.node.receive({ override: "off", override_minutes: 0 });
    await running.until(() => /^0 \d\d:\d\d$/.test(running.status()?.text ?? ""));
    expect(running.status()).toMatchObject({ fill: "blue", shape: "dot" });
  });

  it("sends what it cannot understand to the catch nodes", async () => {
    const running = await follow("hourgate-charge-now");
    running.node.receive({ override: "perhaps" });
    expect(await running.error()).toMatchObject({
      message: "msg.override must be on, off or auto.",
      code: "invalid_override",
    });
  });

  it("shows a lost connection as stale, comes back by itself, and then knows what changed meanwhile", async () => {
    const running = await follow("hourgate-charge-now");
    await running.message();
    await broker.stop();
    await running.until(() => /^0 stale \d\d:\d\d$/.test(running.status()?.text ?? ""));
    expect(running.status()).toMatchObject({ fill: "yellow", shape: "ring" });
    expect((await running.error()).message).toMatch(/cannot be reached \(ECONNREFUSED\); it is tried again/);
    broker = await startBroker({
      port: broker.port,
      held: { ...topics, "hourgate/home/charge_now": "1" },
    });
    expect(await running.message(1)).toMatchObject({ payload: 1, stale: false });
    await running.until(() => running.status()?.fill === "green");
  });

  it("says that it is stale when the gateway is off or the state of charge is old", async () => {
    const running = await follow("hourgate-charge-now");
    await running.message();
    await broker.publish("hourgate/status", "offline");
    await running.until(() => running.status()?.shape === "ring");
    await broker.publish("hourgate/status", "online");
    await running.until(() => running.status()?.shape === "dot");
    await say("soc_stale", "1");
    await running.until(() => running.status()?.shape === "ring");
    running.node.receive({ payload: "how is it?" });
    expect(await running.message(1)).toMatchObject({ payload: 0, stale: true });
  });
});

it("an old state of charge makes stale what rests on it, not the prices", async () => {
  await say("soc_stale", "1");
  const price = await follow("hourgate-output", { output: "O8" });
  expect(await price.message()).toMatchObject({ stale: false });
  await unload();
  const hours = await follow("hourgate-output", { output: "O3" });
  expect(await hours.message()).toMatchObject({ payload: 0.75, stale: true });
});

describe("hourgate-discharge-cap", () => {
  it("gives power and reason together, once for both", async () => {
    const running = await follow("hourgate-discharge-cap");
    expect((await running.message()).payload).toEqual({ discharge_power_kw: 5, reason: "full" });
    await say("discharge/power_kw", "0");
    await say("discharge/reason", "cheap_hold");
    expect((await running.message(1)).payload).toEqual({ discharge_power_kw: 0, reason: "cheap_hold" });
    await running.until(() => running.status()?.fill === "grey");
    expect(running.messages[0]).toHaveLength(2);
  });
});

describe("hourgate-output", () => {
  it("gives the output that was chosen as a number", async () => {
    const running = await follow("hourgate-output", { output: "O8" });
    expect(await running.message()).toMatchObject({ topic: "hourgate/home/outputs/O8", payload: 32.37 });
    await running.until(() => /^32.37 \d\d:\d\d$/.test(running.status()?.text ?? ""));
  });

  it("refuses an output that does not exist, and gives nothing while nothing is known", async () => {
    const wrong = await follow("hourgate-output", { output: "O14" });
    wrong.node.receive({});
    expect((await wrong.error()).message).toBe("The output must be one of O1 to O13.");
    await unload();
    await say("outputs/O8", "");
    const empty = await follow("hourgate-output", { output: "O8" });
    await empty.until(() => texts(empty).includes("–"));
    empty.node.receive({});
    expect((await empty.error()).code).toBe("not_known");
    expect(empty.messages[0]).toEqual([]);
  });
});

describe("hourgate-plan", () => {
  const plan = JSON.parse(topics["hourgate/home/plan"]!) as Record<string, unknown>;

  it("gives the whole plan at each change, and the event only where one has to act", async () => {
    const running = await follow("hourgate-plan");
    expect((await running.message()).payload).toEqual(plan);
    await running.until(() => running.status()?.text === "0.75 → 01-18 04:00");
    // A correction of the SOC: the plan is another, nobody has to act.
    await say("plan", JSON.stringify({ ...plan, charge_stop_soc_pct: 52 }));
    expect((await running.message(1)).payload).toMatchObject({ charge_stop_soc_pct: 52 });
    await say("plan", JSON.stringify({ ...plan, discharge_power_kw: 0, discharge_reason: "cheap_hold" }));
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

describe("hourgate-plan, where changes come in steps", () => {
  const plan = JSON.parse(topics["hourgate/home/plan"]!) as Record<string, unknown> & { issued_at: string };
  /** A node that finds this in its context. */
  const keeping =
    (kept: object) =>
    (install: Install): Install =>
    (red) => {
      const { nodes } = red as unknown as { nodes: { createNode(node: TestNode, settings: object): void } };
      const createNode = (node: TestNode, settings: object) => {
        nodes.createNode(node, settings);
        (node as unknown as { context(): { set(name: string, value: unknown): void } })
          .context()
          .set("plan", kept);
      };
      install({ ...red, nodes: { ...nodes, createNode } } as unknown as Parameters<Install>[0]);
    };
  const publish = (change: object) => say("plan", JSON.stringify({ ...plan, ...change }));

  it("tells them as soon as they add up to one that the webhook tells too", async () => {
    const running = await follow("hourgate-plan");
    await running.message();
    const cap = plan.discharge_power_kw as number;
    await publish({ discharge_power_kw: cap - 0.008 });
    await running.message(1);
    expect(running.messages[1]).toEqual([]);
    await publish({ discharge_power_kw: cap - 0.016 });
    expect((await running.message(0, 1)).payload).toMatchObject({ discharge_power_kw: cap - 0.016 });

    // A run on the last day of the horizon is no matter yet, and is one when its day comes nearer.
    const later = (hours: number) => new Date(Date.parse(plan.issued_at) + hours * 3_600_000).toISOString();
    const [first] = plan.charge_hours as { start: string; end: string }[];
    const charge_hours = [first, { ...first, start: later(150), end: later(151) }];
    await publish({ discharge_power_kw: cap - 0.016, charge_hours });
    await running.message(3);
    expect(running.messages[1]).toHaveLength(1);
    await publish({ discharge_power_kw: cap - 0.016, charge_hours, issued_at: later(8) });
    await running.message(1, 1);
  });

  it("does without a kept plan that cannot be read", async () => {
    const running = await run(
      "hourgate-plan",
      {},
      { mqttUrl: broker.url },
      { wrap: keeping({ by: "hand" }) },
    );
    expect((await running.message()).payload).toEqual(plan);
    expect((await running.error()).message).toMatch(/^The plan cannot be compared with the one before: /);
    await publish({ discharge_power_kw: 0 });
    await running.message(0, 1);
  });

  it("does without what is no plan at all", async () => {
    const running = await follow("hourgate-plan");
    await running.message();
    for (const text of ["null", "7", "[", "{}", '{"charge_hours":[null]}']) await say("plan", text);
    await say("ack", "null");
    await running.until(() => running.errors.length > 0);
    expect(running.errors[0]!.message).toMatch(/^What the broker told cannot be read: /);
    // Neither does the loss of the connection, after which the status is made anew.
    await broker.stop();
    await running.until(() => running.errors.some(({ message }) => /cannot be reached/.test(message)));
    broker = await startBroker({ port: broker.port });
    await running.until(() => running.status()?.text === "0.75 → 01-18 04:00");
  });
});

describe("hourgate-slot", () => {
  it("gives what the device is to do, with its plan", async () => {
    const running = await follow("hourgate-slot", { slot: "3" });
    expect(await running.message()).toMatchObject({
      payload: 0,
      slot: 3,
      next_change: "2026-01-16T03:00:00+01:00",
      plan: { slot_id: "3", label: "Garage" },
    });
    await running.until(() => running.status()?.text === "0 → 01-16 03:00");
  });

  it("sends requests and plugged to the gateway, and its refusals to the catch nodes", async () => {
    const running = await follow("hourgate-slot", { slot: 3 });
    await running.message();
    running.node.receive({ plugged: true, payload: { energy_kwh: 7 } });
    await running.until(() => broker.received.length === 2);
    expect(broker.received[0]).toEqual({ topic: "hourgate/home/slots/3/plugged/set", text: "1" });
    expect(broker.received[1]!.topic).toBe("hourgate/home/slots/3/set");
    expect(JSON.parse(broker.received[1]!.text)).toMatchObject({ energy_kwh: 7 });
    broker.refuse("energy_kwh must be a number from 0.");
    running.node.receive({ payload: { energy_kwh: -1 } });
    expect(await running.error()).toMatchObject({
      message: "energy_kwh must be a number from 0.",
      code: "refused",
    });
  });

  it("is overridden as charge now is", async () => {
    const running = await follow("hourgate-slot", { slot: 3 });
    await running.message();
    running.node.receive({ override: "on", override_minutes: "0" });
    expect(await running.message(1)).toMatchObject({ payload: 1, override: "on", override_until: null });
    running.node.receive({ override: "auto" });
    expect(await running.message(2)).toMatchObject({ payload: 0, override: "auto" });
  });
});

describe("pushed documents", () => {
  it.each([
    ["hourgate-forecast", "forecast", /^32.37 /],
    ["hourgate-pv-forecast", "pv_forecast", /^7.96 /],
  ])("%s gives what is published, at each change", async (type, name, text) => {
    const running = await follow(type);
    expect((await running.message()).payload).toEqual(JSON.parse(topics[`hourgate/home/${name}`]!));
    await running.until(() => text.test(running.status()?.text ?? ""));
  });
});

describe("telemetry over MQTT", () => {
  it("resolves with the gateway's acknowledgement", async () => {
    const running = await follow("hourgate-telemetry", { reading: "soc_pct", transport: "mqtt" });
    await running.until(() => broker.connections() === 1);
    // The connection is there a moment before the node knows it.
    const end = Date.now() + 5_000;
    while (running.messages[0]!.length === 0 && Date.now() < end) {
      running.node.receive({ payload: "55,5" });
      await new Promise((done) => setImmediate(done));
    }
    expect((await running.message()).payload).toMatchObject({ topic: "hourgate/home/telemetry", ok: true });
    expect(JSON.parse(broker.received[0]!.text)).toMatchObject({ soc_pct: "55,5" });
  });
});

describe("connections that cannot work", () => {
  it("tells catch nodes once that the key or the plant is wrong", async () => {
    const refused = await run(
      "hourgate-output",
      { output: "O8" },
      { mqttUrl: broker.url },
      {
        credentials: { gateway: { apiKey: "wrong" } },
      },
    );
    expect((await refused.error()).message).toBe(
      "The broker refuses the sign-in: check the API key, or what the MQTT address says.",
    );
    await refused.until(() => refused.status()?.fill === "red" && refused.status()?.text === "–");
    await unload();
    const other = await run("hourgate-output", { output: "O8" }, { mqttUrl: broker.url, plant: "cabin" });
    expect((await other.error()).message).toMatch(
      /refuses the topics below hourgate\/cabin\/: check topic prefix and plant/,
    );
  });

  it("answers messages of a node without a gateway with an error, and goes on", async () => {
    const running = await run("hourgate-charge-now", {}, undefined);
    running.node.receive({});
    expect((await running.error()).message).toMatch(/no gateway/);
  });
});
