import { FixedWindows } from "../accounts/fixed-windows.js";

/** Maximum number of tracked names; the oldest are dropped. */
const CAPACITY = 50_000;

/** An accepted attempt; must be ended with its outcome. */
export interface SignInAttempt {
  end(outcome: "counted" | "free"): void;
}

export interface Refused {
  retryAfterSeconds: number;
}

/**
 * Limits the attempts per time window for each name of an attempt (an account, an address).
 * Attempts in progress count as well, so that parallel attempts do not bypass the limit. Uses wall time.
 */
export class SignInThrottle {
  readonly #limit: number;
  readonly #windows: FixedWindows;
  readonly #underWay = new Map<string, number>();
  readonly #wallNowMs: () => number;

  constructor(options: { limit: number; windowMs: number; wallNowMs?: () => number }) {
    this.#limit = options.limit;
    this.#windows = new FixedWindows(options.windowMs, CAPACITY);
    this.#wallNowMs = options.wallNowMs ?? Date.now;
  }

  /** Starts an attempt under these names, or returns how long to wait. */
  begin(names: readonly string[]): SignInAttempt | Refused {
    const nowMs = this.#wallNowMs();
    const counts = names.map((name) => ({ name, ...this.#windows.peek(name, nowMs) }));
    const refusing = counts.filter(({ name, used }) => used + (this.#underWay.get(name) ?? 0) >= this.#limit);
    if (refusing.length > 0) {
      // If only attempts in progress exceed the limit, it is enough to wait a second.
      const waitsMs = refusing.map(({ used, resetMs }) => (used >= this.#limit ? resetMs - nowMs : 1000));
      return { retryAfterSeconds: Math.max(1, Math.ceil(Math.max(...waitsMs) / 1000)) };
    }
    for (const name of names) this.#underWay.set(name, (this.#underWay.get(name) ?? 0) + 1);
    return { end: (outcome) => this.#end(names, outcome) };
  }

  #end(names: readonly string[], outcome: "counted" | "free"): void {
    for (const name of names) {
      const left = (this.#underWay.get(name) ?? 0) - 1;
      if (left > 0) this.#underWay.set(name, left);
      else this.#underWay.delete(name);
      if (outcome === "counted") this.#windows.add(name, this.#wallNowMs());
    }
  }
}

/** Whether an attempt has to wait. */
export function isRefused(begun: SignInAttempt | Refused): begun is Refused {
  return "retryAfterSeconds" in begun;
}
