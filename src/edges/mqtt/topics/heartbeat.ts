import type { Clock } from "../../../core/time/clock.js";
import type { Topics } from "./topics.js";

/** Runs a task at each connect and then periodically until the connection is lost. */
export class WhileConnected {
  readonly #everyMs: number;
  readonly #work: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** `everyMs` is wall-clock time; 0 turns the task off. */
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
 * Publishes `…/heartbeat` of each plant, the time in Unix seconds, for devices that switch to their fallback without it.
 * Not retained and not queued while disconnected, because a late heartbeat would be wrong.
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
