import type { Clock } from "../time/clock.js";
import type { Topics } from "./topics.js";

/** Does something at once when the broker is there, and again and again until it is gone. */
export class WhileConnected {
  readonly #everyMs: number;
  readonly #work: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** `everyMs` counts on the wall clock; 0 does nothing at all. */
  constructor(everyMs: number, work: () => void) {
    this.#everyMs = everyMs;
    this.#work = work;
  }

  connected(): void {
    this.disconnected();
    if (this.#everyMs === 0) return;
    this.#timer = setInterval(this.#work, this.#everyMs).unref();
    this.#work();
  }

  disconnected(): void {
    clearInterval(this.#timer);
  }
}

/**
 * Shows devices that fall back when it is silent that the gateway lives: `…/heartbeat` of each plant holds the time in
 * whole seconds since 1970. Not retained, and never kept for later: a heartbeat that is delivered late would lie.
 */
export function createHeartbeat(options: {
  seconds: number;
  clock: Clock;
  topics: Topics;
  sites(): readonly { id: string }[];
  send(topic: string, payload: string): void;
}): WhileConnected {
  const { seconds, clock, topics, sites, send } = options;
  return new WhileConnected(seconds * 1000, () => {
    const epochSeconds = Math.floor(clock.now().getTime() / 1000);
    for (const { id } of sites()) send(topics.of(id, "heartbeat"), String(epochSeconds));
  });
}
