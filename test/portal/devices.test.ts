import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defaultSettings } from "../../src/config/load.js";
import { newDevice } from "../../src/config/new-device.js";
import type { DeviceSettings } from "../../src/config/settings.js";
import type { Site } from "../../src/config/site.js";
import { DeviceError } from "../../src/equipment/command.js";
import type { DeviceFinder } from "../../src/equipment/finding/finder.js";
import type { FoundDevice } from "../../src/equipment/finding/found.js";
import { parseTargets } from "../../src/equipment/finding/targets.js";
import { entityChoices } from "../../src/equipment/home-assistant-entities.js";
import type { ShownReading } from "../../src/equipment/reading/kept-reading.js";
import type { DeviceView } from "../../src/equipment/reading/view.js";
import { TemplateLibrary } from "../../src/equipment/template-library.js";
import { DeviceDrafts } from "../../src/portal/devices/drafts.js";
import { readingsLine } from "../../src/portal/devices/labels.js";
import { eventually } from "../support/eventually.js";
import { recordedText } from "../support/recorded-data.js";
import { type OpenPortal, openPortal } from "./harness.js";

const AT = new Date("2026-01-15T10:00:00Z");

const reading = (value: number | null, unit: string): ShownReading => ({
  value,
  unit,
  quality: value === null ? "missing" : "good",
  at: value === null ? null : AT,
  raw: value,
});

/** What a GEN24 without a meter of its own says. */
const GEN24 = {
  readings: {
    pv_power_kw: reading(3.2, "kW"),
    grid_power_kw: reading(null, "kW"),
    battery_power_kw: reading(2, "kW"),
    soc_pct: reading(41, "%"),
  },
  facts: { capacity_kwh: 11, max_charge_power_kw: 5, max_discharge_power_kw: 5, min_soc_pct: 7 },
};

function viewOf(site: Pick<Site, "id">, settings: DeviceSettings): DeviceView {
  const isMeter = settings.template === "shelly-pro-3em";
  const sign = settings.reversed.length > 0 ? -1 : 1;
  return {
    siteId: site.id,
    id: settings.id,
    name: settings.name ?? (isMeter ? "Pro3EM" : "Symo GEN24 10.0 Plus"),
    template: settings.template,
    isExperimental: false,
    state: "ok",
    reason: null,
    notes: [],
    address: String(settings.with.host),
    reads: settings.reads ?? (isMeter ? ["grid"] : ["pv", "battery", "grid"]),
    controls: settings.controls,
    dryRun: true,
    isFallback: settings.fallback,
    pollS: 10,
    readAt: AT,
    identity: { manufacturer: "Fronius", serial: "34567890" },
    facts: isMeter ? {} : GEN24.facts,
    readings: isMeter ? { grid_power_kw: reading(1.1 * sign, "kW") } : GEN24.readings,
    command: null,
    counts: { reads: 12, failures: 0, implausible: 0, writes: 0 },
    lastError: null,
    durationMs: 20,
    bytes: 300,
  };
}

/** A search that ends when it is told to. */
function heldSearch() {
  let end = () => {};
  const asked: { targets?: readonly string[]; exclude?: readonly string[] } = {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const found: FoundDevice = {
    template: "fronius-gen24",
    name: "Fronius GEN24 10.0 Plus",
    with: { host: "192.168.1.85" },
    identity: { serial: "34567890" },
    reads: ["battery", "pv", "grid"],
    controls: [],
    facts: GEN24.facts,
    readings: {
      soc_pct: { value: 41, unit: "%", quality: "good", at: AT.toISOString(), age_s: 1, raw: 4100 },
    },
    also: [{ template: "fronius-solarapi", with: { host: "192.168.1.85" } }],
  };
  const find: DeviceFinder["find"] = async ({ targets = [], exclude = [], onProgress } = {}) => {
    parseTargets(targets, { exclude });
    Object.assign(asked, { targets, exclude });
    onProgress?.({ looked_at: 32, of: 254, found: [] });
    await ended;
    return { found: [found], looked_at: 254, ms: 21_000 };
  };
  return { asked, find, end: () => end() };
}

describe("adding a device in the portal", () => {
  const search = heldSearch();
  let portal: OpenPortal;

  beforeAll(async () => {
    const library = await TemplateLibrary.open();
    await library.readAll();
    portal = await openPortal({
      find: search.find,
      actuators: { templates: () => library, templatesOf: () => library.all() },
      devices: {
        list: (siteId) => {
          const site = siteId === undefined ? undefined : portal.sites.get(siteId);
          return site === undefined ? [] : site.plant.devices.map((one) => viewOf(site, one));
        },
        preview: async (site, settings) => viewOf(site, settings),
        entities: async (_site, { with: given }) => {
          if (given.token !== "secret")
            throw new DeviceError("unauthorized", "192.168.1.5:8123 answered 401");
          return entityChoices(JSON.parse(recordedText("answers/home_assistant_states_2026-11-26.json")));
        },
      },
    });
    await portal.addAccount("owner@example.org", { administrator: true });
  });
  afterAll(() => portal.close());

  it("keeps 20 devices of an account that are not saved yet, and those of the others", () => {
    const drafts = new DeviceDrafts();
    const settings = newDevice("shelly-pro-3em", defaultSettings().plants[0]!);
    const put = (accountId: string) =>
      drafts.put({ accountId, siteId: "home", settings, replaces: undefined, back: "/devices" });
    const isKept = (token: string, accountId: string) =>
      drafts.get(token, { accountId, siteId: "home" }) !== undefined;
    const other = put("other");
    const own = Array.from({ length: 300 }, () => put("owner"));
    expect(isKept(other, "other")).toBe(true);
    expect(own.filter((token) => isKept(token, "owner"))).toEqual(own.slice(-20));
    expect(isKept(own.at(-1)!, "other")).toBe(false);
  });

  it("shows what the device says before it is saved, takes over its facts, and can be undone", async () => {
    const owner = await portal.signedIn("owner@example.org");
    expect((await owner.get("/devices")).text).not.toContain("/devices/device?");
    const templates = (await owner.get("/devices/add")).text;
    expect(templates).toContain("Fronius GEN24");
    const form = await owner.get("/devices/add?template=fronius-gen24&transport=modbus");
    expect(form.text).toContain('name="p.host"');

    const given = { template: "fronius-gen24", transport: "modbus" };
    const refused = await owner.post("/devices/add", { ...given, "p.host": "" });
    expect([refused.status, refused.text.includes("must be filled in")]).toEqual([422, true]);
    const { location } = await owner.post("/devices/add", { ...given, "p.host": "192.168.1.80" });
    const { text } = await owner.get(location!);
    expect(text).toContain("PV 3.2 kW, battery +2.0 kW (charging), 41 %: Does that fit?");
    expect(text).toContain("battery capacity 11.0 kWh");

    const draft = new URLSearchParams(location!.split("?")[1]).get("draft")!;
    const saved = await owner.post("/devices/check", { draft, do: "save", name: "", controls: "" });
    expect(saved.location).toBe("/devices");
    const { plant } = portal.sites.list()[0]!;
    expect(plant.battery).toMatchObject({ capacity_kwh: 11, max_charge_power_kw: 5, min_soc_pct: 7 });
    // It has no meter: another device may give the grid.
    expect(plant.devices).toMatchObject([
      { id: "fronius-gen24", with: { host: "192.168.1.80" }, reads: ["pv", "battery"], controls: null },
    ]);
    const list = (await owner.get("/devices")).text;
    expect(list).toContain("Symo GEN24 10.0 Plus is added.");
    expect(list).toContain("Undo");
    expect(list).toContain("<dd>41 %</dd>");
    // By kind; its address is only among the technical details.
    expect(list.match(/<h2>[^<]+/g)).toEqual(["<h2>Battery"]);
    const [card, technical] = list.split('<summary aria-label="Technical details of Symo GEN24 10.0 Plus">');
    expect([card!.includes("192.168.1.80"), technical!.includes("192.168.1.80")]).toEqual([false, true]);
    const page = (await owner.get("/devices/device?id=fronius-gen24")).text;
    for (const part of ["192.168.1.80", "34567890", "As sent by the device", "no value"])
      expect(page).toContain(part);
    const german = (await owner.get("/devices/device?id=fronius-gen24&lang=de")).text;
    expect(german).toContain("Vom Gerät gesendet");
    await owner.get("/devices?lang=en");
  });

  it("turns the sign of a meter, and renames and removes a device", async () => {
    const owner = await portal.signedIn("owner@example.org");
    await owner.get("/devices");
    const given = { template: "shelly-pro-3em", transport: "http", "p.host": "192.168.1.31" };
    const { location } = await owner.post("/devices/add", given);
    expect((await owner.get(location!)).text).toContain("grid 1.1 kW (from the grid)");
    const draft = new URLSearchParams(location!.split("?")[1]).get("draft")!;
    await owner.post("/devices/check", { draft, do: "read", "reversed.grid": "true" });
    expect((await owner.get(location!)).text).toContain("grid −1.1 kW (into the grid)");
    await owner.post("/devices/check", { draft, do: "save", "reversed.grid": "true", name: "House meter" });
    const devices = () => portal.sites.list()[0]!.plant.devices;
    expect(devices()[1]).toMatchObject({
      id: "shelly-pro-3em",
      name: "House meter",
      reads: null,
      reversed: ["grid"],
      fallback: false,
    });
    // A second meter is used only while the first one has no values.
    const second = (await owner.post("/devices/add", { ...given, "p.host": "192.168.1.32" })).location!;
    const other = await owner.get(second);
    expect(other.text).toContain("House meter already gives: meter.");
    await owner.post("/devices/check", {
      draft: new URLSearchParams(second.split("?")[1]).get("draft")!,
      do: "save",
    });
    expect(devices()[2]).toMatchObject({ id: "shelly-pro-3em-2", fallback: true });

    const change = await owner.get("/devices/add?id=shelly-pro-3em");
    expect(change.text).toContain('value="192.168.1.31"');
    const removed = await owner.post("/devices/remove", { id: "shelly-pro-3em-2", remove_confirm: "true" });
    expect(removed.location).toBe("/devices");
    const { text } = await owner.get("/devices");
    expect(text).toContain("is removed.");
    const [, id] = /name="id" value="([0-9a-f-]{36})"/.exec(text)!;
    await owner.post("/settings/ems/undo", { id, back: "/devices" });
    expect(devices()).toHaveLength(3);
  });

  it("lets the owner say what is read of a device, how often, and whether only as a fallback", async () => {
    const owner = await portal.signedIn("owner@example.org");
    const devices = () => portal.sites.list()[0]!.plant.devices;
    const find = (id: string) => devices().find((one) => one.id === id);
    const change = async (id: string, fields: Record<string, string>) => {
      const of = {
        id,
        template: find(id)!.template,
        transport: find(id)!.template === "fronius-gen24" ? "modbus" : "http",
      };
      const { location } = await owner.post("/devices/add", { ...of, "p.host": String(find(id)!.with.host) });
      const page = (await owner.get(location!)).text;
      const draft = new URLSearchParams(location!.split("?")[1]).get("draft")!;
      const reply = await owner.post("/devices/check", {
        draft,
        do: "save",
        name: find(id)!.name ?? "",
        ...fields,
      });
      return { page, reply };
    };
    await owner.get("/devices");
    const refused = await change("shelly-pro-3em-2", { "reads.grid": "true", fallback: "true", poll_s: "0" });
    expect(refused.reply.text).toContain("Enter a number from 1 to 3600.");
    // It takes the place of the first meter.
    const taken = await change("shelly-pro-3em-2", { "reads.grid": "true", fallback: "false", poll_s: "30" });
    expect(taken.page).toContain("House meter gives this now.");
    expect(find("shelly-pro-3em-2")).toMatchObject({ reads: ["grid"], fallback: false, poll_s: 30 });
    const none = await change("fronius-gen24", {
      "reads.pv": "false",
      "reads.battery": "false",
      fallback: "false",
    });
    expect(none.reply.text).toContain("Tick at least one thing that is read.");
    await change("fronius-gen24", { "reads.pv": "true", "reads.battery": "false", fallback: "false" });
    expect(find("fronius-gen24")).toMatchObject({ reads: ["pv"], poll_s: 10 });
  });

  it("offers the entities of Home Assistant by kind and unit, and keeps the token to itself", async () => {
    const owner = await portal.signedIn("owner@example.org");
    await owner.get("/devices");
    // Its commands have parameters of their own.
    const asked = (await owner.get("/devices/add?template=home-assistant&transport=http")).text;
    expect(asked).toContain("nothing, it is only read");
    expect(asked).not.toContain('name="p.url"');
    const switched = (await owner.get("/devices/add?template=home-assistant&transport=http&controls=slot"))
      .text;
    expect(switched).toContain('name="p.actions.on"');
    const given = { template: "home-assistant", transport: "http", "p.url": "http://192.168.1.5:8123" };
    const wrong = (await owner.post("/devices/add", { ...given, "p.token": "wrong" })).location!;
    expect((await owner.get(wrong)).text).toContain("The list could not be read; enter the names by hand.");
    const { location } = await owner.post("/devices/add", { ...given, "p.token": "secret" });
    const { text } = await owner.get(location!);
    expect(text).toContain("Grid power: 1350 W (sensor.grid_power)");
    expect(text).not.toContain("secret");
    const draft = new URLSearchParams(location!.split("?")[1]).get("draft")!;
    const none = await owner.post("/devices/sources", { draft });
    expect([none.status, none.text.includes("Choose at least one.")]).toEqual([422, true]);
    const chosen = { "source.load_power_kw": "sensor.grid_power", "source.soc_pct": "sensor.phone_battery" };
    const next = await owner.post("/devices/sources", { draft, ...chosen });
    expect(next.location).toMatch(/^\/devices\/check/);
    await owner.post("/devices/check", { draft, do: "save", name: "Home Assistant" });
    const { with: stored } = portal.sites.list()[0]!.plant.devices.at(-1)!;
    expect(stored).toMatchObject({ entities: { load_power_kw: "sensor.grid_power" }, token: "secret" });
    // Changing the connection leaves the entities as they are.
    const again = await owner.post("/devices/add", { ...given, id: "home-assistant", "p.token": "" });
    expect((await owner.get(again.location!)).text).toContain('value="sensor.phone_battery" selected');
  });

  it("changes a device of the former list of actuators, which becomes one of the devices", async () => {
    const owner = await portal.signedIn("owner@example.org");
    const urls = { on: "http://192.168.1.9/on", off: "http://192.168.1.9/off" };
    const pump = { id: "pump", controls: "slot 1", template: "http", with: { urls }, enabled: false };
    const slots = [{ slot: 1, kind: "other", label: "Pump", power_kw: 1, hours: 2 }];
    await portal.sites.change("home", { plant: { slots, actuators: [{ ...pump, min_dwell_s: 90 }] } });
    const { text } = await owner.get("/devices/add?id=pump");
    expect(text).toContain('name="p.urls.on" type="text" value="http://192.168.1.9/on"');
    const typed = { id: "pump", "p.urls.on": urls.on, "p.urls.off": "http://192.168.1.9/off2" };
    const { location } = await owner.post("/devices/add", typed);
    expect((await owner.get(location!)).text).toContain('name="min_dwell_s" type="text" value="90"');
    const draft = new URLSearchParams(location!.split("?")[1]).get("draft")!;
    await owner.post("/devices/check", { draft, do: "save", name: "", min_dwell_s: "120" });
    const { devices, actuators } = portal.sites.get("home")!.plant;
    expect(actuators).toEqual([]);
    expect(devices.find(({ id }) => id === "pump")).toMatchObject({
      ...pump,
      with: { urls: { on: urls.on, off: "http://192.168.1.9/off2" } },
      name: "Pump",
      reads: [],
      dry_run: true,
      min_dwell_s: 120,
    });
    await portal.sites.change("home", { plant: { devices: devices.filter(({ id }) => id !== "pump") } });
  });

  it("finds devices for administrators, with progress and an end, and leads from a find to the values", async () => {
    const owner = await portal.signedIn("owner@example.org");
    await owner.get("/devices/find");
    const refused = await owner.post("/devices/find", { targets: "8.8.8.8", exclude: "" });
    expect((await owner.get(refused.location!)).text).toContain("“8.8.8.8” cannot be searched");
    const begun = await owner.post("/devices/find", { targets: "192.168.1.0/24", exclude: "192.168.1.9" });
    expect(begun.location).toBe("/devices/find?site=home");
    const running = (await owner.get(begun.location!)).text;
    expect(running).toContain("Searching: 32 of 254 addresses asked.");
    expect(running).toContain('<meta http-equiv="refresh" content="2"/>');
    expect(search.asked).toMatchObject({ targets: ["192.168.1.0/24"], exclude: ["192.168.1.9"] });
    search.end();
    await eventually(async () =>
      expect((await owner.get("/devices/find")).text).toContain(
        "Fronius GEN24 10.0 Plus at 192.168.1.85: PV, battery 11.0 kWh (41 %), meter",
      ),
    );
    const step = (await owner.get("/start?step=find")).text;
    expect(step).toContain("GEN24 10.0 Plus at 192.168.1.85");
    // The device with this serial number is known at another address.
    expect(step).toContain("Use this address");
    const added = await owner.post("/devices/find/add", {
      index: "0",
      name: "Fronius GEN24 10.0 Plus",
      step: "find",
    });
    const draft = new URLSearchParams(added.location!.split("?")[1]).get("draft")!;
    expect((await owner.get(added.location!)).text).toContain("PV 3.2 kW");
    const saved = await owner.post("/devices/check", { draft, do: "save" });
    expect(saved.location).toBe("/start?step=find");
    expect(portal.sites.list()[0]!.plant.devices[0]).toMatchObject({
      id: "fronius-gen24",
      with: { host: "192.168.1.85" },
    });
    expect((await owner.get("/start?step=find")).text).toContain('<span class="badge">added</span>');

    await portal.addAccount("anna@example.org");
    const anna = await portal.signedIn("anna@example.org");
    expect((await anna.get("/devices/find")).status).toBe(403);
    expect((await anna.get("/start?step=find")).text).toContain("Only the administrator");
  });

  it("says values with unit and direction in both languages", () => {
    const readings = { ...GEN24.readings, grid_power_kw: reading(-1.1, "kW") };
    expect(readingsLine(readings, "de")).toBe(
      "PV-Anlage 3,2 kW, Netz −1,1 kW (ins Netz), Batterie +2,0 kW (lädt), 41 %",
    );
    expect(readingsLine({ soc_pct: reading(41, "%") }, "en")).toBe("state of charge 41 %");
  });
});
