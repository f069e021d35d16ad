import { FixedWindows } from "../accounts/fixed-windows.js";

/** Names that are held at most; past it the oldest give way. */
const CAPACITY = 50_000;

/** An attempt that was let through; to be ended with what came of it. */
export interface ThrottledAttempt {
  end(outcome: "counted" | "free"): void;
}

export interface Refused {
  retryAfterSeconds: number;
}

/**
 * Lets so many attempts through a window, for each of the names that an attempt is made under (an account, an address).
 * Attempts under way count too, so that a thousand at once are no way around it. The windows run on wall time.
 */
export class AttemptThrottle {
  readonly #limit: number;
  readonly #windows: FixedWindows;
  readonly #underWay = new Map<string, number>();
  readonly #wallNowMs: () => number;

  constructor(options: { limit: number; windowMs: number; wallNowMs?: () => number }) {
    this.#limit = options.limit;
    this.#windows = new FixedWindows(options.windowMs, CAPACITY);
    this.#wallNowMs = options.wallNowMs ?? Date.now;
  }

  /** Begins an attempt under these names, or says how long to wait. */
  begin(names: readonly string[]): ThrottledAttempt | Refused {
    const nowMs = this.#wallNowMs();
    const counts = names.map((name) => ({ name, ...this.#windows.peek(name, nowMs) }));
    const refusing = counts.filter(({ name, used }) => used + (this.#underWay.get(name) ?? 0) >= this.#limit);
    if (refusing.length > 0) {
      // Where only attempts under way are in the way, they are over in a moment.
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
export function isRefused(begun: ThrottledAttempt | Refused): begun is Refused {
  return "retryAfterSeconds" in begun;
}
