import type { Clock } from "../core/time/clock.js";
import { DeviceError } from "./command.js";
import type { DeviceCommands, Pace } from "./device-commands.js";
import type { Variables } from "./expression.js";
import type { OwnedState } from "./ledger.js";
import type { ActuatorRecord } from "./record.js";
import type { Retry } from "./retry.js";
import type { DeviceSession } from "./session.js";
import type { Transport } from "./transport/transport.js";
import { type Wanted, wantedState } from "./wanted.js";

/** Attempts of a command before it counts as failed, and the waits between them. */
const ATTEMPTS = 3;
const SPACING_MS = [2_000, 5_000];

/** Where an actuator is between two steps. Times in ms since 1970; Infinity: not planned. */
export interface Progress {
  /** The next repetition of a leased state. */
  repeatAt: number;
  /** The next reading of the device. */
  pollAt: number;
  /** End of the shortest time between two commands. */
  dwellAt: number;
  /** The next reading of the device's own lock. */
  lockAt: number;
  /** The last change of the state. */
  changedAt: number;
  /** The device may have lost its state; it is set up again with the next command. */
  wasAway: boolean;
  awayAt: number;
  /** Target of the command in progress, whose change ends it. */
  sending: string | undefined;
}

/** What the steps of an actuator share. */
export interface ActuatorParts {
  device: DeviceCommands;
  transport: Transport;
  session: DeviceSession;
  record: ActuatorRecord;
  retry: Retry;
  progress: Progress;
  pace: Pace;
  clock: Clock;
  /** Telemetry for expressions. */
  live(): Variables;
}

/** Sends the commands of an actuator and stores what it has set. */
export class Commander {
  readonly #parts: ActuatorParts;
  #keepaliveAt = 0;
  #tick = 0;

  constructor(parts: ActuatorParts) {
    this.#parts = parts;
  }

  /** The next keepalive, ms since 1970. */
  get keepaliveAt(): number {
    return this.#keepaliveAt;
  }

  /** Variables of the expressions of the template. */
  live(): Variables {
    const { live, record, clock } = this.#parts;
    const nowMs = clock.now().getTime();
    return { ...live(), found: record.ledger.found, tick: this.#tick, now_s: Math.floor(nowMs / 1000) };
  }

  /** Sends a state, up to three times. A repetition is not counted and not stored. Throws DeviceError, StoreError. */
  async send(
    wanted: Wanted,
    live: Variables,
    { signal, isRepetition }: { signal: AbortSignal; isRepetition: boolean },
  ): Promise<void> {
    const { record, session } = this.#parts;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(wanted, live, { signal, isRepetition });
      } catch (error) {
        if (signal.aborted || !(error instanceof DeviceError) || attempt === ATTEMPTS) throw error;
        record.error(error.fault, error.message);
        record.note("failed", wanted.state, error.message);
        record.show("sending");
        await session.sleep(SPACING_MS[attempt - 1]!, signal);
      }
    }
  }

  /** Sends the exit command. Throws DeviceError; the ledger then still has the state. */
  async release(signal: AbortSignal): Promise<void> {
    const { device, record, session, progress, clock } = this.#parts;
    const { owned } = record.ledger;
    const live = this.live();
    progress.repeatAt = Infinity;
    const exit = device.exit(live);
    if (exit !== undefined && !(owned?.isConfirmed && owned.state === exit.state)) {
      await record.save({ writes: record.oneMoreWrite() });
      const wanted = wantedState(device.neutral);
      await session.command({ requests: exit.requests, state: exit.state, wanted, live }, signal);
    }
    await record.save({ owned: null, found: {} });
    progress.changedAt = clock.now().getTime();
    record.note("released", exit?.state ?? "", "");
    this.#succeed();
  }

  /** Sends the template's keepalive if it is due; `isActive`: the device follows a plan. */
  async keepAlive(isActive: boolean, isEnabled: boolean, signal: AbortSignal): Promise<void> {
    const { device, record, transport, clock } = this.#parts;
    const keepalive = device.keepalive(this.live());
    const nowMs = clock.now().getTime();
    if (keepalive === undefined || nowMs < this.#keepaliveAt) return;
    this.#keepaliveAt = nowMs + keepalive.everyMs;
    if (!isActive && !(keepalive.isAlways && isEnabled)) return;
    this.#tick++;
    for (const request of device.keepalive(this.live())!.requests)
      await transport.send(request, signal).catch((error: unknown) => {
        if (error instanceof DeviceError) record.error(error.fault, error.message);
      });
  }

  async #attempt(
    wanted: Wanted,
    before: Variables,
    { signal, isRepetition }: { signal: AbortSignal; isRepetition: boolean },
  ): Promise<void> {
    const { device, record, session, progress, pace, clock } = this.#parts;
    if (!isRepetition) record.show("sending");
    if (record.ledger.owned === null) await record.save({ found: await session.found(signal) });
    const live = { ...before, ...this.live() };
    if (progress.wasAway) await session.send(device.setup(live), signal);
    const { state, powerKw, socStopPct } = wanted;
    const owned: OwnedState = { state, powerKw, socStopPct, at: clock.now(), isConfirmed: false };
    // On disk before it is sent: after a crash hourgate knows what it may have changed.
    if (!isRepetition) await record.save({ owned, writes: record.oneMoreWrite() });
    const requests = device.requests(wanted, live);
    const outcome = await session
      .command({ requests, state, wanted, live }, signal)
      .catch((error: unknown) => {
        if (!isRepetition) record.uncount(error);
        throw error;
      });
    const confirmed = { ...owned, at: clock.now(), isConfirmed: true };
    if (isRepetition) record.keep({ owned: confirmed });
    else {
      progress.changedAt = clock.now().getTime();
      await record.save({ owned: confirmed });
      record.note(outcome, state, "");
    }
    this.#succeed();
    record.show(outcome);
    const isLeased = pace.leaseMs > 0 && device.isLeased(state);
    const nowMs = clock.now().getTime();
    progress.repeatAt = isLeased ? nowMs + pace.repeatMs : Infinity;
    progress.pollAt = nowMs + pace.pollMs;
  }

  #succeed(): void {
    const { record, retry, progress } = this.#parts;
    retry.clear();
    progress.wasAway = false;
    record.clearError();
  }
}
