import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import { hostname } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import type { Settings } from "../../config/settings.js";
import type { ComponentSentence } from "../../core/domain/component-sentence.js";
import { errorMessage } from "../../core/error-message.js";
import type { HealthRegistry } from "../../core/health-registry.js";
import type { Log } from "../../core/log.js";
import { baseUrlOf } from "../../core/net/host-names.js";
import { RedisLink } from "../../core/net/redis-link.js";
import { close, listenHttp } from "../../edges/http/listen.js";
import { StoreError } from "../../store/errors.js";
import { componentText } from "../../texts/index.js";
import type { GatewayStart, ShardGateway } from "../servers.js";
import { answerDocument, answerRefusal } from "./answers.js";
import { GuestTable } from "./guest-table.js";
import { freeShards } from "./lease.js";
import { LeaseTable } from "./lease-table.js";
import { MoveWatch } from "./move-watch.js";
import { settleMoves } from "./moving.js";
import { FleetSecret } from "./secret.js";
import { type FleetConfiguration, redisWarning, shardSettings } from "./settings.js";

/** Interval at which a waiting worker looks for a free shard, ms. */
const LOOK_MS = 250;
/** Time until a worker that could not reach PostgreSQL tries again, ms. */
const RETRY_MS = 2_000;

const COMMAND_TIMEOUT_MS = 2_000;
/** Longest stop of a gateway for a move; its process ends otherwise, and another one takes the shard. */
const STOP_MS = 30_000;

export interface FleetWorkerOptions {
  settings: FleetConfiguration;
  createGateway(settings: Settings, options: GatewayStart): ShardGateway;
  /** Another worker has the shard now: the process must end, and answer nothing any more. */
  onLost(fault: Error): void;
  log: Log;
}

/**
 * Waits for a shard without a worker and serves it with a gateway. The lease in Redis decides which worker serves a shard;
 * the store makes sure that a worker that was replaced without noticing can't write any more.
 */
export class FleetWorker {
  readonly #options: FleetWorkerOptions;
  readonly #id = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  readonly #address: string;
  readonly #leaseMs: number;
  readonly #link: RedisLink;
  readonly #leases: LeaseTable;
  readonly #guests: GuestTable;
  readonly #standby: Standby;
  readonly #stopping = new AbortController();
  #shard: number | undefined;
  #gateway: ShardGateway | undefined;
  #moves: MoveWatch | undefined;
  #restarting: Promise<void> | undefined;
  #components: HealthRegistry | undefined;
  #isServing = false;
  #isLost = false;
  #renewal: NodeJS.Timeout | undefined;
  /** Why Redis is unavailable; undefined while it is available. */
  #problem: string | undefined;
  /** Until then no shard is taken: Redis may have lost its data, and the workers that serve take their leases again. */
  #lookFromMs = 0;

  constructor(options: FleetWorkerOptions) {
    const { settings } = options;
    const { fleet, redis, http } = settings;
    this.#options = options;
    this.#leaseMs = fleet.lease_seconds * 1000;
    this.#address = fleet.address ?? baseUrlOf({ ...http, base_url: null });
    this.#link = new RedisLink({
      settings: redis,
      probe: () => this.#link.client.ping(),
      onChange: (problem) => this.#onRedis(problem),
      // A worker that plans for a second must not take Redis for unavailable.
      commandTimeoutMs: COMMAND_TIMEOUT_MS,
    });
    const table = {
      client: this.#link.client,
      prefix: redis.prefix,
      shards: fleet.shards,
      signer: new FleetSecret(settings),
    };
    this.#leases = new LeaseTable(table);
    this.#guests = new GuestTable(table);
    this.#standby = new Standby(http);
  }

  /** Resolves when the worker serves a shard, or was stopped. Throws an Error that says what to do. */
  async start(): Promise<void> {
    const warning = redisWarning(this.#options.settings);
    if (warning !== undefined) this.#options.log.warn({}, warning);
    await this.#standby.start();
    await this.#link.start();
    await this.#endFormerLease();
    await this.#waitAndServe();
  }

  async #waitAndServe(): Promise<void> {
    this.#options.log.info({ worker: this.#id }, "This worker waits for a free shard of the fleet.");
    for (;;) {
      const shard = await this.#waitForShard();
      if (shard === undefined) return;
      await this.#standby.stop();
      if (this.#stopping.signal.aborted || (await this.#serve(shard))) return;
      await this.#standby.start();
      await wait(RETRY_MS, undefined, { signal: this.#stopping.signal }).catch(() => {});
    }
  }

  /** Stops the gateway, so that everything is stored, hands over or takes accounts, and serves on under the same lease. */
  async #restart(shard: number): Promise<void> {
    this.#isServing = false;
    await this.#renew();
    const limit = wait(STOP_MS, "late", { ref: false });
    if ((await Promise.race([this.#gateway?.stop(), limit])) === "late")
      throw new Error(`The gateway of shard ${shard} does not stop, so that an account could be moved.`);
    await this.#moves?.stop();
    if (this.#stopping.signal.aborted || this.#isLost || (await this.#serve(shard))) return;
    await this.#standby.start();
    await this.#waitAndServe();
  }

  /** Stops the gateway, then ends the lease, so that a waiting worker takes over at once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    // The data belong to another worker: nothing may be published or written any more.
    if (this.#isLost) return;
    await this.#standby.stop();
    await this.#gateway?.stop();
    await this.#restarting;
    await Promise.all([this.#gateway?.stop(), this.#moves?.stop()]);
    await this.#endLease();
    await this.#link.stop();
  }

  /** Takes a free shard; undefined when the worker is stopped. */
  async #waitForShard(): Promise<number | undefined> {
    const { shards } = this.#options.settings.fleet;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const held =
        performance.now() < this.#lookFromMs ? undefined : await this.#link.run(() => this.#leases.holders());
      for (const shard of freeShards(held ?? [], Math.floor(Math.random() * shards)))
        if (!signal.aborted && (await this.#hold(shard)) === true) {
          this.#shard = shard;
          this.#renewal = setInterval(() => void this.#renew(), this.#leaseMs / 3);
          return shard;
        }
      await wait(LOOK_MS, undefined, { signal }).catch(() => {});
    }
    return undefined;
  }

  /** Starts the gateway of a shard whose lease is held. False if its data cannot be reached now; throws if it cannot start. */
  async #serve(shard: number): Promise<boolean> {
    const { settings, createGateway, log } = this.#options;
    log.info({ worker: this.#id, shard }, "This worker has taken a shard and starts to serve it.");
    const place = { url: settings.store.postgres.url!, shard };
    let failed: string[];
    const gateway = createGateway(shardSettings(settings, shard), {
      log,
      onStoreLost: (fault) => this.#lose(fault),
      onComponents: (components) => {
        this.#components = components;
        this.#report();
      },
    });
    this.#gateway = gateway;
    try {
      failed = await settleMoves(place, log);
      await gateway.start();
    } catch (error) {
      if (this.#isLost) throw error;
      await gateway.stop();
      await this.#endLease();
      if (!(error instanceof StoreError && error.code === "storage_unavailable")) throw error;
      log.error({ shard }, error.message);
      return false;
    }
    this.#isServing = !this.#stopping.signal.aborted;
    await this.#renew();
    if (!this.#isServing) return true;
    this.#moves = new MoveWatch(place, {
      failed,
      onDue: () => {
        this.#restarting = this.#restart(shard).catch((error: unknown) =>
          this.#lose(new Error(errorMessage(error))),
        );
      },
    });
    this.#moves.start();
    return true;
  }

  /** Extends the lease, or takes it again when Redis has lost it. */
  async #renew(): Promise<void> {
    if (this.#shard === undefined || this.#isLost) return;
    const shard = this.#shard;
    const isHeld = await this.#hold(shard);
    if (isHeld === false) this.#lose(new Error(`Another worker has taken over shard ${shard}.`));
    const tokens = this.#gateway?.guestTokens() ?? [];
    if (isHeld === true && this.#isServing) await this.#link.run(() => this.#guests.put(shard, tokens));
  }

  /** Whether this worker holds the shard; undefined while Redis is unavailable. */
  #hold(shard: number): Promise<boolean | undefined> {
    const holder = { worker: this.#id, address: this.#isServing ? this.#address : null };
    return this.#link.run(() => this.#leases.hold(shard, holder, this.#leaseMs));
  }

  async #endLease(): Promise<void> {
    clearInterval(this.#renewal);
    const shard = this.#shard;
    this.#shard = undefined;
    if (shard !== undefined) await this.#link.run(() => this.#leases.release(shard, this.#id));
  }

  /** A former process with this address has ended, since this one could open its port: its shard need not wait any longer. */
  async #endFormerLease(): Promise<void> {
    const held = (await this.#link.run(() => this.#leases.holders())) ?? [];
    for (const [shard, holder] of held.entries())
      if (holder?.address === this.#address)
        await this.#link.run(() => this.#leases.release(shard, holder.worker));
  }

  #lose(fault: Error): void {
    if (this.#isLost || this.#stopping.signal.aborted) return;
    this.#isLost = true;
    clearInterval(this.#renewal);
    this.#options.log.error({ worker: this.#id, shard: this.#shard }, fault.message);
    this.#options.onLost(fault);
  }

  #onRedis(problem: string | undefined): void {
    const before = this.#problem;
    this.#problem = problem;
    if (problem === undefined && this.#lookFromMs > 0) this.#lookFromMs = performance.now() + this.#leaseMs;
    // Only after a lost connection: at the first one, there is nothing to wait for.
    else if (problem !== undefined) this.#lookFromMs = Number.POSITIVE_INFINITY;
    if (problem === undefined) void this.#renew();
    // The same problem recurs with every connection attempt.
    if ((problem === undefined) !== (before === undefined)) this.#report();
  }

  #report(): void {
    const { log, settings } = this.#options;
    const { address } = this.#link;
    const shard = this.#shard;
    const problem = this.#problem;
    if (shard === undefined) {
      if (problem === undefined) log.info({}, `Redis at ${address} is available again.`);
      else log.warn({}, `Redis at ${address} is unavailable (${problem}): no shard can be taken.`);
      return;
    }
    const sentences: ComponentSentence[] =
      problem === undefined
        ? [{ code: "fleet_ok", shard, shards: settings.fleet.shards, address }]
        : [{ code: "fleet_unleased", shard, address, problem }];
    this.#components?.report("fleet", problem === undefined ? "ok" : "degraded", sentences);
    log[problem === undefined ? "info" : "warn"]({ shard }, componentText(sentences, "en"));
  }
}

/** HTTP of a worker that waits for a shard: /health answers 200, because the process works; all else 503. */
class Standby {
  readonly #address: { host: string; port: number };
  #server: Server | undefined;

  constructor(address: { host: string; port: number }) {
    this.#address = address;
  }

  /** Listens; throws an Error that says what to do if the port is not available. */
  async start(): Promise<void> {
    this.#server = createServer((req, res) => {
      if (req.url?.split("?", 1)[0] === "/health") answerDocument(req, res, { status: "waiting" });
      else answerRefusal(req, res, { code: "not_ready", text: "waiting" });
    });
    await listenHttp(this.#server, this.#address);
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server !== undefined) await close(server);
  }
}
