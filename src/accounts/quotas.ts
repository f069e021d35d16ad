import type { QuotaSettings } from "../config/settings.js";
import type { Clock } from "../core/time/clock.js";
import { FixedWindows } from "../core/work/fixed-windows.js";
import {
  allowance,
  type CountedRule,
  QUOTA_WINDOWS,
  type Quota,
  type QuotaCall,
  type QuotaRule,
  type QuotaWindow,
  quotaRefusal,
  quotaRules,
  refusingRules,
  standing,
} from "./quota-rules.js";

/** Maximum number of counters per kind of window; only addresses of callers without a key can reach it. */
const CAPACITY = 50_000;

/**
 * The rate limits of the interface, in fixed windows that start with the first counted call. Kept in memory: a restart
 * resets them.
 */
export class Quotas {
  readonly #table: QuotaSettings;
  readonly #clock: Clock;
  readonly #windows: Record<QuotaWindow, FixedWindows> = {
    address: new FixedWindows(QUOTA_WINDOWS.address, CAPACITY),
    hour: new FixedWindows(QUOTA_WINDOWS.hour, CAPACITY),
    day: new FixedWindows(QUOTA_WINDOWS.day, CAPACITY),
  };

  constructor({ table, clock }: { table: QuotaSettings; clock: Clock }) {
    this.#table = table;
    this.#clock = clock;
  }

  /** Counts a call unless a limit refuses it. Class status is neither counted nor refused: it reads the decision limit. */
  consume(call: QuotaCall): Quota {
    if (call.quotaClass === "status") return this.peek(call);
    const nowMs = this.#clock.now().getTime();
    const rules = quotaRules(this.#table, call);
    const refusing = refusingRules(this.#counted(rules, nowMs));
    if (refusing.length > 0) return quotaRefusal(refusing, nowMs);
    return allowance(
      rules.map((rule) => ({ rule, count: this.#windows[rule.window].add(rule.name, nowMs) })),
    );
  }

  /** The state of a call of this class without counting it; `allowed` is whether it would be accepted now. */
  peek(call: QuotaCall): Quota {
    const nowMs = this.#clock.now().getTime();
    return standing(call.quotaClass, this.#counted(quotaRules(this.#table, call), nowMs), nowMs);
  }

  /** Continues from counts that were made elsewhere. */
  adopt(counted: readonly CountedRule[]): void {
    const nowMs = this.#clock.now().getTime();
    for (const { rule, count } of counted)
      this.#windows[rule.window].set(
        rule.name,
        { ...count, used: Math.min(count.used, rule.refusedPast) },
        nowMs,
      );
  }

  /** Number of stored counters. */
  get size(): number {
    return this.#windows.address.size + this.#windows.hour.size + this.#windows.day.size;
  }

  #counted(rules: readonly QuotaRule[], nowMs: number): CountedRule[] {
    return rules.map((rule) => ({ rule, count: this.#windows[rule.window].peek(rule.name, nowMs) }));
  }
}
