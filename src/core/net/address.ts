import os from "node:os";
import ipaddr from "ipaddr.js";

/** Where an address is: on the internet, in the operator's own network, or not usable for a receiver. */
export type AddressReach = "public" | "private" | "unusable";

/** Ranges of private networks, with the names of ipaddr.js. */
const OWN_NETWORK = new Set(["private", "loopback", "linkLocal", "uniqueLocal", "carrierGradeNat"]);

/** Names reserved for this machine or its network (RFC 6761, 6762, 8375 and ICANN's .internal). */
const LOCAL_NAME = /(^|\.)(localhost|localdomain|local|internal|home\.arpa|ip6-localhost|ip6-loopback)$/;

/**
 * The reach of an IP address in any notation that `ipaddr.js` reads; `unusable` for anything else. An IPv6 address with
 * an embedded IPv4 address (mapped, NAT64 of RFC 6052, 6to4) has the reach of the IPv4 address. Addresses in the networks
 * of this machine are private: a global IPv6 prefix of the home is still the home.
 */
export function reachOfAddress(
  text: string,
  ownNetworks: readonly string[] = machineNetworks(),
): AddressReach {
  if (!ipaddr.isValid(text)) return "unusable";
  const address = ipaddr.parse(text);
  const reach = reachOfParsed(address, ownNetworks);
  return reach === "public" && ownNetworks.some((network) => isInside(address, network)) ? "private" : reach;
}

/** Whether an IP address is this machine itself. */
export function isLoopbackAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback";
}

/** The networks of this machine's interfaces as CIDR, such as `2001:db8:1:2::5/64`. */
function machineNetworks(): string[] {
  return Object.values(os.networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).flatMap(({ cidr }) => cidr ?? []),
  );
}

function isInside(address: ipaddr.IPv4 | ipaddr.IPv6, network: string): boolean {
  const [base, bits] = ipaddr.parseCIDR(network);
  return base.kind() === address.kind() && address.match(base, bits);
}

function reachOfParsed(address: ipaddr.IPv4 | ipaddr.IPv6, ownNetworks: readonly string[]): AddressReach {
  if (address instanceof ipaddr.IPv4) return reachOfRange(address.range());
  const embedded = embeddedIpv4(address.parts);
  if (embedded !== undefined) return reachOfAddress(embedded, ownNetworks);
  const reach = reachOfRange(address.range());
  // Only 2000::/3 is allocated as global unicast (RFC 4291, 2.4).
  const isGlobal = (address.parts[0]! & 0xe000) === 0x2000;
  return reach === "public" && !isGlobal ? "unusable" : reach;
}

/** The reach of a URL's hostname; undefined for a name that must be resolved first. */
export function reachOfHost(hostname: string): AddressReach | undefined {
  const bare = hostname.replace(/^\[|\]$/g, "").replace(/(?<!\.)\.+$/, "");
  if (bare === "") return "unusable";
  if (ipaddr.isValid(bare)) return reachOfAddress(bare);
  return LOCAL_NAME.test(bare.toLowerCase()) ? "private" : undefined;
}

function reachOfRange(range: string): AddressReach {
  if (range === "unicast") return "public";
  return OWN_NETWORK.has(range) ? "private" : "unusable";
}

function embeddedIpv4(parts: readonly number[]): string | undefined {
  const [first = 0, second = 0, third = 0, , , sixth = 0, high = 0, low = 0] = parts;
  const zeroes = (from: number, to: number) => parts.slice(from, to).every((part) => part === 0);
  if (zeroes(0, 5) && sixth === 0xffff) return dotted(high, low);
  if (first === 0x64 && second === 0xff9b && zeroes(2, 6)) return dotted(high, low);
  if (first === 0x2002) return dotted(second, third);
  return undefined;
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
