import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { connectAsync } from "mqtt";
import { describe, expect, it, onTestFinished } from "vitest";
import { call, type GatewayProcess } from "../e2e/gateway-process.js";
import { freePort, hasMosquitto, Mosquitto } from "../edges/mqtt/mosquitto.js";
import { started, stateOf, temporaryFolder, testSite } from "./support/gateway.js";

/** Half a simulated hour per second: a busy machine keeps up with it. */
const SPEED = 1800;
const HOURS_AWAY = 2;
const POLLING = { timeout: 20_000, interval: 200 };

interface ReceivedMessage {
  topic: string;
  payload: string;
  retained: boolean;
}

/** A client that records all messages from now on. */
async function listener(port: number) {
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 0 });
  client.on("error", () => {});
  onTestFinished(() => void client.end(true));
  const received: ReceivedMessage[] = [];
  client.on("message", (topic, payload, { retain }) =>
    received.push({ topic, payload: payload.toString(), retained: retain }),
  );
  await client.subscribeAsync(["hourgate/#", "homeassistant/#"], { qos: 1 });
  return {
    client,
    received,
    last: (topic: string) => received.findLast((one) => one.topic === topic)?.payload,
    /** Non-empty topics, sorted by name. */
    topics: () =>
      [...new Map(received.map(({ topic, payload }) => [topic, payload]))]
        .filter(([topic, payload]) => payload !== "" && !topic.endsWith("/heartbeat"))
        .map(([topic]) => topic)
        .sort(),
  };
}

const planNow = async (gateway: GatewayProcess) => {
  const { status, json } = await call(gateway, "/v1/decision/hours-demand", { body: {} });
  expect(status).toBe(200);
  return json as { issued_at: string; plan_hash: string };
};
const issuedMs = (payload: string | undefined) => Date.parse(JSON.parse(payload ?? "{}").issued_at ?? "");

describe.skipIf(!hasMosquitto())("an external broker that is killed and unavailable for hours", () => {
  it("receives only the current state when it returns, with and without its retained messages", async () => {
    const folder = temporaryFolder();
    const broker = new Mosquitto(folder, await freePort());
    onTestFinished(() => broker.kill());
    await broker.start();
    const gateway = await started(
      testSite({
        clock: { start: "2026-01-15T02:30:00+01:00", speed: SPEED },
        mqtt: { external: { url: `mqtt://127.0.0.1:${broker.port}` }, heartbeat_seconds: 0 },
        telemetry: { stale_minutes: 5_000, lost_minutes: 10_000 },
        quotas: { professional: { decision: 1e6, telemetry: 1e6 } },
      }).config,
    );
    await call(gateway, "/v1/plant/telemetry", { body: { soc_pct: 50 } });
    const before = await listener(broker.port);
    const announced = "homeassistant/device/hourgate_home/config";
    await expect.poll(before.topics, POLLING).toContain("hourgate/home/plan");
    await expect.poll(before.topics, POLLING).toContain(announced);
    const wanted = before.topics();
    expect(wanted.length).toBeGreaterThan(40);

    for (const forgets of [false, true]) {
      if (!forgets) {
        broker.writeDown();
        await expect.poll(() => existsSync(join(folder, "mosquitto.db")), POLLING).toBe(true);
      }
      await broker.kill();
      await expect.poll(() => stateOf(gateway, "broker"), POLLING).toBe("down");
      const health = await call(gateway, "/health", { key: null });
      // A watchdog must not restart the gateway for it.
      expect([health.status, health.json.status]).toEqual([200, "degraded"]);
      const leftMs = Date.parse((await planNow(gateway)).issued_at);
      // HTTP keeps working: a new plan every hour.
      for (let hour = 1; hour <= HOURS_AWAY; hour++)
        await expect
          .poll(async () => Date.parse((await planNow(gateway)).issued_at), POLLING)
          .toBeGreaterThan(leftMs + hour * 3_600_000);
      if (forgets) rmSync(join(folder, "mosquitto.db"), { force: true });
      const returnedMs = Date.parse((await planNow(gateway)).issued_at);

      await broker.start();
      const after = await listener(broker.port);
      await expect.poll(() => stateOf(gateway, "broker"), POLLING).toBe("ok");
      await expect
        .poll(() => issuedMs(after.last("hourgate/home/plan")), POLLING)
        .toBeGreaterThan(returnedMs);
      await expect.poll(() => wanted.filter((topic) => !after.topics().includes(topic)), POLLING).toEqual([]);
      expect(after.last("hourgate/status")).toBe("online");
      expect(after.last(announced)).toContain('"cmps"');
      // HTTP and MQTT return the same plan.
      await expect
        .poll(
          async () => (await planNow(gateway)).plan_hash === after.last("hourgate/home/plan_hash"),
          POLLING,
        )
        .toBe(true);

      // The plan that was being sent when the broker was killed may arrive first; later ones before its return never do.
      const published = after.received.filter((one) => one.topic === "hourgate/home/plan");
      const plans = published.filter(({ retained }) => !retained).map(({ payload }) => issuedMs(payload));
      expect(plans).toEqual(plans.toSorted((a, b) => a - b));
      expect(plans.slice(1).filter((ms) => ms < returnedMs)).toEqual([]);
      // One message for unchanged values, a few for changed ones; each plan of a backlog would be one more.
      const live = after.received.filter(({ retained }) => !retained);
      for (const topic of wanted)
        expect([topic, live.filter((one) => one.topic === topic).length <= 12]).toEqual([topic, true]);

      const soc = forgets ? 62 : 61;
      await after.client.publishAsync("hourgate/home/telemetry/soc_pct", String(soc), { qos: 1 });
      await expect.poll(() => after.last("hourgate/home/ack"), POLLING).toContain('"ok":true');
      const { latest } = (await call(gateway, "/v1/plant/telemetry", { body: { import_kwh: 1 } })).json;
      expect(latest.soc_pct).toBe(soc);
      await after.client.endAsync(true);
    }
    expect(await gateway.end("SIGTERM")).toBe(0);
  });
});
