import { describe, expect, test } from "vitest";
import { deviceOverridesOperation } from "../../../src/api/device-overrides.js";
import { recipeDocument } from "../../../src/api/documents/device-schedules.js";
import type { Operation } from "../../../src/api/operation.js";
import { createRequestHandler } from "../../../src/api/request.js";
import { windowsBodyOperation } from "../../../src/api/windows.js";
import { defaultSettings } from "../../../src/config/load.js";
import { VIENNA } from "../../../src/core/time/zone.js";
import type { MqttOptions } from "../../../src/edges/mqtt/service.js";
import { createSlotMirror } from "../../../src/edges/mqtt/topics/slots.js";
import { createTopics } from "../../../src/edges/mqtt/topics/topics.js";
import { fakeServices, KEYS as SERVICE_KEYS, slotSettings } from "../../api/fake-services.js";
import { type Device, type Gateway, KEYS, SITES, withGateway } from "./harness.js";

const WALLBOX = slotSettings({ slot: 3, label: "Garage", power_kw: 11 });

/** A gateway whose plant `home` has a wallbox on slot 3, with the real windows operation. */
async function withSlots(
  work: (device: Device, gateway: Gateway, services: ReturnType<typeof fakeServices>) => Promise<void>,
): Promise<void> {
  const services = fakeServices({ slots: [WALLBOX], battery: defaultSettings().plants[0]!.battery });
  const served = (operation: Operation) => {
    const handle = createRequestHandler(operation, (thrown) => {
      throw thrown;
    });
    return async (_siteId: string, body: object) => {
      const access = services.accounts.access(SERVICE_KEYS.owner);
      const answer = await handle(body as Record<string, unknown>, { access, now: services.clock.now() });
      return answer.document;
    };
  };
  const windows = served(windowsBodyOperation(services));
  const { battery, grid } = defaultSettings().plants[0]!;
  const site = { ...SITES[0]!, plant: { ...SITES[0]!.plant, battery, grid } };
  const access = () => ({ tokenValid: true, tokenPresent: true, site, administrator: false }) as never;
  const slots: MqttOptions["slots"] = {
    windows,
    override: served(deviceOverridesOperation(services)),
    setPlugged: (siteId, slot, plugged) => services.flex.sites.of(siteId).setPlugged(slot, plugged),
    documents: (siteId) =>
      services.flex
        .current(siteId)
        .map((plan) => recipeDocument(plan, { now: services.clock.now(), zone: VIENNA })),
  };
  await withGateway(
    async (gateway, device) => {
      services.bus.on("slots.updated", (event) => gateway.bus.emit("slots.updated", event));
      const client = await device(KEYS.home);
      await client.subscribe("hourgate/home/slots/#");
      await client.subscribe("hourgate/home/battery/#");
      await client.subscribe("hourgate/home/ack");
      await client.subscribe("hourgate/home/response/#");
      await work(client, gateway, services);
    },
    {},
    { slots, requests: { windows }, accounts: { access, sites: () => [site] } },
  );
}

const topic = (rest: string) => `hourgate/home/slots/${rest}`;
/** From the current hour to the next one: charging starts immediately. */
const NOW_ON = {
  start: "2026-01-15T09:00",
  end: "2026-01-15T11:00",
  count: 1,
  segment_consecutive: "required",
  allocation: "earliest",
};

describe("slot topics", () => {
  test("a set is acknowledged, sets the schedule and changes the topics of its slot only", async () => {
    await withSlots(async (device, _gateway, services) => {
      await device.until(() => device.last(topic("3/charge_now")) === "0");
      await device.publish(topic("3/set"), JSON.stringify({ ...NOW_ON, id: "first" }));
      await device.until(() => device.acks().length === 1);
      expect(device.acks()).toEqual([{ topic: topic("3/set"), ok: true, id: "first" }]);
      await device.until(() => device.last(topic("3/charge_now")) === "1");
      await device.until(() => JSON.parse(device.last(topic("3/plan")) ?? "{}").origin === "request");
      const plan = JSON.parse(device.last(topic("3/plan"))!);
      expect(plan).toMatchObject({
        slot_id: "3",
        output: "O3",
        label: "Garage",
        demand_hours: 1,
        charge_now: 1,
      });
      expect(plan.windows).toHaveLength(1);
      expect(services.flex.current("home")[0]!.origin).toBe("request");
      const others = device.messages.filter(({ topic: name }) => /slots\/[^3]/.test(name));
      expect(others.filter(({ text }) => text !== "")).toEqual([]);
    });
  });

  test("the next start is a time, and absent if there is none", async () => {
    await withSlots(async (device) => {
      await device.publish(topic("3/set"), JSON.stringify({ ...NOW_ON, start: "2026-01-15T10:00" }));
      await device.until(() => device.last(topic("3/next_start")) === "2026-01-15T10:00:00+01:00");
      await device.publish(topic("3/set"), JSON.stringify(NOW_ON));
      await device.until(() => device.last(topic("3/next_start")) === "");
    });
  });

  test("the plug state of the device changes charge_now", async () => {
    await withSlots(async (device) => {
      await device.publish(topic("3/set"), JSON.stringify(NOW_ON));
      await device.until(() => device.last(topic("3/charge_now")) === "1");
      await device.publish(topic("3/plugged/set"), "off");
      await device.until(() => device.last(topic("3/charge_now")) === "0");
      await device.publish(topic("3/plugged/set"), " 1.0 ");
      await device.until(() => device.last(topic("3/charge_now")) === "1");
      await device.until(() => device.acks().length === 3);
      expect(device.acks().every(({ ok }) => ok)).toBe(true);
    });
  });

  test("an override is a word or JSON, and ends the schedule until it expires", async () => {
    await withSlots(async (device, _gateway, services) => {
      await device.until(() => device.last(topic("3/override")) === "auto");
      await device.publish(topic("3/override/set"), "RUN");
      await device.until(() => device.last(topic("3/charge_now")) === "1");
      await device.until(() => device.last(topic("3/override")) === "run");
      const until = new Date(services.clock.now().getTime() + 3_600_000).toISOString();
      await device.publish(topic("3/override/set"), JSON.stringify({ override: "skip", until, id: 4 }));
      await device.until(() => device.last(topic("3/override")) === "skip");
      await device.until(() => device.last(topic("3/charge_now")) === "0");
      await device.publish(topic("3/override/set"), "auto");
      await device.until(() => device.last(topic("3/override")) === "auto");
      const sent = () => device.messages.filter((message) => message.topic === topic("3/override")).length;
      const before = sent();
      await device.publish(topic("3/override/set"), "off");
      // Who has sent a wish that is refused gets the value in force again.
      await device.until(() => sent() === before + 1);
      expect(device.last(topic("3/override"))).toBe("auto");
      await device.publish(topic("5/override/set"), "run");
      await device.until(() => device.acks().length === 5);
      expect(device.acks().map(({ ok }) => ok)).toEqual([true, true, true, false, false]);
      expect(device.acks()[1]?.id).toBe(4);
      expect(device.acks()[3]?.error).toBe(
        "override must be one of run, skip, full, target, surplus, guest, auto for a device.",
      );
      expect(device.acks()[4]?.error).toMatch(/Slot 5 is not assigned/);
      const battery = "hourgate/home/battery/override/set";
      await device.publish(battery, "hold");
      await device.publish(battery, JSON.stringify({ override: "charge", target_soc_pct: 80, id: 9 }));
      await device.publish(battery, JSON.stringify({ override: "charge", target_soc_pct: 20 }));
      await device.publish(battery, "run");
      // The word charge charges to the target that was set.
      const target = "hourgate/home/battery/charge_target_pct";
      await device.publish(`${target}/set`, "101");
      await device.publish(`${target}/set`, "75");
      await device.publish(battery, "charge");
      await device.until(() => device.acks().length === 12);
      expect(device.acks()[9]?.error).toMatch(/above 10 and at most 100/);
      expect(device.last(target)).toBe("75");
      expect(services.batteryOverrides).toMatchObject([
        { action: "hold" },
        { action: "charge", targetSocPct: 80 },
        { action: "charge", targetSocPct: 75 },
      ]);
      expect(device.acks()[6]).toMatchObject({ topic: battery, ok: true, id: 9 });
      expect(device.acks()[7]?.error).toMatch(/already at 50 %/);
      expect(device.acks()[8]?.error).toMatch(/charge, hold, auto for the battery/);
    });
  });

  const refused: [rest: string, payload: string, error: RegExp][] = [
    ["9/set", "{}", /slots are 1 to 8/],
    ["3/set", "", /payload is empty/],
    ["5/set", "{}", /Slot 5 is not assigned/],
    ["5/plugged/set", "1", /Slot 5 is not assigned/],
    ["3/plugged/set", "", /must be 0 .* or 1/],
    ["3/plugged/set", "0.5", /must be 0 .* or 1/],
    ["3/set", "not json", /not valid JSON/],
    ["3/set", "[]", /one JSON object/],
    ["3/set", '{"slot_id": 4}', /leave slot_id out/],
    ["3/set", '{"mode": "best", "count": -1}', /mode must be .* count must be/],
    ["3/set", '{"window_start_hour": 3}', /given together/],
  ];
  test("invalid commands are rejected without a change", async () => {
    await withSlots(async (device, _gateway, services) => {
      for (const [rest, payload] of refused) await device.publish(topic(rest), payload);
      await device.until(() => device.acks().length === refused.length);
      for (const [index, [rest, , error]] of refused.entries()) {
        const ack = device.acks()[index]!;
        expect(ack).toMatchObject({ topic: topic(rest), ok: false });
        expect(ack.error).toMatch(error);
      }
      expect(services.flex.current("home")[0]!.origin).toBe("settings");
    });
  });

  test("the windows are available as a request", async () => {
    await withSlots(async (device) => {
      await device.publish("hourgate/home/request/windows", '{"id": 7, "flex_pack": "4197590.0"}');
      await device.until(() => device.texts("hourgate/home/response/windows").length === 1);
      const answer = JSON.parse(device.last("hourgate/home/response/windows")!);
      expect(answer).toMatchObject({ id: 7, schema: "windows_v1.1", demand_hours: 3, slot_count: 12 });
    });
  });

  test("the SG Ready state of a heat pump is a word and the number of the label", () => {
    const values = new Map<string, string>();
    const mirror = createSlotMirror({
      topics: createTopics("hourgate"),
      slotDocuments: () => [{ slot_id: "2", sg_ready: { state: "encourage", number: 3 } }],
      setValue: (name, payload) => values.set(name, payload),
    });
    mirror("home");
    expect(values.get(topic("2/sg_ready"))).toBe("encourage");
    expect(values.get(topic("2/sg_ready_number"))).toBe("3");
    expect(values.get(topic("1/sg_ready"))).toBe("");
  });
});
