import type { LookupFunction } from "node:net";
import { reachOfHost } from "../../core/net/address.js";
import { localLookup, type Resolve, systemResolve } from "../../core/net/resolve.js";
import type { DeviceCommands } from "../device-commands.js";
import type { ForeignBroker } from "../device-connection.js";
import { ActuatorInputError } from "../input-error.js";
import { isReleased } from "../released-hosts.js";
import { HttpTransport } from "./http.js";
import { type DeviceChannel, MqttTransport } from "./mqtt.js";
import type { Transport } from "./transport.js";

/** How devices are reached, and which ones may be. */
export interface TransportSources {
  settings: {
    allow_public: boolean;
    tenant_templates: readonly string[];
    tenant_hosts: readonly string[];
  };
  /** Whether the site belongs to an administrator. */
  isUnrestricted(siteId: string): boolean;
  /** The gateway's own broker connection. */
  channel: Omit<DeviceChannel, "close">;
  /** Connects to another broker, at an address that the lookup gives for its name. */
  connect(broker: ForeignBroker, lookup: LookupFunction): DeviceChannel;
  resolve?: Resolve;
}

/** The transport of a device within the rules of its site. Throws ActuatorInputError. */
export function createTransport(
  { settings, resolve = systemResolve, isUnrestricted, connect, channel }: TransportSources,
  { siteId, device }: { siteId: string; device: DeviceCommands },
): Transport {
  const isTenant = !isUnrestricted(siteId);
  const hosts = isTenant ? settings.tenant_hosts : undefined;
  if (device.kind === "http")
    return new HttpTransport({
      auth: device.auth(),
      verifiesTls: device.verifiesTls,
      timeoutMs: device.timeoutMs,
      allowPublic: settings.allow_public,
      hosts,
      ownHosts: device.hosts(),
      resolve,
    });
  if (device.kind !== "mqtt")
    throw new ActuatorInputError(`The transport "${device.kind}" of the template takes no commands.`);
  const broker = device.broker();
  if (broker === undefined) {
    // The gateway's connection may publish to every topic.
    if (isTenant) throw new ActuatorInputError("The gateway's MQTT broker is not available to this account.");
    return new MqttTransport({ ...bound(channel), close: async () => {} }, device.filters());
  }
  const url = URL.canParse(broker.url) ? new URL(broker.url) : undefined;
  const host = url?.hostname ?? "";
  if (url === undefined || host === "")
    throw new ActuatorInputError("broker must be an address such as mqtt://192.168.1.20:1883.");
  if (hosts !== undefined && !isReleased(url, hosts))
    throw new ActuatorInputError(`The administrator has not released the host ${url.host}.`);
  const reach = reachOfHost(host);
  if (reach === "unusable" || (reach === "public" && !settings.allow_public))
    throw new ActuatorInputError(`The broker ${host} is not in the local network.`);
  return new MqttTransport(connect(broker, localLookup(resolve, settings.allow_public)), device.filters());
}

function bound(channel: Omit<DeviceChannel, "close">): Omit<DeviceChannel, "close"> {
  return {
    get isConnected() {
      return channel.isConnected;
    },
    publish: (topic, payload) => channel.publish(topic, payload),
    subscribe: (filters, onMessage) => channel.subscribe(filters, onMessage),
    onConnection: (listener) => channel.onConnection(listener),
  };
}
