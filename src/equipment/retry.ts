import { backoffMs } from "../core/net/backoff.js";

/** Longest wait after a failure: short for a device that was restarted, long for one that is gone. */
const LONGEST_MS = { first: 45_000, later: 15 * 60_000, firstCount: 40 };

/** When a command that has failed is tried again. Times in ms since 1970. */
export class Retry {
  readonly #random: () => number;
  #count = 0;
  #target = "";
  #at = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  get at(): number {
    return this.#at;
  }

  get hasFailed(): boolean {
    return this.#count > 0;
  }

  /** Whether the same target has failed and its next attempt is not due. */
  isWaiting(target: string, nowMs: number): boolean {
    return this.#target === target && this.#at > nowMs;
  }

  fail(target: string, nowMs: number): void {
    this.#count++;
    this.#target = target;
    const longest = this.#count <= LONGEST_MS.firstCount ? LONGEST_MS.first : LONGEST_MS.later;
    this.#at = nowMs + Math.min(2 * backoffMs(this.#count, this.#random), longest);
  }

  /** Sets the time of the next attempt. */
  postpone(at: number): void {
    this.#at = at;
  }

  clear(): void {
    this.#count = 0;
    this.#target = "";
    this.#at = 0;
  }
}
