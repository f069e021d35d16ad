import type { Redis } from "ioredis";
import { type Holder, parseHolder } from "./lease.js";

/** Takes a lease that is free, or extends one that the worker holds. Arguments: worker, value, duration in ms. Returns 1 if the worker now holds it. */
const HOLD = `
local held = redis.call('get', KEYS[1])
if held and cjson.decode(held).worker ~= ARGV[1] then return 0 end
redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`;

/** Ends a lease that the worker holds. */
const RELEASE = `
local held = redis.call('get', KEYS[1])
if held and cjson.decode(held).worker == ARGV[1] then redis.call('del', KEYS[1]) end
return 1
`;

export interface LeaseTableOptions {
  client: Redis;
  /** `redis.prefix`. */
  prefix: string;
  /** Number of shards of the fleet. */
  shards: number;
}

/** The leases of a fleet's shards in Redis, each `<prefix>:fleet:shard:<n>`. Every method rejects when Redis does not answer. */
export class LeaseTable {
  readonly #options: LeaseTableOptions;

  constructor(options: LeaseTableOptions) {
    this.#options = options;
  }

  /** The holder of each shard; undefined for free ones. */
  async holders(): Promise<(Holder | undefined)[]> {
    const { client, shards } = this.#options;
    const texts = await client.mget(Array.from({ length: shards }, (_, shard) => this.#key(shard)));
    return texts.map(parseHolder);
  }

  /** Takes a free lease or extends the worker's own; false if another worker holds it. */
  async hold(shard: number, holder: Omit<Holder, "shards">, leaseMs: number): Promise<boolean> {
    const { client, shards } = this.#options;
    const value = JSON.stringify({ ...holder, shards } satisfies Holder);
    return (await client.eval(HOLD, 1, this.#key(shard), holder.worker, value, leaseMs)) === 1;
  }

  /** Ends the lease if the worker holds it. */
  async release(shard: number, worker: string): Promise<true> {
    await this.#options.client.eval(RELEASE, 1, this.#key(shard), worker);
    return true;
  }

  #key(shard: number): string {
    return `${this.#options.prefix}:fleet:shard:${shard}`;
  }
}
