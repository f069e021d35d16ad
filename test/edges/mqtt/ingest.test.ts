import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../../support/any-character.js";
import { runs } from "../../support/runs.js";
import { KEYS, NOW, withGateway } from "./harness.js";

describe("inbound telemetry", () => {
  it("accepts plain numbers and acknowledges each after it is stored", () =>
    withGateway(async ({ stored }, device) => {
      const home = await device(KEYS.home);
      await home.subscribe("hourgate/home/ack");
      const topic = "hourgate/home/telemetry/soc_pct";
      for (const payload of ["55", "55.25", " 2,5\n", "1e1", "-0"]) await home.publish(topic, payload);
      await home.until(() => home.acks().length === 5);
      expect(home.acks()).toEqual(Array(5).fill({ topic, ok: true }));
      expect(stored.map(({ sample }) => sample.values.soc_pct)).toEqual([55, 55.25, 2.5, 10, 0]);
      expect(stored[0]).toEqual({
        siteId: "home",
        sample: { at: NOW, values: { soc_pct: 55 } },
        thinSeconds: 10,
      });
      expect(home.messages.every(({ retain }) => !retain)).toBe(true);
    }));

  it("accepts readings of slots, one a topic or together", () =>
    withGateway(async ({ stored }, device) => {
      const home = await device(KEYS.home);
      await home.subscribe("hourgate/home/ack");
      const topic = "hourgate/home/slots/3/telemetry";
      await home.publish(`${topic}/power_kw`, "7,4");
      await home.publish(topic, '{"soc_pct": 40, "temperature_c": 21, "id": 5}');
      await home.publish(`${topic}/import_kwh`, "5");
      await home.publish("hourgate/home/slots/9/telemetry/power_kw", "5");
      await home.until(() => home.acks().length === 4);
      expect(home.acks().map(({ ok }) => ok)).toEqual([true, true, false, false]);
      expect(home.acks()[1]).toEqual({ topic, ok: true, id: 5 });
      expect(home.acks()[2]?.error).toMatch(/readings are power_kw, soc_pct, temperature_c, energy_kwh/);
      expect(stored.map(({ sample }) => sample.values)).toEqual([
        { slot_3_power_kw: 7.4 },
        { slot_3_soc_pct: 40, slot_3_temperature_c: 21 },
      ]);
    }));

  it("rejects values that are not numbers or out of range", () =>
    withGateway(async ({ stored }, device) => {
      const home = await device(KEYS.home);
      await home.subscribe("hourgate/home/ack");
      const payloads = [
        "",
        " ",
        "unavailable",
        "unknown",
        "NaN",
        "Infinity",
        "1e999",
        "0x10",
        "1.2.3",
        "1,000.5",
        '"5"',
        "101",
        "-1",
        "true",
        "{}",
      ];
      for (const payload of payloads) await home.publish("hourgate/home/telemetry/soc_pct", payload);
      await home.publish("hourgate/home/telemetry/soc_pct", Buffer.from([0xff, 0xfe, 0x35]));
      await home.publish("hourgate/home/telemetry/soc", "5");
      await home.publish("hourgate/home/telemetry/__proto__", "5");
      await home.publish("hourgate/home/telemetry/soc_pct/x", "5");
      await home.until(() => home.acks().length === payloads.length + 4);
      for (const ack of home.acks()) {
        expect(ack.ok).toBe(false);
        expect(ack.error).toMatch(/^.{10,}\.$/s);
      }
      expect(home.acks().at(-1)?.topic).toBe("hourgate/home/telemetry/soc_pct/x");
      expect(stored).toEqual([]);
    }));

  it("accepts the words of home automation systems for ev_connected", () =>
    withGateway(async ({ stored }, device) => {
      const home = await device(KEYS.home);
      await home.subscribe("hourgate/home/ack");
      for (const payload of ["1", "true", " False\n", "0", "plugged", "ON", "off"])
        await home.publish("hourgate/home/telemetry/ev_connected", payload);
      await home.until(() => home.acks().length === 7);
      expect(stored.map(({ sample }) => sample.values.ev_connected)).toEqual([1, 1, 0, 0, 1, 0]);
      expect(home.acks().map(({ ok }) => ok)).toEqual([true, true, true, true, false, true, true]);
      expect(home.acks()[4]?.error).toBe(
        "ev_connected must be 1 or 0, or true or false; nothing was stored.",
      );
    }));

  it("accepts a JSON sample or batch, returns the id, stores valid samples and reports invalid ones", () =>
    withGateway(async ({ stored }, device) => {
      const home = await device(KEYS.home);
      await home.subscribe("hourgate/home/ack");
      const topic = "hourgate/home/telemetry";
      await home.publish(topic, JSON.stringify({ id: "a7", battery: { soc_pct: "61,5" }, import_kwh: 12 }));
      await home.publish(topic, JSON.stringify({ id: 8, samples: [{ soc_pct: 50 }, { soc_pct: 500 }] }));
      await home.publish(topic, "{");
      await home.publish(topic, "[1]");
      await home.publish(topic, JSON.stringify({ samples: Array(1001).fill({ soc_pct: 1 }) }));
      await home.until(() => home.acks().length === 5);
      expect(home.acks()).toEqual([
        { topic, ok: true, id: "a7" },
        { topic, ok: false, id: 8, error: "Stored in part. soc_pct must be a number from 0 to 100." },
        { topic, ok: false, error: "The payload is not valid JSON; send one object." },
        { topic, ok: false, error: "The payload must be one JSON object." },
        { topic, ok: false, error: "A batch holds at most 1000 samples; this one has 1001." },
      ]);
      expect(stored.map(({ sample }) => sample.values)).toEqual([
        { soc_pct: 61.5, import_kwh: 12 },
        { soc_pct: 50 },
      ]);
    }));

  it("reports a payload over 256 KiB once and keeps the connection", () =>
    withGateway(async ({ stored }, device) => {
      const home = await device(KEYS.home);
      await home.subscribe("hourgate/home/ack");
      for (const [index, qos] of ([0, 1, 2] as const).entries()) {
        await home.publish("hourgate/home/telemetry", Buffer.alloc(3_000_000, "x"), qos);
        await home.until(() => home.acks().length === index + 1);
      }
      await home.publish("hourgate/home/telemetry/soc_pct", "5");
      await home.until(() => home.acks().length === 4);
      expect(home.acks().slice(0, 3)).toEqual(
        Array(3).fill({
          topic: "hourgate/home/telemetry",
          ok: false,
          error: "The payload has more than 256 KiB; send smaller batches.",
        }),
      );
      expect([home.closes, stored.length]).toEqual([0, 1]);
    }));

  it("reports unknown plants to the administrator", () =>
    withGateway(async (_gateway, device) => {
      const owner = await device(KEYS.owner);
      await owner.subscribe("hourgate/+/ack");
      // Subscribers may close the connection when they receive a control character in a topic.
      for (const plant of ["b\u0007d", "b\u{FFFE}d", "x".repeat(65), "a b", "Küche%", "nowhere"])
        await owner.publish(`hourgate/${plant}/telemetry/soc_pct`, "5");
      await owner.until(() => owner.acks("nowhere").length === 1);
      expect(owner.messages.map(({ topic }) => topic).sort()).toEqual(
        ["Küche%", "a b", "home", "home", "home", "nowhere"].map((plant) => `hourgate/${plant}/ack`),
      );
      expect(owner.acks().map(({ topic, error }) => [topic.split("/")[1], error])).toEqual(
        ["b\u0007d", "b\u{FFFE}d", "x".repeat(65)].map((plant) => [
          plant,
          "There is no plant of that name on this gateway.",
        ]),
      );
      expect(owner.acks("Küche%")[0]?.error).toBe('There is no plant "Küche%" on this gateway.');
    }));

  it("answers slot topics without an assigned slot", () =>
    withGateway(async (_gateway, device) => {
      const home = await device(KEYS.home);
      await home.subscribe("hourgate/home/ack");
      await home.publish("hourgate/home/slots/3/set", "{}");
      await home.publish("hourgate/home/slots/3/plugged/set", "1");
      await home.until(() => home.acks().length === 2);
      expect(home.acks().map(({ ok }) => ok)).toEqual([false, false]);
    }));

  it("reports a storage error", () =>
    withGateway(
      async (_gateway, device) => {
        const home = await device(KEYS.home);
        await home.subscribe("hourgate/home/ack");
        await home.publish("hourgate/home/telemetry/soc_pct", "5");
        await home.until(() => home.acks().length === 1);
        expect(home.acks()[0]).toMatchObject({ ok: false, error: "The sample was not stored: disk full" });
      },
      {},
      { telemetry: { ingest: () => Promise.reject(new Error("disk full")), leaveOut: () => {} } },
    ));

  it("answers each of several hundred random payloads exactly once", () =>
    withGateway(async (_gateway, device) => {
      const home = await device(KEYS.home);
      await home.subscribe("hourgate/home/ack");
      const payloads = fc.sample(
        fc.oneof(
          fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
          fc.json().map((text) => Buffer.from(text)),
          fc.string({ unit: anyCharacter }).map((text) => Buffer.from(text)),
          fc
            .record(
              {
                soc_pct: fc.anything(),
                timestamp: fc.anything(),
                id: fc.jsonValue(),
                samples: fc.jsonValue(),
              },
              { requiredKeys: [] },
            )
            .map((body) =>
              Buffer.from(JSON.stringify(body, (_key, value) => (typeof value === "bigint" ? 0 : value))),
            ),
        ),
        { numRuns: runs(400), seed: 7 },
      );
      const topics = [
        "hourgate/home/telemetry",
        "hourgate/home/telemetry/soc_pct",
        "hourgate/home/telemetry/x",
      ];
      for (const [index, payload] of payloads.entries())
        await home.publish(topics[index % 3]!, payload, (index % 3) as 0 | 1 | 2);
      await home.until(() => home.acks().length >= payloads.length);
      for (const ack of home.acks())
        expect(ack.ok ? ack.error === undefined : (ack.error ?? "").length > 9).toBe(true);
      await home.publish("hourgate/home/telemetry/soc_pct", "5");
      await home.until(() => home.acks().length > payloads.length);
      expect(home.acks().length).toBe(payloads.length + 1);
      expect(home.closes).toBe(0);
    }));
});

describe("requests", () => {
  it("answers with the document and the id, or with an error on ack", () =>
    withGateway(async (_gateway, device) => {
      const home = await device(KEYS.home);
      await home.subscribe("hourgate/home/response/+");
      await home.subscribe("hourgate/home/ack");
      await home.publish("hourgate/home/request/hours-demand", '{"id":3,"battery":{"soc_pct":20}}');
      await home.publish("hourgate/home/request/hours-demand", "");
      await home.until(() => home.texts("hourgate/home/response/hours-demand").length === 2);
      const asked = { schema: "hours_demand_v1.11", plant: "home" };
      expect(home.texts("hourgate/home/response/hours-demand")).toEqual([
        JSON.stringify({ id: 3, ...asked, asked: { battery: { soc_pct: 20 } } }),
        JSON.stringify({ ...asked, asked: {} }),
      ]);
      await home.publish("hourgate/home/request/constructor", "{}");
      await home.publish("hourgate/home/request/forecast", '{"id":"f"}');
      await home.publish("hourgate/home/request/hours-demand", "nonsense");
      await home.until(() => home.acks().length === 3);
      expect(home.acks().map(({ ok, id }) => [ok, id])).toEqual([
        [false, undefined],
        [false, "f"],
        [false, undefined],
      ]);
      expect(home.acks()[0]?.error).toContain("hours-demand, forecast are available.");
      expect(home.acks()[1]?.error).not.toContain("boom");
    }));
});
