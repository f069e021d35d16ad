import type { QuotaSettings, RedisSettings } from "../config/settings.js";
import type { ComponentSentence } from "../core/domain/component-sentence.js";
import type { HealthRegistry } from "../core/health-registry.js";
import type { Log } from "../core/log.js";
import { RedisLink } from "../core/net/redis-link.js";
import type { Clock } from "../core/time/clock.js";
import { componentText } from "../texts/index.js";
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

/** Maximum number of counters whose calls are added to Redis later; only addresses of callers without a key can reach it. */
const MAX_OWED = 50_000;

interface Owed {
  rule: QuotaRule;
  calls: number;
  /** End of the window in memory, ms since the epoch. */
  untilMs: number;
}

/**
 * The same limits as `Quotas`, counted in Redis together with other gateways that use the same server and prefix. While
 * Redis is unavailable each gateway counts on in memory, so that calls are accepted rather than refused, and adds these calls
 * to the counters in Redis afterwards.
 */
export class RedisQuotas {
  readonly #table: QuotaSettings;
  readonly #clock: Clock;
  readonly #components: HealthRegistry;
  readonly #log: Log;
  readonly #memory: Quotas;
  readonly #link: RedisLink;
  readonly #counters: RedisCounters;
  /** Calls that were counted in memory and not in Redis, by counter. */
  readonly #owed = new Map<string, Owed>();
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
    if (outcome === undefined) {
      const quota = this.#memory.consume(call);
      if (quota.allowed)
        for (const rule of rules) this.#owe({ rule, calls: 1, untilMs: quota.resetAt.getTime() });
      return quota;
    }
    this.#memory.adopt(outcome.counted);
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

  #owe({ rule, calls, untilMs }: Owed): void {
    const id = `${rule.window} ${rule.name}`;
    const before = this.#owed.get(id);
    if (before === undefined && this.#owed.size >= MAX_OWED) return;
    this.#owed.set(id, { rule, calls: (before?.calls ?? 0) + calls, untilMs });
  }

  /** Adds the calls counted in memory to Redis. What fails is added when Redis is available again. */
  async #settle(): Promise<void> {
    for (const [id, owed] of this.#owed) {
      this.#owed.delete(id);
      if (owed.untilMs <= this.#clock.now().getTime()) continue;
      if ((await this.#link.run(() => this.#counters.add(owed.rule, owed.calls))) !== undefined) continue;
      this.#owe(owed);
      return;
    }
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
    if (serving) void this.#settle();
  }
}
