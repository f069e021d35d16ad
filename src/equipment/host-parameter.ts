import { type ActuatorTemplate, kindOf } from "./template.js";

/** Templates whose parameter `host` is an address without a scheme. */
const plain = new WeakMap<ActuatorTemplate, boolean>();

function isPlain(template: ActuatorTemplate): boolean {
  const known = plain.get(template);
  if (known !== undefined) return known;
  const kinds = Object.entries(template.transports).map(([name, one]) => kindOf(name, one));
  const is =
    kinds.some((kind) => kind === "modbus" || kind === "rct" || kind === "udp") ||
    JSON.stringify(template).includes("://{{ host }}");
  plain.set(template, is);
  return is;
}

/** The parameter `host` as it may be copied from a browser: without `http://` and the slash at its end. */
export function withPlainHost(
  template: ActuatorTemplate,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { host } = given;
  if (typeof host !== "string" || !isPlain(template)) return given;
  return {
    ...given,
    host: host
      .trim()
      .replace(/^http:\/\//i, "")
      .replace(/(?<=.)\/+$/, ""),
  };
}

const HOST = /^(?:\[[0-9a-f:.]+\]|[^\s:/?#@[\]]+)(?::(\d{1,5}))?$/i;
const BARE_IPV6 = /^(?:[0-9a-f]*:){2,}[0-9a-f.]*$/i;

/** What is wrong with the parameter `host`, as the end of a sentence that begins with its name. */
export function hostFault(template: ActuatorTemplate, host: unknown): string | undefined {
  if (typeof host !== "string" || host === "" || !isPlain(template)) return undefined;
  if (host.startsWith("/dev/") || BARE_IPV6.test(host)) return undefined;
  const port = HOST.exec(host)?.[1];
  if (HOST.test(host) && (port === undefined || (Number(port) >= 1 && Number(port) <= 65_535)))
    return undefined;
  return "must be the address of the device, such as 192.168.1.80, or with a port from 1 to 65535, such as 192.168.1.80:8080.";
}
