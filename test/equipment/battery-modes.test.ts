import { expect, it, onTestFinished } from "vitest";
import { SiteRegistry } from "../../src/accounts/site-registry.js";
import { parsePlant } from "../../src/config/plant.js";
import { createBus } from "../../src/core/bus.js";
import { batteryDevice, batteryModes } from "../../src/equipment/battery-modes.js";
import { parseTemplate } from "../../src/equipment/template.js";
import { TemplateLibrary } from "../../src/equipment/template-library.js";
import { openStore } from "../../src/store/store.js";
import { recordingLog, temporaryFolder } from "../store/support/folder.js";
import { manualClock } from "../support/manual-clock.js";

const library = await TemplateLibrary.open();

/** A battery whose hold is standby, and that can do nothing else than charge. */
const RESTING = parseTemplate(
  `
id: resting
name: { en: Resting, de: Resting }
controls: [battery]
effect: { hold: { serves_load: false, stores_pv: false } }
parameters: { host: { type: string, title: { en: Host, de: Host } } }
transports:
  http:
    commands:
      free: [{ url: "http://{{ host }}/free" }]
      charge: [{ url: "http://{{ host }}/charge" }]
      hold: [{ url: "http://{{ host }}/hold" }]
`,
  "resting.yaml",
);
const templates = {
  get: (id: string) => (id === "resting" ? RESTING : library.get(id)),
};

const modesOf = (plant: Parameters<typeof batteryDevice>[0]) => batteryDevice(plant, templates.get)?.modes;

it.each([
  ["evcc-battery", { transport: "mqtt" }, ["charge", "hold"]],
  ["victron-gx", { broker: "mqtt://192.168.1.30", portal_id: "abc" }, ["charge", "hold"]],
  ["sonnen", { host: "192.168.1.60", token: "t" }, ["charge"]],
  ["sonnen", { host: "192.168.1.60", token: "t", hold_allowed: true }, ["charge", "standby"]],
  ["http", { urls: { free: "http://a", hold: "http://a", block: "http://a" } }, ["hold", "block"]],
  // Its block is standby.
  ["goodwe-et", { host: "192.168.1.9" }, ["hold", "standby", "charge", "discharge"]],
  ["resting", { host: "192.168.1.9" }, ["charge", "standby"]],
])("the template %s with %j can do %j", (id, given, modes) => {
  expect(batteryModes(templates.get(id)!, given)).toEqual(modes);
});

it("no device, one that only reads, or one without commands leave the settings as they are", () => {
  const plant = (more: object) => ({ devices: [], ...more });
  const http = { id: "b", controls: "battery", template: "http", with: {}, enabled: true, dry_run: true };
  expect(modesOf(plant({}))).toBeUndefined();
  expect(modesOf(plant({ devices: [http] }))).toEqual([]);
});

const device = {
  id: "inverter",
  template: "resting",
  with: { host: "192.168.1.9" },
  controls: "battery",
};

async function registryOf(battery: object) {
  const parsed = parsePlant({ id: "home", battery, actuators: [device] }, []);
  if ("findings" in parsed) throw new Error(parsed.findings.map(({ message }) => message).join());
  const log = recordingLog();
  const store = await openStore(await temporaryFolder(), log);
  onTestFinished(() => store.close());
  const registry = new SiteRegistry({
    state: store.state,
    clock: manualClock(new Date("2026-01-15T12:00:00Z")),
    bus: createBus(),
    plants: [parsed.plant],
    telemetry: [],
    controlsOf: modesOf,
    log,
  });
  return { registry, log };
}

it("the settings take the controls from the device where they name none", async () => {
  const { registry } = await registryOf({ capacity_kwh: 8 });
  expect(registry.get("home")!.plant.battery!.controls).toEqual(["charge", "standby"]);
  const { site } = await registry.change("home", { plant: { battery: { controls: ["standby"] } } });
  expect(site.plant.battery!.controls).toEqual(["standby"]);
  const { site: without } = await registry.change("home", { plant: { battery: {}, devices: [] } });
  expect(without.plant.battery!.controls).toBeNull();
});

it("an existing configuration starts without what the device lacks; a change that names it is refused", async () => {
  const { registry, log } = await registryOf({ controls: ["hold", "block", "charge"] });
  expect(registry.get("home")!.plant.battery!.controls).toEqual(["charge", "standby"]);
  expect(log.warnings.join()).toContain(
    "battery.controls names hold, block, which the device that controls the battery cannot do; it can charge, standby.",
  );
  await expect(registry.change("home", { plant: { battery: { controls: ["block"] } } })).rejects.toThrow(
    "battery.controls names block, which the device that controls the battery cannot do; it can charge, standby.",
  );
  await registry.change("home", { plant: { load: { daily_kwh: 9 } } });
});
