import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { connectAsync } from "mqtt";
import { describe, expect, it, onTestFinished } from "vitest";
import { call, type GatewayProcess } from "../e2e/gateway-process.js";
import { freePort, hasMosquitto, Mosquitto } from "../mqtt/mosquitto.js";
import { house, started, stateOf, temporaryFolder } from "./support/house.js";

/** Two hours of the gateway pass in a second. */
const SPEED = 7200;
const HOURS_AWAY = 5;
const PATIENCE = { timeout: 20_000 };

interface Heard {
  topic: string;
  payload: string;
  retained: boolean;
}

/** Somebody who listens to everything from now on. */
async function listener(port: number) {
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 0 });
  client.on("error", () => {});
  onTestFinished(() => void client.end(true));
  const heard: Heard[] = [];
  client.on("message", (topic, payload, { retain }) =>
    heard.push({ topic, payload: payload.toString(), retained: retain }),
  );
  await client.subscribeAsync(["hourgate/#", "homeassistant/#"], { qos: 1 });
  return {
    client,
    heard,
    last: (topic: string) => heard.findLast((one) => one.topic === topic)?.payload,
    /** Topics that hold something, in order of their names. */
    topics: () =>
      [...new Map(heard.map(({ topic, payload }) => [topic, payload]))]
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
      house({
        clock: { start: "2026-01-15T02:30:00+01:00", speed: SPEED },
        mqtt: { external: { url: `mqtt://127.0.0.1:${broker.port}` }, heartbeat_seconds: 0 },
        telemetry: { stale_minutes: 5_000, lost_minutes: 10_000 },
        quotas: { professional: { decision: 1e6, telemetry: 1e6 } },
      }).config,
    );
    await call(gateway, "/v1/plant/telemetry", { body: { soc_pct: 50 } });
    const before = await listener(broker.port);
    const announced = "homeassistant/device/hourgate_home/config";
    await expect.poll(before.topics, PATIENCE).toContain("hourgate/home/plan");
    await expect.poll(before.topics, PATIENCE).toContain(announced);
    const wanted = before.topics();
    expect(wanted.length).toBeGreaterThan(40);

    for (const forgets of [false, true]) {
      if (!forgets) {
        broker.writeDown();
        await expect.poll(() => existsSync(join(folder, "mosquitto.db")), PATIENCE).toBe(true);
      }
      await broker.kill();
      await expect.poll(() => stateOf(gateway, "broker"), PATIENCE).toBe("down");
      const health = await call(gateway, "/health", { key: null });
      expect([health.status, health.json.component]).toEqual([503, "broker"]);
      const leftMs = Date.parse((await planNow(gateway)).issued_at);
      // HTTP goes on meanwhile: hour by hour there is another plan.
      for (let hour = 1; hour <= HOURS_AWAY; hour++)
        await expect
          .poll(async () => Date.parse((await planNow(gateway)).issued_at), PATIENCE)
          .toBeGreaterThan(leftMs + hour * 3_600_000);
      if (forgets) rmSync(join(folder, "mosquitto.db"), { force: true });
      const returnedMs = Date.parse((await planNow(gateway)).issued_at);

      await broker.start();
      const after = await listener(broker.port);
      await expect.poll(() => stateOf(gateway, "broker"), PATIENCE).toBe("ok");
      await expect
        .poll(() => issuedMs(after.last("hourgate/home/plan")), PATIENCE)
        .toBeGreaterThan(returnedMs);
      await expect
        .poll(() => wanted.filter((topic) => !after.topics().includes(topic)), PATIENCE)
        .toEqual([]);
      expect(after.last("hourgate/status")).toBe("online");
      expect(after.last(announced)).toContain('"cmps"');
      // What HTTP says and what is mirrored is one plan.
      await expect
        .poll(
          async () => (await planNow(gateway)).plan_hash === after.last("hourgate/home/plan_hash"),
          PATIENCE,
        )
        .toBe(true);

      // The one plan that was on its way when the broker died may come first; none of those in between ever does.
      const told = after.heard.filter((one) => one.topic === "hourgate/home/plan");
      const plans = told.filter(({ retained }) => !retained).map(({ payload }) => issuedMs(payload));
      expect(plans).toEqual(plans.toSorted((a, b) => a - b));
      expect(plans.slice(1).filter((ms) => ms < returnedMs)).toEqual([]);
      // Of values that never changed there is one message more, of those that did a few: hours of them would be dozens.
      const live = after.heard.filter(({ retained }) => !retained);
      for (const topic of wanted)
        expect([topic, live.filter((one) => one.topic === topic).length <= 12]).toEqual([topic, true]);

      const soc = forgets ? 62 : 61;
      await after.client.publishAsync("hourgate/home/telemetry/soc_pct", String(soc), { qos: 1 });
      await expect.poll(() => after.last("hourgate/home/ack"), PATIENCE).toContain('"ok":true');
      const { latest } = (await call(gateway, "/v1/plant/telemetry", { body: { import_kwh: 1 } })).json;
      expect(latest.soc_pct).toBe(soc);
      await after.client.endAsync(true);
    }
    expect(await gateway.end("SIGTERM")).toBe(0);
  }, 60_000);
});
