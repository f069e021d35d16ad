import { backoffMs } from "../../core/net/backoff.js";
import { decide } from "./decide.js";
import type {
  Context,
  DeviceCommand,
  DeviceEvent,
  DeviceRules,
  Effect,
  Look,
  MachineState,
} from "./device-state.js";
import { isLeasedCommand, MOST_ATTEMPTS, strongerDoubt } from "./questions.js";

/** Waits between the attempts of a command. */
const SPACING_MS = [2_000, 5_000];
/** A device that is back may show its state of before for this time, such as a retained message. */
const BACK_MS = 60_000;
/** Times of the last repetitions: each may have been the last one that reached the device. */
const MOST_ACCEPTED = 4;
/** Longest wait after a failure: short for a device that was restarted, long for one that is gone. */
const LONGEST_WAIT_MS = { first: 45_000, later: 15 * 60_000, firstCount: 40 };

/** The machine after an event, and what is to be done, in this order. Pure: the same for the same arguments. */
export function step(
  before: MachineState,
  event: DeviceEvent,
  context: Context,
  rules: DeviceRules,
): { state: MachineState; effects: Effect[] } {
  const draft = { ...before };
  const effects: Effect[] = [];
  const absorber = new Absorber(draft, effects, context, rules);
  absorber.absorb(event);
  decide(draft, effects, context, rules);
  return { state: draft, effects };
}

/** Changes the draft of a step by its event. */
class Absorber {
  constructor(
    private readonly s: MachineState,
    private readonly effects: Effect[],
    private readonly c: Context,
    private readonly rules: DeviceRules,
  ) {}

  absorb(event: DeviceEvent): undefined {
    const { s, c } = this;
    switch (event.kind) {
      case "target":
        if (event.target.kind !== "state" || !event.target.isTest) s.isTestSent = false;
        s.target = event.target;
        return;
      case "reading":
        return this.#read(event.reading);
      case "accepted":
        return this.#accepted();
      case "refused":
        return this.#refused(event);
      case "taken_over":
        s.externalUntilMs = null;
        if (s.stand.kind === "external") s.stand = { kind: "resting" };
        // A command that waited for a failure to pass is tried now.
        if (s.stand.kind === "failed") s.stand = { ...s.stand, untilMs: c.nowMs };
        s.changedAtMs = -Infinity;
        this.effects.push({ kind: "save" });
        return;
      case "time":
        return this.#timePassed();
    }
  }

  #read(reading: Look): undefined {
    const { s, c, rules } = this;
    const before = s.reading?.link;
    const isBack =
      reading.link === "up" && (before === "away" || before === "silent" || before === "starting");
    const wasConfirmed = s.evidence === "confirmed" && s.reading?.verdict !== "unknown";
    s.reading = reading;
    s.lookedAtMs = c.nowMs;
    // Before the first reading of a device that hourgate has not set, there is nothing to lose.
    const hasMet = s.owned !== null || s.isKnown;
    if (hasMet && (reading.link === "away" || reading.link === "silent" || reading.link === "starting"))
      s.doubt = "device";
    if (hasMet && (reading.hasRestarted || isBack)) {
      s.doubt = "device";
      s.backAtMs = c.nowMs;
      // What the device has lost meanwhile is due at once.
      s.repeatAtMs = -Infinity;
      if (s.stand.kind === "failed" || s.stand.kind === "pausing") s.stand = { ...s.stand, untilMs: c.nowMs };
    }
    if (reading.link === "up" && (reading.verdict !== "unknown" || reading.isAlive)) {
      if (!s.isKnown && s.failures === 0) s.error = null;
      s.isKnown = true;
    }
    if (s.error?.fault === "absent" && reading.fault !== "absent") s.error = null;
    if (reading.fault !== undefined && (!s.isKnown || reading.fault === "absent"))
      s.error = { fault: reading.fault, message: reading.open, atMs: c.nowMs };
    if (s.stand.kind === "checking") return this.#check(s.stand, reading);
    if (s.stand.kind !== "holding" && s.stand.kind !== "doubting") return;
    if (reading.link !== "up") {
      s.stand = { kind: "holding" };
      return;
    }
    // A value that is gone: the lease is renewed at once.
    if (reading.verdict === "unknown" && wasConfirmed) s.repeatAtMs = -Infinity;
    if (reading.verdict === "match") {
      s.evidence = "confirmed";
      s.hasShown = true;
      if (s.stand.kind === "doubting") s.stand = { kind: "holding" };
      if (c.nowMs - s.backAtMs >= BACK_MS) s.doubt = "none";
    } else if (reading.verdict === "unknown") {
      s.evidence = this.#isShownOnChangeOnly && s.evidence !== "none" ? "accepted" : "none";
      s.stand = { kind: "holding" };
    } else if (s.stand.kind === "doubting" && c.nowMs >= s.stand.sinceMs + rules.settleMs) this.#leave();
  }

  /** Somebody else has changed the device. */
  #leave(): undefined {
    const { s, c, rules, effects } = this;
    const untilMs = c.nowMs + rules.externalMs;
    Object.assign(s, { owned: null, evidence: "none", externalUntilMs: untilMs });
    s.stand = { kind: "external", untilMs };
    effects.push(
      { kind: "save" },
      { kind: "note", event: "external", state: s.reading?.shown ?? "", text: s.reading?.open ?? "" },
    );
  }

  #check(stand: MachineState["stand"] & { kind: "checking" }, reading: Look): undefined {
    const { c } = this;
    if (reading.link === "up" && reading.verdict === "match" && reading.isNew)
      return this.#done(stand, "confirmed");
    if (c.nowMs >= stand.untilMs) this.#timePassed();
  }

  #accepted(): undefined {
    const { s, c, rules } = this;
    if (s.stand.kind !== "sending") return;
    const { command, attempt, isRepetition } = s.stand;
    s.acceptedAtMs = [...(isRepetition ? s.acceptedAtMs : []), c.nowMs].slice(-MOST_ACCEPTED);
    if (!rules.isChecked(command)) return this.#done({ command, isRepetition }, "accepted");
    s.stand = {
      kind: "checking",
      command,
      attempt,
      isRepetition,
      untilMs: c.nowMs + rules.answerMs + rules.deadlineMs,
    };
    s.readAtMs = c.nowMs + rules.answerMs;
  }

  #refused({ fault, message, isReceived }: DeviceEvent & { kind: "refused" }): undefined {
    const { s } = this;
    if (s.stand.kind !== "sending") return;
    const { command, attempt, isRepetition } = s.stand;
    if (!isRepetition && !isReceived) s.writes = { ...s.writes, count: Math.max(0, s.writes.count - 1) };
    if (fault === "cancelled") {
      s.stand = { kind: s.owned === null ? "resting" : "holding" };
      return;
    }
    this.#failedAttempt({ command, attempt, isRepetition }, fault, message);
  }

  #timePassed(): undefined {
    const { s, c } = this;
    if (s.stand.kind !== "checking" || c.nowMs < s.stand.untilMs) return;
    const { command, attempt, isRepetition, untilMs } = s.stand;
    if (s.reading?.link === "up" && s.reading.isDeclined) return this.#done(s.stand, "declined");
    if (this.#isShownOnChangeOnly) {
      // A device that is back may not have listened yet.
      const isHeard = isRepetition && c.nowMs - s.backAtMs >= BACK_MS;
      if (isHeard || attempt >= MOST_ATTEMPTS) return this.#done(s.stand, "accepted");
      const waitMs = SPACING_MS[attempt - 1]!;
      s.stand = { kind: "pausing", command, attempt, isRepetition, untilMs: untilMs + waitMs };
      return;
    }
    this.#failedAttempt(
      s.stand,
      "not_confirmed",
      s.reading?.open || `the device does not show "${command.state}"`,
    );
  }

  /**
   * The device is there and says nothing about its state, which it has shown before: a broker has lost the value that the device publishes on a
   * change only.
   */
  get #isShownOnChangeOnly(): boolean {
    const { hasShown, reading } = this.s;
    return hasShown && reading?.link === "up" && reading.verdict === "unknown" && reading.isAlive;
  }

  #failedAttempt(
    { command, attempt, isRepetition }: { command: DeviceCommand; attempt: number; isRepetition: boolean },
    fault: NonNullable<MachineState["error"]>["fault"],
    message: string,
  ): undefined {
    const { s, c, effects } = this;
    s.error = { fault, message, atMs: c.nowMs };
    effects.push({ kind: "note", event: "failed", state: command.state, text: message });
    if (attempt < MOST_ATTEMPTS) {
      s.stand = {
        kind: "pausing",
        command,
        attempt,
        isRepetition,
        untilMs: c.nowMs + SPACING_MS[attempt - 1]!,
      };
      return;
    }
    s.failures++;
    s.evidence = "none";
    // Its state may be one of before the failure.
    s.doubt = strongerDoubt(s.doubt, "device");
    const longest = s.failures <= LONGEST_WAIT_MS.firstCount ? LONGEST_WAIT_MS.first : LONGEST_WAIT_MS.later;
    const waitMs = Math.min(2 * backoffMs(s.failures, () => c.jitter), longest);
    s.stand = { kind: "failed", key: command.state, untilMs: c.nowMs + waitMs };
  }

  #done(
    { command, isRepetition }: { command: DeviceCommand; isRepetition: boolean },
    outcome: "accepted" | "confirmed" | "declined",
  ): undefined {
    const { s, c, rules, effects } = this;
    Object.assign(s, { failures: 0, error: null });
    if (command.state === "exit") {
      Object.assign(s, {
        stand: { kind: "resting" },
        owned: null,
        evidence: "none",
        changedAtMs: c.nowMs,
        doubt: "none",
      });
      effects.push(
        { kind: "save" },
        { kind: "note", event: "released", state: rules.exitState ?? "", text: "" },
      );
      return;
    }
    if (c.nowMs - s.backAtMs >= BACK_MS) s.doubt = "none";
    s.stand = { kind: "holding" };
    s.evidence = outcome === "confirmed" ? "confirmed" : "accepted";
    if (outcome === "confirmed") s.hasShown = true;
    s.owned = { ...command, at: new Date(c.nowMs), isConfirmed: true };
    s.isKnown = true;
    s.repeatAtMs = isLeasedCommand(command, rules) ? s.acceptedAtMs.at(-1)! + rules.repeatMs : Infinity;
    s.readAtMs = c.nowMs + rules.pollMs;
    if (isRepetition) return;
    s.changedAtMs = c.nowMs;
    s.appliedByMs = c.nowMs + rules.appliedMs;
    effects.push({ kind: "save" }, { kind: "note", event: outcome, state: command.state, text: "" });
  }
}
