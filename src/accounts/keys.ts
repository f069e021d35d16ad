import { hash, randomBytes } from "node:crypto";

const KEY = /^hg_live_[A-Za-z0-9_-]{43}$/;

/** A new API key: 256 random bits behind the prefix by which secret scanners know it. */
export function newKey(random: (size: number) => Buffer = randomBytes): string {
  return `hg_live_${random(32).toString("base64url")}`;
}

/** Whether a text could be a key at all. */
export function isKey(text: unknown): text is string {
  return typeof text === "string" && KEY.test(text);
}

/**
 * What is stored of a key: its SHA-256, hex. A plain hash is enough for 256 random bits, and lookups by it leak nothing
 * through their timing.
 */
export function hashKey(key: string): string {
  return hash("sha256", key, "hex");
}

/** The start of a key, by which people tell keys apart; far too short to guess the rest. */
export function keyPrefix(key: string): string {
  return key.slice(0, "hg_live_".length + 6);
}
