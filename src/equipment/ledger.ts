import type { ActuatorLogEntry } from "./event-log.js";
import type { Tolerance } from "./values.js";
import type { Wanted } from "./wanted.js";

/** What hourgate has set on a device. */
export interface OwnedState extends Pick<Wanted, "powerKw" | "socStopPct"> {
  /** A state, or `exit`. */
  state: string;
  at: Date;
  /** False from before the command is sent until the device has shown it. */
  isConfirmed: boolean;
}

/** What a command of hourgate makes a device show. */
export interface LeftValue {
  expected: readonly string[];
  tolerance: Tolerance;
}

/** What is stored of an actuator; it survives a crash between two commands. */
export interface ActuatorLedger {
  /** Null: hourgate has set nothing, or has left the device to itself. */
  owned: OwnedState | null;
  /** The values that were read before the first command. */
  found: Readonly<Record<string, string>>;
  /** Of these what hourgate had written before somebody else changed the device; undefined: nobody has. */
  left?: Readonly<Record<string, LeftValue>>;
  /** Somebody else changed the device: it is left alone until then. */
  externalUntil: Date | null;
  /** Last change of the state, that of leaving the device to itself included; undefined: not known. */
  changedAt?: Date;
  /** The commands of a local day, repetitions not counted. */
  writes: { day: string; count: number };
  /** Switches that were set at run time, with the configuration at that time. */
  switches: { configured?: string; enabled?: boolean; dryRun?: boolean };
  /** The last events when the ledger was stored, newest last. */
  log: readonly ActuatorLogEntry[];
}

export function emptyLedger(): ActuatorLedger {
  return {
    owned: null,
    found: {},
    externalUntil: null,
    writes: { day: "", count: 0 },
    switches: {},
    log: [],
  };
}

const VERSION = 1;

export function ledgerToJson(ledger: ActuatorLedger): unknown {
  return { version: VERSION, ...ledger };
}

/** Reads the output of `ledgerToJson`; an empty ledger for anything else. */
export function ledgerFromJson(stored: unknown): ActuatorLedger {
  const {
    version,
    owned,
    externalUntil,
    changedAt,
    log = [],
    ...rest
  } = (stored ?? {}) as {
    version?: unknown;
    owned?: (Omit<OwnedState, "at"> & { at: string }) | null;
    externalUntil?: string | null;
    changedAt?: string;
    log?: (Omit<ActuatorLogEntry, "at"> & { at: string })[];
  } & Partial<Omit<ActuatorLedger, "owned" | "externalUntil" | "changedAt" | "log">>;
  const empty = emptyLedger();
  if (version !== VERSION) return empty;
  return {
    ...empty,
    ...rest,
    owned: owned == null ? null : { ...owned, at: new Date(owned.at) },
    externalUntil: externalUntil == null ? null : new Date(externalUntil),
    ...(changedAt !== undefined && { changedAt: new Date(changedAt) }),
    log: log.map((entry) => ({ ...entry, at: new Date(entry.at) })),
  };
}

/** What the machine of a device begins with. The least time of a compressor's states also counts over a restart. */
export function beginningOf(
  { owned, externalUntil, writes, changedAt }: ActuatorLedger,
  { dwellsAtEnd }: { dwellsAtEnd: boolean },
) {
  const changedAtMs = dwellsAtEnd ? changedAt?.getTime() : undefined;
  return {
    owned,
    externalUntilMs: externalUntil?.getTime() ?? null,
    writes,
    ...(changedAtMs !== undefined && { changedAtMs }),
  };
}

/** The ledger without times that the clock, which was set back since, does not reach for long. */
export function withoutFuture(ledger: ActuatorLedger, now: Date, externalMs: number): ActuatorLedger {
  const { owned, externalUntil, changedAt } = ledger;
  const latest = now.getTime() + externalMs;
  return {
    ...ledger,
    ...(changedAt !== undefined && changedAt > now && { changedAt: now }),
    owned: owned !== null && owned.at > now ? { ...owned, at: now } : owned,
    externalUntil:
      externalUntil !== null && externalUntil.getTime() > latest ? new Date(latest) : externalUntil,
  };
}

/**
 * The ledger after another gateway with the same ledger has commanded the device: as after a crash while a command was sent,
 * so that the device is brought to the planned state or left to itself.
 */
export function takenOver(
  ledger: ActuatorLedger,
  device: { states(): readonly string[]; neutral: string },
  at: Date,
): ActuatorLedger {
  const state = device.states().find((one) => one !== device.neutral) ?? device.neutral;
  const owned = ledger.owned ?? { state, powerKw: 0, socStopPct: 100, at };
  return { ...ledger, owned: { ...owned, isConfirmed: false }, externalUntil: null };
}
