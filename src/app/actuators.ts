import { join } from "node:path";
import type { Settings } from "../config/settings.js";
import { ForeignConnection } from "../edges/mqtt/client/device-channel.js";
import type { MqttService } from "../edges/mqtt/service.js";
import { ActuatorService } from "../equipment/service.js";
import type { Core } from "./core.js";

/** The actuators with the plans of the core and the broker connection of the MQTT edge. */
export function actuatorsOf(settings: Settings, core: Core, mqtt: MqttService): ActuatorService {
  const { accountServices, flex, log, plans, switches, telemetry } = core;
  const actuators = new ActuatorService({
    ...core,
    settings: settings.actuators,
    templateFolder: join(core.dataFolder, "actuators"),
    plan: (siteId) => plans.current(siteId),
    slots: (siteId) => flex.current(siteId),
    live: (siteId) => telemetry.live(siteId),
    isUnrestricted: (siteId) => accountServices.mqttApprovals.isUnrestricted(siteId),
    channel: mqtt.deviceChannel,
    watch: (filters, onTopic) => mqtt.deviceChannel.watch(filters, onTopic),
    commander: mqtt.commander,
    connect: (broker, lookup) => new ForeignConnection({ ...broker, lookup, log }),
  });
  switches.start(actuators);
  return actuators;
}
