import { describe, expect, it } from "vitest";
import { startHttp, topics } from "./doubles.js";
import { brokerTests, run } from "./harness.js";

const tests = brokerTests();
const { follow, publishTopic } = tests;

describe("hourgate-slot", () => {
  it("sends the state of the device with its plan", async () => {
    const running = await follow("hourgate-slot", { slot: "3" });
    expect(await running.message()).toMatchObject({
      payload: 0,
      slot: 3,
      next_change: "2026-01-16T03:00:00+01:00",
      plan: { slot_id: "3", label: "Garage" },
    });
    await running.until(() => running.status()?.text === "0 → 01-16 03:00");
  });

  it("sends requests and plugged to the gateway, and its errors to the catch nodes", async () => {
    const running = await follow("hourgate-slot", { slot: 3 });
    await running.message();
    running.node.receive({ plugged: true, payload: { energy_kwh: 7 } });
    await running.until(() => tests.broker.received.length === 2);
    expect(tests.broker.received[0]).toEqual({ topic: "hourgate/home/slots/3/plugged/set", text: "1" });
    expect(tests.broker.received[1]!.topic).toBe("hourgate/home/slots/3/set");
    expect(JSON.parse(tests.broker.received[1]!.text)).toMatchObject({ energy_kwh: 7 });
    tests.broker.refuse("energy_kwh must be a number from 0.");
    running.node.receive({ payload: { energy_kwh: -1 } });
    expect(await running.error()).toMatchObject({
      message: "energy_kwh must be a number from 0.",
      code: "refused",
    });
  });

  it("can be overridden", async () => {
    const running = await follow("hourgate-slot", { slot: 3 });
    await running.message();
    running.node.receive({ override: "on", override_minutes: "0" });
    expect(await running.message(1)).toMatchObject({ payload: 1, override: "on", override_until: null });
    running.node.receive({ override: "auto" });
    expect(await running.message(2)).toMatchObject({ payload: 0, override: "auto" });
  });
});

describe("hourgate-vehicle", () => {
  const plan = JSON.parse(topics["hourgate/home/slots/4/plan"]!) as Record<string, unknown>;

  it("sends charge, power and plan, each at its changes, and all for a message without fields", async () => {
    const running = await follow("hourgate-vehicle", { slot: "4" });
    expect(await running.message()).toMatchObject({
      topic: "hourgate/home/slots/4/charge_now",
      payload: 0,
      next_change: "2026-01-16T02:00:00+01:00",
      slot: 4,
      stale: false,
    });
    expect(await running.message(0, 1)).toMatchObject({ payload: 0 });
    expect(await running.message(0, 2)).toMatchObject({ payload: plan });
    await running.until(() => running.status()?.text === "0 → 01-16 02:00");
    await publishTopic("slots/4/power_kw", "7.36");
    expect(await running.message(1, 1)).toMatchObject({ payload: 7.36 });
    expect(running.messages[0]).toHaveLength(1);
    running.node.receive({ kept: "yes" });
    expect(await running.message(1)).toMatchObject({ payload: 0, kept: "yes" });
    expect(await running.message(1, 2)).toMatchObject({ payload: plan, kept: "yes" });
  });

  it("sends the state of the vehicle and a request for one departure", async () => {
    const gateway = await startHttp();
    try {
      const running = await run(
        "hourgate-vehicle",
        { slot: 4 },
        { url: gateway.url, mqttUrl: tests.broker.url },
      );
      await running.message();
      running.node.receive({ plugged: true, soc_pct: "26,5" });
      await running.until(() => tests.broker.received.length === 2);
      running.node.receive({ payload: { target_soc_pct: 100, departure: "06:30" } });
      await running.until(() => tests.broker.received.length === 3);
      running.node.receive({ energy_kwh: 12 });
      await running.until(() => tests.broker.received.length === 4);
      running.node.receive({ payload: { soc: 50 } });
      expect((await running.error()).message).toBe(
        "msg.payload has the unknown field soc; the fields are soc_pct, plugged, target_soc_pct, departure, energy_kwh.",
      );
      const [plugged, reading, ...requests] = tests.broker.received;
      expect(plugged).toEqual({ topic: "hourgate/home/slots/4/plugged/set", text: "1" });
      expect(reading!.topic).toBe("hourgate/home/slots/4/telemetry");
      expect(JSON.parse(reading!.text)).toMatchObject({ soc_pct: 26.5 });
      // From 46 to 100 % of 60 kWh, of which 90 % are stored; it is 09:20 in the recording.
      const wanted = [
        { end: "2026-01-16T06:30", energy_kwh: 36 },
        { end: "2026-01-16T07:00:00+01:00", energy_kwh: 12 },
      ];
      for (const [index, one] of wanted.entries()) {
        expect(requests[index]!.topic).toBe("hourgate/home/slots/4/set");
        expect(JSON.parse(requests[index]!.text)).toMatchObject({
          ...one,
          max_power_kw: 11.04,
          allocation: "cost",
        });
      }
      running.node.receive({ soc_pct: 120 });
      expect((await running.error(1)).message).toBe("msg.soc_pct must be a number from 0 to 100.");
    } finally {
      await gateway.stop();
    }
  });
});
