import { hash } from "node:crypto";

/** One part of a fleet (docs/fleet.md): an installation of its own, whose keys and links contain its number in their hash. */
export interface Shard {
  /** From 0. */
  readonly number: number;
  /** Number of shards of the fleet. */
  readonly of: number;
}

/** The shard that a key or a link token belongs to: the first 32 bits of its SHA-256 modulo the number of shards. */
export function shardOf(token: string, shards: number): number {
  return Number.parseInt(hash("sha256", token, "hex").slice(0, 8), 16) % shards;
}

/** Draws tokens until one belongs to the shard; without one, the first token. */
export function drawFor(shard: Shard | undefined, draw: () => string): string {
  for (;;) {
    const token = draw();
    if (shard === undefined || shardOf(token, shard.of) === shard.number) return token;
  }
}
