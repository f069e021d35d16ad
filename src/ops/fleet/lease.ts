/** The worker that holds a shard, as stored in Redis. */
export interface Holder {
  /** Id of the process. */
  worker: string;
  /** Number of shards of the worker's fleet. */
  shards: number;
  /** Where routers reach the worker; null while it starts. */
  address: string | null;
}

/** Reads the value of a lease; undefined if there is none or it is not one of this program. */
export function parseHolder(text: string | null): Holder | undefined {
  if (text === null) return undefined;
  try {
    const { worker, shards, address } = JSON.parse(text) as Record<string, unknown>;
    const isHolder =
      typeof worker === "string" &&
      typeof shards === "number" &&
      (address === null || (typeof address === "string" && URL.canParse(address)));
    return isHolder ? { worker, shards, address } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The holders that a router uses: those read from Redis, and the last known one of a shard without a lease, which may serve
 * on: Redis may have lost its data. Holders of a fleet with another number of shards are left out.
 */
export function mergeHolders(
  known: readonly (Holder | undefined)[],
  read: readonly (Holder | undefined)[],
): (Holder | undefined)[] {
  return read.map((holder, shard) => {
    if (holder === undefined) return known[shard];
    return holder.shards === read.length ? holder : undefined;
  });
}

/** The shards that a waiting worker may take, in the order in which it tries them: `first` spreads workers that start together. */
export function freeShards(held: readonly (Holder | undefined)[], first: number): number[] {
  const order = held.map((_holder, index) => (index + first) % held.length);
  return order.filter((shard) => held[shard] === undefined);
}
