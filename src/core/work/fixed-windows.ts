/** The counter of one name. */
export interface Count {
  used: number;
  /** When the counter resets, ms since the epoch. */
  resetMs: number;
}

/**
 * Counters in fixed windows that start with the first counted call. Memory is bounded: ended windows are dropped, and
 * above `capacity` names the oldest counters are dropped, which can only favour the caller.
 */
export class FixedWindows {
  readonly #lengthMs: number;
  readonly #capacity: number;
  /** Those at the beginning are dropped first. */
  readonly #windows = new Map<string, { startMs: number; used: number }>();
  #sweptMs = 0;

  constructor(lengthMs: number, capacity: number) {
    this.#lengthMs = lengthMs;
    this.#capacity = capacity;
  }

  /** The count of a name; without a counted call the window would start now. */
  peek(name: string, nowMs: number): Count {
    const window = this.#windows.get(name);
    return window !== undefined && this.#isOpen(window.startMs, nowMs)
      ? { used: window.used, resetMs: window.startMs + this.#lengthMs }
      : { used: 0, resetMs: nowMs + this.#lengthMs };
  }

  /** Counts one call. */
  add(name: string, nowMs: number): Count {
    const window = this.#windows.get(name);
    if (window !== undefined && this.#isOpen(window.startMs, nowMs)) {
      window.used++;
      return { used: window.used, resetMs: window.startMs + this.#lengthMs };
    }
    const count = { used: 1, resetMs: nowMs + this.#lengthMs };
    this.set(name, count, nowMs);
    return count;
  }

  /** Replaces the count of a name. */
  set(name: string, { used, resetMs }: Count, nowMs: number): void {
    this.#windows.delete(name);
    if (this.#windows.size >= this.#capacity || Math.abs(nowMs - this.#sweptMs) >= this.#lengthMs) {
      this.#sweep(nowMs);
    }
    this.#windows.set(name, { startMs: resetMs - this.#lengthMs, used });
  }

  /** Number of stored names. */
  get size(): number {
    return this.#windows.size;
  }

  /** Sweeps everything at once, rarely: finding the first entry of a Map costs time for each entry deleted before it. */
  #sweep(nowMs: number): void {
    this.#sweptMs = nowMs;
    for (const [name, { startMs }] of this.#windows) {
      if (!this.#isOpen(startMs, nowMs)) this.#windows.delete(name);
    }
    if (this.#windows.size < this.#capacity) return;
    let surplus = Math.ceil(this.#capacity / 10);
    for (const name of this.#windows.keys()) {
      if (surplus-- === 0) break;
      this.#windows.delete(name);
    }
  }

  /** A window that starts in the future counts as ended: the clock was set back, and no caller must wait for it. */
  #isOpen(startMs: number, nowMs: number): boolean {
    return startMs <= nowMs && nowMs < startMs + this.#lengthMs;
  }
}
