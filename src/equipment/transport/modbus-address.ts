import { localLookup, type Resolve, systemResolve } from "../../core/net/resolve.js";
import { renderNumber } from "../expression.js";
import { ActuatorInputError } from "../input-error.js";
import { type AddressLimits, addressFault, addressLimits } from "../released-hosts.js";
import type { TemplateTransport } from "../template.js";
import type { Addresses } from "./addresses.js";
import type { ModbusConnection, ModbusConnectionOptions } from "./modbus-connection.js";
import type { Framing } from "./modbus-frames.js";

/** Of devices that state none. */
export const TIMEOUT_S = 2;

/** Throws ActuatorInputError for an address that a site may not use. */
export function checkAddress(url: URL, limits: AddressLimits): void {
  const fault = addressFault(url, limits);
  if (fault !== undefined) throw new ActuatorInputError(addressMessage(fault, url));
}

export function addressMessage(fault: "host" | "public", { host, hostname }: URL): string {
  return fault === "host"
    ? `The administrator has not released the host ${host}.`
    : `The host ${hostname} is not in the local network.`;
}

/** Throws ActuatorInputError. */
export function urlOf(text: string): URL {
  if (!URL.canParse(text) || new URL(text).hostname === "")
    throw new ActuatorInputError(`The address of the device is missing or not valid (${text}).`);
  return new URL(text);
}

/** The connection to a Modbus device within the rules of its site, shared with its readings. Throws ActuatorInputError, ExpressionError. */
export function openModbus(
  sources: Parameters<typeof addressLimits>[0] & { resolve?: Resolve; addresses: Addresses },
  {
    siteId,
    transport,
    values,
  }: { siteId: string; transport: TemplateTransport; values: Readonly<Record<string, unknown>> },
): { connection: ModbusConnection; release(): void } {
  const { resolve = systemResolve, addresses } = sources;
  const limits = addressLimits(sources, siteId);
  const address = modbusAddress(transport, values);
  if (address.host === "") throw new ActuatorInputError("host is missing.");
  if (!address.host.startsWith("/dev/"))
    checkAddress(urlOf(`http://${address.host}:${address.port}`), limits);
  else if (limits.hosts !== undefined)
    throw new ActuatorInputError("A serial line is available to administrators only.");
  return addresses.modbus({ ...address, lookup: localLookup(resolve, limits.allowPublic) });
}

/** The address of a Modbus device by its parameters. Throws ExpressionError. */
export function modbusAddress(
  { modbus = {} }: TemplateTransport,
  values: Readonly<Record<string, unknown>>,
): Omit<ModbusConnectionOptions, "lookup" | "pausesMs"> {
  const { host: given, path, port: inHost } = hostOf(String(values.host ?? ""));
  const framing = String(values.framing ?? "auto");
  const framings = framing === "auto" ? (modbus.framing ?? ["tcp"]) : [framing];
  return {
    host: path ?? given,
    port: inHost ?? Number(values.port ?? modbus.port ?? 502),
    udpPort: modbus.udp_port !== undefined && values.port === modbus.port ? modbus.udp_port : 0,
    framings: framings as Framing[],
    connectDelayMs: modbus.connect_delay_ms ?? 0,
    pauseMs: modbus.pause_ms ?? 0,
    timeoutMs: renderNumber(modbus.timeout_s ?? TIMEOUT_S, values) * 1000,
    serial: { baud: Number(values.baud ?? 9_600), parity: (values.parity ?? "none") as "none" },
  };
}

/** A host may carry its port. */
function hostOf(text: string): { host: string; path?: string; port?: number } {
  const host = text.trim();
  if (host.startsWith("/")) return { host, path: host };
  const match = /^([^:]+|\[[^\]]+\]):(\d{1,5})$/.exec(host);
  return match === null ? { host } : { host: match[1]!, port: Number(match[2]) };
}
