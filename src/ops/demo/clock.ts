import type { Cancel, Clock } from "../../core/time/clock.js";

interface Pending {
  whenMs: number;
  callback: () => void;
}

/**
 * A clock that runs `speed` times as fast as the wall clock, but never past what was allowed last: on a slow machine it waits
 * for the simulated home instead of leaving its readings behind.
 */
export class PacedClock implements Clock {
  readonly #speed: number;
  readonly #wallMs: () => number;
  readonly #pending = new Set<Pending>();
  #timer: NodeJS.Timeout | undefined;
  #anchorMs: number;
  #anchorWallMs: number;
  #limitMs: number;

  /** `wallMs`: time of a running clock, ms. */
  constructor(start: Date, speed: number, wallMs = () => performance.now()) {
    this.#speed = speed;
    this.#wallMs = wallMs;
    this.#anchorMs = start.getTime();
    this.#anchorWallMs = wallMs();
    this.#limitMs = start.getTime();
  }

  now(): Date {
    return new Date(Math.floor(this.#nowMs()));
  }

  /** Lets the clock run up to `until`. */
  allow(until: Date): void {
    this.#anchorMs = this.#nowMs();
    this.#anchorWallMs = this.#wallMs();
    this.#limitMs = Math.max(this.#limitMs, until.getTime());
    this.#arm();
  }

  at(when: Date, callback: () => void): Cancel {
    const pending = { whenMs: when.getTime(), callback };
    this.#pending.add(pending);
    this.#arm();
    return () => void this.#pending.delete(pending);
  }

  steadyMs(): number {
    return Number.POSITIVE_INFINITY;
  }

  /** Ends the timer; callbacks that are due later never run. */
  stop(): void {
    this.#pending.clear();
    clearTimeout(this.#timer);
  }

  #nowMs(): number {
    const ran = (this.#wallMs() - this.#anchorWallMs) * this.#speed;
    return Math.min(this.#limitMs, this.#anchorMs + ran);
  }

  /** Waits for the earliest callback that the limit lets become due. */
  #arm(): void {
    clearTimeout(this.#timer);
    const next = Math.min(...[...this.#pending].map(({ whenMs }) => whenMs));
    if (next > this.#limitMs) return;
    const waitMs = Math.max(0, (next - this.#nowMs()) / this.#speed);
    this.#timer = setTimeout(() => this.#runDue(), Math.ceil(waitMs));
  }

  #runDue(): void {
    const nowMs = this.now().getTime();
    const due = [...this.#pending]
      .filter(({ whenMs }) => whenMs <= nowMs)
      .sort((a, b) => a.whenMs - b.whenMs);
    for (const pending of due) if (this.#pending.delete(pending)) pending.callback();
    this.#arm();
  }
}
