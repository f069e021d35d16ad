import type { LookupFunction } from "node:net";
import { reachOfHost } from "../../core/net/address.js";
import { localLookup, type Resolve, systemResolve } from "../../core/net/resolve.js";
import type { DeviceCommands } from "../device-commands.js";
import type { ForeignBroker } from "../device-connection.js";
import { ActuatorInputError } from "../input-error.js";
import { isReleased } from "../released-hosts.js";
import type { Addresses } from "./addresses.js";
import { HttpTransport } from "./http.js";
import { ModbusTransport } from "./modbus.js";
import { openModbus } from "./modbus-address.js";
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
  /** What is shared by all devices at an address. */
  addresses?: Addresses;
}

/** The transport of a device within the rules of its site. Throws ActuatorInputError. */
export function createTransport(
  sources: TransportSources,
  { siteId, device }: { siteId: string; device: DeviceCommands },
): Transport {
  const { settings, resolve = systemResolve, isUnrestricted, addresses } = sources;
  if (device.kind === "http")
    return new HttpTransport({
      auth: device.auth(),
      verifiesTls: device.verifiesTls,
      timeoutMs: device.timeoutMs,
      allowPublic: settings.allow_public,
      hosts: isUnrestricted(siteId) ? undefined : settings.tenant_hosts,
      ownHosts: device.hosts(),
      resolve,
      queueOf: addresses && ((url) => addresses.http(url).queue),
    });
  if (device.kind === "modbus") {
    if (addresses === undefined) throw new ActuatorInputError("Modbus is not available here.");
    const { transport, values, registers, limits } = device.modbus();
    const way = openModbus({ settings, isUnrestricted, resolve, addresses }, { siteId, transport, values });
    return new ModbusTransport({ ...way, registers, limits, now: () => Date.now() });
  }
  if (device.kind !== "mqtt")
    throw new ActuatorInputError(`The transport "${device.kind}" of the template takes no commands.`);
  return new MqttTransport(channelOf(sources, siteId, device.broker()), device.filters());
}

/** The connection to the broker of a device within the rules of its site. Throws ActuatorInputError. */
export function channelOf(
  { settings, resolve = systemResolve, isUnrestricted, connect, channel }: TransportSources,
  siteId: string,
  broker: ForeignBroker | undefined,
): DeviceChannel {
  const isTenant = !isUnrestricted(siteId);
  const hosts = isTenant ? settings.tenant_hosts : undefined;
  if (broker === undefined) {
    // The gateway's connection may publish to every topic.
    if (isTenant) throw new ActuatorInputError("The gateway's MQTT broker is not available to this account.");
    return { ...bound(channel), close: async () => {} };
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
  return connect(broker, localLookup(resolve, settings.allow_public));
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
