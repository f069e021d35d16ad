import { describe, expect, it, onTestFinished } from "vitest";
import { OWNER_ID, SiteRegistry, SiteSettingsError } from "../../src/accounts/site-registry.js";
import { parse } from "../../src/config/load.js";
import { createBus } from "../../src/core/bus.js";
import { openStore } from "../../src/store/store.js";
import { recordingLog, temporaryFolder } from "../store/support/folder.js";
import { manualClock } from "../support/manual-clock.js";

const TWO_PLANTS = `
plants:
  - { id: home, latitude: 48.2, longitude: 16.4, battery: { capacity_kwh: 10 }, slots: [ { slot: 1, power_kw: 11 } ] }
  - { id: cabin }
mqtt:
  telemetry:
    - { topic: meters/soc, field: soc_pct }
    - { topic: cabin/soc, field: soc_pct, plant: cabin }
`;

async function open(yaml = TWO_PLANTS, folder?: string) {
  const path = folder ?? (await temporaryFolder());
  const store = await openStore(path, recordingLog());
  let closed = false;
  const close = async () => {
    if (!closed) await store.close();
    closed = true;
  };
  onTestFinished(close);
  const bus = createBus();
  const events: string[] = [];
  bus.on("site.changed", ({ id }) => void events.push(`changed ${id}`));
  bus.on("site.removed", ({ siteId }) => void events.push(`removed ${siteId}`));
  const { settings } = parse(yaml);
  const log = recordingLog();
  const registry = new SiteRegistry({
    state: store.state,
    clock: manualClock(new Date("2026-01-15T12:00:00Z")),
    bus,
    plants: settings.plants,
    telemetry: settings.mqtt.telemetry,
    log,
  });
  return { registry, store, events, log, folder: path, close };
}

describe("SiteRegistry", () => {
  it("serves the configured plants as the owner's", async () => {
    const { registry } = await open();
    expect(registry.list().map(({ id, accountId }) => [id, accountId])).toEqual([
      ["home", OWNER_ID],
      ["cabin", OWNER_ID],
    ]);
    expect(registry.telemetryMap("home").map(({ topic }) => topic)).toEqual(["meters/soc"]);
    expect(registry.telemetryMap("cabin").map(({ topic }) => topic)).toEqual(["cabin/soc"]);
  });

  it("keeps several batteries where other sections are edited; a section of the portal replaces them", async () => {
    const { registry } = await open(
      "plants: [{ id: home, batteries: [{ id: a, capacity_kwh: 4 }, { id: b, capacity_kwh: 6 }] }]",
    );
    expect(registry.get("home")?.plant.battery?.capacity_kwh).toBe(10);
    const { site: edited } = await registry.change("home", { plant: { load: { daily_kwh: 9 } } });
    expect(edited.plant.batteries.map(({ id, label }) => [id, label])).toEqual([
      ["a", "a"],
      ["b", "b"],
    ]);
    const { site: one } = await registry.change("home", { plant: { battery: { capacity_kwh: 8 } } });
    expect([one.plant.battery?.capacity_kwh, one.plant.batteries]).toEqual([8, []]);
    await expect(registry.change("home", { plant: { batteries: [{ id: "c" }] } })).rejects.toThrow(
      /battery cannot be combined with batteries/,
    );
  });

  it("overlays the configuration with whole sections of the portal, also after a restart, and resets them", async () => {
    const { registry, events, folder, close } = await open();
    const { site } = await registry.change("home", {
      plant: { battery: { capacity_kwh: 12.5 }, pv: [{ peak_kw: 5 }] },
    });
    expect(site.plant.battery).toMatchObject({ capacity_kwh: 12.5, min_soc_pct: 10 });
    expect(site.plant.latitude).toBe(48.2);
    expect(registry.get("home")).toBe(site);
    expect(events).toEqual(["changed home"]);
    await close();
    const again = await open(TWO_PLANTS, folder);
    expect(again.registry.get("home")?.plant).toEqual(site.plant);
    await again.registry.change("home", { plant: { battery: undefined } });
    expect(again.registry.get("home")?.plant.battery?.capacity_kwh).toBe(10);
    expect(again.registry.get("home")?.plant.pv).toHaveLength(1);
  });

  it("replaces the shared inverters of the configuration with the arrays of the portal", async () => {
    const { registry } = await open(
      "plants: [{ id: home, pv: [{ peak_kw: 6, inverter: roof }], inverters: [{ id: roof, kw: 5 }] }]",
    );
    const { site } = await registry.change("home", { plant: { pv: [{ peak_kw: 5 }] } });
    expect(site.plant).toMatchObject({ pv: [{ peak_kw: 5, inverter: null }], inverters: [] });
    const { site: reset } = await registry.change("home", { plant: { pv: undefined } });
    expect(reset.plant).toMatchObject({ pv: [{ inverter: "roof" }], inverters: [{ id: "roof", kw: 5 }] });
  });

  it("rejects invalid settings with their path and changes nothing", async () => {
    const { registry, events, store } = await open();
    const before = store.state.data;
    const bad = registry.change("home", {
      plant: { battery: { capacity_kwh: -1, min_soc_pct: 95, max_soc_pct: 90 }, latitude: null },
      telemetry: [{ topic: "a/#/b", field: "soc_pct" }],
    });
    const error: unknown = await bad.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SiteSettingsError);
    const places = (error as SiteSettingsError).findings.map(({ path }) => path.join("."));
    expect(places).toContain("battery.capacity_kwh");
    expect(places).toContain("telemetry.0.topic");
    const rules = registry.change("home", { plant: { latitude: null } });
    await expect(rules).rejects.toThrow("latitude is missing");
    expect(store.state.data).toBe(before);
    expect(events).toEqual([]);
  });

  it("applies both of two concurrent changes", async () => {
    const { registry } = await open();
    await Promise.all([
      registry.change("home", { plant: { battery: null } }),
      registry.change("home", { plant: { load: { daily_kwh: 7 } }, customerRef: "K-17" }),
    ]);
    const { plant } = registry.get("home")!;
    expect([plant.battery, plant.load.daily_kwh, registry.card("home").customerRef]).toEqual([
      null,
      7,
      "K-17",
    ]);
  });

  it("keeps a removed site removed when settings are changed concurrently", async () => {
    const { registry, store, events } = await open();
    const { id } = await registry.add("a1", { label: "", customerRef: "" });
    const removal = registry.remove(id);
    const change = registry.change(id, { customerRef: "K-17" });
    await removal;
    await expect(change).rejects.toThrow(RangeError);
    expect(registry.get(id)).toBeUndefined();
    expect(JSON.stringify({ ...store.state.data, removedSites: [] })).not.toContain(id);
    expect(events.at(-1)).toBe(`removed ${id}`);
  });

  it("creates sites of accounts with unique ids and removes them with their keys, links, webhook and settings", async () => {
    const { registry, store, events } = await open();
    const first = await registry.add("a1", { label: "Haus Müller", customerRef: "4711" });
    const second = await registry.add("a1", { label: "Haus Müller", customerRef: "" });
    expect(first.id).toMatch(/^haus-mu-ller-[0-9a-f]{8}$/);
    expect(second.id).not.toBe(first.id);
    expect(registry.card(first.id)).toEqual({ label: "Haus Müller", customerRef: "4711" });
    expect(registry.of("a1")).toEqual([first, second]);
    const long = await registry.add("a2", { label: "Einfamilienhaus der Familie Huber", customerRef: "" });
    expect(long.id).toMatch(/^einfamilienhaus-der-fam-[0-9a-f]{8}$/);
    await registry.remove(long.id);
    events.length = 0;
    await store.state.update((draft) => {
      draft.webhooks.push({ siteId: first.id, url: "https://x.example/", secret: "s", createdAt: "2026" });
    });
    await registry.remove(first.id);
    expect(registry.get(first.id)).toBeUndefined();
    expect(JSON.stringify({ ...store.state.data, removedSites: [] })).not.toContain(first.id);
    expect(events).toEqual([`removed ${first.id}`]);
    await expect(registry.remove("home")).rejects.toThrow("configuration file");
  });

  it("serves the configured plant if its portal settings are no longer valid, and logs a warning", async () => {
    const { registry, folder, close } = await open();
    await registry.change("home", { plant: { latitude: 47, longitude: 15 } });
    await close();
    // Another plant file: a fixed feed-in price without its figure came in between.
    const store = await openStore(folder, recordingLog());
    await store.state.update((draft) => {
      draft.settings.home!.plant = { battery: { capacity_kwh: "many" } };
    });
    await store.close();
    const again = await open(TWO_PLANTS, folder);
    expect(again.registry.get("home")?.plant.battery?.capacity_kwh).toBe(10);
    expect(again.log.warnings.join("\n")).toContain("battery.capacity_kwh");
  });
});
