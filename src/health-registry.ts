import type { ComponentSentence } from "./texts/component-text.js";
import type { Clock } from "./time/clock.js";

/** State of one component; served by /v1/status, and by /health if it is `vital`. */
export interface ComponentHealth {
  name: string;
  state: "ok" | "degraded" | "down";
  since: Date;
  /** What is wrong and what still works; the text is made in the language of the reader by `componentText`. */
  detail: readonly ComponentSentence[];
  /** A vital component that is down makes /health answer 503 (store, broker). */
  vital: boolean;
}

/** Collects the state of all components. */
export class HealthRegistry {
  readonly #clock: Clock;
  readonly #components = new Map<string, ComponentHealth>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  report(
    name: string,
    state: ComponentHealth["state"],
    detail: readonly ComponentSentence[],
    { vital = false } = {},
  ): void {
    const before = this.#components.get(name);
    const since = before?.state === state ? before.since : this.#clock.now();
    this.#components.set(name, { name, state, since, detail, vital });
  }

  list(): ComponentHealth[] {
    return [...this.#components.values()];
  }

  /** The first vital component that is down; undefined when there is none. */
  failing(): ComponentHealth | undefined {
    return this.list().find(({ vital, state }) => vital && state === "down");
  }
}
