import { isIP } from "node:net";

/**
 * The name under which an address is counted. An IPv6 client can choose any address of its /64, so the /64 is counted; an
 * IPv4 address in IPv6 notation is counted as IPv4. Texts that are not addresses (forged headers) share one name.
 */
export function quotaAddress(address: string | undefined): string {
  const plain = (address ?? "").trim().replace(/%.*$/, "");
  const version = isIP(plain);
  if (version === 4) return plain;
  if (version !== 6) return "unknown";
  const groups = ipv6Groups(plain);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return [groups[6]! >> 8, groups[6]! & 255, groups[7]! >> 8, groups[7]! & 255].join(".");
  }
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(":")}::/64`;
}

/** The eight 16-bit groups of a valid IPv6 address. */
function ipv6Groups(address: string): number[] {
  const hexOnly = address.replace(
    /(\d+)\.(\d+)\.(\d+)\.(\d+)$/,
    (_all, a: string, b: string, c: string, d: string) =>
      [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((group) => group.toString(16)).join(":"),
  );
  const parse = (part: string | undefined) =>
    part === undefined || part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const [head, tail] = hexOnly.split("::");
  const before = parse(head);
  const after = parse(tail);
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}
