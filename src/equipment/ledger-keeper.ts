import { MINUTE_MS } from "../core/domain/interval.js";
import type { Log } from "../core/log.js";
import type { Clock } from "../core/time/clock.js";
import { StoreError } from "../store/errors.js";
import type { ActuatorLedger } from "./ledger.js";

export interface LedgerKeeperOptions {
  ledger(): ActuatorLedger;
  save(ledger: ActuatorLedger): Promise<void>;
  clock: Clock;
  log: Log;
}

/** Keeps the ledger of an actuator on disk. A full disk stops no command: what is not stored is tried again each minute. */
export class LedgerKeeper {
  readonly #options: LedgerKeeperOptions;
  /** When to try again; undefined: the ledger is on disk. */
  #againAtMs: number | undefined;

  constructor(options: LedgerKeeperOptions) {
    this.#options = options;
  }

  /** Resolves when the ledger is on disk. Throws StoreError. */
  async save(): Promise<void> {
    const { ledger, save, clock, log } = this.#options;
    try {
      await save(ledger());
      this.#againAtMs = undefined;
    } catch (error) {
      if (this.#againAtMs === undefined)
        log.warn(
          { err: error },
          "The ledger of an actuator is not on disk; its device is commanded all the same.",
        );
      this.#againAtMs = clock.now().getTime() + MINUTE_MS;
      throw error;
    }
  }

  /** Like `save`; resolves also when the ledger cannot be stored now. */
  async keep(): Promise<void> {
    try {
      await this.save();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  /** Stores what could not be stored a minute ago. */
  async retry(): Promise<void> {
    if (this.#againAtMs !== undefined && this.#againAtMs <= this.#options.clock.now().getTime())
      await this.keep();
  }
}
