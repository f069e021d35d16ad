export const LOG_EVENTS = [
  "sent",
  "would_send",
  "accepted",
  "confirmed",
  "declined",
  "failed",
  "external",
  "released",
  "enabled",
  "disabled",
] as const;

/** One line of an actuator's log; `text` has no secrets. */
export interface ActuatorLogEntry {
  at: Date;
  event: (typeof LOG_EVENTS)[number];
  state: string;
  text: string;
}

const LENGTH = 100;

interface EventLogOptions {
  clock: { now(): Date };
  device: { redact(text: string): string };
}

/** The last 100 events of an actuator; secrets are replaced. */
export class EventLog {
  readonly #options: EventLogOptions;
  readonly #entries: ActuatorLogEntry[];

  /** `entries`: those of before the start. */
  constructor(entries: readonly ActuatorLogEntry[], options: EventLogOptions) {
    this.#entries = [...entries];
    this.#options = options;
  }

  /** Newest last. */
  get entries(): readonly ActuatorLogEntry[] {
    return this.#entries;
  }

  note(event: ActuatorLogEntry["event"], state: string, text: string): void {
    const { clock, device } = this.#options;
    this.#entries.push({ at: clock.now(), event, state, text: device.redact(text) });
    if (this.#entries.length > LENGTH) this.#entries.shift();
  }
}
