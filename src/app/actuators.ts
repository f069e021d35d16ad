import type { LookupFunction } from "node:net";
import type { Settings } from "../config/settings.js";
import { ForeignConnection } from "../edges/mqtt/client/device-channel.js";
import type { MqttService } from "../edges/mqtt/service.js";
import type { ForeignBroker } from "../equipment/device-connection.js";
import { DeviceFinder } from "../equipment/finding/finder.js";
import { ReadingService } from "../equipment/reading/service.js";
import { ActuatorService } from "../equipment/service.js";
import { Addresses } from "../equipment/transport/addresses.js";
import { TrialService } from "../equipment/trials.js";
import type { Core } from "./core.js";

/** The devices of all sites: those that take commands, and those that are read. */
export interface Equipment {
  actuators: ActuatorService;
  devices: ReadingService;
  finder: DeviceFinder;
  trials: TrialService;
}

/** The actuators with the plans of the core and the broker connection of the MQTT edge. */
export function equipmentOf(settings: Settings, core: Core, mqtt: MqttService): Equipment {
  const { accountServices, flex, log, plans, switches, telemetry } = core;
  const shared = {
    settings: settings.actuators,
    addresses: new Addresses(),
    isUnrestricted: (siteId: string) => accountServices.mqttApprovals.isUnrestricted(siteId),
    channel: mqtt.deviceChannel,
    connect: (broker: ForeignBroker, lookup: LookupFunction) =>
      new ForeignConnection({ ...broker, lookup, log }),
  };
  const actuators = new ActuatorService({
    ...core,
    ...shared,
    plan: (siteId) => plans.current(siteId),
    slots: (siteId) => flex.current(siteId),
    live: (siteId) => telemetry.live(siteId),
    watch: (filters, onTopic) => mqtt.deviceChannel.watch(filters, onTopic),
    commander: mqtt.commander,
    wrongDevice: (siteId, id) => devices.wrongDevice(siteId, id),
  });
  switches.start(actuators);
  const trials = new TrialService({
    clock: core.clock,
    actuators,
    sites: core.registry,
    live: (siteId) => telemetry.live(siteId),
  });
  core.bus.on("site.removed", ({ siteId }) => trials.forget(siteId));
  const devices = new ReadingService({
    ...core,
    ...shared,
    sites: core.registry,
    templates: () => actuators.templates(),
    commandOf: (siteId, id) => actuators.list(siteId).find((one) => one.id === id),
  });
  const finder = new DeviceFinder({
    clock: core.clock,
    templates: async () => {
      const templates = actuators.templates();
      await templates.readAll();
      return templates.ids().flatMap((id) => templates.get(id) ?? []);
    },
    // Only administrators look for devices, and only in the private network.
    sources: {
      ...shared,
      settings: { ...settings.actuators, allow_public: false },
      isUnrestricted: () => true,
    },
    readHosts: () =>
      devices
        .list()
        // Where a device is missing, another one may be by now.
        .filter(({ state }) => state !== "unreachable" && state !== "misconfigured")
        .map(({ address }) => address.split(":")[0]!),
  });
  return { actuators, devices, finder, trials };
}
