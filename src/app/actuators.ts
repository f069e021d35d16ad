import { join } from "node:path";
import type { Settings } from "../config/settings.js";
import { ForeignConnection } from "../edges/mqtt/client/device-channel.js";
import type { MqttService } from "../edges/mqtt/service.js";
import { ActuatorService } from "../equipment/service.js";
import type { Foundation } from "./foundation.js";
import type { Inputs } from "./inputs.js";
import type { Planning } from "./planning.js";

/** The actuators with the plans of the core and the broker connection of the MQTT edge. */
export function actuatorsOf(
  settings: Settings,
  { foundation, inputs, planning }: { foundation: Foundation; inputs: Inputs; planning: Planning },
  mqtt: MqttService,
): ActuatorService {
  const { clock, bus, components, store, registry, accountServices, dataFolder, log } = foundation;
  return new ActuatorService({
    clock,
    bus,
    components,
    documents: store.documents,
    sites: registry,
    settings: settings.actuators,
    templateFolder: join(dataFolder, "actuators"),
    plan: (siteId) => planning.plans.current(siteId),
    slots: (siteId) => planning.flex.current(siteId),
    live: (siteId) => inputs.telemetry.live(siteId),
    isUnrestricted: (siteId) => accountServices.mqttApprovals.isUnrestricted(siteId),
    channel: mqtt.deviceChannel,
    watch: (filters, onTopic) => mqtt.deviceChannel.watch(filters, onTopic),
    connect: (broker, onConnection) => new ForeignConnection({ ...broker, log, onConnection }),
    log,
  });
}
