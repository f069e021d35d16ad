import type { Cancel } from "../core/time/clock.js";
import type { ActuatorOptions } from "./actuator-options.js";
import { DeviceError } from "./command.js";
import { DryRun } from "./dry-run.js";
import { EffectProof } from "./effect-proof.js";
import { type ActuatorLogEntry, EventLog } from "./event-log.js";
import type { Variables } from "./expression.js";
import { FoundValues } from "./found-values.js";
import { Keepalive } from "./keepalive.js";
import { type ActuatorLedger, beginningOf, takenOver, withoutFuture } from "./ledger.js";
import { LedgerKeeper } from "./ledger-keeper.js";
import {
  type DeviceEvent,
  type DeviceRules,
  type Effect,
  type MachineState,
  stateOfLedger,
  type Target,
} from "./machine/device-state.js";
import { wakeAtMs } from "./machine/phase.js";
import { writesToday } from "./machine/questions.js";
import { step } from "./machine/step.js";
import { DeviceReader, type DeviceReading } from "./reader.js";
import { deviceRules } from "./rules.js";
import { DeviceSender } from "./sender.js";
import type { ActuatorState } from "./states.js";
import { type OwnStatus, statusOf } from "./status.js";
import { type Outcome, TestRun } from "./test-run.js";
import { type Wanted, wantedState } from "./wanted.js";
import { DeviceWorker } from "./worker.js";

/** Longest time of a reading that a user asks for. */
const READ_MS = 15_000;
/** Time for the exit at the end of the gateway. */
const EXIT_MS = 1_700;
/** After a start a device that hourgate has set keeps its state for this time while there is no plan yet. */
const START_GRACE_MS = 40_000;

/** Keeps one device in its wanted state: passes events to its machine and carries out the effects. */
export class Actuator {
  readonly #options: ActuatorOptions;
  readonly #rules: DeviceRules;
  readonly #log: EventLog;
  readonly #reader: DeviceReader;
  readonly #worker: DeviceWorker;
  readonly #keepalive: Keepalive;
  readonly #keeper: LedgerKeeper;
  readonly #dryRunLog: DryRun;
  readonly #proof: EffectProof;
  readonly #configured: string;
  #state: MachineState;
  readonly #found: FoundValues;
  #enabled: boolean;
  #dryRun: boolean;
  #test: TestRun | undefined;
  #timer: Cancel = () => {};
  #isStopped = false;
  /** Of the effects that are being done: a change during them follows. */
  #isStepping = false;
  readonly #later: DeviceEvent[] = [];

  constructor(options: ActuatorOptions) {
    const { device, transport, clock, ledger, pace, externalMs, refusal, log } = options;
    this.#options = options;
    this.#configured = `${options.enabled} ${options.dryRun}`;
    // Switches that were set at run time apply until the configuration is changed.
    const { switches } = ledger;
    const isCurrent = switches.configured === this.#configured;
    this.#enabled = (isCurrent ? switches.enabled : undefined) ?? options.enabled;
    this.#dryRun = (isCurrent ? switches.dryRun : undefined) ?? options.dryRun;
    this.#found = new FoundValues(ledger, Object.keys(device.found()));
    this.#keepalive = new Keepalive({ device, transport, clock, live: () => this.#live() });
    this.#rules = deviceRules(device, {
      pace,
      externalMs,
      live: () => this.#live(),
      hasLeft: () => this.#found.hasLeft,
    });
    const known = withoutFuture(ledger, clock.now(), externalMs);
    const isTaken = options.isTakeOver && this.#enabled && !this.#dryRun;
    const kept = isTaken ? takenOver(known, device, clock.now()) : known;
    this.#state = stateOfLedger(beginningOf(kept, this.#rules), this.#nowMs());
    this.#log = new EventLog(ledger.log, { clock, device });
    this.#dryRunLog = new DryRun(device, this.#log);
    const note = (state: string, text: string) => this.#log.note("declined", state, text);
    this.#proof = new EffectProof({ device, pace, measured: options.measured, note });
    this.#keeper = new LedgerKeeper({ ledger: () => this.#ledger(), save: options.save, clock, log });
    this.#reader = new DeviceReader({ device, transport, clock });
    const sent = () => ("command" in this.#state.stand ? this.#state.stand.command.state : "");
    const onSend = (text: string) => this.#log.note("sent", sent(), text);
    const sender = new DeviceSender({ device, transport, reader: this.#reader, clock, onSend, refusal });
    this.#worker = new DeviceWorker({
      device,
      transport,
      sender,
      reader: this.#reader,
      live: () => this.#live(),
      looked: () => this.#looked(),
      isChecking: () => this.#state.stand.kind === "checking",
      save: () => this.#keeper.keep(),
      found: this.#found,
      onEvent: (event) => this.#step(event),
      log,
    });
  }

  async start(): Promise<void> {
    const { transport } = this.#options;
    transport.onChange(() => {
      if (!this.#isStopped) this.#worker.do({ kind: "glance" });
    });
    await transport.start();
    this.#worker.do({ kind: "glance" });
    this.update();
  }

  /** Leaves the device to itself, within two seconds, and ends. Without `leavesDevice` nothing is sent. */
  async stop({ leavesDevice = true } = {}): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#timer();
    await this.#worker.stop();
    if (leavesDevice) await this.#exit();
    await this.#keeper.keep();
    this.#test?.fail(new DeviceError("not_confirmed", "the gateway is stopped"));
    await this.#options.transport.stop();
  }

  /** The plan, the switches or the time may have changed. */
  update(): void {
    if (this.#isStopped) return;
    if (this.#test?.isOver(this.#nowMs())) this.#test = undefined;
    const target = this.#target();
    if (JSON.stringify(target) !== JSON.stringify(this.#state.target)) this.#step({ kind: "target", target });
    else this.#step({ kind: "time" });
    if (this.#proof.watch(this.#state, this.#nowMs())) this.#options.onChange();
    if (target.kind === "exit" && target.because === "dry_run")
      this.#dryRunLog.show(this.#planned(), this.#live());
    void this.#keeper.retry();
    void this.#keepalive.send({
      isEnabled: this.#enabled,
      isActive: target.kind === "state" && !this.#dryRun,
    });
  }

  /** Switches the actuator on or off; off leaves the device to itself. Resolves when it is on disk. Throws StoreError. */
  async setEnabled(enabled: boolean): Promise<void> {
    this.#enabled = enabled;
    this.#test = undefined;
    this.#log.note(enabled ? "enabled" : "disabled", "", "");
    if (enabled) this.#step({ kind: "taken_over" });
    this.update();
    await this.#keeper.save();
  }

  /** Resolves when it is on disk. Throws StoreError. */
  async setDryRun(dryRun: boolean): Promise<void> {
    this.#dryRun = dryRun;
    this.#dryRunLog.reset();
    this.update();
    await this.#keeper.save();
  }

  /** Ends the time in which the device is left to somebody else. Resolves when it is on disk. Throws StoreError. */
  async takeOver(): Promise<void> {
    this.#step({ kind: "taken_over" });
    this.update();
    await this.#keeper.save();
  }

  /** Sends a state now, also in dry run, and keeps it for a minute, or until the signal. Resolves with its outcome. Throws DeviceError. */
  async test(state: ActuatorState, powerKw: number, signal?: AbortSignal): Promise<Outcome> {
    const { device } = this.#options;
    const wanted = wantedState(state, { powerKw, isUrgent: true });
    const possible = device.possible(wanted, this.#live());
    if (possible.state !== state) {
      const reason = device.insteadText(wanted, this.#live());
      throw new DeviceError("template", reason);
    }
    this.#test?.fail(new DeviceError("not_confirmed", "another test was started"));
    const test = new TestRun(possible, this.#nowMs());
    this.#test = test;
    if (signal !== undefined) test.endOn(signal, () => this.update());
    this.update();
    return test.outcome;
  }

  /** Reads the device now. Throws DeviceError. */
  read(): Promise<DeviceReading> {
    return this.#reader.shown(this.#live(), this.#options.transport.mark(), AbortSignal.timeout(READ_MS));
  }

  /** The last 100 entries, newest last. */
  entries(): readonly ActuatorLogEntry[] {
    return this.#log.entries;
  }

  status(): OwnStatus {
    const { device, pace, day, clock } = this.#options;
    return statusOf(this.#state, this.#rules, {
      enabled: this.#enabled,
      dryRun: this.#dryRun,
      wanted: this.#planned(),
      writesToday: writesToday(this.#state, day(clock.now()).day),
      maxWritesPerDay: pace.maxWritesPerDay,
      nowMs: this.#nowMs(),
      miss: this.#proof.miss,
      redact: (text) => device.redact(text),
      neighbours: this.#reader.neighbours.map((index) => device.neighbours(this.#live())[index]!.says),
    });
  }

  #nowMs(): number {
    return this.#options.clock.now().getTime();
  }

  #step(event: DeviceEvent): void {
    if (this.#isStopped) return;
    if (this.#isStepping) {
      this.#later.push(event);
      return;
    }
    this.#isStepping = true;
    try {
      for (let next: DeviceEvent | undefined = event; next !== undefined; next = this.#later.shift())
        this.#advance(next);
    } finally {
      this.#isStepping = false;
    }
    this.#options.onChange();
    this.#schedule();
  }

  #advance(event: DeviceEvent): void {
    const { clock, day, random } = this.#options;
    const now = clock.now();
    const today = day(now);
    const context = { nowMs: now.getTime(), day: today.day, leftOfDayMs: today.leftMs, jitter: random() };
    const { owned } = this.#state;
    const { state, effects } = step(this.#state, event, context, this.#rules);
    if (owned !== null && state.owned === null && state.stand.kind === "external")
      this.#found.leave(this.#options.device, owned, this.#live());
    this.#state = state;
    for (const effect of effects) this.#do(effect);
    this.#test?.follow(state, effects);
    if (this.#test?.hasFailed) {
      this.#test = undefined;
      // A test that could not run is not run later.
      this.#later.push({ kind: "target", target: this.#target() });
    }
  }

  #do(effect: Effect): void {
    if (effect.kind === "note") this.#log.note(effect.event, effect.state, effect.text);
    else if (effect.kind === "cancel") this.#worker.cancel();
    else this.#worker.do(effect);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    const nowMs = this.#nowMs();
    const next = Math.min(
      wakeAtMs(this.#state, this.#rules, nowMs),
      ...[
        this.#keepalive.atMs,
        this.#test?.untilMs ?? Infinity,
        this.#state.startedAtMs + START_GRACE_MS,
        this.#proof.lookAtMs(nowMs),
      ].filter((time) => time > nowMs),
    );
    this.#timer();
    this.#timer = this.#options.clock.at(new Date(next), () => this.update());
  }

  #target(): Target {
    const live = this.#live();
    const { device } = this.#options;
    if (this.#test !== undefined) return { kind: "state", wanted: this.#test.wanted, isTest: true };
    const planned = this.#options.wanted();
    if (this.#enabled && !this.#dryRun && planned !== undefined)
      return { kind: "state", wanted: device.possible(planned, live), isTest: false };
    const because = !this.#enabled ? "disabled" : this.#dryRun ? "dry_run" : "released";
    const isStarting = this.#nowMs() < this.#state.startedAtMs + START_GRACE_MS;
    return because === "released" && isStarting && this.#state.owned !== null
      ? { kind: "keep" }
      : { kind: "exit", because };
  }

  /** What the plan asks for, after replacing what the device cannot do. */
  #planned(): Wanted | undefined {
    const { target, reading } = this.#state;
    const planned = this.#test?.wanted ?? this.#options.wanted();
    if (planned === undefined) return undefined;
    const possible = this.#options.device.possible(planned, this.#live());
    return target.kind === "state" && reading?.lockedTo !== undefined
      ? wantedState(reading.lockedTo)
      : possible;
  }

  #looked() {
    const { stand, owned, target } = this.#state;
    const command = "command" in stand ? stand.command : (owned ?? undefined);
    return {
      command,
      wanted: target.kind === "state" ? target.wanted.state : undefined,
      sentAtMs: owned?.at.getTime() ?? -Infinity,
    };
  }

  #live(): Variables {
    return {
      ...this.#options.live(),
      found: this.#found.values,
      device: this.#options.transport.device?.(),
      tick: this.#keepalive.tick,
      now_s: Math.floor(this.#nowMs() / 1000),
    };
  }

  #ledger(): ActuatorLedger {
    const { owned, externalUntilMs, writes, changedAtMs } = this.#state;
    return {
      owned,
      ...(Number.isFinite(changedAtMs) && { changedAt: new Date(changedAtMs) }),
      ...this.#found.stored(owned !== null || "command" in this.#state.stand),
      externalUntil: externalUntilMs === null ? null : new Date(externalUntilMs),
      writes,
      switches: { configured: this.#configured, enabled: this.#enabled, dryRun: this.#dryRun },
      log: this.#log.entries,
    };
  }

  /** The exit at the end of the gateway; what was not confirmed stays in the ledger, and the next start does it. */
  async #exit(): Promise<void> {
    const { owned } = this.#state;
    if (owned === null) return;
    try {
      const signal = AbortSignal.timeout(EXIT_MS);
      await this.#worker.leave(owned, { isAfterRestart: this.#state.doubt !== "none", signal });
      this.#state = { ...this.#state, owned: null, stand: { kind: "resting" }, changedAtMs: this.#nowMs() };
    } catch (error) {
      this.#options.log.warn(
        { err: error },
        "A device could not be left to itself at the end; the next start does it.",
      );
    }
  }
}
