import { hash, randomBytes } from "node:crypto";
import { drawFor, type Shard } from "./shard.js";

const KEY = /^hg_live_[A-Za-z0-9_-]{43}$/;

/** A new API key of the shard: 256 random bits after the prefix that secret scanners recognise. */
export function newKey(shard?: Shard, random: (size: number) => Buffer = randomBytes): string {
  return drawFor(shard, () => `hg_live_${random(32).toString("base64url")}`);
}

/** Whether a value has the form of a key. */
export function isKey(text: unknown): text is string {
  return typeof text === "string" && KEY.test(text);
}

/**
 * The stored form of a key: its SHA-256 in hex. A plain hash is sufficient for 256 random bits, and a lookup by hash leaks
 * nothing through its timing.
 */
export function hashKey(key: string): string {
  return hash("sha256", key, "hex");
}

/** The id of a key in `Access`: derived from the key, so that gateways with shared counters count the same key together. */
export function accessIdOf(hash: string): string {
  return hash.slice(0, 32);
}

/** The start of a key, which identifies it in lists; too short to guess the rest. */
export function keyPrefix(key: string): string {
  return key.slice(0, "hg_live_".length + 6);
}
