import { BlockList, isIP } from "node:net";
import { hostname, networkInterfaces } from "node:os";

/** Domains of home networks that cannot be registered, so that a foreign site cannot have such a name. */
const LOCAL_DOMAINS = ["local", "lan", "home", "home.arpa", "internal", "localdomain", "fritz.box"];

/**
 * Private, loopback and link-local networks. Behind the port mapping of a container the address of the host is not
 * one of our own.
 */
const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const)
  PRIVATE.addSubnet(network, prefix, "ipv4");
PRIVATE.addAddress("::1", "ipv6");
PRIVATE.addSubnet("fc00::", 7, "ipv6");
PRIVATE.addSubnet("fe80::", 10, "ipv6");

/** How long the addresses of the interfaces are cached, ms. */
const INTERFACES_MS = 10_000;

/**
 * The host names of the gateway. A page of a foreign site can resolve its own name to the gateway's address (DNS
 * rebinding); such requests have that name in the Host header and are rejected.
 */
export class HostNames {
  readonly #names: ReadonlySet<string>;
  readonly #baseUrl: () => string;
  readonly #nowMs: () => number;
  #interfaces: { addresses: ReadonlySet<string>; untilMs: number } | undefined;

  constructor({
    hosts,
    baseUrl,
    name = hostname(),
    nowMs = performance.now.bind(performance),
  }: {
    /** `http.hosts`: further names. */
    hosts: readonly string[];
    baseUrl: () => string;
    /** Name of this machine. */
    name?: string;
    nowMs?: () => number;
  }) {
    const own = name.toLowerCase();
    const short = own.split(".")[0]!;
    this.#names = new Set([
      own,
      ...LOCAL_DOMAINS.map((domain) => `${short}.${domain}`),
      ...hosts.map((host) => hostOf(host)),
    ]);
    this.#baseUrl = baseUrl;
    this.#nowMs = nowMs;
  }

  /** Whether a Host header names this gateway; true without one, because simple controllers send none. */
  accepts(header: string | undefined): boolean {
    if (header === undefined || header.trim() === "") return true;
    const host = hostOf(header);
    const version = isIP(host);
    if (version !== 0)
      return (
        PRIVATE.check(host, version === 6 ? "ipv6" : "ipv4") ||
        this.#isOwnAddress(host) ||
        this.#isNamed(host)
      );
    // A name without a dot is not in the public DNS: a name of the local network, or of a container.
    if (/^[a-z0-9_-]+$/.test(host) || host.endsWith(".localhost")) return true;
    return this.#isNamed(host);
  }

  #isNamed(host: string): boolean {
    if (this.#names.has(host)) return true;
    const baseUrl = this.#baseUrl();
    return URL.canParse(baseUrl) && hostOf(new URL(baseUrl).host) === host;
  }

  #isOwnAddress(address: string): boolean {
    const nowMs = this.#nowMs();
    if (this.#interfaces === undefined || this.#interfaces.untilMs < nowMs) {
      const list = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
      this.#interfaces = {
        addresses: new Set(list.map((one) => one.address.toLowerCase())),
        untilMs: nowMs + INTERFACES_MS,
      };
    }
    return this.#interfaces.addresses.has(address);
  }
}

/** The host of a Host header: lower case, without port, brackets and trailing dot. */
export function hostOf(header: string): string {
  const text = header.trim().toLowerCase();
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(text);
  if (bracketed !== null) return bracketed[1]!;
  const host = isIP(text) === 6 ? text : text.replace(/:\d*$/, "");
  return host.replace(/\.$/, "");
}

/** Whether a page (Origin header) is of the host that it calls, on any port; true without one: programs send none. */
export function isSameHost(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined) return true;
  return URL.canParse(origin) && hostOf(new URL(origin).host) === hostOf(host ?? "");
}

/**
 * Address under which the gateway is reachable: the configured one, else the listening port on the host that it listens on;
 * for all addresses the first external IPv4 address of this machine (or the loopback address).
 */
export function baseUrlOf({
  base_url: configured,
  host,
  port,
}: {
  base_url: string | null;
  host: string;
  port: number;
}): string {
  const reachable = host === "" || host === "0.0.0.0" || host === "::" ? lanAddress() : host;
  return configured ?? `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

function lanAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1";
}
