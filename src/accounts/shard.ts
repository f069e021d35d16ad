import { hash } from "node:crypto";
import type { StateView } from "../store/state-schema.js";

/** One part of a fleet (docs/fleet.md): an installation of its own, whose keys and links contain its number in their hash. */
export interface Shard {
  /** From 0. */
  readonly number: number;
  /** Number of shards of the fleet. */
  readonly of: number;
}

/** The shard that a key or a link token was made for: the first 32 bits of its SHA-256 modulo the number of shards. */
export function shardOf(token: string, shards: number): number {
  return shardOfHash(hash("sha256", token, "hex"), shards);
}

/** The shard of a key or link by its SHA-256 (hex). */
export function shardOfHash(hash: string, shards: number): number {
  return Number.parseInt(hash.slice(0, 8), 16) % shards;
}

/** The hashes of the valid keys and links that came here with accounts of other shards. */
export function guestTokens({ shard, keys, links }: StateView): string[] {
  if (shard === undefined) return [];
  const valid = [...keys, ...links].filter(({ revokedAt }) => revokedAt === null);
  return valid.map(({ hash }) => hash).filter((hash) => shardOfHash(hash, shard.of) !== shard.number);
}

/** Draws tokens until one belongs to the shard; without one, the first token. */
export function drawFor(shard: Shard | undefined, draw: () => string): string {
  for (;;) {
    const token = draw();
    if (shard === undefined || shardOf(token, shard.of) === shard.number) return token;
  }
}
