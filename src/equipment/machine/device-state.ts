import type { DeviceFault } from "../../core/domain/actuator.js";
import type { OwnedState } from "../ledger.js";
import type { ActuatorState } from "../states.js";
import type { Wanted } from "../wanted.js";

/** What is sent: a state, or `exit`, which leaves the device to itself. */
export type DeviceCommand = Pick<OwnedState, "state" | "powerKw" | "socStopPct">;

/** What the device is to do, after what it cannot do is replaced. */
export type Target =
  | { kind: "state"; wanted: Wanted; isTest: boolean }
  /** The state of the ledger, while there is no plan yet after a start. */
  | { kind: "keep" }
  /** Left to itself. */
  | { kind: "exit"; because: "disabled" | "dry_run" | "released" };

/**
 * Whether commands reach the device. `away`: it says that it is not there, or the broker is not connected; `starting`: it has
 * started and does not listen yet; `silent`: it does not answer; `unknown`: not read yet.
 */
export type Link = "unknown" | "up" | "starting" | "silent" | "away";

/** What a reading shows, compared with the command of the ledger. `rest`: as without a command. */
export type Verdict = "match" | "rest" | "other" | "unknown";

/** One look at the device. */
export interface Look {
  link: Link;
  verdict: Verdict;
  /** The values are newer than the last command. */
  isNew: boolean;
  /** It is there by another sign than the values of its state. */
  isAlive: boolean;
  /** The device has started, or was away, since the reading before. */
  hasRestarted: boolean;
  /** Whether what the controller behind the device reports shows the command, too. */
  isApplied: boolean | undefined;
  /** It accepts commands, but does not follow them now. */
  isDeclined: boolean;
  /** The state that replaces the wanted one while the device is locked. */
  lockedTo: ActuatorState | undefined;
  /** The state that the values match. */
  shown: string | undefined;
  /** What is missing or different, for a message. */
  open: string;
  /** Why it could not be read. */
  fault: DeviceFault | undefined;
}

/** What the machine is doing. Times in ms since 1970. */
export type Stand =
  /** hourgate has set nothing. */
  | { kind: "resting" }
  /** The requests of a command are sent. */
  | { kind: "sending"; command: DeviceCommand; attempt: number; isRepetition: boolean; isCancelled: boolean }
  /** The command was accepted; the device is read until it shows it. */
  | { kind: "checking"; command: DeviceCommand; attempt: number; isRepetition: boolean; untilMs: number }
  /** Between two attempts. */
  | { kind: "pausing"; command: DeviceCommand; attempt: number; isRepetition: boolean; untilMs: number }
  /** The device has the state of the ledger. */
  | { kind: "holding" }
  /** The device shows something else since then. */
  | { kind: "doubting"; sinceMs: number }
  /** Somebody else has changed the device: it is left alone until then. */
  | { kind: "external"; untilMs: number }
  /** No attempt had an effect; the next one is later. */
  | { kind: "failed"; key: string; untilMs: number };

/** Why a command that is due is not sent yet. */
export interface Wait {
  for: "reading" | "device" | "dwell" | "budget" | "retry";
  /** When it is sent at the latest, if that is known. */
  untilMs: number | undefined;
}

/**
 * What can have changed the device besides somebody else, since it showed the command last: a start or an absence of the
 * device, or of the gateway.
 */
export type Doubt = "none" | "gateway" | "device";

/** How much is known of the command of the ledger. */
export type CommandEvidence = "none" | "accepted" | "confirmed";

/** Everything about one device: what is known, what is wanted, what was sent, who holds it, until when. */
export interface MachineState {
  stand: Stand;
  target: Target;
  reading: Look | undefined;
  /** The first reading of the device, or a reason to do without it. */
  isKnown: boolean;
  doubt: Doubt;
  evidence: CommandEvidence;
  /** What hourgate has set; on disk before it is sent. */
  owned: OwnedState | null;
  externalUntilMs: number | null;
  writes: { day: string; count: number };
  /** The device has shown a command of hourgate before: what reports its state works. */
  hasShown: boolean;
  /** Somebody has asked for the last command. */
  isSetByHand: boolean;
  isTestSent: boolean;
  /** Commands in a row that had no effect. */
  failures: number;
  startedAtMs: number;
  /** The device is back since then. */
  backAtMs: number;
  changedAtMs: number;
  /** When the controller accepted the command of the ledger and its repetitions lately, newest last. */
  acceptedAtMs: readonly number[];
  /** The controller behind the device shows the command by then. */
  appliedByMs: number;
  repeatAtMs: number;
  readAtMs: number;
  /** The last reading. */
  lookedAtMs: number;
  /** A reading was asked for before a repetition. */
  askedAtMs: number;
  wait: Wait | undefined;
  error: { fault: DeviceFault; message: string; atMs: number } | null;
}

/** What a template and the settings say about a device. Times in ms. */
export interface DeviceRules {
  neutral: ActuatorState;
  /** The neutral state is a command like the others. */
  isNeutralSent: boolean;
  /** The state, or `exit`, that is sent when the device is left to itself; undefined where its lease ends by itself. */
  exitState: string | undefined;
  hasReading: boolean;
  hasLock: boolean;
  leaseMs: number;
  repeatMs: number;
  /** Wait before a command is read back. */
  answerMs: number;
  deadlineMs: number;
  /** Time in which the controller behind the device applies a command. */
  appliedMs: number;
  /** A value of somebody else must stay for this time. */
  settleMs: number;
  pollMs: number;
  minDwellMs: number;
  /** The return to the neutral state waits, too: a compressor. */
  dwellsAtEnd: boolean;
  maxWritesPerDay: number;
  /** The plan keeps to the commands of a day. */
  isBudgetPlanned: boolean;
  externalMs: number;
  /** Somebody else has changed the device, and values of hourgate may still be in it. */
  hasLeft(): boolean;
  isLeased(state: string): boolean;
  isChecked(command: DeviceCommand): boolean;
  isSame(one: DeviceCommand, other: DeviceCommand): boolean;
}

export interface Context {
  nowMs: number;
  /** The local day, and the time left of it. */
  day: string;
  leftOfDayMs: number;
  /** From 0 to 1, for waits that must not coincide. */
  jitter: number;
}

export type DeviceEvent =
  | { kind: "target"; target: Target }
  | { kind: "reading"; reading: Look }
  /** The requests of the command in progress were answered. */
  | { kind: "accepted" }
  /** They were not, or were cancelled; `isReceived`: the device may have the command. */
  | { kind: "refused"; fault: DeviceFault | "cancelled"; message: string; isReceived: boolean }
  /** The user ends the time of somebody else. */
  | { kind: "taken_over" }
  | { kind: "time" };

export type Effect =
  /** The ledger is stored before anything else is done. */
  | { kind: "save" }
  | {
      kind: "send";
      command: DeviceCommand;
      isRepetition: boolean;
      /** The device has started since it showed a command of hourgate. */
      isAfterRestart: boolean;
    }
  | { kind: "cancel" }
  | { kind: "read" }
  | {
      kind: "note";
      event: "confirmed" | "accepted" | "declined" | "failed" | "external" | "released";
      state: string;
      text: string;
    };

/** The machine of a device whose ledger was just read. */
export function stateOfLedger(
  ledger: Pick<MachineState, "owned" | "externalUntilMs" | "writes"> &
    Partial<Pick<MachineState, "changedAtMs">>,
  nowMs: number,
): MachineState {
  const { owned, externalUntilMs } = ledger;
  const isExternal = externalUntilMs !== null && externalUntilMs > nowMs;
  return {
    changedAtMs: -Infinity,
    ...ledger,
    stand: isExternal
      ? { kind: "external", untilMs: externalUntilMs }
      : { kind: owned === null ? "resting" : "holding" },
    target: owned === null ? { kind: "exit", because: "released" } : { kind: "keep" },
    reading: undefined,
    isKnown: false,
    doubt: "gateway",
    evidence: "none",
    hasShown: owned?.isConfirmed === true,
    isSetByHand: false,
    isTestSent: false,
    failures: 0,
    startedAtMs: nowMs,
    backAtMs: -Infinity,
    acceptedAtMs: [],
    appliedByMs: Infinity,
    repeatAtMs: -Infinity,
    readAtMs: -Infinity,
    lookedAtMs: -Infinity,
    askedAtMs: -Infinity,
    wait: undefined,
    error: null,
  };
}
