import type { ActuatorPhase } from "../../core/domain/actuator.js";
import { PATIENCE_MS } from "./decide.js";
import type { DeviceRules, MachineState } from "./device-state.js";
import { isLeasedCommand } from "./questions.js";

/** What an actuator says about itself. It never says more than is known. */
export function phaseOf(s: MachineState, rules: DeviceRules): ActuatorPhase {
  const { stand, target, owned, reading, wait } = s;
  if (stand.kind === "failed") return "failed";
  if (target.kind === "exit" && owned === null && !isCommanding(s)) return target.because;
  if (s.error?.fault === "absent") return "misconfigured";
  if (stand.kind === "external") return "external";
  if (isCommanding(s) && !("isRepetition" in stand && stand.isRepetition)) return "sending";
  if (wait?.for === "device" || reading?.link === "away" || reading?.link === "starting") return "offline";
  if (wait?.for === "reading" || (rules.hasReading && !s.isKnown)) return "waiting";
  if (owned === null || stand.kind === "resting") return "idle";
  if (reading?.link === "silent") return "offline";
  if (reading?.isDeclined && reading.verdict !== "match") return "declined";
  return s.evidence === "confirmed" && reading?.isApplied !== false ? "confirmed" : "accepted";
}

function isCommanding({ stand }: MachineState): boolean {
  return stand.kind === "sending" || stand.kind === "checking" || stand.kind === "pausing";
}

/** The next moment at which time alone changes something, ms since 1970. */
export function wakeAtMs(s: MachineState, rules: DeviceRules, nowMs: number): number {
  const { stand, owned } = s;
  const times = [
    s.readAtMs,
    "untilMs" in stand ? stand.untilMs : Infinity,
    stand.kind === "doubting" ? stand.sinceMs + rules.settleMs : Infinity,
    s.wait?.untilMs ?? Infinity,
    owned !== null && isLeasedCommand(owned, rules) ? s.repeatAtMs : Infinity,
    s.askedAtMs + rules.deadlineMs + 2_000,
    s.appliedByMs,
    s.startedAtMs + PATIENCE_MS,
    s.backAtMs + PATIENCE_MS,
  ];
  return Math.min(nowMs + 60_000, ...times.filter((time) => time > nowMs));
}
