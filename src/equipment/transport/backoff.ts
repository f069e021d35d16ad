import { DeviceError } from "../command.js";

/** Pauses after failures in a row, ms: the first one is tried again with the next poll. */
export const PAUSES_MS: readonly number[] = [0, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000];

/** How long something that does not answer is left alone. */
export class Backoff {
  #failures = 0;
  #untilMs = -Infinity;

  constructor(
    readonly now: () => number = () => performance.now(),
    readonly pausesMs: readonly number[] = PAUSES_MS,
  ) {}

  /** Time until the next attempt, ms; 0: now. */
  get leftMs(): number {
    return Math.max(0, this.#untilMs - this.now());
  }

  /** Throws DeviceError while `name` is left alone. */
  check(name: string): void {
    const leftS = Math.ceil(this.leftMs / 1000);
    if (leftS > 0)
      throw new DeviceError("unreachable", `${name} did not answer; the next attempt is in ${leftS} s`);
  }

  fail(): void {
    const pause = this.pausesMs[Math.min(this.#failures, this.pausesMs.length - 1)] ?? 0;
    this.#failures++;
    this.#untilMs = this.now() + pause;
  }

  succeed(): void {
    this.#failures = 0;
    this.#untilMs = -Infinity;
  }
}
