import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freePort, hasMosquitto, Mosquitto } from "../edges/mqtt/mosquitto.js";
import { EvccMqtt } from "../support/devices/evcc.js";
import { ShellyGen2 } from "../support/devices/relays.js";
import { TestBroker } from "../support/devices/test-broker.js";
import { eventually } from "../support/eventually.js";
import { type ManualClock, manualClock } from "../support/manual-clock.js";
import { type Bench, bench } from "./harness.js";

const MINUTE = 60_000;

describe("an actuator with a leased relay over HTTP", () => {
  let clock: ManualClock;
  let relay: ShellyGen2;
  let one: Bench;
  const open = async (more: Partial<Parameters<typeof bench>[0]> = {}) => {
    one = await bench({
      clock,
      template: "shelly-gen2",
      with: { host: relay.host, password: "secret" },
      ...more,
    });
    await one.actuator.start();
    return one;
  };

  beforeEach(async () => {
    clock = manualClock(new Date("2026-03-02T08:00:00Z"));
    relay = new ShellyGen2(clock, "secret");
    await relay.start();
  });
  afterEach(async () => {
    await one.actuator.stop();
    await relay.stop();
  });

  it("sends nothing before it has read the device, and nothing to leave it off", async () => {
    await open();
    one.want("off");
    await one.reaches("idle");
    expect(relay.writes).toEqual([]);
  });

  it("switches, confirms, repeats within half of the lease, and switches back", async () => {
    await open();
    one.want("on");
    await one.reaches("confirmed");
    expect(relay.actual()).toBe("on");
    await one.pass(40 * MINUTE, 10_000);
    expect(relay.actual()).toBe("on");
    // 900 s of lease, repeated every 300 s.
    expect(relay.writes.length).toBeGreaterThanOrEqual(8);
    expect(relay.writes.length).toBeLessThanOrEqual(10);
    expect(one.actuator.status().writesToday).toBe(1);
    one.want("off");
    await eventually(() => expect(relay.actual()).toBe("off"));
    const before = relay.writes.length;
    await one.pass(40 * MINUTE, 10_000);
    expect(relay.writes.length).toBe(before);
  });

  it.each([
    [{ status: 401 }, "unauthorized"],
    [{ status: 404 }, "not_found"],
    [{ status: 500 }, "device_error"],
    [{ silent: true }, "timeout"],
    [{ inert: true }, "not_confirmed"],
  ])("reports %j as %s after three tries, and recovers", async (faults, fault) => {
    await open();
    one.want("off");
    await one.reaches("idle");
    Object.assign(relay.faults, faults);
    one.want("on");
    await one.reaches("failed");
    expect(one.actuator.status().lastError?.fault).toBe(fault);
    relay.repair();
    await one.pass(60_000);
    expect(one.phase()).toBe("confirmed");
    expect(relay.actual()).toBe("on");
    expect(JSON.stringify([one.actuator.status(), one.actuator.entries()])).not.toContain("secret");
  });

  it("leaves a device alone for half an hour after somebody else has changed it", async () => {
    await open();
    one.want("on");
    await one.reaches("confirmed");
    await one.pass(MINUTE);
    const before = relay.writes.length;
    relay.byHand();
    await one.pass(2 * MINUTE);
    expect(one.phase()).toBe("external");
    await one.pass(25 * MINUTE, 10_000);
    expect(relay.writes.length).toBe(before);
    expect(relay.actual()).toBe("off");
    await one.pass(5 * MINUTE, 10_000);
    expect(relay.actual()).toBe("on");
  });

  it("returns the device when there is no plan, when switched off, and at the end", async () => {
    await open();
    for (const end of [
      () => one.want(undefined),
      () => one.actuator.setEnabled(false),
      () => one.actuator.stop(),
    ]) {
      one.want("on");
      await one.actuator.setEnabled(true);
      await one.reaches("confirmed");
      expect(relay.actual()).toBe("on");
      await one.pass(MINUTE, 10_000);
      await end();
      await one.pass(1_000);
      expect(relay.actual()).toBe("off");
    }
  });

  it("in dry run shows what it would send, and sends a test", async () => {
    await open({ changes: { dryRun: true } });
    one.want("on");
    await one.reaches("dry_run");
    await one.pass(MINUTE);
    expect(relay.writes).toEqual([]);
    expect(
      one.actuator
        .entries()
        .map(({ event, text }) => `${event} ${text}`)
        .join(),
    ).toMatch(/would_send POST .*Switch.Set .*"on":true/);
    expect(await one.actuator.test("on", 1)).toBe("confirmed");
    expect(relay.actual()).toBe("on");
    await one.pass(2 * MINUTE);
    expect(relay.actual()).toBe("off");
  });

  it("after a crash keeps the planned state, releases without a plan, and does not undo what others did", async () => {
    await open();
    one.want("on");
    await one.reaches("confirmed");
    const stored = one.stored();
    const crash = async () => {
      await one.actuator.stop();
      relay.output.set(true, 600);
      return open({ stored });
    };
    await crash();
    one.want("on");
    await one.pass(10_000);
    expect([one.phase(), relay.actual()]).toEqual(["confirmed", "on"]);
    await crash();
    await one.pass(MINUTE);
    expect([one.phase(), relay.actual()]).toEqual(["released", "off"]);
    // Nothing is stored as its own: a relay that is on stays on.
    await one.actuator.stop();
    relay.output.set(true, 600);
    await open();
    one.want("off");
    await one.reaches("idle");
    expect(relay.actual()).toBe("on");
  });

  it("keeps a device that is not reachable, and sends again what a restart has lost", async () => {
    await open();
    one.want("on");
    await one.reaches("confirmed");
    relay.faults.silent = true;
    await one.pass(2 * MINUTE, 5_000);
    expect(["offline", "failed", "sending"]).toContain(one.phase());
    relay.reboot();
    relay.repair();
    await one.pass(2 * MINUTE, 5_000);
    expect([one.phase(), relay.actual()]).toEqual(["confirmed", "on"]);
  });
});

describe("a change during a repetition", () => {
  it("ends the repetition, then sends the new state, then reads the device", async () => {
    const clock = manualClock(new Date("2026-03-02T08:00:00Z"));
    const events: string[] = [];
    let output = false;
    let isHanging = false;
    const one = await bench({
      clock,
      template: "shelly-gen2",
      with: { host: "127.0.0.1", lease: 60 },
      changes: {
        pace: {
          ...(await bench({ clock, template: "shelly-gen2", with: { host: "::1", lease: 60 } })).pace,
          minDwellMs: 0,
        },
      },
      transport: {
        send: async ({ body }, signal) => {
          const isOn = body!.includes('"on":true');
          events.push(isOn ? "send on" : "send off");
          if (isHanging)
            await new Promise((_, reject) =>
              signal.addEventListener("abort", () => {
                events.push("aborted");
                isHanging = false;
                reject(signal.reason as Error);
              }),
            );
          output = isOn;
        },
        read: async () => {
          events.push(`read ${output}`);
          return { value: String(output), isNew: true };
        },
      },
    });
    await one.actuator.start();
    one.want("on");
    await one.reaches("confirmed");
    isHanging = true;
    events.length = 0;
    await clock.advance(21_000);
    expect(events.at(-1)).toBe("send on");
    one.want("off");
    await one.pass(MINUTE);
    expect(events.slice(events.indexOf("aborted"), events.indexOf("aborted") + 3)).toEqual([
      "aborted",
      "send off",
      "read false",
    ]);
    expect(events.slice(events.indexOf("send off"))).not.toContain("send on");
    await one.actuator.stop();
  });
});

describe("a plan that changes every minute", () => {
  it.each([
    ["slot", ["on", "off"], 20],
    ["battery", ["charge", "hold", "free", "cap"], 40],
  ] as const)(
    "sends a %s at most its commands of a day, and leaves it to itself at the end",
    async (control, states, most) => {
      const clock = manualClock(new Date("2026-03-01T23:00:00Z"));
      const sent: string[] = [];
      const payloads = Object.fromEntries(states.map((state) => [state, state]));
      const one = await bench({
        clock,
        control,
        template: "mqtt",
        with: { topic: "device/set", payloads },
        transport: { send: async ({ payload }) => void sent.push(payload!) },
      });
      await one.actuator.start();
      for (let minute = 0; minute < 24 * 60 - 1; minute++) {
        one.want(states[minute % states.length], { powerKw: 1 + (minute % 7) / 3 });
        await one.pass(MINUTE, MINUTE);
      }
      expect(sent.length).toBeLessThanOrEqual(most);
      expect(sent.length).toBeGreaterThan(most / 2);
      expect(one.actuator.status().writesToday).toBe(sent.length);
      one.want(states[0] === "on" ? "off" : "free");
      await one.pass(MINUTE, MINUTE);
      await one.actuator.stop();
      expect(sent.at(-1)).toBe(states[0] === "on" ? "off" : "free");
    },
  );
});

describe("an actuator with evcc over a broker of its own", () => {
  it("holds by a lease, ends it at the exit, and leaves its last will", async () => {
    const clock = manualClock(new Date("2026-03-02T08:00:00Z"));
    const broker = new TestBroker();
    await broker.start();
    const evcc = new EvccMqtt(clock, broker.url);
    await evcc.start();
    const one = await bench({
      clock,
      template: "evcc-battery",
      control: "battery",
      with: { transport: "mqtt", broker: broker.url },
      brokerUrl: broker.url,
    });
    try {
      await one.actuator.start();
      one.want("hold");
      await one.reaches("confirmed");
      await one.pass(5 * MINUTE, 5_000);
      expect(evcc.actual()).toBe("hold");
      const sent = () => broker.published.filter(({ topic }) => topic === "evcc/site/batteryMode/set");
      expect(sent().length).toBeGreaterThan(10);
      expect(sent().every(({ qos, retain, text }) => text === "" || (qos === 1 && !retain))).toBe(true);
      expect(one.actuator.status().writesToday).toBe(1);
      // Below the threshold of the template a discharge limit is a hold, above it evcc decides.
      one.want("cap", { powerKw: 2 });
      await one.pass(MINUTE, 5_000);
      expect(evcc.evcc.external.value).toBe("unknown");
      // While evcc charges a vehicle at full power, the battery is held instead of left to itself.
      one.want("free");
      await one.pass(6 * MINUTE, 5_000);
      evcc.announceFastCharging(true);
      await eventually(async () => {
        await one.pass(1_000);
        expect(evcc.evcc.external.value).toBe("hold");
      });
      evcc.announceFastCharging(false);
      await one.pass(6 * MINUTE, 5_000);
      expect(evcc.evcc.external.value).toBe("unknown");
      one.want("charge", { powerKw: 3 });
      await one.pass(6 * MINUTE, 5_000);
      expect(evcc.actual()).toBe("charge");
      await one.actuator.stop();
      await eventually(() =>
        expect(
          sent()
            .filter(({ text }) => text !== "")
            .at(-1)?.text,
        ).toBe("none"),
      );
    } finally {
      await one.actuator.stop();
      await evcc.stop();
      await broker.stop();
    }
  });
});

describe.skipIf(!hasMosquitto())("an actuator at a Mosquitto that is killed", () => {
  it("holds again within a minute of the restart of the broker", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hourgate-actuator-"));
    const broker = new Mosquitto(folder, await freePort());
    await broker.start();
    const url = `mqtt://127.0.0.1:${broker.port}`;
    const clock = manualClock(new Date("2026-03-02T08:00:00Z"));
    const evcc = new EvccMqtt(clock, url);
    await evcc.start();
    const one = await bench({
      clock,
      template: "evcc-battery",
      control: "battery",
      with: { transport: "mqtt", broker: url },
      brokerUrl: url,
    });
    try {
      await one.actuator.start();
      one.want("hold");
      await one.reaches("confirmed");
      await broker.kill();
      // The lease in evcc ends meanwhile.
      await one.pass(2 * MINUTE, 5_000);
      expect(evcc.evcc.external.value).toBe("unknown");
      await broker.start();
      const restartedAt = clock.now().getTime();
      await eventually(async () => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        await one.pass(1_000);
        expect(evcc.evcc.external.value).toBe("hold");
      });
      expect(clock.now().getTime() - restartedAt).toBeLessThan(MINUTE);
    } finally {
      await one.actuator.stop();
      await evcc.stop();
      await broker.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
