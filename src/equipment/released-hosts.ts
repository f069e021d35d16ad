import { reachOfHost } from "../core/net/address.js";

/** Ports that an address without one means. */
const DEFAULT_PORTS: Readonly<Record<string, string>> = {
  "http:": "80",
  "https:": "443",
  "mqtt:": "1883",
  "mqtts:": "8883",
  "ws:": "80",
  "wss:": "443",
};

/** Host and port of a URL, the port also where it is the usual one. */
export function hostAndPort({ protocol, hostname, port }: URL): string {
  return `${hostname.toLowerCase()}:${port || DEFAULT_PORTS[protocol]}`;
}

/** Which addresses a site may use. */
export interface AddressLimits {
  /** Undefined: any. */
  hosts: readonly string[] | undefined;
  allowPublic: boolean;
}

/** Administrators may use any host of the local network, accounts the released ones. */
export function addressLimits(
  sources: {
    settings: { allow_public: boolean; tenant_hosts: readonly string[] };
    isUnrestricted(siteId: string): boolean;
  },
  siteId: string,
): AddressLimits {
  const { allow_public: allowPublic, tenant_hosts } = sources.settings;
  return { allowPublic, hosts: sources.isUnrestricted(siteId) ? undefined : tenant_hosts };
}

/** Why a site may not use an address; undefined: it may. */
export function addressFault(url: URL, { hosts, allowPublic }: AddressLimits): "host" | "public" | undefined {
  if (hosts !== undefined && !isReleased(url, hosts)) return "host";
  const reach = reachOfHost(url.hostname);
  return reach === "unusable" || (reach === "public" && !allowPublic) ? "public" : undefined;
}

/** Whether a device at `url` may be used: its host is in the list, without a port (then any is meant) or with this one. */
export function isReleased(url: URL, hosts: readonly string[]): boolean {
  const bare = url.hostname.replace(/^\[|\]$/g, "");
  const withPort = hostAndPort(url);
  return hosts.some((host) => {
    const wanted = host.toLowerCase();
    return wanted === bare || wanted === withPort;
  });
}
