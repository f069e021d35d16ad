import type { DeviceCommands } from "./device-commands.js";
import { type AddressLimits, addressFault } from "./released-hosts.js";
import type { ActuatorTemplate } from "./template.js";
import { addressMessage } from "./transport/modbus-address.js";
import { wantedState } from "./wanted.js";

/**
 * Why the settings of an actuator cannot be used. `parameter`: a value does not fit; `address`: no device is named;
 * `host`: not in the list of allowed hosts; `public`: not in the local network; `broker`: the gateway's own broker is not
 * available to the account; `released`: the template is not; `conflict`: another actuator drives the device.
 */
export type SettingsFaultCode =
  | "template"
  | "controls"
  | "parameter"
  | "address"
  | "host"
  | "public"
  | "broker"
  | "released"
  | "conflict";

export interface SettingsFault {
  code: SettingsFaultCode;
  /** The parameter, host or actuator that it is about. */
  name: string;
  message: string;
}

/** What is wrong with the addresses of a device's commands. */
export function addressFaults(
  device: DeviceCommands,
  template: ActuatorTemplate,
  transport: string,
  given: Readonly<Record<string, unknown>>,
  limits: AddressLimits,
): SettingsFault[] {
  const checkHost = (url: URL): SettingsFault[] => {
    const code = addressFault(url, limits);
    if (code === undefined) return [];
    return [{ code, name: code === "host" ? url.host : url.hostname, message: addressMessage(code, url) }];
  };
  const { hosts } = limits;
  if (device.kind === "modbus") {
    const [address] = device.hosts();
    if (address === undefined)
      return [{ code: "address", name: "host", message: "The address of the device is missing." }];
    if (!address.startsWith("/")) return checkHost(new URL(`http://${address}`));
    const message = "A serial line is available to administrators only.";
    return hosts === undefined ? [] : [{ code: "host", name: "host", message }];
  }
  const requests = device.states().flatMap((state) => device.requests(wantedState(state, { powerKw: 1 })));
  const missing = (): SettingsFault => ({
    code: "address",
    name: emptyParameter(template, transport, given) ?? "transport",
    message: "The address of the device is missing.",
  });
  if (requests.length === 0) return [missing()];
  if (device.kind === "mqtt") {
    if (requests.some(({ topic = "" }) => topic === "" || topic.startsWith("/") || topic.includes("//")))
      return [missing()];
    const broker = device.broker();
    if (broker === undefined)
      return hosts === undefined
        ? []
        : [
            {
              code: "broker",
              name: "broker",
              message: "The gateway's MQTT broker is not available to this account.",
            },
          ];
    const url = URL.canParse(broker.url) ? new URL(broker.url) : undefined;
    return url === undefined || url.hostname === "" ? [missing()] : checkHost(url);
  }
  // Without its host "http:///rpc" would be read as the host "rpc".
  if (requests.some(({ url = "" }) => !/^https?:\/\/[^/]/.test(url) || !URL.canParse(url)))
    return [missing()];
  const origins = [...new Set(requests.map(({ url = "" }) => new URL(url).origin))];
  return origins.flatMap((origin) => checkHost(new URL(origin)));
}

/** The first empty text parameter that the transport uses. */
function emptyParameter(
  { parameters, transports, values }: ActuatorTemplate,
  transport: string,
  given: Readonly<Record<string, unknown>>,
): string | undefined {
  const used = JSON.stringify([transports[transport], values]);
  return Object.entries(parameters).find(
    ([name, { type, secret, default: preset = "" }]) =>
      type === "string" &&
      secret !== true &&
      (given[name] ?? preset) === "" &&
      new RegExp(`\\b${name}\\b`).test(used),
  )?.[0];
}
