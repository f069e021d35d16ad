import { expect, it } from "vitest";
import { defaultSettings } from "../../../src/config/load.js";
import type { Site } from "../../../src/config/site.js";
import type { PriceScalars } from "../../../src/core/domain/plan-field-lists.js";
import { HomeAssistantDiscovery } from "../../../src/edges/mqtt/home-assistant/discovery.js";
import { createTopics } from "../../../src/edges/mqtt/topics/topics.js";
import { manualClock } from "../../support/manual-clock.js";

const topics = createTopics("hourgate");
const [plant] = defaultSettings().plants;

const site = (id: string): Site => ({ id, accountId: "account", plant: { ...plant!, id, name: id } });

/** Home Assistant's birth topic, and the announcement of a device. */
const BIRTH = "homeassistant/status";
const config = (device: string) => topics.announcement("home", device);

/** A gateway's discovery with the values and messages that it publishes; `stored` outlives it. */
function discovery(
  sites: Site[],
  stored = new Map<string, unknown>(),
  price?: PriceScalars,
  url: string | null = null,
) {
  const language: { now: "de" | "en" } = { now: "en" };
  const clock = manualClock(new Date("2026-11-26T12:00:00Z"));
  const values = new Map<string, string>();
  const sent: [topic: string, payload: string][] = [];
  const publish = (topic: string, payload: string) => void sent.push([topic, payload]);
  const it = new HomeAssistantDiscovery(
    {
      accounts: { access: () => ({}) as never, sites: () => sites },
      sites: { get: (id) => sites.find((site) => site.id === id) },
      baseUrl: () => "http://192.168.1.5:8080",
      clock,
      documents: {
        get: async (name) => JSON.parse(JSON.stringify(stored.get(name) ?? null)) ?? undefined,
        put: async (name, value) => void stored.set(name, value),
      },
      languageOf: () => language.now,
      log: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
      plans: { current: () => undefined, present: () => price },
      version: "1.2.3",
      settings: {
        external: { url, username: null, password: null },
        homeassistant: { enabled: true, prefix: "homeassistant", language: "auto" },
      },
      slots: { documents: () => [] },
      display: { live: () => ({}) },
      devices: { list: () => [] },
    },
    topics,
    {
      setValue: (topic, payload) => {
        if (values.get(topic) === payload) return;
        values.set(topic, payload);
        publish(topic, payload);
      },
      forgetValue: (topic) => {
        values.delete(topic);
        const at = sent.findLastIndex(([of]) => of === topic);
        if (at >= 0) sent.splice(at, 1);
      },
      repeatValue: (topic) => {
        const value = values.get(topic);
        if (value !== undefined) publish(topic, value);
      },
      value: (topic) => values.get(topic),
      sendMessage: publish,
    },
  );
  const sentTo = (topic: string) => sent.filter(([of]) => of === topic).map(([, payload]) => payload);
  return { discovery: it, clock, values, sent, sentTo, language };
}

const keysOf = (payload: string) =>
  Object.entries((JSON.parse(payload) as { cmps: Record<string, object> }).cmps).map(([key, one]) => [
    key,
    Object.keys(one).length > 1,
  ]);

const UNLOAD = '{"migrate_discovery":true}';
const EARLIER = JSON.stringify({
  availability: [{ topic: topics.status }],
  cmps: {
    price: { p: "sensor", unique_id: "hourgate_home_price" },
    charge_now: { p: "binary_sensor", unique_id: "hourgate_home_charge_now" },
  },
});

it("unloads the battery's entities from the plant's device before they are announced as those of another", async () => {
  const next = discovery([site("home")]);
  await next.discovery.start();
  next.discovery.announce("home");
  next.sent.length = 0;
  next.discovery.receive(config(""), EARLIER, { retained: true });
  expect(next.sent).toEqual([
    [config(""), UNLOAD],
    [config("battery"), UNLOAD],
  ]);
  // Home Assistant is connected again: what it knows by then is unloaded, too.
  next.discovery.receive(BIRTH, "online", { retained: false });
  await next.clock.advance(9_000);
  expect(next.sentTo(config("")).filter((text) => text !== UNLOAD)).toEqual([]);
  await next.clock.advance(1_000);
  expect(keysOf(next.sentTo(config("battery")).at(-1)!)).toContainEqual(["charge_now", true]);
  expect(keysOf(next.sentTo(config("")).at(-1)!)).toContainEqual(["price", true]);
});

it("removes what is gone before the rest is unloaded", async () => {
  const next = discovery([site("home")]);
  await next.discovery.start();
  const cmps = {
    charge_now: { p: "binary_sensor", unique_id: "hourgate_home_charge_now" },
    gone: { p: "switch", unique_id: "hourgate_home_gone" },
  };
  const text = JSON.stringify({ availability: [{ topic: topics.status }], cmps });
  next.discovery.receive(config(""), text, { retained: true });
  const [first, ...more] = next.sentTo(config(""));
  expect([keysOf(first!), more]).toEqual([
    [
      ["charge_now", true],
      ["gone", false],
    ],
    [],
  ]);
  await next.clock.advance(10_000);
  expect(next.sentTo(config("")).at(-1)).toBe(UNLOAD);
  await next.clock.advance(60_000);
  expect(keysOf(next.sentTo(config("battery")).at(-1)!)).toContainEqual(["charge_now", true]);
});

it("does so without a birth message, for a Home Assistant that is off", async () => {
  const next = discovery([site("home")]);
  await next.discovery.start();
  next.discovery.announce("home");
  next.discovery.receive(config(""), EARLIER, { retained: true });
  next.sent.length = 0;
  await next.clock.advance(60_000);
  expect(next.sentTo(config("battery"))).toHaveLength(1);
});

it("unloads the entities before their states have other words", async () => {
  const next = discovery([site("home")]);
  await next.discovery.start();
  next.discovery.announce("home");
  next.sent.length = 0;
  next.language.now = "de";
  next.discovery.announce("home");
  expect(next.sentTo(config(""))).toEqual([UNLOAD]);
  await next.clock.advance(10_000);
  expect(next.sentTo(config("")).at(-1)).toContain('"günstig"');
  next.discovery.announce("home");
  expect(next.sentTo(config(""))).toHaveLength(2);
});

it("listens for the announcements of the previous run before it announces on an external broker", async () => {
  const next = discovery([site("home")], undefined, undefined, "mqtt://127.0.0.1");
  await next.discovery.start();
  next.discovery.announce("home");
  next.discovery.connected();
  next.discovery.receive(config(""), EARLIER, { retained: true });
  expect(next.sentTo(config(""))).toEqual([UNLOAD]);
  await next.clock.advance(10_000);
  expect(next.sentTo(config("battery"))).toHaveLength(1);
});

it("tells Home Assistant at its next birth message what was removed while it did not listen, in a later run too", async () => {
  const stored = new Map<string, unknown>();
  const first = discovery([site("home"), site("cabin")], stored);
  await first.discovery.start();
  first.discovery.announce("home");
  first.discovery.announce("cabin");
  await first.discovery.stop();

  const second = discovery([site("home")], stored);
  await second.discovery.start();
  expect(second.sentTo(topics.announcement("cabin"))).toEqual([""]);
  await second.discovery.stop();

  const third = discovery([site("home")], stored);
  await third.discovery.start();
  expect(third.sent).toEqual([]);
  third.discovery.receive(BIRTH, "online", { retained: false });
  const [stub, ...more] = third.sentTo(topics.announcement("cabin"));
  expect(more).toEqual([]);
  expect(keysOf(stub!)).toContainEqual(["price", true]);
  await third.clock.advance(10_000);
  expect(third.sentTo(topics.announcement("cabin", "battery"))).toEqual([expect.any(String), ""]);
  await third.discovery.stop();

  const fourth = discovery([site("home")], stored);
  await fourth.discovery.start();
  fourth.discovery.receive(BIRTH, "online", { retained: false });
  expect(fourth.sentTo(topics.announcement("cabin"))).toEqual([]);
});

it("shows and removes entities of a device that were removed while it did not listen", async () => {
  const stored = new Map<string, unknown>();
  const driven = site("home");
  driven.plant.devices = [{ id: "relay", controls: "battery" } as (typeof driven.plant.devices)[number]];
  const first = discovery([driven], stored);
  await first.discovery.start();
  first.discovery.announce("home");
  await first.discovery.stop();

  const { discovery: it, clock, sentTo } = discovery([site("home")], stored);
  await it.start();
  it.announce("home");
  it.receive(BIRTH, "online", { retained: false });
  await clock.advance(10_000);
  const shown = sentTo(config("battery")).map((payload) => new Map(keysOf(payload) as [string, boolean][]));
  expect(shown.map((keys) => keys.get("actuator_relay_state"))).toEqual([false, true, false]);
  expect(shown.map((keys) => keys.get("charge_now"))).toEqual([true, true, true]);
  it.receive(BIRTH, "online", { retained: false });
  expect(sentTo(config("battery"))).toHaveLength(4);
});

it("removes a plant once while Home Assistant listens", async () => {
  const sites = [site("home"), site("cabin")];
  const { discovery: it, sentTo } = discovery(sites);
  await it.start();
  it.announce("cabin");
  it.receive(BIRTH, "online", { retained: false });
  sites.pop();
  it.remove("cabin");
  it.receive(BIRTH, "online", { retained: false });
  expect(sentTo(topics.announcement("cabin")).slice(-2)).toEqual([expect.stringContaining("cmps"), ""]);
});

it("says what is missing for a plan", async () => {
  const reasons = async (price?: PriceScalars, settings: Partial<Site["plant"]> = {}) => {
    const one = { ...site("home"), plant: { ...site("home").plant, ...settings } };
    const { discovery: it, values } = discovery([one], undefined, price);
    await it.start();
    it.announce("home");
    const of = (device: string) =>
      JSON.parse(values.get(`hourgate/home/home_assistant/${device}`) ?? "{}") as Record<string, object>;
    return { ...of("plant"), ...of("battery") };
  };
  const price = {} as PriceScalars;
  expect((await reasons()).charge_now).toEqual({
    reason: "There is no plan yet: no prices are known yet.",
  });
  expect((await reasons(price)).charge_now).toEqual({
    reason: "There is no plan yet: the state of charge of the battery is missing.",
  });
  expect(await reasons(price, { battery: null })).not.toHaveProperty("charge_now");
});
