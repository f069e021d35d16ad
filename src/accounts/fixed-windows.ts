/** What has been counted under one name. */
export interface Count {
  used: number;
  /** When counting begins anew, ms since the epoch. */
  resetMs: number;
}

/**
 * Counters in fixed windows that start with the first counted call. Memory is bounded: windows that have ended are
 * dropped, and past `capacity` names the oldest give way, which can only ever favour their callers.
 */
export class FixedWindows {
  readonly #lengthMs: number;
  readonly #capacity: number;
  /** In order of their start, the oldest first. */
  readonly #windows = new Map<string, { startMs: number; used: number }>();
  #sweptMs = 0;

  constructor(lengthMs: number, capacity: number) {
    this.#lengthMs = lengthMs;
    this.#capacity = capacity;
  }

  /** The count under a name; with nothing counted yet the window would start now. */
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
    this.#windows.delete(name);
    if (this.#windows.size >= this.#capacity || Math.abs(nowMs - this.#sweptMs) >= this.#lengthMs) {
      this.#sweep(nowMs);
    }
    this.#windows.set(name, { startMs: nowMs, used: 1 });
    return { used: 1, resetMs: nowMs + this.#lengthMs };
  }

  /** Names that are held. */
  get size(): number {
    return this.#windows.size;
  }

  /** Rare and thorough rather than a little with each call: finding the first of a Map costs what was deleted before it. */
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

  /** A window that seems to start in the future is over too: the clock was set back, and nobody shall wait for it. */
  #isOpen(startMs: number, nowMs: number): boolean {
    return startMs <= nowMs && nowMs < startMs + this.#lengthMs;
  }
}
