import type { QuotaSettings, RedisSettings } from "../config/settings.js";
import type { HealthRegistry } from "../health-registry.js";
import type { Log } from "../log.js";
import type { Clock } from "../time/clock.js";
import {
  allowance,
  type Quota,
  type QuotaCall,
  type QuotaRule,
  quotaRefusal,
  quotaRules,
  refusingRules,
  standing,
} from "./quota-rules.js";
import { Quotas } from "./quotas.js";
import { RedisCounters } from "./redis-counters.js";
import { RedisLink } from "./redis-link.js";

export interface RedisQuotasOptions {
  table: QuotaSettings;
  settings: RedisSettings & { url: string };
  clock: Clock;
  components: HealthRegistry;
  log: Log;
}

/** What the link counts to learn whether Redis can count at all: a read-only or full server can't. */
const PROBE: QuotaRule = {
  name: "probe",
  window: "hour",
  limit: 1_000_000,
  refusedPast: 1_000_000,
  scope: "ip",
};

/**
 * The same limits as `Quotas`, counted in Redis together with the other gateways that use the same server and prefix.
 * While Redis is away each gateway counts by itself in memory: calls are then taken rather than refused.
 */
export class RedisQuotas {
  readonly #table: QuotaSettings;
  readonly #clock: Clock;
  readonly #components: HealthRegistry;
  readonly #log: Log;
  readonly #memory: Quotas;
  readonly #link: RedisLink;
  readonly #counters: RedisCounters;
  #serving: boolean | undefined;

  constructor({ table, settings, clock, components, log }: RedisQuotasOptions) {
    this.#table = table;
    this.#clock = clock;
    this.#components = components;
    this.#log = log;
    this.#memory = new Quotas({ table, clock });
    this.#link = new RedisLink({
      settings,
      probe: () => this.#counters.take([PROBE]),
      onChange: (problem) => this.#report(problem),
    });
    this.#counters = new RedisCounters({ client: this.#link.client, prefix: settings.prefix, clock });
  }

  /** Resolves when it counts, in Redis or in memory. Never rejects: a Redis that is away is no reason not to start. */
  start(): Promise<void> {
    return this.#link.start();
  }

  stop(): Promise<void> {
    return this.#link.stop();
  }

  /** Counts a call unless a limit refuses it. Class status is never counted nor refused: it reads the decision limit. */
  async consume(call: QuotaCall): Promise<Quota> {
    if (call.quotaClass === "status") return this.peek(call);
    const rules = quotaRules(this.#table, call);
    const outcome = await this.#link.run(() => this.#counters.take(rules));
    if (outcome === undefined) return this.#memory.consume(call);
    const { taken, counted } = outcome;
    return taken ? allowance(counted) : quotaRefusal(refusingRules(counted), this.#clock.now().getTime());
  }

  /** How a call of this class stands, without counting it; `allowed` tells whether it would be taken now. */
  async peek(call: QuotaCall): Promise<Quota> {
    const rules = quotaRules(this.#table, call);
    const counted = await this.#link.run(() => this.#counters.peek(rules));
    if (counted === undefined) return this.#memory.peek(call);
    return standing(call.quotaClass, counted, this.#clock.now().getTime());
  }

  #report(problem: string | undefined): void {
    const serving = problem === undefined;
    const sentence = serving
      ? `Calls are counted in Redis at ${this.#link.address}.`
      : `Redis at ${this.#link.address} does not serve (${problem}): this gateway counts calls by itself, in memory, until it does.`;
    this.#components.report("quotas", serving ? "ok" : "degraded", sentence);
    // The same problem comes back with every attempt to connect; once is enough.
    if (serving !== this.#serving) this.#log[serving ? "info" : "warn"]({}, sentence);
    this.#serving = serving;
  }
}
