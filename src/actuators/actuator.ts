import type { ActuatorPhase } from "../domain/actuator.js";
import { errorMessage } from "../error-message.js";
import type { Log } from "../log.js";
import { backoffMs } from "../net/backoff.js";
import type { Cancel, Clock } from "../time/clock.js";
import { DeviceError, requestText } from "./command.js";
import type { DeviceCommands, Pace } from "./device-commands.js";
import { ExpressionError, type Variables } from "./expression.js";
import { type ActuatorLedger, dwellMs, type OwnedState } from "./ledger.js";
import { type DeviceReading, DeviceSession, type Outcome } from "./session.js";
import type { ActuatorState } from "./states.js";
import type { ActuatorLogEntry, ActuatorStatus } from "./status.js";
import type { Transport } from "./transport/transport.js";
import { type Wanted, wantedState } from "./wanted.js";

/** Attempts of a command before it counts as failed, and the waits between them. */
const ATTEMPTS = 3;
const SPACING_MS = [2_000, 5_000];
/** After a start a device that hourgate has set keeps its state for this time while there is no plan yet. */
const START_GRACE_MS = 40_000;
const READ_AGAIN_MS = 5_000;
const OFFLINE_MS = 10_000;
/** Interval of the reads of a device's own lock. */
const LOCK_MS = 25_000;
/** Longest wait after a failure: short for a device that was restarted, long for one that is gone. */
const RETRY_MS = { first: 45_000, later: 15 * 60_000, firstCount: 40 };
/** With these faults the device has not received the command. */
const NOT_RECEIVED: readonly string[] = [
  "unreachable",
  "no_broker",
  "not_local",
  "unauthorized",
  "not_found",
  "template",
];
const TEST_MS = 60_000;
/** Longest time of a reading that a user asks for. */
const READ_MS = 15_000;
const LOG_LENGTH = 100;
/** A difference is read again after this time before it counts. */
const SECOND_READ_MS = 3_000;
/** A device that is back may show its state of before for this time, such as a retained message. */
const BACK_MS = 60_000;

export interface ActuatorOptions {
  device: DeviceCommands;
  transport: Transport;
  clock: Clock;
  pace: Pace;
  externalMs: number;
  enabled: boolean;
  dryRun: boolean;
  ledger: ActuatorLedger;
  /** Resolves when the ledger is on disk. */
  save(ledger: ActuatorLedger): Promise<void>;
  /** What the plan asks for; undefined without a usable plan. */
  wanted(): Wanted | undefined;
  /** Telemetry for expressions. */
  live(): Variables;
  /** The local day, and the time left of it. */
  day(now: Date): { day: string; leftMs: number };
  onChange(): void;
  random(): number;
  log: Log;
}

type Target = { kind: "exit" } | { kind: "state"; wanted: Wanted };

/** Keeps one device in its wanted state. Everything that is sent runs in one loop, one after another. */
export class Actuator {
  readonly #options: ActuatorOptions;
  readonly #session: DeviceSession;
  readonly #entries: ActuatorLogEntry[] = [];
  readonly #startedAt: number;
  #ledger: ActuatorLedger;
  #phase: ActuatorPhase = "waiting";
  readonly #configured: string;
  #enabled: boolean;
  #dryRun: boolean;
  #wanted: Wanted | null = null;
  #shown = "";
  #lastError: ActuatorStatus["lastError"] = null;
  #isKnown = false;
  #wasAway = true;
  #awayAt = -Infinity;
  #failures = 0;
  #failedTarget = "";
  #retryAt = 0;
  #changedAt: number;
  #repeatAt = Infinity;
  #pollAt = 0;
  /** End of the dwell, and the next reading of the device's own lock. */
  #dwellAt = Infinity;
  #lockAt = Infinity;
  #test: { wanted: Wanted; until: number } | undefined;
  #keepaliveAt = 0;
  #tick = 0;
  #timer: Cancel = () => {};
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;
  #abort = new AbortController();
  /** The target of the command in progress, which a change of it ends. */
  #sending: string | undefined;

  constructor(options: ActuatorOptions) {
    this.#options = options;
    this.#ledger = options.ledger;
    this.#configured = `${options.enabled} ${options.dryRun}`;
    // Switches that were set at run time apply until the configuration is changed.
    const { switches } = options.ledger;
    const isCurrent = switches.configured === this.#configured;
    this.#enabled = (isCurrent ? switches.enabled : undefined) ?? options.enabled;
    this.#dryRun = (isCurrent ? switches.dryRun : undefined) ?? options.dryRun;
    this.#startedAt = options.clock.now().getTime();
    this.#changedAt = options.ledger.owned?.at.getTime() ?? -Infinity;
    const { device, transport, clock } = options;
    this.#session = new DeviceSession({
      device,
      transport,
      clock,
      onSend: (text) => this.#note("sent", this.#sending?.split(" ")[0] ?? "", text),
    });
  }

  async start(): Promise<void> {
    const { transport } = this.#options;
    transport.onChange(() => {
      this.#session.wake();
      this.update();
    });
    await transport.start();
    this.update();
  }

  /** Leaves the device to itself, within two seconds, and ends. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer();
    this.#abort.abort(new Error("stopped"));
    await this.#running?.catch(() => {});
    const limit = AbortSignal.timeout(1_700);
    if (this.#ledger.owned !== null) {
      try {
        await this.#release(limit);
      } catch (error) {
        this.#options.log.warn(
          { err: error },
          "A device could not be left to itself at the end; the next start does it.",
        );
      }
    }
    await this.#options.transport.stop();
  }

  /** The plan, the switches or the device may have changed. */
  update(): void {
    if (this.#stopped) return;
    if (this.#running !== undefined) {
      this.#again = true;
      if (this.#sending !== undefined && this.#keyOf(this.#target()) !== this.#sending)
        this.#abort.abort(new Error("changed"));
      return;
    }
    this.#timer();
    this.#running = this.#loop().finally(() => {
      this.#running = undefined;
      if (this.#again) this.update();
    });
  }

  /** Switches the actuator on or off; off leaves the device to itself. Resolves when it is on disk. */
  async setEnabled(enabled: boolean): Promise<void> {
    this.#enabled = enabled;
    this.#test = undefined;
    this.#changedAt = -Infinity;
    this.#note(enabled ? "enabled" : "disabled", "", "");
    await this.#saveSwitches();
    this.update();
  }

  async setDryRun(dryRun: boolean): Promise<void> {
    this.#dryRun = dryRun;
    this.#shown = "";
    await this.#saveSwitches();
    this.update();
  }

  /**
   * Sends a state now, also in dry run, and keeps it for a minute. Resolves with its outcome. Throws DeviceError.
   */
  async test(state: ActuatorState, powerKw: number): Promise<Outcome> {
    const wanted = wantedState(state, { powerKw, isProtecting: true });
    if (this.#options.device.requests(wanted, this.#options.live()).length === 0)
      throw new DeviceError("template", `the template has no command for "${state}"`);
    this.#test = { wanted, until: this.#now() + TEST_MS };
    this.#retryAt = 0;
    this.#ledger = { ...this.#ledger, externalUntil: null };
    this.#lastError = null;
    this.update();
    await this.#running;
    const { owned } = this.#ledger;
    if (owned?.isConfirmed && owned.state === state)
      return this.#phase === "declined" ? "declined" : "confirmed";
    const error: ActuatorStatus["lastError"] = this.#lastError;
    throw new DeviceError(
      "not_confirmed",
      error === null ? "the device has not confirmed it" : (error as { message: string }).message,
    );
  }

  /** Reads the device now. Throws DeviceError. */
  read(): Promise<DeviceReading> {
    return this.#session.shown(this.#live(), AbortSignal.timeout(READ_MS));
  }

  /** The last 100 entries, newest last. */
  entries(): readonly ActuatorLogEntry[] {
    return this.#entries;
  }

  status(): Pick<
    ActuatorStatus,
    | "phase"
    | "enabled"
    | "dryRun"
    | "wanted"
    | "confirmed"
    | "lastError"
    | "writesToday"
    | "maxWritesPerDay"
    | "externalUntil"
    | "retryAt"
  > {
    const { owned, externalUntil, writes } = this.#ledger;
    const { clock, day, pace } = this.#options;
    const today = day(clock.now()).day;
    return {
      phase: this.#phase,
      enabled: this.#enabled,
      dryRun: this.#dryRun,
      wanted: this.#wanted && { state: this.#wanted.state, powerKw: this.#wanted.powerKw },
      confirmed: owned?.isConfirmed ? { state: owned.state, powerKw: owned.powerKw, at: owned.at } : null,
      lastError: this.#lastError,
      writesToday: writes.day === today ? writes.count : 0,
      maxWritesPerDay: pace.maxWritesPerDay,
      externalUntil: externalUntil !== null && externalUntil > clock.now() ? externalUntil : null,
      retryAt: this.#retryAt > this.#now() ? new Date(this.#retryAt) : null,
    };
  }

  #now(): number {
    return this.#options.clock.now().getTime();
  }

  async #loop(): Promise<void> {
    do {
      this.#again = false;
      this.#abort = new AbortController();
      if (this.#stopped) return;
      try {
        await this.#step(this.#abort.signal);
      } catch (error) {
        if (!this.#abort.signal.aborted) this.#fail(error);
      } finally {
        this.#sending = undefined;
      }
    } while (this.#again && !this.#stopped);
    this.#options.onChange();
    this.#schedule();
  }

  #schedule(): void {
    if (this.#stopped) return;
    const { clock } = this.#options;
    const nowMs = this.#now();
    const times = [
      this.#repeatAt,
      this.#pollAt,
      this.#retryAt,
      this.#keepaliveAt,
      this.#dwellAt,
      this.#lockAt,
      this.#test?.until ?? Infinity,
    ];
    const { externalUntil } = this.#ledger;
    if (externalUntil !== null) times.push(externalUntil.getTime());
    const next = Math.min(nowMs + 60_000, ...times.filter((time) => time > nowMs));
    this.#timer = clock.at(new Date(next), () => this.update());
  }

  /** What the device is to do now, before what it cannot do is replaced. */
  #target(): Target {
    if (this.#test !== undefined && this.#test.until > this.#now())
      return { kind: "state", wanted: this.#test.wanted };
    const wanted = this.#enabled && !this.#dryRun ? this.#options.wanted() : undefined;
    return wanted === undefined ? { kind: "exit" } : { kind: "state", wanted };
  }

  #keyOf(target: Target): string {
    return target.kind === "exit" ? "exit" : target.wanted.state;
  }

  async #step(signal: AbortSignal): Promise<void> {
    const target = this.#target();
    const key = this.#keyOf(target);
    await this.#keepAlive(signal);
    const isIdle = target.kind === "exit" && this.#ledger.owned === null;
    if (!isIdle && !this.#isKnown && !(await this.#recover(signal))) return;
    if (target.kind === "exit") return this.#stepToExit(signal);
    const { externalUntil } = this.#ledger;
    if (externalUntil !== null && externalUntil.getTime() > this.#now()) return this.#show("external");
    if (externalUntil !== null) await this.#save({ externalUntil: null });
    const live = this.#live();
    const planned = this.#options.device.possible(target.wanted, live);
    const locked = await this.#session.lockedTo(planned.state, signal);
    const wanted = locked === undefined ? planned : wantedState(locked, { isProtecting: true });
    this.#wanted = wanted;
    this.#lockAt = this.#options.device.lock() === undefined ? Infinity : this.#now() + LOCK_MS;
    this.#dwellAt = Infinity;
    const { owned } = this.#ledger;
    const { neutral, hasExitOfItsOwn } = this.#options.device;
    if (owned === null && wanted.state === neutral && !hasExitOfItsOwn && this.#test === undefined)
      return this.#show("idle");
    if (owned?.isConfirmed && this.#isSame(owned, wanted)) return this.#keep(owned, wanted, live, signal);
    if (this.#isWaiting(owned, wanted, key)) return;
    if (!(await this.#session.isAvailable(signal))) {
      this.#wasAway = true;
      this.#retryAt = this.#now() + OFFLINE_MS;
      return this.#show("offline");
    }
    this.#sending = key;
    await this.#command(wanted, live, signal);
  }

  /** Reads the device after a start; nothing is sent before. False while there is no evidence. */
  async #recover(signal: AbortSignal): Promise<boolean> {
    const { device } = this.#options;
    const { owned } = this.#ledger;
    const live = this.#live();
    const read = (state: string, wanted: Pick<Wanted, "powerKw" | "socStopPct">) =>
      this.#session.inspect(state, wanted, { live, signal, isAsking: true });
    if (!device.hasReading || (owned !== null && !owned.isConfirmed)) {
      this.#isKnown = true;
      return true;
    }
    const neutral = await this.#readAny(read);
    if (neutral === "unknown") {
      this.#pollAt = this.#now() + READ_AGAIN_MS;
      const { readError } = this.#session;
      if (readError !== undefined) this.#error(readError.fault, readError.message);
      this.#show("waiting");
      return false;
    }
    this.#isKnown = true;
    this.#lastError = null;
    if (owned === null) return true;
    const verdict = await read(owned.state, owned);
    if (verdict !== "differ") return true;
    // The lease has ended, or the device was left to itself, unless the state is a third one.
    if (neutral === "match") await this.#save({ owned: null });
    else await this.#setExternal();
    return true;
  }

  /** The verdict for the neutral state, or for another one if that cannot be read. */
  async #readAny(read: (state: string, wanted: Wanted) => Promise<"match" | "differ" | "unknown">) {
    const { device } = this.#options;
    const neutral = await read(device.neutral, wantedState(device.neutral));
    if (neutral !== "unknown") return neutral;
    for (const state of device.states())
      if ((await read(state, wantedState(state))) !== "unknown") return "differ" as const;
    return "unknown" as const;
  }

  async #stepToExit(signal: AbortSignal): Promise<void> {
    const planned = this.#options.wanted();
    this.#wanted = planned === undefined ? null : this.#options.device.possible(planned, this.#live());
    if (this.#ledger.owned !== null) {
      const isStarting = this.#now() - this.#startedAt < START_GRACE_MS;
      if (this.#enabled && !this.#dryRun && isStarting) {
        this.#pollAt = this.#startedAt + START_GRACE_MS;
        return;
      }
      if (this.#failedTarget === "exit" && this.#retryAt > this.#now()) return;
      this.#sending = "exit";
      await this.#release(signal);
    }
    this.#repeatAt = Infinity;
    if (!this.#enabled) return this.#show("disabled");
    if (!this.#dryRun) return this.#show("released");
    this.#showDryRun();
  }

  #showDryRun(): void {
    this.#show("dry_run");
    const wanted = this.#wanted;
    if (wanted === null) return;
    const key = this.#keyOf({ kind: "state", wanted });
    if (key === this.#shown) return;
    this.#shown = key;
    const { device } = this.#options;
    for (const request of device.requests(wanted, this.#live()))
      this.#note("would_send", wanted.state, device.redact(requestText(request)));
  }

  /** The device has the wanted state: it is verified, and repeated where it is leased. */
  async #keep(owned: OwnedState, wanted: Wanted, live: Variables, signal: AbortSignal): Promise<void> {
    const { device, pace } = this.#options;
    const nowMs = this.#now();
    const isPolled = nowMs >= this.#pollAt;
    if (!(await this.#session.isAvailable(signal))) {
      this.#wasAway = true;
      this.#awayAt = nowMs;
      return this.#show("offline");
    }
    const verdict = await this.#session.inspect(owned.state, owned, { live, signal, isAsking: isPolled });
    if (isPolled) this.#pollAt = nowMs + pace.pollMs;
    if (verdict === "unknown" && isPolled && device.checks(owned.state, owned, live).length > 0) {
      this.#wasAway = true;
      this.#show("offline");
    }
    const isDeclined =
      verdict === "differ" && !this.#wasAway && (await this.#session.isDeclined(live, signal));
    const isLost = verdict === "differ" && !isDeclined;
    if (isLost && !(await this.#isOwnStill(owned, live, signal))) return;
    // After a failure the state may be one of before, such as a retained message: the command is sent again.
    const hasFailed = this.#failures > 0;
    if (verdict === "match" && !hasFailed && nowMs - this.#awayAt >= BACK_MS) this.#wasAway = false;
    if (!isLost && !hasFailed && nowMs < this.#repeatAt) {
      if (this.#lastError?.fault === "budget") this.#lastError = null;
      if (isDeclined) this.#show("declined");
      else if (verdict === "match") this.#show("confirmed");
      return;
    }
    const key = this.#keyOf(this.#target());
    if (this.#failedTarget === key && this.#retryAt > nowMs) return;
    this.#sending = key;
    await this.#attempts(wanted, live, { signal, isRepetition: !isLost });
  }

  /** After a difference: false if somebody else has changed the device, which is then left alone. */
  async #isOwnStill(owned: OwnedState, live: Variables, signal: AbortSignal): Promise<boolean> {
    await this.#session.sleep(SECOND_READ_MS, signal);
    const again = await this.#session.inspect(owned.state, owned, { live, signal, isAsking: true });
    if (again === "match") return true;
    const uptimeS = await this.#session.uptimeS(signal);
    const hasRestarted = uptimeS !== undefined && uptimeS * 1000 < this.#now() - owned.at.getTime();
    if (this.#wasAway || hasRestarted || again === "unknown") {
      this.#wasAway = true;
      return true;
    }
    await this.#setExternal();
    return false;
  }

  async #setExternal(): Promise<void> {
    const until = new Date(this.#now() + this.#options.externalMs);
    this.#repeatAt = Infinity;
    this.#note("external", "", "");
    await this.#save({ owned: null, externalUntil: until });
    this.#show("external");
  }

  /** Whether the wanted state needs no other command than the one that was sent. */
  #isSame(owned: OwnedState, wanted: Wanted): boolean {
    if (owned.state !== wanted.state) return false;
    const { device, pace } = this.#options;
    const isNear =
      Math.abs(owned.powerKw - wanted.powerKw) < Math.max(pace.deadbandKw, 1e-9) &&
      Math.abs(owned.socStopPct - wanted.socStopPct) < 1;
    if (isNear) return true;
    const live = this.#live();
    const text = (values: Pick<Wanted, "powerKw" | "socStopPct">) =>
      JSON.stringify(device.requests({ ...wanted, ...values }, live));
    const { powerKw, socStopPct } = owned;
    return text({ powerKw, socStopPct }) === text(wanted);
  }

  /** Whether the command must wait: for the next attempt, the dwell, or the commands of the next day. */
  #isWaiting(owned: OwnedState | null, wanted: Wanted, key: string): boolean {
    const { pace, day, clock, device } = this.#options;
    const nowMs = this.#now();
    if (this.#failedTarget === key && this.#retryAt > nowMs) return true;
    if (this.#test !== undefined || wanted.isProtecting) return false;
    // A leased set-point is not stored in the device.
    const isSetPoint = owned?.state === wanted.state && pace.leaseMs > 0 && device.isLeased(wanted.state);
    if (isSetPoint) return false;
    const { day: today, leftMs } = day(clock.now());
    const writes = this.#ledger.writes.day === today ? this.#ledger.writes.count : 0;
    const wait = dwellMs(pace, writes, leftMs);
    // The last commands of the day are kept for the return to the neutral state.
    if (wait === Infinity && wanted.state !== device.neutral) {
      this.#error("budget", `${writes} of ${pace.maxWritesPerDay} commands of today are used`);
      return true;
    }
    this.#dwellAt = this.#changedAt + (wait === Infinity ? pace.minDwellMs : wait);
    return this.#dwellAt > nowMs;
  }

  async #command(wanted: Wanted, live: Variables, signal: AbortSignal): Promise<void> {
    // The repetition of the previous state ends before the new one is sent.
    this.#repeatAt = Infinity;
    await this.#attempts(wanted, live, { signal, isRepetition: false });
  }

  async #attempts(
    wanted: Wanted,
    live: Variables,
    { signal, isRepetition }: { signal: AbortSignal; isRepetition: boolean },
  ): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(wanted, live, { signal, isRepetition });
      } catch (error) {
        if (signal.aborted || !(error instanceof DeviceError) || attempt === ATTEMPTS) throw error;
        this.#error(error.fault, error.message);
        this.#note("failed", wanted.state, error.message);
        this.#show("sending");
        await this.#session.sleep(SPACING_MS[attempt - 1]!, signal);
      }
    }
  }

  async #attempt(
    wanted: Wanted,
    before: Variables,
    { signal, isRepetition }: { signal: AbortSignal; isRepetition: boolean },
  ): Promise<void> {
    const { device, pace, clock } = this.#options;
    if (!isRepetition) this.#show("sending");
    if (this.#ledger.owned === null) await this.#save({ found: await this.#session.found(signal) });
    const live = { ...before, ...this.#live() };
    if (this.#wasAway) await this.#session.send(device.setup(live), signal);
    const { state, powerKw, socStopPct } = wanted;
    const owned: OwnedState = { state, powerKw, socStopPct, at: clock.now(), isConfirmed: false };
    // On disk before it is sent: after a crash hourgate knows what it may have changed.
    if (!isRepetition) await this.#save({ owned, writes: this.#counted() });
    const requests = device.requests(wanted, live);
    const outcome = await this.#session
      .command({ requests, state, wanted, live }, signal)
      .catch((error: unknown) => this.#uncount(error, isRepetition));
    const confirmed = { ...owned, at: clock.now(), isConfirmed: true };
    if (isRepetition) this.#ledger = { ...this.#ledger, owned: confirmed };
    else {
      this.#changedAt = this.#now();
      await this.#save({ owned: confirmed });
      this.#note(outcome, state, "");
    }
    this.#clearFailure();
    this.#show(outcome);
    const isLeased = pace.leaseMs > 0 && device.isLeased(state);
    this.#repeatAt = isLeased ? this.#now() + pace.repeatMs : Infinity;
    this.#pollAt = this.#now() + pace.pollMs;
  }

  /** Sends the exit command. Throws DeviceError; the ledger then still has the state. */
  async #release(signal: AbortSignal): Promise<void> {
    const { device } = this.#options;
    const { owned } = this.#ledger;
    const live = this.#live();
    this.#repeatAt = Infinity;
    const exit = device.exit(live);
    if (exit !== undefined && !(owned?.isConfirmed && owned.state === exit.state)) {
      await this.#save({ writes: this.#counted() });
      const wanted = wantedState(device.neutral);
      await this.#session.command({ requests: exit.requests, state: exit.state, wanted, live }, signal);
    }
    await this.#save({ owned: null, found: {} });
    this.#changedAt = this.#now();
    this.#note("released", exit?.state ?? "", "");
    this.#clearFailure();
  }

  async #keepAlive(signal: AbortSignal): Promise<void> {
    const keepalive = this.#options.device.keepalive(this.#live());
    if (keepalive === undefined) return;
    const nowMs = this.#now();
    if (nowMs < this.#keepaliveAt) return;
    this.#keepaliveAt = nowMs + keepalive.everyMs;
    const isActive = this.#enabled && !this.#dryRun && this.#options.wanted() !== undefined;
    if (!isActive && !(keepalive.isAlways && this.#enabled)) return;
    this.#tick++;
    for (const request of this.#options.device.keepalive(this.#live())!.requests)
      await this.#options.transport.send(request, signal).catch((error: unknown) => {
        if (error instanceof DeviceError) this.#error(error.fault, error.message);
      });
  }

  #live(): Variables {
    return {
      ...this.#options.live(),
      found: this.#ledger.found,
      tick: this.#tick,
      now_s: Math.floor(this.#now() / 1000),
    };
  }

  #saveSwitches(): Promise<void> {
    const [enabled, dryRun] = [this.#enabled, this.#dryRun];
    return this.#save({ switches: { configured: this.#configured, enabled, dryRun } });
  }

  #counted(): ActuatorLedger["writes"] {
    const { day } = this.#options.day(this.#options.clock.now());
    const { writes } = this.#ledger;
    return { day, count: writes.day === day ? writes.count + 1 : 1 };
  }

  /** A command that has not reached the device is not counted. Throws the error. */
  #uncount(error: unknown, isRepetition: boolean): never {
    const { writes } = this.#ledger;
    if (!isRepetition && error instanceof DeviceError && NOT_RECEIVED.includes(error.fault))
      this.#ledger = { ...this.#ledger, writes: { ...writes, count: Math.max(0, writes.count - 1) } };
    throw error;
  }

  async #save(change: Partial<ActuatorLedger>): Promise<void> {
    this.#ledger = { ...this.#ledger, ...change };
    await this.#options.save(this.#ledger);
  }

  #clearFailure(): void {
    this.#failures = 0;
    this.#failedTarget = "";
    this.#retryAt = 0;
    this.#wasAway = false;
    this.#lastError = null;
  }

  #fail(error: unknown): void {
    const { log, random, device } = this.#options;
    this.#failures++;
    this.#failedTarget = this.#sending ?? "";
    const longest = this.#failures <= RETRY_MS.firstCount ? RETRY_MS.first : RETRY_MS.later;
    this.#retryAt = this.#now() + Math.min(2 * backoffMs(this.#failures, random), longest);
    this.#test = undefined;
    this.#wasAway = true;
    if (error instanceof DeviceError) this.#error(error.fault, error.message);
    else if (error instanceof ExpressionError) this.#error("template", error.message);
    else {
      this.#error("storage", errorMessage(error));
      log.error({ err: error }, "An actuator failed.");
    }
    this.#note(
      "failed",
      this.#failedTarget.split(" ")[0] ?? "",
      device.redact(this.#lastError?.message ?? ""),
    );
    this.#repeatAt = Infinity;
    this.#show("failed");
  }

  #error(fault: DeviceError["fault"], message: string): void {
    const { clock, device } = this.#options;
    this.#lastError = { fault, message: device.redact(message), at: clock.now() };
  }

  #show(phase: ActuatorPhase): void {
    const isTesting = this.#test !== undefined && this.#test.until > this.#now();
    if (!isTesting) this.#test = undefined;
    if (this.#phase === phase) return;
    this.#phase = phase;
    this.#options.onChange();
  }

  #note(event: ActuatorLogEntry["event"], state: string, text: string): void {
    this.#entries.push({ at: this.#options.clock.now(), event, state, text });
    if (this.#entries.length > LOG_LENGTH) this.#entries.shift();
  }
}
