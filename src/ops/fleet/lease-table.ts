import type { Redis } from "ioredis";
import { type Holder, type LeaseSigner, leaseText, parseHolder } from "./lease.js";

/** Sets a value that is still `before` (empty: none). Arguments: before, value, duration in ms. Returns 1 if it did. */
const REPLACE = `
if (redis.call('get', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`;

/** Removes a value that is still `before`. */
const REMOVE = `
if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end
return 1
`;

export interface LeaseTableOptions {
  client: Redis;
  /** `redis.prefix`. */
  prefix: string;
  shards: number;
  signer: LeaseSigner;
}

/**
 * The leases of a fleet's shards in Redis, each `<prefix>:fleet:shard:<n>`, signed with the fleet's secret. A value that no
 * worker has signed counts as none. Every method rejects when Redis does not answer.
 */
export class LeaseTable {
  readonly #options: LeaseTableOptions;

  constructor(options: LeaseTableOptions) {
    this.#options = options;
  }

  /** The holder of each shard; undefined for free ones. */
  async holders(): Promise<(Holder | undefined)[]> {
    const { client, shards, signer } = this.#options;
    const keys = Array.from({ length: shards }, (_, shard) => this.#key(shard));
    const texts = await client.mget(keys);
    return texts.map((text, shard) => parseHolder(keys[shard]!, text, signer));
  }

  /** Takes a free lease or extends the worker's own; false if another worker holds it. */
  async hold(shard: number, holder: Omit<Holder, "shards">, leaseMs: number): Promise<boolean> {
    const { client, shards, signer } = this.#options;
    const key = this.#key(shard);
    const value = leaseText(key, { ...holder, shards }, signer);
    for (;;) {
      const before = await client.get(key);
      const held = parseHolder(key, before, signer);
      if (held !== undefined && held.worker !== holder.worker) return false;
      // It may have expired, or changed, since it was read.
      if ((await client.eval(REPLACE, 1, key, before ?? "", value, leaseMs)) === 1) return true;
    }
  }

  /** Ends the lease if the worker holds it. */
  async release(shard: number, worker: string): Promise<true> {
    const { client, signer } = this.#options;
    const key = this.#key(shard);
    const before = await client.get(key);
    if (before !== null && parseHolder(key, before, signer)?.worker === worker)
      await client.eval(REMOVE, 1, key, before);
    return true;
  }

  #key(shard: number): string {
    return `${this.#options.prefix}:fleet:shard:${shard}`;
  }
}
