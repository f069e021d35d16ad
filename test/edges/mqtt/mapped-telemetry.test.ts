import { describe, expect, it } from "vitest";
import { silentLog } from "../../../src/core/log.js";
import { AnswerBudget } from "../../../src/edges/mqtt/topics/answer-budget.js";
import { MappedTelemetry } from "../../../src/edges/mqtt/topics/mapped-telemetry.js";
import { createTopics } from "../../../src/edges/mqtt/topics/topics.js";
import type { TopicMapEntry } from "../../../src/telemetry/topic-map.js";
import { manualClock } from "../../support/manual-clock.js";
import { processorMs } from "../../support/processor-time.js";
import { KEYS, NOW, SITES, withGateway } from "./harness.js";

const entry = (
  topic: string,
  field: TopicMapEntry["field"],
  more: Partial<TopicMapEntry> = {},
): TopicMapEntry => ({
  topic,
  field,
  path: "",
  scale: 1,
  offset: 0,
  ...more,
});

/** The maps of docs/mqtt.md with messages of each device: topic, payload, reading. */
const DEVICES: [device: string, map: TopicMapEntry[], messages: [string, string, object][]][] = [
  [
    "Victron",
    [
      entry("N/+/system/0/Dc/Battery/Soc", "soc_pct", { path: "value" }),
      entry("N/+/system/0/Dc/Battery/Power", "battery_power_kw", { path: "value", scale: 0.001 }),
    ],
    [
      ["N/b827eb1f2a3c/system/0/Dc/Battery/Soc", '{"value":56.4}', { soc_pct: 56.4 }],
      ["N/b827eb1f2a3c/system/0/Dc/Battery/Power", '{"value":-1820}', { battery_power_kw: -1.82 }],
    ],
  ],
  [
    "evcc",
    [
      entry("evcc/site/pvPower", "pv_power_kw", { scale: 0.001 }),
      entry("evcc/loadpoints/1/connected", "ev_connected"),
      entry("evcc/loadpoints/1/vehicleSoc", "soc_pct", { slot: 2 }),
    ],
    [
      ["evcc/loadpoints/1/vehicleSoc", "63", { slot_2_soc_pct: 63 }],
      ["evcc/site/pvPower", "4321", { pv_power_kw: 4.321 }],
      ["evcc/loadpoints/1/connected", "true", { ev_connected: 1 }],
    ],
  ],
  [
    "solar-assistant, Fronius and the like",
    [entry("solar_assistant/total/battery_state_of_charge/state", "soc_pct")],
    [["solar_assistant/total/battery_state_of_charge/state", "87", { soc_pct: 87 }]],
  ],
  [
    "Home Assistant statestream",
    [
      entry("homeassistant/sensor/battery_soc/state", "soc_pct"),
      entry("homeassistant/binary_sensor/car_plugged/state", "ev_connected"),
    ],
    [
      ["homeassistant/sensor/battery_soc/state", "61.5", { soc_pct: 61.5 }],
      ["homeassistant/binary_sensor/car_plugged/state", "off", { ev_connected: 0 }],
    ],
  ],
  [
    "go-e",
    [
      entry("go-eCharger/+/nrg", "ev_power_kw", { path: "[11]", scale: 0.001 }),
      entry("go-eCharger/+/car", "ev_connected", { offset: -1 }),
    ],
    [
      [
        "go-eCharger/201234/nrg",
        "[230,231,229,2,15.9,15.8,15.9,3657,3650,3641,0,10948,100,100,100,0]",
        { ev_power_kw: 10.948 },
      ],
      ["go-eCharger/201234/car", "3", { ev_connected: 1 }],
    ],
  ],
];

const toHome = (map: readonly TopicMapEntry[]) => ({
  telemetryMap: (siteId: string) => (siteId === "home" ? map : []),
});

describe("telemetry from topics of other devices", () => {
  it.each(DEVICES)("stores, acknowledges and thins messages of %s", (_device, map, messages) =>
    withGateway(
      async ({ stored, service }, device) => {
        const home = await device(KEYS.home);
        await home.subscribe("hourgate/home/ack");
        for (const [topic, payload] of messages) await home.publish(topic, payload);
        await home.until(() => home.acks().length === messages.length);
        expect(home.acks()).toEqual(messages.map(([topic]) => ({ topic, ok: true })));
        expect(stored).toEqual(
          messages.map(([, , values]) => ({ siteId: "home", sample: { at: NOW, values }, thinSeconds: 10 })),
        );
        expect(service.lastPayloads("home")).toEqual(
          [...messages].reverse().map(([topic, payload]) => ({ topic, payload, at: NOW })),
        );
        expect(service.lastPayloads("cabin")).toEqual([]);
      },
      {},
      toHome(map),
    ),
  );

  it("adds up the topics of one entry, without those that are cleared", () =>
    withGateway(
      async ({ stored }, device) => {
        const home = await device(KEYS.home);
        await home.subscribe("hourgate/home/ack");
        const messages = [
          ["evcc/loadpoints/1/chargePower", "11040"],
          ["evcc/loadpoints/2/chargePower", "3680"],
          ["evcc/loadpoints/1/connected", "true"],
          ["evcc/loadpoints/2/connected", "false"],
          ["evcc/loadpoints/1/chargePower", "0"],
          ["evcc/loadpoints/2/chargePower", ""],
          ["evcc/loadpoints/1/chargePower", "1000"],
        ] as const;
        for (const [topic, payload] of messages) await home.publish(topic, payload);
        await home.until(() => home.acks().length === messages.length);
        expect(stored.map(({ sample }) => sample.values)).toEqual([
          { ev_power_kw: 11.04 },
          { ev_power_kw: 14.72 },
          { ev_connected: 1 },
          { ev_connected: 1 },
          { ev_power_kw: 3.68 },
          { ev_power_kw: 1 },
        ]);
      },
      {},
      toHome([
        entry("evcc/loadpoints/+/chargePower", "ev_power_kw", { scale: 0.001, sum: true }),
        entry("evcc/loadpoints/+/connected", "ev_connected", { sum: true }),
      ]),
    ));

  it("makes one sample and one answer from several entries of a message", () =>
    withGateway(
      async ({ stored }, device) => {
        const home = await device(KEYS.home);
        await home.subscribe("hourgate/home/ack");
        await home.publish("inverter/live", '{"soc":50,"pv":[{"w":1500}],"load":"x"}');
        await home.until(() => home.acks().length === 1);
        expect(home.acks()).toEqual([
          { topic: "inverter/live", ok: false, error: 'load_power_kw needs a number at load; found "x".' },
        ]);
        expect(stored.map(({ sample }) => sample.values)).toEqual([{ soc_pct: 50, pv_power_kw: 1.5 }]);
        await home.publish("inverter/live", '{"soc":500,"pv":[{"w":1}],"load":1}');
        await home.until(() => home.acks().length === 2);
        expect(home.acks()[1]?.error).toBe("Stored in part. soc_pct must be a number from 0 to 100.");
      },
      {},
      toHome([
        entry("inverter/+", "soc_pct", { path: "soc" }),
        entry("inverter/live", "pv_power_kw", { path: "pv[0].w", scale: 0.001 }),
        entry("inverter/#", "load_power_kw", { path: "load" }),
      ]),
    ));

  it("lets a plant's key publish to its own mapped topics only, and a map reach nothing of the gateway", () =>
    withGateway(
      async ({ stored }, device) => {
        const owner = await device(KEYS.owner);
        await owner.subscribe("#");
        const cabin = await device(KEYS.cabin);
        await cabin.subscribe("hourgate/cabin/ack");
        await cabin.publish("meter/soc", "5");
        await cabin.until(() => cabin.acks("cabin").length === 1);
        expect(cabin.acks("cabin")[0]).toMatchObject({ topic: "meter/soc", ok: false });
        const home = await device(KEYS.home);
        await home.subscribe("hourgate/home/ack");
        for (const forbidden of [
          "hourgate/home/charge_now",
          "hourgate/status",
          "$SYS/x",
          "homeassistant/device/hourgate_home/config",
        ])
          await home.publish(forbidden, "7", 1, true);
        await home.until(() => home.acks().length === 4);
        expect(home.acks().map(({ ok }) => ok)).toEqual([false, false, false, false]);
        await home.publish("meter/soc", "66");
        await home.until(() => home.acks().length === 5);
        expect([stored.length, stored[0]?.sample.values, home.closes]).toEqual([1, { soc_pct: 66 }, 0]);
        await owner.until(() => owner.last("meter/soc") === "66");
        expect(owner.messages.filter(({ text }) => text === "7")).toEqual([]);
      },
      {},
      toHome([
        entry("meter/soc", "soc_pct"),
        entry("homeassistant/#", "soc_pct"),
        entry("hourgate/#", "soc_pct"),
      ]),
    ));

  it("refuses a device without sign-in and informs the plant that maps the topic", () =>
    withGateway(
      async ({ stored }, device) => {
        const meter = await device();
        await meter.subscribe("hourgate/+/ack");
        await meter.publish("meter/soc", "5");
        await meter.until(() => meter.acks().length === 1);
        expect(meter.acks()[0]).toMatchObject({ topic: "meter/soc", ok: false });
        expect(meter.acks()[0]?.error).toMatch(/^A client without sign-in may only publish to .+\.$/);
        expect([meter.messages.length, stored, meter.closes]).toEqual([1, [], 0]);
      },
      { anonymous: true },
      toHome([entry("meter/soc", "soc_pct")]),
    ));

  it("shows retained messages without storing them; maps can change at run time", () => {
    const map: TopicMapEntry[] = [];
    return withGateway(
      async ({ stored, service, bus }, device) => {
        const owner = await device(KEYS.owner);
        await owner.subscribe("hourgate/home/ack");
        await owner.subscribe("old/soc");
        await owner.publish("old/soc", "12", 1, true);
        await owner.until(() => owner.last("old/soc") === "12");
        map.push(entry("old/soc", "soc_pct"));
        bus.emit("site.changed", SITES[0]!);
        // After a change of the maps: retained messages are shown, new ones stored.
        while (service.lastPayloads("home").length === 0) await owner.settled();
        expect(service.lastPayloads("home")[0]?.payload).toBe("12");
        await owner.publish("old/soc", "13");
        await owner.until(() => owner.acks().some(({ topic }) => topic === "old/soc"));
        map.length = 0;
        bus.emit("site.changed", SITES[0]!);
        await owner.publish("old/soc", "14");
        await owner.settled();
        const marks = 50;
        const taken = stored.map(({ sample }) => sample.values.soc_pct);
        expect(taken.filter((soc) => soc !== marks)).toEqual([13]);
      },
      {},
      toHome(map),
    );
  });

  it("sends keep-alive requests to Victron devices, also with unknown ids", () =>
    withGateway(
      async (_gateway, device) => {
        const owner = await device(KEYS.owner);
        await owner.subscribe("R/#");
        await owner.publish("N/second/system/0/Serial", '{"value":"second"}');
        await owner.until(() => owner.texts("R/second/keepalive").length === 1);
        await owner.until(() => owner.texts("R/first/keepalive").length > 0);
        expect(new Set(owner.messages.map(({ text }) => text))).toEqual(new Set([""]));
      },
      {},
      toHome([entry("N/first/battery/512/Soc", "soc_pct"), entry("N/+/battery/512/Soc", "soc_pct")]),
    ));
});

describe("answers to mapped topics", () => {
  it("are limited for a device that floods; the next answer reports the number of omitted ones", () => {
    const budget = new AnswerBudget();
    const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
    for (let second = 0; second < 500; second++) expect(budget.take("slow", at(second))).toBe(0);
    const flood = Array.from({ length: 1000 }, () => budget.take("flood", at(0)));
    expect(flood.filter((answer) => answer !== undefined)).toHaveLength(100);
    expect(budget.take("flood", at(1))).toBe(900);
    expect(budget.take("flood", at(-60))).toBeUndefined();
    expect(budget.take("other", at(0))).toBe(0);
  });
});

it("rows without an approval cost nothing at a message, and changes of approvals count at once", () => {
  const row = (topic: string): TopicMapEntry => ({ topic, path: "", field: "soc_pct", scale: 1, offset: 0 });
  const rows = [row("meters/+"), ...Array.from({ length: 950 }, (_, index) => row(`foreign/${index}/#`))];
  const asked: string[] = [];
  let approved = /^meters/;
  const mapped = new MappedTelemetry({
    topics: createTopics("hourgate"),
    clock: manualClock(NOW),
    sites: () => SITES,
    telemetryMap: () => rows,
    mayRead: (siteId, filter) => {
      asked.push(filter);
      return siteId === "home" && approved.test(filter);
    },
    take: async () => {},
    acknowledge: () => {},
    log: silentLog,
  });
  expect(mapped.mappedSites("meters/1")).toEqual(["home"]);
  asked.length = 0;
  for (const topic of ["meters/1", "foreign/7/x", "other"]) mapped.mappedSites(topic);
  expect(asked).toEqual(["meters/+"]);
  approved = /^foreign/;
  mapped.changed();
  expect(["meters/1", "foreign/7/x"].map((topic) => mapped.mappedSites(topic))).toEqual([[], ["home"]]);
});

/** A map of all sites, and the answers to its messages. */
function mappedBy(rows: readonly TopicMapEntry[]) {
  const answers: { ok: boolean; error?: string }[] = [];
  const mapped = new MappedTelemetry({
    topics: createTopics("hourgate"),
    clock: manualClock(NOW),
    sites: () => SITES,
    telemetryMap: () => rows,
    mayRead: () => true,
    take: async () => {},
    acknowledge: (_site, _topic, answer) => void answers.push(answer),
    log: silentLog,
  });
  return { mapped, answers };
}

const nested = (levels: number, inner: string) => `${'{"a":'.repeat(levels)}${inner}${"}".repeat(levels)}`;

it.each<[shape: string, path: string, payload: string]>([
  ["a path that a payload does not have", "a.".repeat(250).slice(0, -1), '{"a":1}'],
  ["as many levels as a payload may have", "a.".repeat(99).slice(0, -1), nested(99, "1")],
  ["more levels", "a", nested(40_000, "1")],
  ["a value with many members", "a", `{"a":[${"{},".repeat(85_000)}{}]}`],
  ["many numbers", "b", `{"a":[${"1,".repeat(125_000)}1],"b":2}`],
  ["a long text", "a", `{"a":"${" ".repeat(250_000)}1"}`],
  ["a long text in quotes", "", `"${" ".repeat(250_000)}"`],
  ["no document", "a", "x".repeat(250_000)],
  ["no text", "", `\xff${" ".repeat(100_000)}`],
])("the longest map costs a bounded time for the largest payload: %s", async (_shape, path, payload) => {
  for (const sum of [false, true]) {
    const rows = Array.from({ length: 1000 }, () => entry("meter", "soc_pct", { path, sum }));
    const { mapped, answers } = mappedBy(rows);
    const bytes = Buffer.from(payload, "latin1");
    for (const retained of [true, false])
      expect(await processorMs(() => mapped.handle("meter", bytes, retained))).toBeLessThan(250);
    for (const { error = "" } of answers) expect(error.length).toBeLessThan(10_000);
  }
});
