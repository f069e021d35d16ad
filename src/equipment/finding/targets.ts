import ipaddr from "ipaddr.js";
import { reachOfAddress } from "../../core/net/address.js";

/** Hosts of the largest subnet that is looked at: a /22. */
export const LARGEST_PREFIX = 22;

/** A host to look at, at all ports of the templates or at one. */
export interface SearchTarget {
  host: string;
  port?: number;
}

/** A target or an exclusion that cannot be used, with a sentence about the reason. */
export class TargetError extends Error {
  override readonly name = "TargetError";

  constructor(
    readonly field: "targets" | "exclude",
    readonly code: "public" | "too_large" | "invalid",
    /** As it was typed. */
    readonly target: string,
  ) {
    super(SENTENCES[code](target));
  }
}

const SENTENCES = {
  public: (target: string) =>
    `${target} is not in a private network; only devices of the own home are looked for.`,
  too_large: (target: string) => `${target} is too large; a subnet may have at most 1024 addresses (/22).`,
  invalid: (target: string) =>
    `"${target}" is not a target; it must be an IPv4 address such as 192.168.1.80, an address with a port such as 192.168.1.80:502, or a subnet such as 192.168.1.0/24.`,
} as const;

export interface TargetOptions {
  /** Addresses and subnets that are left out. */
  exclude?: readonly string[];
  /** What is looked at without targets. */
  ownSubnets?: readonly string[];
}

/** The hosts of targets; without any, those of the own private subnets. Throws TargetError. */
export function parseTargets(
  texts: readonly string[],
  { exclude = [], ownSubnets = [] }: TargetOptions = {},
): SearchTarget[] {
  const excluded = exclude.map((text) => rangeOf("exclude", text).range);
  const targets = new Map<string, SearchTarget>();
  for (const text of texts.length > 0 ? texts : ownSubnets) {
    const { range, port } = rangeOf("targets", text);
    for (const host of hostsOf(range)) {
      if (excluded.some((one) => isInside(host, one))) continue;
      targets.set(`${host}:${port ?? ""}`, { host, ...(port !== undefined && { port }) });
    }
  }
  return [...targets.values()];
}

/** Whether an address is among the targets' exclusions. */
export function isExcluded(host: string, exclude: readonly string[]): boolean {
  return exclude.some((text) => isInside(host, rangeOf("exclude", text).range));
}

type Range = [ipaddr.IPv4, number];

function rangeOf(field: TargetError["field"], text: string): { range: Range; port?: number } {
  const match = /^(\d{1,3}(?:\.\d{1,3}){3})(?:\/(\d{1,2})|:(\d{1,5}))?$/.exec(text.trim());
  const [, address = "", prefixText, portText] = match ?? [];
  const prefix = Number(prefixText ?? 32);
  const port = portText === undefined ? undefined : Number(portText);
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) || prefix > 32 || port === 0 || (port ?? 1) > 65_535)
    throw new TargetError(field, "invalid", text);
  if (prefix < LARGEST_PREFIX) throw new TargetError(field, "too_large", text);
  if (reachOfAddress(address, []) !== "private") throw new TargetError(field, "public", text);
  return { range: [ipaddr.IPv4.parse(address), prefix], ...(port !== undefined && { port }) };
}

/** All addresses of a subnet that a host may have. */
function hostsOf([address, prefix]: Range): string[] {
  const first = numberOf(ipaddr.IPv4.networkAddressFromCIDR(`${address.toString()}/${prefix}`));
  const count = 2 ** (32 - prefix);
  const all = Array.from({ length: count }, (_, index) => addressOf(first + index));
  return count > 2 ? all.slice(1, -1) : all;
}

function isInside(host: string, [base, prefix]: Range): boolean {
  return ipaddr.IPv4.parse(host).match(base, prefix);
}

function numberOf(address: ipaddr.IPv4): number {
  return address.octets.reduce((sum, octet) => sum * 256 + octet, 0);
}

function addressOf(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
}
