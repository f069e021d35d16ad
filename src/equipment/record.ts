import type { ActuatorPhase } from "../core/domain/actuator.js";
import { DeviceError } from "./command.js";
import type { ActuatorLedger } from "./ledger.js";
import type { ActuatorLogEntry, ActuatorStatus } from "./status.js";

const LOG_LENGTH = 100;
/** With these faults the device has not received the command. */
const NOT_RECEIVED: readonly string[] = [
  "unreachable",
  "no_broker",
  "not_local",
  "unauthorized",
  "not_found",
  "template",
];

export interface RecordOptions {
  ledger: ActuatorLedger;
  /** Resolves when the ledger is on disk. */
  save(ledger: ActuatorLedger): Promise<void>;
  now(): Date;
  /** The local day. */
  today(): string;
  redact(text: string): string;
  onPhase(): void;
}

/** What is known of an actuator: its ledger on disk, its phase, its last error and its log. */
export class ActuatorRecord {
  readonly #options: RecordOptions;
  readonly #entries: ActuatorLogEntry[] = [];
  #ledger: ActuatorLedger;
  #phase: ActuatorPhase = "waiting";
  #lastError: ActuatorStatus["lastError"] = null;

  constructor(options: RecordOptions) {
    this.#options = options;
    this.#ledger = options.ledger;
  }

  get ledger(): ActuatorLedger {
    return this.#ledger;
  }

  get phase(): ActuatorPhase {
    return this.#phase;
  }

  get lastError(): ActuatorStatus["lastError"] {
    return this.#lastError;
  }

  /** The last 100 entries, newest last. */
  get entries(): readonly ActuatorLogEntry[] {
    return this.#entries;
  }

  /** Throws StoreError. */
  async save(change: Partial<ActuatorLedger>): Promise<void> {
    this.keep(change);
    await this.#options.save(this.#ledger);
  }

  /** Changes the ledger in memory; it is written with the next save. */
  keep(change: Partial<ActuatorLedger>): void {
    this.#ledger = { ...this.#ledger, ...change };
  }

  /** The commands of the local day. */
  get writesToday(): number {
    const { writes } = this.#ledger;
    return writes.day === this.#options.today() ? writes.count : 0;
  }

  /** The count of commands with one more. */
  oneMoreWrite(): ActuatorLedger["writes"] {
    return { day: this.#options.today(), count: this.writesToday + 1 };
  }

  /** A command that has not reached the device is not counted. */
  uncount(error: unknown): void {
    if (!(error instanceof DeviceError) || !NOT_RECEIVED.includes(error.fault)) return;
    const { writes } = this.#ledger;
    this.keep({ writes: { ...writes, count: Math.max(0, writes.count - 1) } });
  }

  /** Sets the last error; secrets are replaced. */
  error(fault: DeviceError["fault"], message: string): void {
    const { redact, now } = this.#options;
    this.#lastError = { fault, message: redact(message), at: now() };
  }

  clearError(): void {
    this.#lastError = null;
  }

  show(phase: ActuatorPhase): void {
    if (this.#phase === phase) return;
    this.#phase = phase;
    this.#options.onPhase();
  }

  /** Adds an entry to the log; secrets are replaced. */
  note(event: ActuatorLogEntry["event"], state: string, text: string): void {
    const { now, redact } = this.#options;
    this.#entries.push({ at: now(), event, state, text: redact(text) });
    if (this.#entries.length > LOG_LENGTH) this.#entries.shift();
  }
}
