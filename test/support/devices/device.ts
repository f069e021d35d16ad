import type { Clock } from "../../../src/core/time/clock.js";

/** What is wrong with a fake device; times in ms of its clock. */
export interface Faults {
  /** HTTP status of all answers instead of the device's own. */
  status: number | null;
  /** Takes commands and answers as usual, but does not act. */
  inert: boolean;
  /** Does not answer at all: no power or no network. */
  silent: boolean;
  /** Delay of each answer. */
  lateMs: number;
  /** Delay between an accepted command and its effect. */
  slowMs: number;
}

const NO_FAULTS: Faults = { status: null, inert: false, silent: false, lateMs: 0, slowMs: 0 };

/** A simulated device with the documented interface of its family. Leases run on the clock. */
export abstract class Device {
  readonly clock: Clock;
  faults: Faults = { ...NO_FAULTS };
  /** Commands that the device took, as text, with the time in ms. */
  readonly writes: { at: number; text: string }[] = [];
  #startedAt: number;
  #back = Promise.resolve();

  constructor(clock: Clock) {
    this.clock = clock;
    // It has run for a day.
    this.#startedAt = this.now() - 86_400_000;
  }

  /** What the device really does now, as short text such as `on` or `charge 3000`. */
  abstract actual(): string;
  /** Somebody else changes the device. */
  abstract byHand(): void | Promise<void>;
  /** Volatile and leased values are lost, as after a power failure. */
  protected abstract forget(): void;
  abstract start(): Promise<void>;
  /** Ends as without power: connections break. */
  abstract stop(): Promise<void>;

  /** A restart that takes no time. */
  reboot(): void {
    this.forget();
    this.#startedAt = this.now();
  }

  /** A power failure of this duration. */
  async powerFailure(ms: number): Promise<void> {
    await this.stop();
    this.forget();
    this.#startedAt = this.now() + ms;
    this.#back = new Promise((resolve) => this.after(ms, () => resolve(this.start())));
  }

  /** Resolves when it runs again after a power failure. */
  get back(): Promise<void> {
    return this.#back;
  }

  /** Time since the last start, s. */
  protected get uptimeS(): number {
    return Math.floor((this.now() - this.#startedAt) / 1000);
  }

  repair(): void {
    this.faults = { ...NO_FAULTS };
  }

  /** Takes a command; its effect is delayed or absent with a fault. */
  protected take(text: string, effect: () => void): void {
    this.writes.push({ at: this.now(), text });
    const { inert, slowMs } = this.faults;
    if (inert) return;
    if (slowMs > 0) this.after(slowMs, effect);
    else effect();
  }

  protected now(): number {
    return this.clock.now().getTime();
  }

  protected after(ms: number, callback: () => void): void {
    this.clock.at(new Date(this.now() + ms), callback);
  }
}

/** A value that returns to its resting value unless it is set again in time. */
export class Leased<Value> {
  readonly #clock: Clock;
  readonly #rest: Value;
  readonly #changed: () => void;
  #value: Value;
  #cancel = () => {};

  constructor(clock: Clock, rest: Value, changed: () => void = () => {}) {
    this.#clock = clock;
    this.#rest = this.#value = rest;
    this.#changed = changed;
  }

  get value(): Value {
    return this.#value;
  }

  /** Holds the value for `seconds`; Infinity until it is set again. */
  set(value: Value, seconds: number, then: Value = this.#rest): void {
    this.#cancel();
    this.#cancel = () => {};
    this.#value = value;
    this.#changed();
    if (seconds === Number.POSITIVE_INFINITY) return;
    this.#cancel = this.#clock.at(new Date(this.#clock.now().getTime() + seconds * 1000), () => {
      this.#value = then;
      this.#changed();
    });
  }

  /** Ends the lease now. */
  end(): void {
    this.set(this.#rest, Number.POSITIVE_INFINITY);
  }
}
