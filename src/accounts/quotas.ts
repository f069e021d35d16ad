import type { QuotaSettings } from "../config/settings.js";
import type { Clock } from "../time/clock.js";
import { DAY_MS, HOUR_MS } from "../time/interval.js";
import type { Access } from "./access.js";
import { type Count, FixedWindows } from "./fixed-windows.js";
import { quotaAddress } from "./quota-address.js";
import type { QuotaClass } from "./quota-class.js";

/** What a limit is counted by. */
export type QuotaScope = "ip" | "api_key" | "api_key_day" | "account";

/** One call as the limiter sees it. */
export interface QuotaCall {
  access: Access;
  /** The client's address, for calls without a valid key. */
  address: string | undefined;
  quotaClass: QuotaClass;
}

/** Where a call stands against the limit that is nearest to refusing it. */
export interface Quota {
  allowed: boolean;
  limit: number;
  remaining: number;
  resetAt: Date;
  scope: QuotaScope;
  /** Whole seconds to wait, at least 1; only when refused. */
  retryAfterSeconds?: number;
  /** A telemetry call past the softcap that is still taken; history then keeps one sample a minute. */
  softcapExceeded: boolean;
}

/** One limit that applies to a call. */
interface Rule {
  name: string;
  windows: FixedWindows;
  limit: number;
  /** Calls up to which none is refused: the limit, or twice a softcap. */
  refusedPast: number;
  scope: QuotaScope;
}

/** Counters held at most in one kind of window; only the addresses of keyless callers could ever reach it. */
const CAPACITY = 50_000;

/**
 * The rate limits of the interface, in fixed windows that start with the first counted call. Kept in memory: a restart
 * begins anew.
 */
export class Quotas {
  readonly #table: QuotaSettings;
  readonly #clock: Clock;
  readonly #addresses = new FixedWindows(HOUR_MS, CAPACITY);
  readonly #hours = new FixedWindows(HOUR_MS, CAPACITY);
  readonly #days = new FixedWindows(DAY_MS, CAPACITY);

  constructor({ table, clock }: { table: QuotaSettings; clock: Clock }) {
    this.#table = table;
    this.#clock = clock;
  }

  /** Counts a call unless a limit refuses it. Class status is never counted nor refused: it reads the decision limit. */
  consume(call: QuotaCall): Quota {
    const nowMs = this.#clock.now().getTime();
    const rules = this.#rules(call);
    const before = rules.map((rule) => ({ rule, count: rule.windows.peek(rule.name, nowMs) }));
    if (call.quotaClass === "status") return { ...tightest(before), allowed: true };
    const refusing = before.filter(({ rule, count }) => count.used >= rule.refusedPast);
    if (refusing.length > 0) return refusal(refusing, nowMs);
    return tightest(rules.map((rule) => ({ rule, count: rule.windows.add(rule.name, nowMs) })));
  }

  /** How a call of this class stands, without counting it; `allowed` tells whether it would be taken now. */
  peek(call: QuotaCall): Quota {
    const nowMs = this.#clock.now().getTime();
    const counts = this.#rules(call).map((rule) => ({ rule, count: rule.windows.peek(rule.name, nowMs) }));
    const refusing = counts.filter(({ rule, count }) => count.used >= rule.refusedPast);
    return call.quotaClass !== "status" && refusing.length > 0 ? refusal(refusing, nowMs) : tightest(counts);
  }

  /** Counters held. */
  get size(): number {
    return this.#addresses.size + this.#hours.size + this.#days.size;
  }

  #rules({ access, address, quotaClass }: QuotaCall): Rule[] {
    const { plan, keyId, accountId } = access;
    if (plan === "basic" || keyId === undefined || accountId === undefined) {
      return [rule(quotaAddress(address), this.#addresses, this.#table.basic.decision, "ip")];
    }
    const limits = this.#table[plan];
    if (quotaClass === "telemetry") {
      const softcap = rule(`telemetry ${keyId}`, this.#days, limits.telemetry, "api_key_day");
      return [{ ...softcap, refusedPast: 2 * limits.telemetry }];
    }
    if (quotaClass === "pv" || quotaClass === "weather") {
      return [rule(`${quotaClass} ${keyId}`, this.#days, limits[quotaClass], "api_key_day")];
    }
    const ofPlan =
      plan === "community"
        ? rule(`decision ${keyId}`, this.#days, limits.decision, "api_key_day")
        : rule(`account ${accountId}`, this.#hours, limits.decision, "account");
    const { hourlyLimit } = access;
    return hourlyLimit === undefined
      ? [ofPlan]
      : [ofPlan, rule(`key ${keyId}`, this.#hours, hourlyLimit, "api_key")];
  }
}

function rule(name: string, windows: FixedWindows, limit: number, scope: QuotaScope): Rule {
  return { name, windows, limit, refusedPast: limit, scope };
}

interface Counted {
  rule: Rule;
  count: Count;
}

function remainingOf({ rule, count }: Counted): number {
  return Math.max(0, rule.limit - count.used);
}

/** The rule with the least left; of two with as much, the lower limit. */
function tightest(counts: readonly Counted[]): Quota {
  const [first] = [...counts].sort((a, b) => remainingOf(a) - remainingOf(b) || a.rule.limit - b.rule.limit);
  const { rule, count } = first!;
  return {
    allowed: true,
    limit: rule.limit,
    remaining: remainingOf(first!),
    resetAt: new Date(count.resetMs),
    scope: rule.scope,
    softcapExceeded: rule.refusedPast > rule.limit && count.used > rule.limit,
  };
}

/** The refusing rule that holds longest: waiting for an earlier one would only meet the next 429. */
function refusal(refusing: readonly Counted[], nowMs: number): Quota {
  const [longest] = [...refusing].sort((a, b) => b.count.resetMs - a.count.resetMs);
  const { rule, count } = longest!;
  return {
    allowed: false,
    limit: rule.limit,
    remaining: 0,
    resetAt: new Date(count.resetMs),
    scope: rule.scope,
    retryAfterSeconds: Math.max(1, Math.ceil((count.resetMs - nowMs) / 1000)),
    softcapExceeded: rule.refusedPast > rule.limit,
  };
}
