import { connectAsync } from "mqtt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { realClock } from "../../src/core/time/clock.js";
import { ShellyGen2 } from "../support/devices/relays.js";
import { TestBroker } from "../support/devices/test-broker.js";
import { eventually } from "../support/eventually.js";
import { seeded } from "../support/random.js";
import { call, type GatewayProcess, sandbox, startGateway } from "./gateway-process.js";

/** Crashes of the gateway; `HOURGATE_CRASHES=200` runs the long form. */
const CRASHES = Number(process.env.HOURGATE_CRASHES ?? 1);
/** A device is in the planned state, or left to itself, this long after a restart at the latest. */
const RECOVERY_MS = 60_000;

describe("a relay that the gateway switches", () => {
  const relay = new ShellyGen2(realClock(), "secret");
  /** The broker of evcc, which is not that of the gateway. */
  const broker = new TestBroker();
  const willed = () => broker.published.filter(({ topic }) => topic === "evcc/site/batteryMode/set");
  let box: ReturnType<typeof sandbox>;
  let gateway: GatewayProcess;
  const start = async () => {
    gateway = await startGateway(box.config, { HOURGATE_PLANTS__0__ACTUATORS__0__WITH__PASSWORD: "secret" });
  };
  const plan = (override: "run" | "skip") =>
    call(gateway, "/v1/plant/device-overrides", { body: { slot_id: "1", override } });
  const component = async (id = "boiler") => {
    const { json } = await call(gateway, "/v1/status");
    const { components } = json as { components: { name: string; state: string; detail: string }[] };
    return components.find(({ name }) => name === `actuator/home/${id}`);
  };

  beforeAll(async () => {
    await relay.start();
    await broker.start();
    box = sandbox({
      market: { sources: [] },
      weather: { sources: [] },
      mqtt: {
        broker: {
          host: "127.0.0.1",
          port: 0,
          users: [{ username: "pump", password: "pump", publish: ["pump/#"], subscribe: ["pump/#"] }],
        },
      },
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
            {
              id: "pump",
              controls: "slot 1",
              template: "mqtt",
              with: { topic: "pump/set", payloads: { on: "ON", off: "OFF" }, read_topic: "pump/state" },
              dry_run: false,
              min_dwell_s: 0,
              max_writes_per_day: 10_000,
            },
            {
              id: "battery",
              controls: "battery",
              template: "evcc-battery",
              with: { transport: "mqtt", broker: broker.url },
              dry_run: false,
            },
          ],
        },
      ],
    });
    await start();
  });
  afterAll(async () => {
    await gateway.end("SIGKILL");
    await relay.stop();
    await broker.stop();
    box.remove();
  });

  it("follows the schedule and is a component without its password", async () => {
    expect((await plan("run")).status).toBe(200);
    await eventually(() => expect(relay.actual()).toBe("on"));
    await eventually(async () => expect((await component())?.detail).toContain("confirms on"));
    await plan("skip");
    await eventually(() => expect(relay.actual()).toBe("off"));
    expect(gateway.output() + JSON.stringify(await component())).not.toContain("secret");
  });

  it("commands a device over its own broker, never retained, and leaves a last will at another broker", async () => {
    const url = `mqtt://127.0.0.1:${gateway.mqttPort}`;
    const pump = await connectAsync(url, { username: "pump", password: "pump" });
    const commands: string[] = [];
    pump.on("message", (_topic, payload, { retain, qos }) => {
      commands.push(`${payload.toString()} ${qos} ${retain}`);
      void pump.publish("pump/state", payload, { retain: true });
    });
    await pump.subscribeAsync("pump/set", { qos: 1 });
    // Before the first command the device must have been read.
    await pump.publishAsync("pump/state", "OFF", { retain: true });
    await plan("run");
    await eventually(async () => expect((await component("pump"))?.detail).toContain("confirms on"));
    expect(commands).toEqual(["ON 1 false"]);
    await plan("skip");
    await eventually(async () => expect((await component("pump"))?.detail).toContain("confirms off"));
    expect(commands.at(-1)).toBe("OFF 1 false");
    await pump.endAsync(true);
    expect(willed()).toEqual([]);
    await gateway.end("SIGKILL");
    await eventually(() => expect(willed()).toMatchObject([{ text: "none", retain: false }]));
    await start();
  });

  it(
    `is in the planned state after ${CRASHES} crashes around a command`,
    async () => {
      const random = seeded(7);
      for (let crash = 0; crash < CRASHES; crash++) {
        relay.faults.lateMs = [0, 150, 1500][crash % 3]!;
        relay.faults.inert = crash % 4 === 3;
        const isOn = crash % 2 === 0;
        const writes = relay.writes.length;
        await plan(isOn ? "run" : "skip");
        // Before the device has taken the command or after it, while its answer is under way.
        if (crash === 0 || random.chance(0.7))
          await eventually(() => expect(relay.writes.length).toBeGreaterThan(writes));
        await gateway.end("SIGKILL");
        relay.repair();
        await start();
        const planned = isOn ? "on" : "off";
        await eventually(() => expect(relay.actual()).toBe(planned));
        await eventually(async () => expect((await component())?.detail).toMatch(/confirms|as planned/));
        expect(relay.actual()).toBe(planned);
      }
    },
    CRASHES * RECOVERY_MS,
  );

  it("is switched off before the gateway ends after SIGTERM", async () => {
    await plan("run");
    await eventually(() => expect(relay.actual()).toBe("on"));
    await eventually(async () => expect((await component())?.detail).toContain("confirms on"));
    expect(await gateway.end("SIGTERM")).toBe(0);
    expect(relay.actual()).toBe("off");
  });
});
