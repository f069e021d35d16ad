import {
  type Context,
  type DeviceCommand,
  type DeviceEvent,
  type DeviceRules,
  type Effect,
  type Look,
  type MachineState,
  stateOfLedger,
  type Target,
} from "../../../src/equipment/machine/device-state.js";
import { phaseOf, wakeAtMs } from "../../../src/equipment/machine/phase.js";
import { step } from "../../../src/equipment/machine/step.js";
import { type Wanted, wantedState } from "../../../src/equipment/wanted.js";
import type { Random } from "../../support/random.js";

/** Kinds of devices, as their makers have built them. */
export const KINDS = {
  /** evcc's battery: a lease; its topic exists after a change only; after a crash the battery keeps its mode. */
  evcc: { leaseMs: 60_000, isPolled: false, hasSigns: true, keepsAfterCrash: true, hasAlive: true },
  /** A relay over HTTP: a lease, an uptime, off after a start. */
  relay: { leaseMs: 900_000, isPolled: true, hasSigns: true, keepsAfterCrash: false, hasAlive: false },
  /** A loadpoint: keeps the command, reports it by a retained topic, starts with its own mode. */
  loadpoint: { leaseMs: 0, isPolled: false, hasSigns: true, keepsAfterCrash: false, hasAlive: true },
  /** A device that reports nothing about itself. */
  mute: { leaseMs: 60_000, isPolled: false, hasSigns: false, keepsAfterCrash: false, hasAlive: false },
} as const;
export type Kind = keyof typeof KINDS;

const REST = "free";
/** It does not listen before. */
const LISTENS_MS = 2_000;

/** A device in virtual time. */
class SimulatedDevice {
  isUp = true;
  /** What it does. */
  actual = REST;
  /** What the controller shows; undefined: nothing yet since its start. */
  shown: string | undefined;
  leaseEndMs = Infinity;
  startedAtMs = -Infinity;

  constructor(readonly kind: Kind) {
    this.shown = kind === "evcc" ? undefined : REST;
  }

  take(command: string, nowMs: number, isAfterRestart: boolean): void {
    if (!this.isUp || nowMs < this.startedAtMs + LISTENS_MS) return;
    const isRest = command === "exit" || command === REST;
    const wasUnset = this.shown === undefined;
    this.shown = isRest ? REST : command;
    // evcc that has forgotten the mode of the battery does not reset it without having set it.
    if (!(isRest && this.kind === "evcc" && wasUnset && !isAfterRestart)) this.actual = this.shown;
    this.leaseEndMs = isRest || KINDS[this.kind].leaseMs === 0 ? Infinity : nowMs + KINDS[this.kind].leaseMs;
  }

  byHand(value: string): void {
    this.actual = this.shown = value;
    this.leaseEndMs = Infinity;
  }

  stop(isCrash: boolean): void {
    if (!isCrash || !KINDS[this.kind].keepsAfterCrash) this.actual = REST;
    this.isUp = false;
    this.leaseEndMs = Infinity;
  }

  begin(nowMs: number): void {
    this.isUp = true;
    this.startedAtMs = nowMs;
    this.shown = this.kind === "evcc" ? undefined : REST;
  }

  pass(nowMs: number): void {
    if (nowMs < this.leaseEndMs) return;
    this.leaseEndMs = Infinity;
    this.actual = this.shown = REST;
  }
}

export function deviceRules(kind: Kind, more: Partial<DeviceRules> = {}): DeviceRules {
  const { leaseMs } = KINDS[kind];
  return {
    neutral: REST,
    isNeutralSent: false,
    exitState: REST,
    hasReading: kind !== "mute",
    hasLock: false,
    leaseMs,
    repeatMs: leaseMs * 0.4,
    answerMs: 0,
    deadlineMs: 10_000,
    appliedMs: Infinity,
    settleMs: 5_000,
    pollMs: 60_000,
    minDwellMs: 0,
    dwellsAtEnd: false,
    maxWritesPerDay: 100_000,
    isBudgetPlanned: false,
    externalMs: 1_800_000,
    hasLeft: () => false,
    isLeased: (state) => state !== REST && leaseMs > 0,
    isChecked: () => kind !== "mute",
    isSame: (one, other) => one.state === other.state,
    ...more,
  };
}

interface Pending {
  atMs: number;
  run(): void;
}

/** A gateway's machine beside a device and a broker, in virtual time. */
export class Simulation {
  nowMs = 0;
  readonly device: SimulatedDevice;
  readonly rules: DeviceRules;
  readonly commands: { atMs: number; command: DeviceCommand }[] = [];
  isGatewayUp = false;
  isBrokerUp = true;
  /** Messages to the device are lost, although they were accepted. */
  isLossy = false;
  /** Longest delay of an answer. */
  lateMs = 0;
  planned: Wanted | undefined = wantedState(REST);
  state!: MachineState;
  #pending: Pending[] = [];
  #ledger: Pick<MachineState, "owned" | "externalUntilMs" | "writes"> = {
    owned: null,
    externalUntilMs: null,
    writes: { day: "", count: 0 },
  };
  /** Counts starts of the gateway: what an earlier one has begun ends nowhere. */
  #run = 0;
  #sending = 0;
  #seenStartMs = -Infinity;
  #plannedAtMs = -Infinity;
  readonly #random: Random;

  constructor(kind: Kind, random: Random, more: Partial<DeviceRules> = {}) {
    this.device = new SimulatedDevice(kind);
    this.#random = random;
    this.rules = deviceRules(kind, more);
  }

  startGateway(): void {
    this.isGatewayUp = true;
    this.#run++;
    this.#seenStartMs = Number.NaN;
    this.#plannedAtMs = this.nowMs + 2_000;
    this.state = stateOfLedger(this.#ledger, this.nowMs);
    this.look();
    this.#event({ kind: "target", target: this.#target() });
    this.at(2_000, () => this.#event({ kind: "target", target: this.#target() }));
  }

  killGateway(): void {
    this.isGatewayUp = false;
    this.#run++;
  }

  want(planned: Wanted | undefined): void {
    this.planned = planned;
    if (this.isGatewayUp) this.#event({ kind: "target", target: this.#target() });
  }

  takeOver(): void {
    if (this.isGatewayUp) this.#event({ kind: "taken_over" });
  }

  /** Something that the gateway hears of, unless it has to ask. */
  changed(): void {
    if (!KINDS[this.device.kind].isPolled) this.look();
  }

  get phase(): string {
    return phaseOf(this.state, this.rules);
  }

  at(ms: number, run: () => void): void {
    const inRun = this.#run;
    this.#pending.push({ atMs: this.nowMs + ms, run: () => inRun === this.#run && run() });
  }

  /** Moves the time; `watch` is called each second. */
  pass(ms: number, watch: () => void = () => {}): void {
    for (const endMs = this.nowMs + ms; this.nowMs < endMs; ) {
      this.nowMs = Math.min(endMs, this.nowMs + 500);
      const due = this.#pending.filter(({ atMs }) => atMs <= this.nowMs).sort((a, b) => a.atMs - b.atMs);
      this.#pending = this.#pending.filter(({ atMs }) => atMs > this.nowMs);
      for (const { run } of due) run();
      const before = this.device.shown;
      this.device.pass(this.nowMs);
      if (before !== this.device.shown) this.changed();
      if (this.device.isUp && Math.abs(this.nowMs - this.device.startedAtMs - LISTENS_MS) < 500)
        this.changed();
      if (this.isGatewayUp && this.nowMs >= this.#wakeMs) this.#event({ kind: "time" });
      watch();
    }
  }

  look(): void {
    if (this.isGatewayUp) this.#event({ kind: "reading", reading: this.#reading() });
  }

  #wakeMs = 0;

  #target(): Target {
    if (this.nowMs < this.#plannedAtMs && this.state.owned !== null) return { kind: "keep" };
    return this.planned === undefined
      ? { kind: "exit", because: "released" }
      : { kind: "state", wanted: this.planned, isTest: false };
  }

  #event(event: DeviceEvent): void {
    const context: Context = {
      nowMs: this.nowMs,
      day: "d",
      leftOfDayMs: 3_600_000,
      jitter: this.#random.between(0, 1),
    };
    const { state, effects } = step(this.state, event, context, this.rules);
    this.state = state;
    for (const effect of effects) this.#do(effect);
    this.#wakeMs = wakeAtMs(this.state, this.rules, this.nowMs);
  }

  #do(effect: Effect): void {
    const delay = () => this.#random.between(0, this.lateMs);
    if (effect.kind === "save") {
      const { owned, externalUntilMs, writes } = this.state;
      this.#ledger = { owned, externalUntilMs, writes };
    } else if (effect.kind === "read") this.at(delay(), () => this.look());
    else if (effect.kind === "cancel") {
      this.#sending++;
      this.at(0, () => this.#event({ kind: "refused", fault: "cancelled", message: "", isReceived: true }));
    } else if (effect.kind === "send") this.#send(effect, delay());
  }

  #send({ command, isAfterRestart }: Effect & { kind: "send" }, lateMs: number): void {
    const sending = ++this.#sending;
    const { isPolled } = KINDS[this.device.kind];
    const isHeard = isPolled
      ? this.device.isUp && !this.isLossy && this.nowMs >= this.device.startedAtMs + LISTENS_MS
      : this.isBrokerUp;
    const answer = (event: DeviceEvent) =>
      this.at(lateMs, () => {
        if (sending === this.#sending) this.#event(event);
      });
    if (!isHeard) {
      answer({
        kind: "refused",
        fault: isPolled ? "unreachable" : "no_broker",
        message: "gone",
        isReceived: false,
      });
      return;
    }
    if (!this.isLossy) {
      this.commands.push({ atMs: this.nowMs, command });
      this.device.take(command.state, this.nowMs, isAfterRestart);
    }
    this.changed();
    answer({ kind: "accepted" });
  }

  #reading(): Look {
    const { device, nowMs } = this;
    const { isPolled, hasSigns, hasAlive } = KINDS[device.kind];
    const empty: Look = {
      link: "up",
      verdict: "unknown",
      isNew: false,
      isAlive: false,
      hasRestarted: false,
      isApplied: undefined,
      isDeclined: false,
      lockedTo: undefined,
      shown: undefined,
      open: "nothing",
      fault: undefined,
    };
    if (!isPolled && !this.isBrokerUp) return { ...empty, link: "away" };
    if (isPolled && this.isLossy) return { ...empty, link: "silent" };
    if (!device.isUp) return { ...empty, link: isPolled ? "silent" : hasSigns ? "away" : "up" };
    const hasRestarted =
      hasSigns &&
      (Number.isNaN(this.#seenStartMs)
        ? isPolled && device.startedAtMs > (this.state.owned?.at.getTime() ?? Infinity)
        : device.startedAtMs > this.#seenStartMs);
    if (hasSigns) this.#seenStartMs = device.startedAtMs;
    if (hasAlive && nowMs < device.startedAtMs + LISTENS_MS)
      return { ...empty, link: "starting", hasRestarted };
    if (device.kind === "mute") return { ...empty, isAlive: true };
    const { stand, owned } = this.state;
    const state = "command" in stand ? stand.command.state : owned?.state;
    const expected = state === undefined || state === "exit" ? REST : state;
    const { shown } = device;
    const verdict =
      shown === undefined ? "unknown" : shown === expected ? "match" : shown === REST ? "rest" : "other";
    return { ...empty, verdict, isNew: true, isAlive: hasAlive, hasRestarted, shown };
  }
}
