/** How many failures a name has free, and the longest delay after that. */
export interface DelayPolicy {
  free: number;
  longestMs: number;
}

interface Failures {
  count: number;
  lastMs: number;
}

/**
 * Delays that double with each failure of a name, from a second on. Memory is bounded: the names that failed longest ago are
 * dropped above the capacity, which can only favour the caller.
 */
export class FailureDelays {
  readonly #forgetMs: number;
  readonly #capacity: number;
  readonly #nowMs: () => number;
  /** By name, the longest unchanged first. */
  readonly #failures = new Map<string, Failures>();

  /** `forgetMs`: failures of a name are forgotten after this time without another one. */
  constructor(options: { forgetMs: number; capacity: number; nowMs: () => number }) {
    this.#forgetMs = options.forgetMs;
    this.#capacity = options.capacity;
    this.#nowMs = options.nowMs;
  }

  /** How long the name has to wait from now on. */
  waitMs(name: string, { free, longestMs }: DelayPolicy): number {
    const failures = this.#failures.get(name);
    if (failures === undefined || failures.count < free) return 0;
    const delayMs = Math.min(1000 * 2 ** (failures.count - free), longestMs);
    return Math.max(0, failures.lastMs + delayMs - this.#nowMs());
  }

  /** Counts a failure. */
  add(name: string): void {
    this.#change(name, 1);
  }

  takeBack(name: string): void {
    this.#change(name, -1);
  }

  forget(name: string): void {
    this.#failures.delete(name);
  }

  forgetAll(which: (name: string) => boolean): void {
    for (const name of this.#failures.keys()) if (which(name)) this.#failures.delete(name);
  }

  #change(name: string, difference: 1 | -1): void {
    const nowMs = this.#nowMs();
    const before = this.#failures.get(name);
    const isOld = before !== undefined && nowMs - before.lastMs >= this.#forgetMs;
    const count = (isOld ? 0 : (before?.count ?? 0)) + difference;
    this.#failures.delete(name);
    if (count > 0) this.#failures.set(name, { count, lastMs: difference > 0 ? nowMs : before!.lastMs });
    if (this.#failures.size > this.#capacity) this.#failures.delete(this.#failures.keys().next().value!);
  }
}
