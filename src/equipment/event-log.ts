import type { ActuatorLogEntry } from "./status.js";

const LENGTH = 100;

/** The last 100 events of an actuator since the start; secrets are replaced. */
export class EventLog {
  readonly #now: () => Date;
  readonly #redact: (text: string) => string;
  readonly #entries: ActuatorLogEntry[] = [];

  constructor(now: () => Date, redact: (text: string) => string) {
    this.#now = now;
    this.#redact = redact;
  }

  /** Newest last. */
  get entries(): readonly ActuatorLogEntry[] {
    return this.#entries;
  }

  note(event: ActuatorLogEntry["event"], state: string, text: string): void {
    this.#entries.push({ at: this.#now(), event, state, text: this.#redact(text) });
    if (this.#entries.length > LENGTH) this.#entries.shift();
  }
}
