import { expect, it, onTestFinished } from "vitest";
import { defaultSettings } from "../../src/config/load.js";
import { newDevice } from "../../src/config/new-device.js";
import type { ActuatorSettings, DeviceSettings } from "../../src/config/settings.js";
import type { Site } from "../../src/config/site.js";
import { createBus } from "../../src/core/bus.js";
import { HealthRegistry } from "../../src/core/health-registry.js";
import { silentLog } from "../../src/core/log.js";
import { DeviceCommands } from "../../src/equipment/device-commands.js";
import { emptyLedger, ledgerToJson } from "../../src/equipment/ledger.js";
import { parametersOf } from "../../src/equipment/parameters.js";
import { ActuatorService } from "../../src/equipment/service.js";
import { TemplateLibrary } from "../../src/equipment/template-library.js";
import { Addresses } from "../../src/equipment/transport/addresses.js";
import { memoryDocuments } from "../api/fake-services.js";
import { manualClock } from "../support/manual-clock.js";

const library = TemplateLibrary.open();

async function targets(id: string, given: Record<string, unknown>): Promise<string[]> {
  const template = (await library).get(id)!;
  const { transport, values } = parametersOf(template, given);
  const parameters = { ...values, plant: "home", actuator: "one" };
  return new DeviceCommands({ template, transport, control: "slot", parameters }).targets();
}

const payloads = { on: "ON", off: "OFF" };
const SHELLY = { host: "192.168.1.40", channel: 0 };

it("the text of a parameter names no device at another address", async () => {
  const shelly = await targets("shelly-gen2", { transport: "http", ...SHELLY });
  expect(shelly).toHaveLength(1);
  const topics = ["x 192.168.1.40/switch/0", "192.168.1.40/switch/0", shelly[0]!];
  for (const broker of ["", "mqtt://192.168.1.9", "mqtt://192.168.1.40:80"])
    for (const topic of topics) {
      const claimed = await targets("mqtt", { topic, payloads, broker });
      expect(claimed).toHaveLength(1);
      expect(shelly).not.toContain(claimed[0]);
    }
  expect(await targets("mqtt", { topic: "a", payloads, broker: "mqtt://192.168.1.9" })).not.toEqual(
    await targets("mqtt", { topic: "a", payloads, broker: "mqtt://192.168.1.10" }),
  );
});

const actuator = (id: string): ActuatorSettings => ({
  id,
  controls: "slot 1",
  template: "shelly-gen2",
  with: { transport: "http", host: "127.0.0.1:9", channel: 0 },
  enabled: true,
  dry_run: true,
  min_dwell_s: null,
  max_writes_per_day: null,
  external_minutes: 30,
});

const device = (id: string): DeviceSettings => ({
  ...newDevice("shelly-gen2", { devices: [] }),
  ...actuator(id),
});

async function started(
  sites: Site[],
  clock = manualClock(new Date("2026-03-02T08:00:00Z")),
  documents = memoryDocuments(),
) {
  const service = new ActuatorService({
    commander: { isCommanding: true, onChange: () => () => {} },
    clock,
    bus: createBus(),
    components: new HealthRegistry(clock),
    documents,
    sites: { list: () => sites, get: (id) => sites.find((site) => site.id === id) },
    settings: { allow_public: false, tenant_templates: ["shelly-gen2"], tenant_hosts: ["127.0.0.1"] },
    templates: await TemplateLibrary.open(),
    plan: () => undefined,
    slots: () => [],
    live: () => ({}),
    watch: () => () => {},
    addresses: new Addresses(),
    isUnrestricted: (siteId) => siteId === "home",
    channel: {
      isConnected: false,
      publish: async () => {},
      subscribe: () => () => {},
      onConnection: () => () => {},
    },
    connect: () => {
      throw new Error("No device has a broker.");
    },
    log: silentLog,
  });
  await service.start();
  onTestFinished(() => service.stop());
  return service;
}

it("the owner's device wins against that of an account, which learns nothing about it", async () => {
  const plant = defaultSettings().plants[0]!;
  const tenant: Site = {
    id: "flat",
    accountId: "tenant",
    plant: { ...plant, devices: [device("relay")] },
  };
  const owner: Site = {
    id: "home",
    accountId: "owner",
    plant: { ...plant, devices: [device("boiler")] },
  };
  const sites = [tenant, owner];
  const service = await started(sites);
  const phases = Object.fromEntries(service.list().map(({ siteId, phase }) => [siteId, phase]));
  expect(phases.home).not.toBe("conflict");
  expect(phases.flat).toBe("conflict");
  expect(service.list("flat")[0]?.lastError?.message).toBe("The administrator drives this device now.");
  expect(service.faultsOf(owner, actuator("boiler"))).toEqual([]);
  expect(service.faultsOf(tenant, actuator("relay"))).toMatchObject([
    { code: "conflict", name: "", message: "Another device already controls this device." },
  ]);
});

it("begins anew from its ledger when the clock is set back", async () => {
  const clock = manualClock(new Date("2036-11-24T12:00:00Z"));
  const documents = memoryDocuments();
  const owned = { state: "on", powerKw: 2, socStopPct: 100, at: clock.now(), isConfirmed: true };
  const externalUntil = new Date("2036-11-24T12:20:00Z");
  await documents.put("actuator/home/boiler", ledgerToJson({ ...emptyLedger(), owned, externalUntil }));
  const plant = { ...defaultSettings().plants[0]!, devices: [{ ...device("boiler"), dry_run: false }] };
  const service = await started([{ id: "home", accountId: "owner", plant }], clock, documents);
  expect(service.list()[0]?.externalUntil).toEqual(externalUntil);
  await clock.leap(new Date("2026-11-27T12:00:00Z"));
  await service.settled();
  expect(service.list()[0]?.externalUntil).toEqual(new Date("2026-11-27T12:30:00Z"));
});
