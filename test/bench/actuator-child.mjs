import { defaultSettings } from "../../src/config/load.ts";
import { createBus } from "../../src/core/bus.ts";
import { HealthRegistry } from "../../src/core/health-registry.ts";
import { silentLog } from "../../src/core/log.ts";
import { realClock } from "../../src/core/time/clock.ts";
import { ActuatorService } from "../../src/equipment/service.ts";
import { TemplateLibrary } from "../../src/equipment/template-library.ts";
import { openStore } from "../../src/store/store.ts";

/** One actuator in a process of its own, for `actuator-crashes.ts`: folder, host of the relay, planned state. */
const [folder, host, planned] = process.argv.slice(2);
const clock = realClock();
const bus = createBus();
const store = await openStore(folder, silentLog);
const [plant] = defaultSettings().plants;
const actuator = {
  id: "relay",
  controls: "slot 1",
  template: "shelly-gen2",
  with: { host: host, lease: 60 },
  enabled: true,
  dry_run: false,
  min_dwell_s: 0,
  max_writes_per_day: 100_000,
  external_minutes: 30,
};
const site = { id: "home", accountId: "owner", plant: { ...plant, actuators: [actuator] } };
const slot = {
  slot: 1,
  settings: { kind: "boiler", power_kw: 2 },
  plugged: 1,
  result: { slots: [], windows: [], plugged: 1, powerKw: 2 },
  followedKw: planned === "on" ? 2 : 0,
};
const unused = () => Promise.reject(new Error("not used"));
const service = new ActuatorService({
  clock,
  bus,
  components: new HealthRegistry(clock),
  documents: store.documents,
  sites: { list: () => [site], get: () => site },
  settings: { allow_public: false, tenant_templates: [], tenant_hosts: [] },
  templates: await TemplateLibrary.open(folder),
  plan: () => undefined,
  slots: () => [slot],
  live: () => ({}),
  watch: () => () => {},
  isUnrestricted: () => true,
  channel: { isConnected: false, publish: unused, subscribe: () => () => {} },
  commander: { isCommanding: true, onChange: () => () => {} },
  connect: () => {
    throw new Error("not used");
  },
  log: silentLog,
});
process.on("message", (message) => {
  slot.followedKw = message === "on" ? 2 : 0;
  bus.emit("slots.updated", { siteId: "home" });
});
bus.on("actuator.changed", () => process.send?.(service.list()[0]?.phase));
await service.start();
