import { requestText } from "./command.js";
import { type ActuatorParts, Commander } from "./commander.js";
import type { Variables } from "./expression.js";
import { dwellMs, type OwnedState } from "./ledger.js";
import type { Verdict } from "./session.js";
import { type Wanted, wantedState } from "./wanted.js";

/** After a start a device that hourgate has set keeps its state for this time while there is no plan yet. */
const START_GRACE_MS = 40_000;
const READ_AGAIN_MS = 5_000;
const OFFLINE_MS = 10_000;
/** Interval of the reads of a device's own lock. */
const LOCK_MS = 25_000;
/** A difference is read again after this time before it counts. */
const SECOND_READ_MS = 3_000;
/** A device that is back may show its state of before for this time, such as a retained message. */
const BACK_MS = 60_000;

/** What the device is to do now, before what it cannot do is replaced. */
export type Target =
  | { kind: "state"; wanted: Wanted; isTest: boolean }
  /** Left to itself, with the state that the plan asks for. */
  | { kind: "exit"; because: "disabled" | "dry_run" | "released"; planned: Wanted | undefined };

export interface StepsOptions extends ActuatorParts {
  /** The device is left alone for this time after somebody else has changed it. */
  externalMs: number;
  /** Time left of the local day, ms. */
  leftOfDayMs(): number;
}

/** One step of an actuator: compares the device with its target and sends at most one command. */
export class ActuatorSteps {
  readonly commander: Commander;
  readonly #options: StepsOptions;
  readonly #startedAt: number;
  #wanted: Wanted | null = null;
  #isKnown = false;
  /** The state that dry run has shown last. */
  #shown = "";

  constructor(options: StepsOptions) {
    this.#options = options;
    this.commander = new Commander(options);
    this.#startedAt = options.clock.now().getTime();
  }

  /** What the plan asks for, after replacing what the device cannot do; null without a plan. */
  get wanted(): Wanted | null {
    return this.#wanted;
  }

  /** The next state of dry run is shown, even if it is the one shown last. */
  showAgain(): void {
    this.#shown = "";
  }

  /** Throws DeviceError, ExpressionError, StoreError. */
  async run(target: Target, signal: AbortSignal): Promise<void> {
    const { record } = this.#options;
    const isIdle = target.kind === "exit" && record.ledger.owned === null;
    if (!isIdle && !this.#isKnown && !(await this.#recover(signal))) return;
    if (target.kind === "exit") return this.#leave(target, signal);
    const { externalUntil } = record.ledger;
    if (externalUntil !== null && externalUntil.getTime() > this.#now()) return record.show("external");
    if (externalUntil !== null) await record.save({ externalUntil: null });
    return this.#hold(target, signal);
  }

  #now(): number {
    return this.#options.clock.now().getTime();
  }

  async #hold(target: Target & { kind: "state" }, signal: AbortSignal): Promise<void> {
    const { device, session, record, retry, progress } = this.#options;
    const live = this.commander.live();
    const planned = device.possible(target.wanted, live);
    const locked = await session.lockedTo(planned.state, signal);
    const wanted = locked === undefined ? planned : wantedState(locked, { isProtecting: true });
    this.#wanted = wanted;
    progress.lockAt = device.lock() === undefined ? Infinity : this.#now() + LOCK_MS;
    progress.dwellAt = Infinity;
    const { owned } = record.ledger;
    if (owned === null && wanted.state === device.neutral && !device.hasExitOfItsOwn && !target.isTest)
      return record.show("idle");
    const key = keyOf(target);
    if (owned?.isConfirmed && this.#isSame(owned, wanted)) return this.#keep(owned, wanted, { key, signal });
    if (retry.isWaiting(key, this.#now())) return;
    if (!target.isTest && !wanted.isProtecting && this.#isDwelling(owned, wanted)) return;
    if (!(await session.isAvailable(signal))) {
      progress.wasAway = true;
      retry.postpone(this.#now() + OFFLINE_MS);
      return record.show("offline");
    }
    progress.sending = key;
    // The repetition of the previous state ends before the new one is sent.
    progress.repeatAt = Infinity;
    await this.commander.send(wanted, live, { signal, isRepetition: false });
  }

  /** Reads the device after a start; nothing is sent before. False while there is no evidence. */
  async #recover(signal: AbortSignal): Promise<boolean> {
    const { device, session, record, progress } = this.#options;
    const { owned } = record.ledger;
    const live = this.commander.live();
    const read = (state: string, wanted: Pick<Wanted, "powerKw" | "socStopPct">) =>
      session.inspect(state, wanted, { live, signal, isAsking: true });
    if (!device.hasReading || (owned !== null && !owned.isConfirmed)) {
      this.#isKnown = true;
      return true;
    }
    const neutral = await this.#readAny(read);
    if (neutral === "unknown") {
      progress.pollAt = this.#now() + READ_AGAIN_MS;
      const { readError } = session;
      if (readError !== undefined) record.error(readError.fault, readError.message);
      record.show("waiting");
      return false;
    }
    this.#isKnown = true;
    record.clearError();
    if (owned === null || (await read(owned.state, owned)) !== "differ") return true;
    // The lease has ended, or the device was left to itself, unless the state is a third one.
    if (neutral === "match") await record.save({ owned: null });
    else await this.#setExternal();
    return true;
  }

  /** The verdict for the neutral state, or for another one if that cannot be read. */
  async #readAny(read: (state: string, wanted: Wanted) => Promise<Verdict>): Promise<Verdict> {
    const { device } = this.#options;
    const neutral = await read(device.neutral, wantedState(device.neutral));
    if (neutral !== "unknown") return neutral;
    for (const state of device.states())
      if ((await read(state, wantedState(state))) !== "unknown") return "differ";
    return "unknown";
  }

  async #leave({ because, planned }: Target & { kind: "exit" }, signal: AbortSignal): Promise<void> {
    const { device, record, retry, progress } = this.#options;
    this.#wanted = planned === undefined ? null : device.possible(planned, this.commander.live());
    if (record.ledger.owned !== null) {
      if (because === "released" && this.#now() - this.#startedAt < START_GRACE_MS) {
        progress.pollAt = this.#startedAt + START_GRACE_MS;
        return;
      }
      if (retry.isWaiting("exit", this.#now())) return;
      progress.sending = "exit";
      await this.commander.release(signal);
    }
    progress.repeatAt = Infinity;
    record.show(because);
    if (because === "dry_run") this.#showDryRun();
  }

  #showDryRun(): void {
    const { device, record } = this.#options;
    const wanted = this.#wanted;
    if (wanted === null || wanted.state === this.#shown) return;
    this.#shown = wanted.state;
    for (const request of device.requests(wanted, this.commander.live()))
      record.note("would_send", wanted.state, requestText(request));
  }

  /** The device has the wanted state: it is verified, and repeated where it is leased. */
  async #keep(
    owned: OwnedState,
    wanted: Wanted,
    { key, signal }: { key: string; signal: AbortSignal },
  ): Promise<void> {
    const { device, session, record, retry, progress, pace } = this.#options;
    const live = this.commander.live();
    const nowMs = this.#now();
    const isPolled = nowMs >= progress.pollAt;
    if (!(await session.isAvailable(signal))) {
      progress.wasAway = true;
      progress.awayAt = nowMs;
      return record.show("offline");
    }
    const verdict = await session.inspect(owned.state, owned, { live, signal, isAsking: isPolled });
    if (isPolled) progress.pollAt = nowMs + pace.pollMs;
    if (verdict === "unknown" && isPolled && device.checks(owned.state, owned, live).length > 0) {
      progress.wasAway = true;
      record.show("offline");
    }
    const isDeclined = verdict === "differ" && !progress.wasAway && (await session.isDeclined(live, signal));
    const isLost = verdict === "differ" && !isDeclined;
    if (isLost && !(await this.#isOwnStill(owned, live, signal))) return;
    // After a failure the state may be one of before, such as a retained message: the command is sent again.
    const { hasFailed } = retry;
    if (verdict === "match" && !hasFailed && nowMs - progress.awayAt >= BACK_MS) progress.wasAway = false;
    if (!isLost && !hasFailed && nowMs < progress.repeatAt) {
      if (record.lastError?.fault === "budget") record.clearError();
      if (isDeclined) record.show("declined");
      else if (verdict === "match") record.show("confirmed");
      return;
    }
    if (retry.isWaiting(key, nowMs)) return;
    progress.sending = key;
    await this.commander.send(wanted, live, { signal, isRepetition: !isLost });
  }

  /** After a difference: false if somebody else has changed the device, which is then left alone. */
  async #isOwnStill(owned: OwnedState, live: Variables, signal: AbortSignal): Promise<boolean> {
    const { session, progress } = this.#options;
    await session.sleep(SECOND_READ_MS, signal);
    const again = await session.inspect(owned.state, owned, { live, signal, isAsking: true });
    if (again === "match") return true;
    const uptimeS = await session.uptimeS(signal);
    const hasRestarted = uptimeS !== undefined && uptimeS * 1000 < this.#now() - owned.at.getTime();
    if (progress.wasAway || hasRestarted || again === "unknown") {
      progress.wasAway = true;
      return true;
    }
    await this.#setExternal();
    return false;
  }

  async #setExternal(): Promise<void> {
    const { record, progress, externalMs } = this.#options;
    progress.repeatAt = Infinity;
    record.note("external", "", "");
    await record.save({ owned: null, externalUntil: new Date(this.#now() + externalMs) });
    record.show("external");
  }

  /** Whether the wanted state needs no other command than the one that was sent. */
  #isSame(owned: OwnedState, wanted: Wanted): boolean {
    if (owned.state !== wanted.state) return false;
    const { device, pace } = this.#options;
    const isNear =
      Math.abs(owned.powerKw - wanted.powerKw) < Math.max(pace.deadbandKw, 1e-9) &&
      Math.abs(owned.socStopPct - wanted.socStopPct) < 1;
    if (isNear) return true;
    const live = this.commander.live();
    const text = (values: Pick<Wanted, "powerKw" | "socStopPct">) =>
      JSON.stringify(device.requests({ ...wanted, ...values }, live));
    const { powerKw, socStopPct } = owned;
    return text({ powerKw, socStopPct }) === text(wanted);
  }

  /** Whether the command must wait for the dwell or the commands of the next day. */
  #isDwelling(owned: OwnedState | null, wanted: Wanted): boolean {
    const { device, record, progress, pace, leftOfDayMs } = this.#options;
    // A leased set-point is not stored in the device.
    const isSetPoint = owned?.state === wanted.state && pace.leaseMs > 0 && device.isLeased(wanted.state);
    if (isSetPoint) return false;
    const writes = record.writesToday;
    const wait = dwellMs(pace, writes, leftOfDayMs());
    // The last commands of the day are kept for the return to the neutral state.
    if (wait === Infinity && wanted.state !== device.neutral) {
      record.error("budget", `${writes} of ${pace.maxWritesPerDay} commands of today are used`);
      return true;
    }
    progress.dwellAt = progress.changedAt + (wait === Infinity ? pace.minDwellMs : wait);
    return progress.dwellAt > this.#now();
  }
}

/** Target of a command, to tell whether it has changed meanwhile. */
export function keyOf(target: Target): string {
  return target.kind === "exit" ? "exit" : target.wanted.state;
}
