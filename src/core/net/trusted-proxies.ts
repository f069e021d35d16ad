import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

/** The value of `http.base_path` for the ingress of Home Assistant, which sends the path with each request. */
const INGRESS = "ingress";

/** A path without a trailing slash, `.` and `..`: safe in HTML, in a header and as the path of a cookie. */
const BASE_PATH = /^(?=.{1,200}$)(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._~-]+)+$/;

/**
 * The reverse proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are used. For all other clients these headers
 * are ignored, because any client can forge them. `X-Forwarded-Host` is never used.
 */
export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #basePath: string | null;

  /**
   * `entries`: addresses and CIDR networks, as in `http.trust_proxy`; a boolean means none. `basePath`: as in
   * `http.base_path`.
   */
  constructor(entries: readonly string[] | boolean, basePath: string | null = null) {
    this.#basePath = basePath;
    for (const entry of typeof entries === "boolean" ? [] : entries) {
      const [address = "", prefix] = entry.split("/");
      const family = isIP(address) === 6 ? "ipv6" : "ipv4";
      if (prefix === undefined) this.#list.addAddress(address, family);
      else this.#list.addSubnet(address, Number(prefix), family);
    }
  }

  has(address: string): boolean {
    const version = isIP(address);
    return version !== 0 && this.#list.check(address, version === 6 ? "ipv6" : "ipv4");
  }

  /**
   * The path below which the proxy of a request serves the gateway, and which it has removed from the request; empty without
   * one, and for all who do not come through a trusted proxy.
   */
  basePath(req: IncomingMessage): string {
    if (this.#basePath === null || !this.has(canonicalAddress(req.socket.remoteAddress ?? ""))) return "";
    if (this.#basePath !== INGRESS) return this.#basePath;
    const path = req.headers["x-ingress-path"];
    return typeof path === "string" && isBasePath(path) ? path : "";
  }

  /** Whether the request comes through the ingress of Home Assistant, which shows the portal in a frame of its own pages. */
  isIngress(req: IncomingMessage): boolean {
    return this.#basePath === INGRESS && this.basePath(req) !== "";
  }

  /**
   * The address of the client: that of the connection, or, if it comes from a proxy, the last entry of X-Forwarded-For that
   * is not a proxy itself.
   */
  clientAddress(req: IncomingMessage): string {
    let client = canonicalAddress(req.socket.remoteAddress ?? "");
    if (!this.has(client)) return client;
    const header = req.headers["x-forwarded-for"];
    const entries = (Array.isArray(header) ? header.join() : (header ?? "")).split(",");
    for (const entry of entries.reverse()) {
      const address = canonicalAddress(withoutPort(entry.trim()));
      if (isIP(address) === 0) return client;
      client = address;
      if (!this.has(address)) return client;
    }
    return client;
  }

  /** Whether the client uses HTTPS: according to a trusted proxy, otherwise to this process. */
  isHttps(req: IncomingMessage): boolean {
    const isEncrypted = "encrypted" in req.socket && req.socket.encrypted === true;
    const protocols = req.headers["x-forwarded-proto"];
    if (protocols === undefined || !this.has(canonicalAddress(req.socket.remoteAddress ?? "")))
      return isEncrypted;
    return String(protocols).split(",").at(-1)?.trim().toLowerCase() === "https";
  }
}

/** Whether a text can be the path of a proxy, such as `/hourgate`. */
export function isBasePath(text: string): boolean {
  return BASE_PATH.test(text);
}

/** Canonical form of an address: IPv4 over an IPv6 socket is written as IPv4. */
export function canonicalAddress(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
}

function withoutPort(text: string): string {
  return text.replace(/^\[(.*)\](?::\d+)?$/, "$1").replace(/^(\d+(?:\.\d+){3}):\d+$/, "$1");
}
