import { shardOfHash } from "../../accounts/shard.js";
import type { Log } from "../../core/log.js";
import { RedisLink } from "../../core/net/redis-link.js";
import { GuestTable } from "./guest-table.js";
import { type Holder, mergeHolders } from "./lease.js";
import { LeaseTable } from "./lease-table.js";
import type { FleetSecret } from "./secret.js";
import type { FleetConfiguration } from "./settings.js";

const REFRESH_MS = 1_000;

export interface HoldersOptions {
  settings: FleetConfiguration;
  secret: FleetSecret;
  /** Called with the former holder of a shard that has a new one. */
  onReplaced(former: Holder): void;
  log: Pick<Log, "info" | "warn">;
}

/** The holders of all shards, and which shard serves a key, read every second. While Redis is unavailable what was known last is kept. */
export class Holders {
  readonly #options: HoldersOptions;
  readonly #link: RedisLink;
  readonly #leases: LeaseTable;
  readonly #guests: GuestTable;
  #shardOf: ReadonlyMap<string, number> = new Map();
  #known: readonly (Holder | undefined)[];
  #served = 0;
  #timer: NodeJS.Timeout | undefined;
  #refreshing: Promise<void> | undefined;
  #problem: string | undefined;

  constructor(options: HoldersOptions) {
    const { settings, secret: signer } = options;
    const { redis, fleet } = settings;
    const { shards } = fleet;
    this.#options = options;
    this.#known = Array.from({ length: shards }, () => undefined);
    this.#link = new RedisLink({
      settings: redis,
      probe: () => this.#read(),
      onChange: (problem) => this.#report(problem),
    });
    const table = { client: this.#link.client, prefix: redis.prefix, shards, signer };
    this.#leases = new LeaseTable(table);
    this.#guests = new GuestTable(table);
  }

  async start(): Promise<void> {
    await this.#link.start();
    this.#timer = setInterval(() => void this.refresh(), REFRESH_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#link.stop();
  }

  /** The serving worker of a shard, or any serving worker. */
  of(shard: number | "any"): (Holder & { address: string }) | undefined {
    const serving = this.#known.filter((holder) => holder !== undefined).filter(isServing);
    if (shard === "any") return serving[Math.floor(Math.random() * serving.length)];
    const holder = this.#known[shard];
    return holder !== undefined && isServing(holder) ? holder : undefined;
  }

  /** The shard that serves a key or link, by its hash: that of its account if it was moved. */
  shardOf(hash: string): number {
    return this.#shardOf.get(hash) ?? shardOfHash(hash, this.#known.length);
  }

  /** The holder of each shard, also one that still starts. */
  list(): readonly (Holder | undefined)[] {
    return this.#known;
  }

  /** Number of shards that a worker with a lease serves, when Redis was last available. */
  get served(): number {
    return this.#served;
  }

  /** Reads the holders now; concurrent calls share one read. Never rejects. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#link
      .run(() => this.#read())
      .then(() => {
        this.#refreshing = undefined;
      });
    return this.#refreshing;
  }

  async #read(): Promise<true> {
    const [leases, shardOf] = await Promise.all([this.#leases.holders(), this.#guests.read()]);
    this.#shardOf = shardOf;
    const before = this.#known;
    this.#known = mergeHolders(before, leases);
    this.#served = mergeHolders([], leases).filter(
      (holder) => holder !== undefined && isServing(holder),
    ).length;
    for (const [shard, former] of before.entries())
      if (former !== undefined && former.worker !== this.#known[shard]?.worker)
        this.#options.onReplaced(former);
    return true;
  }

  #report(problem: string | undefined): void {
    if (this.#problem === problem) return;
    const { log } = this.#options;
    if (problem === undefined) log.info({}, `Shards are read from Redis at ${this.#link.address}.`);
    // The same problem recurs with every connection attempt.
    else if (this.#problem === undefined)
      log.warn(
        {},
        `Redis at ${this.#link.address} is unavailable (${problem}); the last known workers are used.`,
      );
    this.#problem = problem;
  }
}

function isServing(holder: Holder): holder is Holder & { address: string } {
  return holder.address !== null;
}
