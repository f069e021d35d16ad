import type { QuotaSettings } from "../config/settings.js";
import { DAY_MS, HOUR_MS } from "../time/interval.js";
import type { Access } from "./access.js";
import type { Count } from "./fixed-windows.js";
import { quotaAddress } from "./quota-address.js";
import type { QuotaClass } from "./quota-class.js";

/** What a limit is counted by. */
type QuotaScope = "ip" | "api_key" | "api_key_day" | "account";

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

/** Lengths of the windows, ms, by what is counted in them. */
export const QUOTA_WINDOWS = { address: HOUR_MS, hour: HOUR_MS, day: DAY_MS } as const;
export type QuotaWindow = keyof typeof QUOTA_WINDOWS;

/** One limit that applies to a call. */
export interface QuotaRule {
  /** Together with `window` the name of the counter; holds ids and addresses, never a key. */
  name: string;
  window: QuotaWindow;
  limit: number;
  /** Calls up to which none is refused: the limit, or twice a softcap. */
  refusedPast: number;
  scope: QuotaScope;
}

/** A limit and what has been counted against it. */
export interface CountedRule {
  rule: QuotaRule;
  count: Count;
}

/** The limits that a call is counted against, at least one (docs/spec/http-api.md section 4). */
export function quotaRules(table: QuotaSettings, { access, address, quotaClass }: QuotaCall): QuotaRule[] {
  const { plan, keyId, accountId } = access;
  if (plan === "basic" || keyId === undefined || accountId === undefined) {
    return [rule(quotaAddress(address), "address", table.basic.decision, "ip")];
  }
  const limits = table[plan];
  if (quotaClass === "telemetry") {
    const softcap = rule(`telemetry ${keyId}`, "day", limits.telemetry, "api_key_day");
    return [{ ...softcap, refusedPast: 2 * limits.telemetry }];
  }
  if (quotaClass === "pv" || quotaClass === "weather") {
    return [rule(`${quotaClass} ${keyId}`, "day", limits[quotaClass], "api_key_day")];
  }
  const ofPlan =
    plan === "community"
      ? rule(`decision ${keyId}`, "day", limits.decision, "api_key_day")
      : rule(`account ${accountId}`, "hour", limits.decision, "account");
  const { hourlyLimit } = access;
  return hourlyLimit === undefined
    ? [ofPlan]
    : [ofPlan, rule(`key ${keyId}`, "hour", hourlyLimit, "api_key")];
}

function rule(name: string, window: QuotaWindow, limit: number, scope: QuotaScope): QuotaRule {
  return { name, window, limit, refusedPast: limit, scope };
}

/** The limits that refuse one more call. */
export function refusingRules(counted: readonly CountedRule[]): CountedRule[] {
  return counted.filter(({ rule, count }) => count.used >= rule.refusedPast);
}

/** How a call that was not counted stands: `allowed` tells whether it would be taken now. */
export function standing(quotaClass: QuotaClass, counted: readonly CountedRule[], nowMs: number): Quota {
  const refusing = refusingRules(counted);
  return quotaClass !== "status" && refusing.length > 0 ? quotaRefusal(refusing, nowMs) : allowance(counted);
}

/** A call that is taken, shown by the limit with the least left; of two with as much, by the lower one. */
export function allowance(counted: readonly CountedRule[]): Quota {
  const [first] = [...counted].sort((a, b) => remainingOf(a) - remainingOf(b) || a.rule.limit - b.rule.limit);
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

/** A call that is refused, by the limit that holds longest: waiting for an earlier one would only meet the next 429. */
export function quotaRefusal(refusing: readonly CountedRule[], nowMs: number): Quota {
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

function remainingOf({ rule, count }: CountedRule): number {
  return Math.max(0, rule.limit - count.used);
}
