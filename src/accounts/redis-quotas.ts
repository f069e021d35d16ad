import type { QuotaSettings, RedisSettings } from "../config/settings.js";
import type { HealthRegistry } from "../health-registry.js";
import type { Log } from "../log.js";
import { RedisLink } from "../net/redis-link.js";
import { type ComponentSentence, componentText } from "../texts/index.js";
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

export interface RedisQuotasOptions {
  table: QuotaSettings;
  settings: RedisSettings & { url: string };
  clock: Clock;
  components: HealthRegistry;
  log: Log;
}

/** Counted on each new connection: a read-only or full server cannot count. */
const PROBE: QuotaRule = {
  name: "probe",
  window: "hour",
  limit: 1_000_000,
  refusedPast: 1_000_000,
  scope: "ip",
};

/**
 * The same limits as `Quotas`, counted in Redis together with other gateways that use the same server and prefix. While
 * Redis is unavailable each gateway counts in memory, so that calls are accepted rather than refused.
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

  /** Resolves when calls can be counted, in Redis or in memory. Never rejects: the gateway also starts without Redis. */
  start(): Promise<void> {
    return this.#link.start();
  }

  stop(): Promise<void> {
    return this.#link.stop();
  }

  /** Counts a call unless a limit refuses it. Class status is neither counted nor refused: it reads the decision limit. */
  async consume(call: QuotaCall): Promise<Quota> {
    if (call.quotaClass === "status") return this.peek(call);
    const rules = quotaRules(this.#table, call);
    const outcome = await this.#link.run(() => this.#counters.take(rules));
    if (outcome === undefined) return this.#memory.consume(call);
    const { taken, counted } = outcome;
    return taken ? allowance(counted) : quotaRefusal(refusingRules(counted), this.#clock.now().getTime());
  }

  /** The state of a call of this class without counting it; `allowed` is whether it would be accepted now. */
  async peek(call: QuotaCall): Promise<Quota> {
    const rules = quotaRules(this.#table, call);
    const counted = await this.#link.run(() => this.#counters.peek(rules));
    if (counted === undefined) return this.#memory.peek(call);
    return standing(call.quotaClass, counted, this.#clock.now().getTime());
  }

  #report(problem: string | undefined): void {
    const serving = problem === undefined;
    const { address } = this.#link;
    const sentences: ComponentSentence[] = [
      problem === undefined ? { code: "quotas_redis", address } : { code: "quotas_memory", address, problem },
    ];
    this.#components.report("quotas", serving ? "ok" : "degraded", sentences);
    // The same problem recurs with every connection attempt and is logged once.
    if (serving !== this.#serving) this.#log[serving ? "info" : "warn"]({}, componentText(sentences, "en"));
    this.#serving = serving;
  }
}
