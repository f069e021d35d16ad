import type { Cancel, Clock } from "../../../core/time/clock.js";

interface Paced {
  atMs: number;
  waiting?: () => string;
  cancel?: Cancel;
}

/**
 * Values that are set at most once in a while: the first at once, the last of those that follow when the time has passed. A value is
 * made when it is set: most documents of a plant that sends readings every few seconds are never seen.
 */
export class PacedValues {
  readonly #clock: Clock;
  readonly #setValue: (topic: string, make: () => string) => void;
  readonly #topics = new Map<string, Paced>();

  /** `setValue` does not throw: it is also called by timers. */
  constructor(clock: Clock, setValue: (topic: string, make: () => string) => void) {
    this.#clock = clock;
    this.#setValue = setValue;
  }

  set(topic: string, paceMs: number, make: () => string): void {
    const nowMs = this.#clock.now().getTime();
    const paced = this.#topics.get(topic);
    // A clock that was set back does not stop the values.
    if (paced === undefined || nowMs >= paced.atMs + paceMs || nowMs < paced.atMs) {
      this.setNow(topic, make);
      return;
    }
    paced.waiting = make;
    paced.cancel ??= this.#clock.at(new Date(paced.atMs + paceMs), () => this.setNow(topic, paced.waiting!));
  }

  /** Sets a value that may not wait, in place of one that does. */
  setNow(topic: string, make: () => string): void {
    this.#topics.get(topic)?.cancel?.();
    this.#topics.set(topic, { atMs: this.#clock.now().getTime() });
    this.#setValue(topic, make);
  }

  /** Drops what waits for topics that begin with the text. */
  forget(topicStart: string): void {
    for (const [topic, { cancel }] of this.#topics) {
      if (!topic.startsWith(topicStart)) continue;
      cancel?.();
      this.#topics.delete(topic);
    }
  }

  stop(): void {
    this.forget("");
  }
}
