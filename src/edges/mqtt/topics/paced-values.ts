import type { Cancel, Clock } from "../../../core/time/clock.js";

/** Values that are set at most once in a while: the first at once, the last of those that follow when the time has passed. */
export class PacedValues {
  readonly #clock: Clock;
  readonly #setValue: (topic: string, payload: string) => void;
  readonly #topics = new Map<string, { atMs: number; waiting?: string; cancel?: Cancel }>();

  constructor(clock: Clock, setValue: (topic: string, payload: string) => void) {
    this.#clock = clock;
    this.#setValue = setValue;
  }

  set(topic: string, payload: string, paceMs: number): void {
    const nowMs = this.#clock.now().getTime();
    const paced = this.#topics.get(topic);
    if (paced?.cancel !== undefined) {
      paced.waiting = payload;
      return;
    }
    // A clock that was set back does not stop the values.
    if (paced === undefined || nowMs >= paced.atMs + paceMs || nowMs < paced.atMs) {
      this.#send(topic, payload);
      return;
    }
    paced.waiting = payload;
    paced.cancel = this.#clock.at(new Date(paced.atMs + paceMs), () => this.#send(topic, paced.waiting!));
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

  #send(topic: string, payload: string): void {
    this.#topics.set(topic, { atMs: this.#clock.now().getTime() });
    this.#setValue(topic, payload);
  }
}
