import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectAsync } from "mqtt";
import { describe, expect, it, onTestFinished } from "vitest";
import { realClock } from "../../src/core/time/clock.js";
import { call, type GatewayProcess } from "../e2e/gateway-process.js";
import { freePort, hasMosquitto, Mosquitto } from "../edges/mqtt/mosquitto.js";
import { ShellyGen2 } from "../support/devices/relays.js";
import { started, temporaryFolder, testSite } from "./support/gateway.js";

/** A gateway speaks every 10 s. */
const POLLING = { timeout: 60_000 };
/** One that was silent for 40 s has ended, which is noticed within 10 s more; then the device is commanded. */
const TAKEN_OVER = { timeout: 120_000 };

const setOverride = (gateway: GatewayProcess, override: "run" | "skip") =>
  call(gateway, "/v1/plant/device-overrides", { body: { slot_id: "1", override } });

async function componentText(gateway: GatewayProcess, name: string): Promise<string> {
  const { json } = await call(gateway, "/v1/status");
  const { components } = json as { components: { name: string; state: string; detail: string }[] };
  const component = components.find((one) => one.name === name);
  return `${component?.state}: ${component?.detail}`;
}

const COPY_WAITS = /^degraded: .*Another gateway .* waits/;
const WAITS = /^down: Another gateway .*This gateway waits/;

describe.skipIf(!hasMosquitto())("two gateways with copies of one data folder on one broker", () => {
  it("say so, and only one commands the devices and publishes", async () => {
    const relay = new ShellyGen2(realClock(), "secret");
    await relay.start();
    onTestFinished(() => relay.stop());
    const broker = new Mosquitto(temporaryFolder(), await freePort());
    await broker.start();
    onTestFinished(() => broker.kill());
    const url = `mqtt://127.0.0.1:${broker.port}`;
    const original = testSite({
      clock: {},
      mqtt: { external: { url }, heartbeat_seconds: 0 },
      plants: [
        {
          id: "home",
          latitude: 48.2,
          longitude: 16.4,
          battery: { capacity_kwh: 10 },
          slots: [{ slot: 1, kind: "boiler", power_kw: 2, hours: 1 }],
          actuators: [
            {
              id: "boiler",
              controls: "slot 1",
              template: "shelly-gen2",
              with: { host: relay.host, lease: 60 },
              dry_run: false,
              min_dwell_s: 0,
              max_writes_per_day: 10_000,
            },
          ],
        },
      ],
    });
    const environment = { HOURGATE_PLANTS__0__ACTUATORS__0__WITH__PASSWORD: "secret" };
    const start = (config: string) => started(config, environment);
    let first = await start(original.config);
    await first.end("SIGTERM");
    const folder = temporaryFolder();
    cpSync(original.data, join(folder, "data"), { recursive: true });
    const copied = join(folder, "hourgate.yaml");
    writeFileSync(copied, readFileSync(original.config, "utf8").replaceAll(original.folder, folder));

    const watcher = await connectAsync(url, { reconnectPeriod: 0 });
    watcher.on("error", () => {});
    onTestFinished(() => void watcher.end(true));
    const statuses: string[] = [];
    watcher.on("message", (_topic, payload) => statuses.push(payload.toString()));
    await watcher.subscribeAsync("hourgate/status", { qos: 1 });

    first = await start(original.config);
    const copy = await start(copied);
    await expect.poll(() => componentText(copy, "broker"), POLLING).toMatch(WAITS);
    await expect.poll(() => componentText(first, "broker"), POLLING).toMatch(COPY_WAITS);
    expect(copy.output()).toContain("the data folder was probably copied");
    expect(first.output()).toContain("the data folder was probably copied");
    expect(await componentText(copy, "actuator/home/boiler")).toContain(
      "Another gateway with the identity of this one commands this device",
    );

    // The copy wants the relay off, and leaves it alone.
    await setOverride(copy, "skip");
    await setOverride(first, "run");
    await expect.poll(() => relay.actual(), POLLING).toBe("on");
    await setOverride(first, "skip");
    await expect.poll(() => relay.actual(), POLLING).toBe("off");
    await setOverride(copy, "run");
    await setOverride(first, "run");
    await expect.poll(() => relay.actual(), POLLING).toBe("on");

    // A crash and a restart of the one that commands change nothing; neither does a restart of the broker.
    await first.end("SIGKILL");
    first = await start(original.config);
    await expect.poll(() => componentText(first, "broker"), POLLING).toMatch(COPY_WAITS);
    await broker.stop();
    await broker.start();
    await expect.poll(() => componentText(first, "broker"), POLLING).toMatch(COPY_WAITS);
    expect(await componentText(copy, "broker")).toMatch(WAITS);
    // The retained one at the subscription; the online or offline of each start and end, no more.
    expect(statuses.length).toBeLessThanOrEqual(6);

    await first.end("SIGTERM");
    await expect.poll(() => relay.actual(), POLLING).toBe("off");
    await expect.poll(() => relay.actual(), TAKEN_OVER).toBe("on");
    expect(await componentText(copy, "broker")).toMatch(/^ok: /);
    first = await start(original.config);
    await expect.poll(() => componentText(first, "broker"), POLLING).toMatch(WAITS);
    await setOverride(first, "skip");
    await setOverride(copy, "run");
    expect(relay.actual()).toBe("on");
  }, 600_000);
});
