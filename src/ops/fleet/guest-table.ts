import type { LeaseTableOptions } from "./lease-table.js";

/**
 * The keys and links (SHA-256, hex) of accounts that were moved to a shard, in Redis for the routers: `<prefix>:fleet:guests:<n>`,
 * signed as leases are. Every method rejects when Redis does not answer.
 */
export class GuestTable {
  readonly #options: LeaseTableOptions;
  /** The last signed text of each shard: Redis may have lost its data. */
  readonly #texts: (string | undefined)[] = [];
  #shardOf: ReadonlyMap<string, number> = new Map();

  constructor(options: LeaseTableOptions) {
    this.#options = options;
  }

  async put(shard: number, hashes: readonly string[]): Promise<true> {
    const { client, signer } = this.#options;
    const key = this.#key(shard);
    const signature = signer.sign(signedText(key, hashes));
    await client.set(key, JSON.stringify({ hashes, signature }));
    return true;
  }

  /** The shard of each hash. */
  async read(): Promise<ReadonlyMap<string, number>> {
    const { client, shards } = this.#options;
    const texts = await client.mget(Array.from({ length: shards }, (_, shard) => this.#key(shard)));
    const changed = texts.flatMap((text, shard) =>
      text !== null && text !== this.#texts[shard] ? [[shard, text] as const] : [],
    );
    if (changed.length === 0) return this.#shardOf;
    const shardOf = new Map(
      [...this.#shardOf].filter(([, shard]) => !changed.some(([other]) => other === shard)),
    );
    for (const [shard, text] of changed) {
      this.#texts[shard] = text;
      for (const hash of this.#hashes(this.#key(shard), text)) shardOf.set(hash, shard);
    }
    this.#shardOf = shardOf;
    return shardOf;
  }

  #hashes(key: string, text: string): string[] {
    try {
      const { hashes, signature } = JSON.parse(text) as { hashes: string[]; signature: string };
      return this.#options.signer.isSigned(signedText(key, hashes), signature) ? hashes : [];
    } catch {
      return [];
    }
  }

  #key(shard: number): string {
    return `${this.#options.prefix}:fleet:guests:${shard}`;
  }
}

function signedText(key: string, hashes: readonly string[]): string {
  return JSON.stringify([key, hashes]);
}
