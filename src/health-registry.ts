import type { ComponentSentence } from "./texts/component-text.js";
import type { Clock } from "./time/clock.js";

/** State of one part that can fail on its own; served by /v1/status, and /health where `vital`. */
export interface ComponentHealth {
  name: string;
  state: "ok" | "degraded" | "down";
  since: Date;
  /** What is wrong and what still works; the text is made in the language of the reader by `componentText`. */
  detail: readonly ComponentSentence[];
  /** A vital part that is down makes /health answer 503 (store, broker). */
  vital: boolean;
}

/** Where the parts report how they are. */
export class HealthRegistry {
  readonly #clock: Clock;
  readonly #parts = new Map<string, ComponentHealth>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  report(
    name: string,
    state: ComponentHealth["state"],
    detail: readonly ComponentSentence[],
    { vital = false } = {},
  ): void {
    const before = this.#parts.get(name);
    const since = before?.state === state ? before.since : this.#clock.now();
    this.#parts.set(name, { name, state, since, detail, vital });
  }

  list(): ComponentHealth[] {
    return [...this.#parts.values()];
  }

  failing(): ComponentHealth | undefined {
    return this.list().find((part) => part.vital && part.state === "down");
  }
}
