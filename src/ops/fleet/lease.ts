/** The worker that holds a shard, as stored in Redis. */
export interface Holder {
  /** Id of the process. */
  worker: string;
  /** Number of shards of the worker's fleet. */
  shards: number;
  /** Where routers reach the worker; null while it starts. */
  address: string | null;
}

/** Signs the text of a lease, and checks a signature. */
export interface LeaseSigner {
  sign(text: string): string;
  isSigned(text: string, signature: string): boolean;
}

/** The value of a lease in Redis. `key`: that of the lease, so that one shard's does not pass for another's. */
export function leaseText(key: string, { worker, shards, address }: Holder, signer: LeaseSigner): string {
  const signature = signer.sign(signedText(key, { worker, shards, address }));
  return JSON.stringify({ worker, shards, address, signature });
}

/** Reads the value of a lease; undefined if there is none or no worker of this fleet has signed it. */
export function parseHolder(key: string, text: string | null, signer: LeaseSigner): Holder | undefined {
  if (text === null) return undefined;
  try {
    const { worker, shards, address, signature } = JSON.parse(text) as Record<string, unknown>;
    const isHolder =
      typeof worker === "string" &&
      typeof shards === "number" &&
      (address === null || (typeof address === "string" && URL.canParse(address)));
    if (!isHolder || typeof signature !== "string") return undefined;
    const holder = { worker, shards, address };
    return signer.isSigned(signedText(key, holder), signature) ? holder : undefined;
  } catch {
    return undefined;
  }
}

function signedText(key: string, { worker, shards, address }: Holder): string {
  return JSON.stringify([key, worker, shards, address]);
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
