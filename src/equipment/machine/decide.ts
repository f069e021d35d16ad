import type { Context, DeviceCommand, DeviceRules, Effect, MachineState, Wait } from "./device-state.js";
import {
  allowedAtMs,
  canLeaseEnd,
  goalOf,
  isLeasedCommand,
  isReturn,
  isUrgent,
  pickCommand,
  writesToday,
} from "./questions.js";

/** A device that hourgate has set is commanded without a reading after this time. */
export const PATIENCE_MS = 5_000;
/** Interval of the reads: while a command is not confirmed, while the device does not answer, of its lock. */
const CHECK_MS = 1_000;
const SILENT_MS = 10_000;
const LOCK_MS = 25_000;
/** A reading of this age shows what the device does now. */
const SEEN_MS = 2_000;
/** A device that has not reported its state by then may be another one than the template's. */
const NO_READING_MS = 30_000;
/** A longer wait for the commands of the day is a problem. */
const LONG_WAIT_MS = 15 * 60_000;

/** Brings the draft from what is known to what is wanted; at most one command. */
export function decide(s: MachineState, effects: Effect[], c: Context, rules: DeviceRules): void {
  new Decision(s, effects, c, rules).run();
}

class Decision {
  constructor(
    private readonly s: MachineState,
    private readonly effects: Effect[],
    private readonly c: Context,
    private readonly rules: DeviceRules,
  ) {}

  run(): undefined {
    const { s, c, rules } = this;
    s.wait = undefined;
    if (s.error?.fault === "budget") s.error = null;
    this.#complain();
    const goal = goalOf(s, rules);
    this.#pursue(goal);
    if (s.stand.kind !== "sending" && rules.hasReading && c.nowMs >= s.readAtMs) {
      this.effects.push({ kind: "read" });
      s.readAtMs = c.nowMs + this.#readIntervalMs(goal);
    }
  }

  /** What has taken too long is an error. */
  #complain(): void {
    const { s, c, rules } = this;
    const { reading } = s;
    const message = reading?.open ?? "";
    if (s.target.kind === "state" && rules.hasReading && !s.isKnown && reading?.link === "up") {
      if (c.nowMs - s.startedAtMs >= NO_READING_MS && s.error === null)
        s.error = { fault: "no_reading", message, atMs: c.nowMs - NO_READING_MS };
    } else if (s.error?.fault === "no_reading") s.error = null;
    const isLate = s.stand.kind === "holding" && reading?.isApplied === false && c.nowMs >= s.appliedByMs;
    if (isLate) s.error ??= { fault: "not_applied", message, atMs: c.nowMs };
    else if (s.error?.fault === "not_applied") s.error = null;
  }

  #pursue(goal: DeviceCommand | undefined): undefined {
    const { s, c } = this;
    const { stand } = s;
    switch (stand.kind) {
      case "sending":
        // A change ends the command that is being sent.
        if (!this.#isStill(stand.command, goal) && !stand.isCancelled) {
          s.stand = { ...stand, isCancelled: true };
          this.effects.push({ kind: "cancel" });
        }
        return;
      case "checking":
        return this.#isStill(stand.command, goal) && !this.#isGone ? undefined : this.#reach(goal);
      case "pausing":
        if (!this.#isStill(stand.command, goal) || this.#isGone) return this.#reach(goal);
        if (c.nowMs < stand.untilMs) return;
        return this.#send(stand.command, { attempt: stand.attempt + 1, isRepetition: stand.isRepetition });
      case "failed":
        if (goal === undefined || goal.state !== stand.key || c.nowMs >= stand.untilMs || this.#isTest)
          return this.#reach(goal);
        s.wait = { for: "retry", untilMs: stand.untilMs };
        return;
      case "external":
        return this.#standBy(goal);
      case "resting":
        return this.#reach(goal);
      case "holding":
      case "doubting":
        return this.#hold(goal);
    }
  }

  /** Commands do not reach the device. */
  get #isGone(): boolean {
    const { reading } = this.s;
    return reading?.link === "away" || reading?.link === "starting";
  }

  get #isTest(): boolean {
    return this.s.target.kind === "state" && this.s.target.isTest;
  }

  #isStill(command: DeviceCommand, goal: DeviceCommand | undefined): boolean {
    return goal !== undefined && goal.state === command.state;
  }

  /** While somebody else has the device. */
  #standBy(goal: DeviceCommand | undefined): undefined {
    const { s, c } = this;
    const isOver = s.externalUntilMs === null || c.nowMs >= s.externalUntilMs;
    if (!isOver && !this.#isTest) return;
    s.externalUntilMs = null;
    s.stand = { kind: "resting" };
    this.effects.push({ kind: "save" });
    this.#reach(goal);
  }

  /** The device has, or should have, the state of the ledger. */
  #hold(goal: DeviceCommand | undefined): undefined {
    const { s, c, rules } = this;
    const { owned, reading } = s;
    if (owned === null || goal === undefined) return this.#reach(goal);
    const isDifferent = reading?.link === "up" && (reading.verdict === "other" || reading.verdict === "rest");
    const isSame = owned.isConfirmed && goal.state === owned.state && rules.isSame(owned, goal);
    if (goal.state === "exit" || (this.#isTest && !s.isTestSent)) return this.#reach(goal);
    if (
      isDifferent &&
      reading.verdict === "other" &&
      s.doubt !== "device" &&
      owned.isConfirmed &&
      !reading.isDeclined
    )
      return this.#suspect();
    if (!isSame) return this.#reach(goal);
    if (this.#isGone) {
      s.wait = { for: "device", untilMs: undefined };
      return;
    }
    if (isDifferent && !reading.isDeclined) {
      if (s.doubt === "none" && !canLeaseEnd(s, c.nowMs, rules)) return this.#suspect();
      // It was lost by a start or by the end of its lease.
      return this.#reach(goal);
    }
    if (!isLeasedCommand(owned, rules)) return this.#mend(goal);
    this.#repeat(goal);
  }

  /** Renews the lease when it is time; a look before shows whether somebody else has changed the device. */
  #repeat(command: DeviceCommand): void {
    const { s, c, rules } = this;
    if (c.nowMs < s.repeatAtMs || !this.#isReachable(command)) return;
    const isSeen = !rules.hasReading || c.nowMs - s.lookedAtMs <= SEEN_MS;
    const isWaitedFor = c.nowMs - s.askedAtMs < rules.deadlineMs + SEEN_MS;
    if (isSeen || (s.askedAtMs >= s.repeatAtMs && !isWaitedFor))
      this.#send(command, { attempt: 1, isRepetition: true });
    else if (!isWaitedFor) {
      s.askedAtMs = c.nowMs;
      s.readAtMs = -Infinity;
    }
  }

  /** A command that is not repeated and that cannot be seen: after a start it is sent once more. */
  #mend(goal: DeviceCommand): undefined {
    const { s, c, rules } = this;
    if (s.doubt === "none" || s.reading?.link === "silent" || s.reading?.verdict === "match") return;
    if (!rules.isChecked(goal)) {
      if (s.evidence === "none" || s.doubt === "device") this.#reach(goal);
      return;
    }
    // It was sent since, and nothing can show it.
    if (s.evidence === "accepted" && s.reading?.verdict === "unknown") return;
    const sinceMs = Math.max(s.startedAtMs, s.backAtMs);
    if (c.nowMs - sinceMs >= PATIENCE_MS && s.reading?.link === "up") this.#reach(goal);
  }

  #suspect(): undefined {
    const { s, c, rules } = this;
    if (s.stand.kind === "doubting") return;
    s.stand = { kind: "doubting", sinceMs: c.nowMs };
    s.readAtMs = c.nowMs + rules.settleMs;
  }

  /** Sends the goal as soon as it may be sent. */
  #reach(goal: DeviceCommand | undefined): undefined {
    const { s, c, rules } = this;
    if (goal === undefined) {
      if (s.stand.kind !== "external") s.stand = { kind: s.owned === null ? "resting" : "holding" };
      // An idle device that has never been read is waited for.
      return;
    }
    if (s.stand.kind !== "resting" && s.stand.kind !== "holding")
      s.stand = { kind: s.owned === null ? "resting" : "holding" };
    if (goal.state === "exit" && this.#isLeftAlready()) return this.#release();
    const atMs = allowedAtMs(s, goal, c, rules);
    if (atMs > c.nowMs) return this.#defer(goal, atMs);
    if (this.#isReachable(goal)) this.#send(goal, { attempt: 1, isRepetition: false });
  }

  /** The command waits for the shortest time between two changes, or for the commands of the next day. */
  #defer(goal: DeviceCommand, atMs: number): undefined {
    const { s, c, rules } = this;
    const { owned } = s;
    const isBudget = atMs > s.changedAtMs + rules.minDwellMs;
    const isLong = atMs - c.nowMs > LONG_WAIT_MS;
    const wait: Wait = {
      for: isBudget ? "budget" : "dwell",
      untilMs: Number.isFinite(atMs) ? atMs : undefined,
    };
    if (isBudget && isLong) {
      const message = `${writesToday(s, c.day)} of ${rules.maxWritesPerDay} commands of today are used`;
      s.error = { fault: "budget", message, atMs: c.nowMs };
    }
    // A run that has ended is ended; until then its lease is renewed.
    if (owned !== null && isBudget && owned.state !== goal.state && !isReturn(owned, rules))
      this.#reach({ state: rules.neutral, powerKw: 0, socStopPct: 100 });
    else if (owned?.isConfirmed && isLeasedCommand(owned, rules)) this.#repeat(pickCommand(owned));
    s.wait ??= wait;
  }

  /** Whether the device shows already what would leave it to itself. */
  #isLeftAlready(): boolean {
    const { s, rules } = this;
    if (rules.exitState === undefined) return true;
    return s.owned?.isConfirmed === true && s.owned.state === rules.exitState;
  }

  #release(): undefined {
    const { s, c, rules, effects } = this;
    Object.assign(s, {
      owned: null,
      evidence: "none",
      stand: { kind: "resting" },
      changedAtMs: c.nowMs,
      error: null,
    });
    effects.push(
      { kind: "save" },
      { kind: "note", event: "released", state: rules.exitState ?? "", text: "" },
    );
  }

  /** Whether commands reach the device now; otherwise sets what is waited for. */
  #isReachable(goal: DeviceCommand): boolean {
    const { s, c, rules } = this;
    if (this.#isGone) return this.#waitFor({ for: "device", untilMs: undefined });
    if (s.isKnown || !rules.hasReading || (isUrgent(s) && (this.#isTest || goal.state === "exit")))
      return true;
    const readyAtMs =
      s.owned === null ? Infinity : s.owned.isConfirmed ? s.startedAtMs + PATIENCE_MS : -Infinity;
    if (s.reading !== undefined && c.nowMs >= readyAtMs) return true;
    return this.#waitFor({
      for: "reading",
      untilMs: Number.isFinite(readyAtMs) ? Math.max(readyAtMs, c.nowMs) : undefined,
    });
  }

  #waitFor(wait: Wait): false {
    this.s.wait = wait;
    return false;
  }

  #send(
    command: DeviceCommand,
    { attempt, isRepetition }: { attempt: number; isRepetition: boolean },
  ): undefined {
    const { s, c, effects } = this;
    s.stand = { kind: "sending", command, attempt, isRepetition, isCancelled: false };
    if (this.#isTest) s.isTestSent = true;
    if (s.reading !== undefined) s.reading = { ...s.reading, verdict: "unknown", isNew: false, open: "" };
    if (!isRepetition) {
      s.isSetByHand = s.target.kind === "state" && (s.target.isTest || s.target.wanted.isByHand);
      s.writes = { day: c.day, count: writesToday(s, c.day) + 1 };
      s.evidence = "none";
      s.repeatAtMs = Infinity;
      // On disk before it is sent: after a crash hourgate knows what it may have changed.
      if (command.state !== "exit" || s.owned === null)
        s.owned = { ...command, at: new Date(c.nowMs), isConfirmed: false };
      effects.push({ kind: "save" });
    }
    effects.push({ kind: "send", command, isRepetition, isAfterRestart: s.doubt !== "none" });
  }

  #readIntervalMs(goal: DeviceCommand | undefined): number {
    const { s, rules } = this;
    if (s.stand.kind === "checking") return CHECK_MS;
    if (s.stand.kind === "doubting") return rules.settleMs;
    if (!s.isKnown) return PATIENCE_MS;
    if (s.reading?.link === "starting") return PATIENCE_MS;
    if (s.reading?.link !== "up") return SILENT_MS;
    return rules.hasLock && goal !== undefined ? Math.min(rules.pollMs, LOCK_MS) : rules.pollMs;
  }
}
