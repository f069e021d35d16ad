import type { QuotaSettings } from "../config/settings.js";
import { DAY_MS, HOUR_MS } from "../core/domain/interval.js";
import type { Count } from "../core/work/fixed-windows.js";
import type { Access } from "./access.js";
import { quotaAddress } from "./quota-address.js";
import type { QuotaClass } from "./quota-class.js";

/** The unit that a limit applies to. */
type QuotaScope = "ip" | "api_key" | "api_key_day" | "account";

/** One call to be counted. */
export interface QuotaCall {
  access: Access;
  /** The client's address, for calls without a valid key. */
  address: string | undefined;
  quotaClass: QuotaClass;
}

/** The state of a call against the limit that is closest to refusing it. */
export interface Quota {
  allowed: boolean;
  limit: number;
  remaining: number;
  resetAt: Date;
  scope: QuotaScope;
  /** Whole seconds to wait, at least 1; only when refused. */
  retryAfterSeconds?: number;
  /** An accepted telemetry call above the softcap; the history then keeps one sample per minute. */
  softcapExceeded: boolean;
}

/** Lengths of the windows, ms. */
export const QUOTA_WINDOWS = { address: HOUR_MS, hour: HOUR_MS, day: DAY_MS } as const;
export type QuotaWindow = keyof typeof QUOTA_WINDOWS;

/** One limit that applies to a call. */
export interface QuotaRule {
  /** Names the counter together with `window`; contains ids and addresses, never a key. */
  name: string;
  window: QuotaWindow;
  limit: number;
  /** Number of calls up to which none is refused: the limit, or twice a softcap. */
  refusedPast: number;
  scope: QuotaScope;
}

/** A limit and its counter. */
export interface CountedRule {
  rule: QuotaRule;
  count: Count;
}

/** The limits that apply to a call, at least one (docs/spec/http-api.md section 4). */
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

/** The limits that refuse another call. */
export function refusingRules(counted: readonly CountedRule[]): CountedRule[] {
  return counted.filter(({ rule, count }) => count.used >= rule.refusedPast);
}

/** The state of a call that was not counted: `allowed` is whether it would be accepted now. */
export function standing(quotaClass: QuotaClass, counted: readonly CountedRule[], nowMs: number): Quota {
  const refusing = refusingRules(counted);
  return quotaClass !== "status" && refusing.length > 0 ? quotaRefusal(refusing, nowMs) : allowance(counted);
}

/** An accepted call, described by the limit with the fewest remaining calls, in a tie by the lower limit. */
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

/** A refused call, described by the limit that resets last: retrying earlier would only be refused again. */
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
