import { type GateState, judge } from "../../telemetry/judge-reading.js";
import type { ReadingLimits } from "../../telemetry/reading-limits.js";
import type { Evaluated } from "./evaluate.js";

/** `good` and `derived`: a value of now; `held`: the last known one; `implausible`: not possible after the last one. */
export const QUALITIES = ["good", "held", "derived", "implausible", "missing"] as const;
export type Quality = (typeof QUALITIES)[number];

/** A reading as it is shown. */
export interface ShownReading {
  value: number | null;
  unit: string;
  quality: Quality;
  at: Date | null;
  raw: number | string | null;
}

export interface KeptOptions {
  unit: string;
  /** How long a value is shown after it was read, ms. */
  holdMs: number;
}

/** A counter and a measured quantity are not lost with one poll; a power is of now. */
export function holdMsOf({ unit, isCounter }: { unit: string; isCounter?: true }, pollMs: number): number {
  if (isCounter === true) return 86_400_000;
  return unit === "%" || unit === "°C" ? 900_000 : 3 * pollMs;
}

/** One reading of a device over time: what it was last, and whether the next value is possible. */
export class KeptReading {
  readonly #options: KeptOptions;
  #gate: GateState = {};
  #value: number | undefined;
  #at: Date | undefined;
  #raw: number | string | null = null;
  #now: "good" | "derived" | "implausible" | undefined;

  constructor(options: KeptOptions) {
    this.#options = options;
  }

  /** When the last value was taken. */
  get at(): Date | undefined {
    return this.#at;
  }

  /** Takes what a poll gave. Returns the value if it counts; `isImplausible` if it is not believed yet. */
  take(
    { value, raw, isImplausible }: Evaluated,
    at: Date,
    limits: ReadingLimits | undefined,
  ): { value?: number; isImplausible?: true } {
    this.#raw = raw;
    this.#now = undefined;
    if (isImplausible === true) return this.#refuse();
    if (typeof value !== "number") return {};
    if (this.#options.unit === "%" && (value < 0 || value > 100)) return this.#refuse();
    if (limits !== undefined) {
      const { state, used } = judge(this.#gate, { at, value }, limits);
      this.#gate = state;
      if (used.length === 0) return this.#refuse();
    }
    return this.#accept(value, at, "good");
  }

  /** Takes a value that follows from something else: 0 while the device sleeps. */
  derive(value: number, at: Date): number {
    this.#accept(value, at, "derived");
    return value;
  }

  /** The value was measured no later than at this time. */
  hold(at: Date): void {
    this.#at = at;
    this.#now = undefined;
  }

  shown(now: Date, pollMs: number): ShownReading {
    const { unit, holdMs } = this.#options;
    const ageMs = this.#at === undefined ? Infinity : now.getTime() - this.#at.getTime();
    const isHeld = ageMs <= holdMs;
    const isNow = (this.#now === "good" || this.#now === "derived") && ageMs <= 3 * pollMs;
    const quality =
      this.#now === "implausible" ? this.#now : isNow ? this.#now! : isHeld ? "held" : "missing";
    const isShown = isNow || isHeld;
    return {
      value: isShown ? this.#value! : null,
      unit,
      quality,
      at: isShown ? this.#at! : null,
      raw: this.#raw,
    };
  }

  #accept(value: number, at: Date, quality: "good" | "derived") {
    this.#value = value;
    this.#at = at;
    this.#now = quality;
    return { value };
  }

  #refuse() {
    this.#now = "implausible";
    return { isImplausible: true } as const;
  }
}
