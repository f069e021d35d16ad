import type { Redis } from "ioredis";
import { RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { QuotaSettings, RedisSettings } from "../config/settings.js";
import type { ComponentSentence } from "../core/domain/component-sentence.js";
import type { HealthRegistry } from "../core/health-registry.js";
import type { Log } from "../core/log.js";
import { RedisLink } from "../core/net/redis-link.js";
import type { Clock } from "../core/time/clock.js";
import type { Count } from "../core/work/fixed-windows.js";
import { componentText } from "../texts/index.js";
import {
  allowance,
  type CountedRule,
  QUOTA_WINDOWS,
  type Quota,
  type QuotaCall,
  type QuotaRule,
  quotaRefusal,
  quotaRules,
  refusingRules,
  standing,
} from "./quota-rules.js";
import { Quotas } from "./quotas.js";

/**
 * Counts atomically and not above the limit: a refused call must not be counted (docs/spec/http-api.md section 4), while
 * the library's own script counts it. Arguments: calls to count (negative ones are returned), window length in seconds,
 * limit. Returns the used count, above the limit for a refused call, and the rest of the window in ms.
 */
const COUNT_UP_TO_LIMIT = `
local calls, limit = tonumber(ARGV[1]), tonumber(ARGV[3])
local rest = redis.call('pttl', KEYS[1])
local used = rest > 0 and tonumber(redis.call('get', KEYS[1])) or 0
if rest <= 0 then rest = 1000 * tonumber(ARGV[2]) end
if calls > 0 and used + calls > limit then return { used + calls, rest } end
if used > 0 then return { redis.call('incrby', KEYS[1], ARGV[1]), rest } end
if calls > 0 then redis.call('set', KEYS[1], ARGV[1], 'PX', rest) end
return { math.max(calls, 0), rest }
`;

/** Result of a call: counted by all of its rules, or by none because one refuses. */
interface Taken {
  taken: boolean;
  counted: CountedRule[];
}

/**
 * Quota counters in Redis, each in a window that starts with its first counted call and expires after its length of wall
 * time. Every method rejects when Redis does not answer.
 */
class RedisCounters {
  readonly #client: Redis;
  readonly #prefix: string;
  readonly #clock: Clock;
  /** One per limit: the configured limits and the limits of keys. */
  readonly #limiters = new Map<string, RateLimiterRedis>();

  constructor({ client, prefix, clock }: { client: Redis; prefix: string; clock: Clock }) {
    this.#client = client;
    this.#prefix = prefix;
    this.#clock = clock;
  }

  /** The current counts. */
  peek(rules: readonly QuotaRule[]): Promise<CountedRule[]> {
    return Promise.all(
      rules.map(async (rule) => ({
        rule,
        count: this.#count(rule, await this.#limiter(rule).get(rule.name)),
      })),
    );
  }

  /** Counts a call by all of the rules, or by none if one refuses. */
  async take(rules: readonly QuotaRule[]): Promise<Taken> {
    if (rules.length > 1) {
      // Checked first, so that a key above its own limit does not change the account's count temporarily.
      const counted = await this.peek(rules);
      if (refusingRules(counted).length > 0) return { taken: false, counted };
    }
    const takes = await Promise.all(rules.map((rule) => this.#take(rule)));
    if (takes.every(({ taken }) => taken)) return { taken: true, counted: takes };
    const counted = takes.filter(({ taken }) => taken);
    await Promise.all(counted.map(({ rule }) => this.#limiter(rule).reward(rule.name)));
    return { taken: false, counted: takes.filter(({ taken }) => !taken) };
  }

  /** Adds calls that were counted elsewhere, as far as the limit permits. */
  async add(rule: QuotaRule, calls: number): Promise<true> {
    const [counted] = await this.peek([rule]);
    const added = Math.min(calls, rule.refusedPast - counted!.count.used);
    if (added > 0) await this.#limiter(rule).penalty(rule.name, added);
    return true;
  }

  async #take(rule: QuotaRule): Promise<CountedRule & { taken: boolean }> {
    try {
      return { rule, taken: true, count: this.#count(rule, await this.#limiter(rule).consume(rule.name)) };
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      return { rule, taken: false, count: this.#count(rule, refused) };
    }
  }

  /** Without a counted call the window would start now. */
  #count({ window }: QuotaRule, held: RateLimiterRes | null): Count {
    const nowMs = this.#clock.now().getTime();
    return held === null || held.msBeforeNext <= 0
      ? { used: 0, resetMs: nowMs + QUOTA_WINDOWS[window] }
      : { used: held.consumedPoints, resetMs: nowMs + held.msBeforeNext };
  }

  #limiter({ window, refusedPast }: QuotaRule): RateLimiterRedis {
    const id = `${window} ${refusedPast}`;
    const kept = this.#limiters.get(id);
    if (kept !== undefined) return kept;
    const limiter = new RateLimiterRedis({
      storeClient: this.#client,
      keyPrefix: `${this.#prefix}:quota:${window}`,
      points: refusedPast,
      duration: QUOTA_WINDOWS[window] / 1000,
      customIncrTtlLuaScript: COUNT_UP_TO_LIMIT,
    });
    this.#limiters.set(id, limiter);
    return limiter;
  }
}

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
