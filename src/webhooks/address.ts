import ipaddr from "ipaddr.js";

/** How far away an address is: on the internet, in the operator's own network, or where no receiver can be. */
export type AddressReach = "public" | "private" | "unusable";

/** Ranges of a home's or a company's own network, as ipaddr.js names them. */
const OWN_NETWORK = new Set(["private", "loopback", "linkLocal", "uniqueLocal", "carrierGradeNat"]);

/** Names that mean this machine or its network by definition (RFC 6761, 6762, 8375 and ICANN's .internal). */
const LOCAL_NAME = /(^|\.)(localhost|localdomain|local|internal|home\.arpa|ip6-localhost|ip6-loopback)$/;

/**
 * The reach of an IP address in any notation that `ipaddr.js` reads; `unusable` for what is no address. An IPv6 address
 * that carries an IPv4 one (mapped, NAT64 of RFC 6052, 6to4) reaches where that one does.
 */
export function reachOfAddress(text: string): AddressReach {
  if (!ipaddr.isValid(text)) return "unusable";
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) return reachOfRange(address.range());
  const embedded = embeddedIpv4(address.parts);
  if (embedded !== undefined) return reachOfAddress(embedded);
  const reach = reachOfRange(address.range());
  // Only 2000::/3 is given out; whatever else the library does not name is nobody's (RFC 4291, 2.4).
  const isGlobal = (address.parts[0]! & 0xe000) === 0x2000;
  return reach === "public" && !isGlobal ? "unusable" : reach;
}

/** The reach of a URL's hostname as far as it tells by itself; undefined for a name that must be resolved first. */
export function reachOfHost(hostname: string): AddressReach | undefined {
  const bare = hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");
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
