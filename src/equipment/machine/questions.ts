import { wantedState } from "../wanted.js";
import type { Context, DeviceCommand, DeviceRules, Doubt, MachineState } from "./device-state.js";

/** Attempts of a command before it counts as failed. */
export const MOST_ATTEMPTS = 3;

/** Clocks of device and gateway differ, and a device looks at its lease now and then. */
const LEASE_SLACK_MS = 2_500;

const EXIT: DeviceCommand = { state: "exit", powerKw: 0, socStopPct: 100 };

const DOUBTS: readonly Doubt[] = ["none", "gateway", "device"];

export function strongerDoubt(one: Doubt, other: Doubt): Doubt {
  return DOUBTS.indexOf(one) >= DOUBTS.indexOf(other) ? one : other;
}

/** Whether the device forgets the command unless it is repeated. */
export function isLeasedCommand({ state }: Pick<DeviceCommand, "state">, rules: DeviceRules): boolean {
  return state !== "exit" && rules.leaseMs > 0 && rules.isLeased(state);
}

/** Whether the command leaves the device to itself. */
export function isReturn({ state }: Pick<DeviceCommand, "state">, rules: DeviceRules): boolean {
  return state === "exit" || state === rules.neutral;
}

export function pickCommand({ state, powerKw, socStopPct }: DeviceCommand): DeviceCommand {
  return { state, powerKw, socStopPct };
}

/** What the device is to be commanded; undefined: it is left to itself, and hourgate has set nothing. */
export function goalOf(s: MachineState, rules: DeviceRules): DeviceCommand | undefined {
  const { target, owned, reading } = s;
  if (target.kind === "keep") return owned === null ? undefined : pickCommand(owned);
  const isUsed = owned !== null || rules.hasLeft();
  if (target.kind === "exit") return isUsed ? EXIT : undefined;
  const { wanted, isTest } = target;
  const goal = pickCommand(reading?.lockedTo === undefined ? wanted : wantedState(reading.lockedTo));
  const isNothing = !isUsed && goal.state === rules.neutral && !rules.isNeutralSent && !isTest;
  return isNothing ? undefined : goal;
}

/** Somebody waits for it, or it protects the device or the connection: a test, a command by hand, a limit. */
export function isUrgent({ target, reading }: MachineState): boolean {
  if (target.kind !== "state") return target.kind === "exit";
  const { wanted, isTest } = target;
  return isTest || wanted.isUrgent || wanted.isByHand || reading?.lockedTo !== undefined;
}

export function writesToday({ writes }: Pick<MachineState, "writes">, day: string): number {
  return writes.day === day ? writes.count : 0;
}

/** The moment from which on the command may be sent; Infinity: not before the next day. */
export function allowedAtMs(s: MachineState, goal: DeviceCommand, c: Context, rules: DeviceRules): number {
  // What was set by hand protects nothing either.
  if (isUrgent(s) || s.isSetByHand) return -Infinity;
  const { owned } = s;
  // What the device has lost is no change.
  if (owned !== null && rules.isSame(owned, goal)) return -Infinity;
  // A leased set-point is not stored in the device.
  if (owned?.state === goal.state && isLeasedCommand(goal, rules)) return -Infinity;
  // What leaves the device to itself ends a run: it is never refused.
  if (isReturn(goal, rules)) return rules.dwellsAtEnd ? s.changedAtMs + rules.minDwellMs : -Infinity;
  return s.changedAtMs + dwellMs(rules, rules.maxWritesPerDay - writesToday(s, c.day), c.leftOfDayMs);
}

/**
 * Shortest time between two commands, ms: Infinity without the commands for a run and its end. Unless the plan keeps to the
 * commands of the day, it grows when they run short, so that they last for the rest of the day.
 */
function dwellMs(
  { minDwellMs, maxWritesPerDay, isBudgetPlanned }: DeviceRules,
  left: number,
  leftOfDayMs: number,
): number {
  if (isBudgetPlanned) return left < 2 ? Infinity : minDwellMs;
  if (left > maxWritesPerDay / 2) return minDwellMs;
  return Math.max(minDwellMs, left <= 2 ? Infinity : leftOfDayMs / (left - 2));
}

/**
 * Whether the lease of the device can end now: that of the last repetition, or of an earlier one if those after it were
 * acknowledged by a broker and lost.
 */
export function canLeaseEnd(s: MachineState, nowMs: number, rules: DeviceRules): boolean {
  if (s.owned === null || !isLeasedCommand(s.owned, rules)) return false;
  const sinceEndMs = s.acceptedAtMs.map((ms) => nowMs - (ms + rules.leaseMs));
  const last = sinceEndMs.at(-1);
  return (
    last === undefined || last >= -LEASE_SLACK_MS || sinceEndMs.some((ms) => Math.abs(ms) <= LEASE_SLACK_MS)
  );
}
