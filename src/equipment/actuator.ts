import { errorMessage } from "../core/error-message.js";
import type { Log } from "../core/log.js";
import type { Cancel, Clock } from "../core/time/clock.js";
import { DeviceError } from "./command.js";
import type { ActuatorParts, Progress } from "./commander.js";
import type { DeviceCommands, Pace } from "./device-commands.js";
import { ExpressionError, type Variables } from "./expression.js";
import type { ActuatorLedger } from "./ledger.js";
import { ActuatorRecord } from "./record.js";
import { Retry } from "./retry.js";
import { type DeviceReading, DeviceSession, type Outcome } from "./session.js";
import type { ActuatorState } from "./states.js";
import type { ActuatorLogEntry, ActuatorStatus } from "./status.js";
import { ActuatorSteps, keyOf, type Target } from "./steps.js";
import type { Transport } from "./transport/transport.js";
import { type Wanted, wantedState } from "./wanted.js";

const TEST_MS = 60_000;
/** Longest time of a reading that a user asks for. */
const READ_MS = 15_000;

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

/** Keeps one device in its wanted state. Everything that is sent runs in one loop, one after another. */
export class Actuator {
  readonly #options: ActuatorOptions;
  readonly #parts: ActuatorParts;
  readonly #steps: ActuatorSteps;
  readonly #configured: string;
  #enabled: boolean;
  #dryRun: boolean;
  #test: { wanted: Wanted; until: number } | undefined;
  #timer: Cancel = () => {};
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;
  #abort = new AbortController();

  constructor(options: ActuatorOptions) {
    const { device, transport, clock, pace, ledger, live, day } = options;
    this.#options = options;
    this.#configured = `${options.enabled} ${options.dryRun}`;
    // Switches that were set at run time apply until the configuration is changed.
    const { switches } = ledger;
    const isCurrent = switches.configured === this.#configured;
    this.#enabled = (isCurrent ? switches.enabled : undefined) ?? options.enabled;
    this.#dryRun = (isCurrent ? switches.dryRun : undefined) ?? options.dryRun;
    const record = new ActuatorRecord({
      ledger,
      save: options.save,
      now: () => clock.now(),
      today: () => day(clock.now()).day,
      redact: (text) => device.redact(text),
      onPhase: options.onChange,
    });
    const progress: Progress = {
      repeatAt: Infinity,
      pollAt: 0,
      dwellAt: Infinity,
      lockAt: Infinity,
      changedAt: ledger.owned?.at.getTime() ?? -Infinity,
      wasAway: true,
      awayAt: -Infinity,
      sending: undefined,
    };
    const onSend = (text: string) => record.note("sent", progress.sending ?? "", text);
    const session = new DeviceSession({ device, transport, clock, onSend });
    const retry = new Retry(options.random);
    this.#parts = { device, transport, session, record, retry, progress, pace, clock, live };
    const leftOfDayMs = () => day(clock.now()).leftMs;
    this.#steps = new ActuatorSteps({ ...this.#parts, externalMs: options.externalMs, leftOfDayMs });
  }

  async start(): Promise<void> {
    const { transport, session } = this.#parts;
    transport.onChange(() => {
      session.wake();
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
    if (this.#parts.record.ledger.owned !== null) {
      try {
        await this.#steps.commander.release(limit);
      } catch (error) {
        this.#options.log.warn(
          { err: error },
          "A device could not be left to itself at the end; the next start does it.",
        );
      }
    }
    await this.#parts.transport.stop();
  }

  /** The plan, the switches or the device may have changed. */
  update(): void {
    if (this.#stopped) return;
    if (this.#running !== undefined) {
      this.#again = true;
      const { sending } = this.#parts.progress;
      if (sending !== undefined && keyOf(this.#target()) !== sending) this.#abort.abort(new Error("changed"));
      return;
    }
    this.#timer();
    this.#running = this.#loop().finally(() => {
      this.#running = undefined;
      if (this.#again) this.update();
    });
  }

  /** Switches the actuator on or off; off leaves the device to itself. Resolves when it is on disk. Throws StoreError. */
  async setEnabled(enabled: boolean): Promise<void> {
    const { record, progress } = this.#parts;
    this.#enabled = enabled;
    this.#test = undefined;
    progress.changedAt = -Infinity;
    record.note(enabled ? "enabled" : "disabled", "", "");
    await this.#saveSwitches();
    this.update();
  }

  /** Resolves when it is on disk. Throws StoreError. */
  async setDryRun(dryRun: boolean): Promise<void> {
    this.#dryRun = dryRun;
    this.#steps.showAgain();
    await this.#saveSwitches();
    this.update();
  }

  /**
   * Sends a state now, also in dry run, and keeps it for a minute. Resolves with its outcome. Throws DeviceError.
   */
  async test(state: ActuatorState, powerKw: number): Promise<Outcome> {
    const { device, record, retry, live } = this.#parts;
    const wanted = wantedState(state, { powerKw, isProtecting: true });
    if (device.requests(wanted, live()).length === 0)
      throw new DeviceError("template", `the template has no command for "${state}"`);
    this.#test = { wanted, until: this.#now() + TEST_MS };
    retry.postpone(0);
    record.keep({ externalUntil: null });
    record.clearError();
    this.update();
    await this.#running;
    const { owned } = record.ledger;
    if (owned?.isConfirmed && owned.state === state)
      return record.phase === "declined" ? "declined" : "confirmed";
    throw new DeviceError("not_confirmed", record.lastError?.message ?? "the device has not confirmed it");
  }

  /** Reads the device now. Throws DeviceError. */
  read(): Promise<DeviceReading> {
    return this.#parts.session.shown(this.#steps.commander.live(), AbortSignal.timeout(READ_MS));
  }

  /** The last 100 entries, newest last. */
  entries(): readonly ActuatorLogEntry[] {
    return this.#parts.record.entries;
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
    const { record, retry, clock, pace } = this.#parts;
    const { owned, externalUntil } = record.ledger;
    const { wanted } = this.#steps;
    return {
      phase: record.phase,
      enabled: this.#enabled,
      dryRun: this.#dryRun,
      wanted: wanted && { state: wanted.state, powerKw: wanted.powerKw },
      confirmed: owned?.isConfirmed ? { state: owned.state, powerKw: owned.powerKw, at: owned.at } : null,
      lastError: record.lastError,
      writesToday: record.writesToday,
      maxWritesPerDay: pace.maxWritesPerDay,
      externalUntil: externalUntil !== null && externalUntil > clock.now() ? externalUntil : null,
      retryAt: retry.at > this.#now() ? new Date(retry.at) : null,
    };
  }

  #now(): number {
    return this.#parts.clock.now().getTime();
  }

  async #loop(): Promise<void> {
    const { progress } = this.#parts;
    do {
      this.#again = false;
      this.#abort = new AbortController();
      if (this.#stopped) return;
      const { signal } = this.#abort;
      try {
        const target = this.#target();
        await this.#keepAlive(signal);
        await this.#steps.run(target, signal);
      } catch (error) {
        if (!signal.aborted) this.#fail(error);
      } finally {
        progress.sending = undefined;
      }
      if (this.#test !== undefined && this.#test.until <= this.#now()) this.#test = undefined;
    } while (this.#again && !this.#stopped);
    this.#options.onChange();
    this.#schedule();
  }

  #keepAlive(signal: AbortSignal): Promise<void> {
    const isActive = this.#enabled && !this.#dryRun && this.#options.wanted() !== undefined;
    return this.#steps.commander.keepAlive(isActive, this.#enabled, signal);
  }

  #schedule(): void {
    if (this.#stopped) return;
    const { progress, retry, record, clock } = this.#parts;
    const nowMs = this.#now();
    const times = [
      progress.repeatAt,
      progress.pollAt,
      progress.dwellAt,
      progress.lockAt,
      retry.at,
      this.#steps.commander.keepaliveAt,
      this.#test?.until ?? Infinity,
      record.ledger.externalUntil?.getTime() ?? Infinity,
    ];
    const next = Math.min(nowMs + 60_000, ...times.filter((time) => time > nowMs));
    this.#timer = clock.at(new Date(next), () => this.update());
  }

  #target(): Target {
    if (this.#test !== undefined && this.#test.until > this.#now())
      return { kind: "state", wanted: this.#test.wanted, isTest: true };
    const planned = this.#options.wanted();
    if (this.#enabled && !this.#dryRun && planned !== undefined)
      return { kind: "state", wanted: planned, isTest: false };
    const because = !this.#enabled ? "disabled" : this.#dryRun ? "dry_run" : "released";
    return { kind: "exit", because, planned };
  }

  #saveSwitches(): Promise<void> {
    const [enabled, dryRun] = [this.#enabled, this.#dryRun];
    return this.#parts.record.save({ switches: { configured: this.#configured, enabled, dryRun } });
  }

  #fail(error: unknown): void {
    const { record, retry, progress } = this.#parts;
    const failed = progress.sending ?? "";
    retry.fail(failed, this.#now());
    this.#test = undefined;
    progress.wasAway = true;
    progress.repeatAt = Infinity;
    if (error instanceof DeviceError) record.error(error.fault, error.message);
    else if (error instanceof ExpressionError) record.error("template", error.message);
    else {
      record.error("storage", errorMessage(error));
      this.#options.log.error({ err: error }, "An actuator failed.");
    }
    record.note("failed", failed, record.lastError?.message ?? "");
    record.show("failed");
  }
}
