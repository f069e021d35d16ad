import type { Redis } from "ioredis";
import { RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { Clock } from "../core/time/clock.js";
import type { Count } from "../core/work/fixed-windows.js";
import { type CountedRule, QUOTA_WINDOWS, type QuotaRule, refusingRules } from "./quota-rules.js";

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
export interface Taken {
  taken: boolean;
  counted: CountedRule[];
}

/**
 * Quota counters in Redis, each in a window that starts with its first counted call and expires after its length of wall
 * time. Every method rejects when Redis does not answer.
 */
export class RedisCounters {
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
