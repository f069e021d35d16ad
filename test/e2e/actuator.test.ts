import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { realClock } from "../../src/time/clock.js";
import { ShellyGen2 } from "../support/devices/relays.js";
import { eventually } from "../support/eventually.js";
import { seeded } from "../support/random.js";
import { call, type GatewayProcess, sandbox, startGateway } from "./gateway-process.js";

/** Crashes of the gateway; `HOURGATE_CRASHES=200` runs the long form. */
const CRASHES = Number(process.env.HOURGATE_CRASHES ?? 2);
/** A device is in the planned state, or left to itself, this long after a restart at the latest. */
const RECOVERY_MS = 60_000;

describe("a relay that the gateway switches", () => {
  const relay = new ShellyGen2(realClock(), "secret");
  let box: ReturnType<typeof sandbox>;
  let gateway: GatewayProcess;
  const start = async () => {
    gateway = await startGateway(box.config, { HOURGATE_PLANTS__0__ACTUATORS__0__WITH__PASSWORD: "secret" });
  };
  const plan = (override: "run" | "skip") =>
    call(gateway, "/v1/plant/device-overrides", { body: { slot_id: "1", override } });
  const component = async () => {
    const { json } = await call(gateway, "/v1/status");
    const { components } = json as { components: { name: string; state: string; detail: string }[] };
    return components.find(({ name }) => name.startsWith("actuator/"));
  };

  beforeAll(async () => {
    await relay.start();
    box = sandbox({
      market: { sources: [] },
      weather: { sources: [] },
      plants: [
        {
          id: "home",
          latitude: 48.2,
          longitude: 16.4,
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
    await start();
  });
  afterAll(async () => {
    await gateway.end("SIGKILL");
    await relay.stop();
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

  it(
    `is in the planned state after ${CRASHES} crashes at random moments`,
    async () => {
      const random = seeded(7);
      for (let crash = 0; crash < CRASHES; crash++) {
        relay.faults.lateMs = [0, 150, 1500][crash % 3]!;
        relay.faults.inert = crash % 4 === 3;
        const isOn = crash % 2 === 0;
        await plan(isOn ? "run" : "skip");
        await new Promise((resolve) => setTimeout(resolve, random.between(0, 400)));
        await gateway.end("SIGKILL");
        relay.repair();
        const restartedAt = performance.now();
        await start();
        const planned = isOn ? "on" : "off";
        await eventually(() => expect(relay.actual()).toBe(planned));
        await eventually(async () => expect((await component())?.detail).toMatch(/confirms|as planned/));
        expect(relay.actual()).toBe(planned);
        expect(performance.now() - restartedAt).toBeLessThan(RECOVERY_MS);
      }
    },
    CRASHES * RECOVERY_MS,
  );

  it("is switched off within two seconds of SIGTERM", async () => {
    await plan("run");
    await eventually(() => expect(relay.actual()).toBe("on"));
    await eventually(async () => expect((await component())?.detail).toContain("confirms on"));
    const sentAt = performance.now();
    const ended = gateway.end("SIGTERM");
    await eventually(() => expect(relay.actual()).toBe("off"));
    expect(performance.now() - sentAt).toBeLessThan(2_000);
    expect(await ended).toBe(0);
  });
});
