import type { LookupFunction } from "node:net";
import { localLookup, type Resolve, systemResolve } from "../../core/net/resolve.js";
import type { DeviceCommands } from "../device-commands.js";
import type { ForeignBroker } from "../device-connection.js";
import { ActuatorInputError } from "../input-error.js";
import { addressLimits } from "../released-hosts.js";
import type { Addresses } from "./addresses.js";
import { HttpTransport } from "./http.js";
import { ModbusTransport } from "./modbus.js";
import { checkAddress, openModbus } from "./modbus-address.js";
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
  channel: DeviceChannel;
  /** Connects to another broker, at an address that the lookup gives for its name. */
  connect(broker: ForeignBroker, lookup: LookupFunction): DeviceChannel;
  resolve?: Resolve;
  /** What is shared by all devices at an address. */
  addresses: Addresses;
}

/** The transport of a device within the rules of its site. Throws ActuatorInputError. */
export function createTransport(
  sources: TransportSources,
  { siteId, device }: { siteId: string; device: DeviceCommands },
): Transport {
  const { resolve = systemResolve, addresses } = sources;
  if (device.kind === "http")
    return new HttpTransport({
      auth: device.auth(),
      verifiesTls: device.verifiesTls,
      timeoutMs: device.timeoutMs,
      limits: addressLimits(sources, siteId),
      ownHosts: device.hosts(),
      resolve,
      addresses,
    });
  if (device.kind === "modbus") {
    const { transport, values, registers, limits } = device.modbus();
    const way = openModbus(sources, { siteId, transport, values });
    return new ModbusTransport({ ...way, registers, limits, now: () => Date.now() });
  }
  if (device.kind !== "mqtt")
    throw new ActuatorInputError(`The transport "${device.kind}" of the template takes no commands.`);
  return new MqttTransport(channelOf(sources, siteId, device.broker()), device.filters());
}

/** The connection to the broker of a device within the rules of its site. Throws ActuatorInputError. */
export function channelOf(
  sources: TransportSources,
  siteId: string,
  broker: ForeignBroker | undefined,
): DeviceChannel {
  const { resolve = systemResolve, isUnrestricted, connect, channel } = sources;
  const limits = addressLimits(sources, siteId);
  if (broker === undefined) {
    // The gateway's connection may publish to every topic.
    if (!isUnrestricted(siteId))
      throw new ActuatorInputError("The gateway's MQTT broker is not available to this account.");
    return channel;
  }
  const url = URL.canParse(broker.url) ? new URL(broker.url) : undefined;
  if (url === undefined || url.hostname === "")
    throw new ActuatorInputError("broker must be an address such as mqtt://192.168.1.20:1883.");
  checkAddress(url, limits);
  return connect(broker, localLookup(resolve, limits.allowPublic));
}
