import { FixedWindows } from "../core/work/fixed-windows.js";

/** Maximum number of names; the oldest are removed. */
const CAPACITY = 50_000;

/** An accepted attempt; `end` must be called with its outcome. */
export interface ThrottledAttempt {
  end(outcome: "counted" | "free"): void;
}

export interface Refused {
  retryAfterSeconds: number;
}

/**
 * Limits the attempts per window for each name of an attempt (an account, an address). Attempts in progress count too, so
 * that parallel attempts cannot exceed the limit. The windows run on wall time.
 */
export class AttemptThrottle {
  readonly #limit: number;
  readonly #windows: FixedWindows;
  readonly #inProgress = new Map<string, number>();
  readonly #wallNowMs: () => number;

  constructor(options: { limit: number; windowMs: number; wallNowMs?: () => number }) {
    this.#limit = options.limit;
    this.#windows = new FixedWindows(options.windowMs, CAPACITY);
    this.#wallNowMs = options.wallNowMs ?? Date.now;
  }

  /** Begins an attempt for these names, or returns how long to wait. */
  begin(names: readonly string[]): ThrottledAttempt | Refused {
    const nowMs = this.#wallNowMs();
    const counts = names.map((name) => ({ name, ...this.#windows.peek(name, nowMs) }));
    const refusing = counts.filter(
      ({ name, used }) => used + (this.#inProgress.get(name) ?? 0) >= this.#limit,
    );
    if (refusing.length > 0) {
      // Attempts in progress end soon.
      const waitsMs = refusing.map(({ used, resetMs }) => (used >= this.#limit ? resetMs - nowMs : 1000));
      return { retryAfterSeconds: Math.max(1, Math.ceil(Math.max(...waitsMs) / 1000)) };
    }
    for (const name of names) this.#inProgress.set(name, (this.#inProgress.get(name) ?? 0) + 1);
    return { end: (outcome) => this.#end(names, outcome) };
  }

  #end(names: readonly string[], outcome: "counted" | "free"): void {
    for (const name of names) {
      const left = (this.#inProgress.get(name) ?? 0) - 1;
      if (left > 0) this.#inProgress.set(name, left);
      else this.#inProgress.delete(name);
      if (outcome === "counted") this.#windows.add(name, this.#wallNowMs());
    }
  }
}

/** Whether the attempt was refused. */
export function isRefused(begun: ThrottledAttempt | Refused): begun is Refused {
  return "retryAfterSeconds" in begun;
}
