import type { Log } from "../../core/log.js";
import type { Cancel, Clock } from "../../core/time/clock.js";
import type { ReadingLimits } from "../../telemetry/reading-limits.js";
import type { DeviceError } from "../command.js";
import type { ReadChannels } from "./channels.js";
import type { Node } from "./compile.js";
import type { Evaluated } from "./evaluate.js";
import { holdMsOf, KeptReading, type ShownReading } from "./kept-reading.js";
import { DEVICE_READINGS, FACT_UNITS, type IdentityKey } from "./names.js";
import type { DevicePoll, Polled } from "./poll.js";

export type ReadDeviceState = "waiting" | "ok" | "degraded" | "unreachable" | "sleeping";

/** A value that counts, of the last poll. */
export interface TakenReading {
  value: number;
  at: Date;
}

export interface ReadDeviceOptions {
  id: string;
  pollMs: number;
  /** What is read, by the names of the template. */
  readings: ReadonlyMap<string, Node>;
  facts: ReadonlyMap<string, Node>;
  identity: ReadonlyMap<string, Node>;
  /** Whether the device says that it sleeps. */
  asleep: Node | undefined;
  /** Whether it is off at night. */
  sleeps: boolean;
  channels: ReadChannels;
  poll: DevicePoll;
  clock: Clock;
  isDark(at: Date): boolean;
  limits(reading: string): ReadingLimits | undefined;
  /** Called after each poll with the readings that count. */
  onPolled(taken: ReadonlyMap<string, TakenReading>): void;
  log: Pick<Log, "info" | "warn">;
}

export interface DeviceCounts {
  reads: number;
  failures: number;
  implausible: number;
}

export interface DeviceFaultNote {
  code: string;
  message: string;
  at: Date;
}

/** Polls without a reading after which it is said. */
export const MISSED_POLLS = 3;
/** Facts and identity are read again after this time. */
const IDENTIFY_MS = 3_600_000;

/** A device that is read in regular intervals. */
export class ReadDevice {
  readonly options: ReadDeviceOptions;
  readonly readings: ReadonlyMap<string, KeptReading>;
  readonly counts: DeviceCounts = { reads: 0, failures: 0, implausible: 0 };
  facts: Readonly<Record<string, number>> = {};
  identity: Readonly<Partial<Record<IdentityKey, string>>> = {};
  readAt: Date | undefined;
  lastError: DeviceFaultNote | undefined;
  /** Of the last poll. */
  durationMs = 0;
  bytes = 0;
  #missed = 0;
  #isSilent = false;
  #isAsleep = false;
  /** Polls in a row without the reading, for those that were known before. */
  readonly #lacking = new Map<string, number>();
  #identifiedAtMs = -Infinity;
  #running: Promise<void> | undefined;
  #isStopped = false;
  #cancel: Cancel = () => {};

  constructor(options: ReadDeviceOptions) {
    this.options = options;
    this.readings = new Map(
      [...options.readings].map(([name, node]) => {
        const known = DEVICE_READINGS[name]!;
        const holdMs = Math.max(holdMsOf(known, options.pollMs), (node.maxAgeS ?? 0) * 1000);
        return [name, new KeptReading({ unit: known.unit, holdMs })];
      }),
    );
  }

  start(): void {
    this.options.channels.start();
    this.#schedule(this.options.clock.now());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.options.channels.stop();
    await this.#running;
  }

  /** Reads the device now, or waits for the reading that is under way. */
  async read(): Promise<void> {
    this.#running ??= this.#read().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  get state(): ReadDeviceState {
    if (this.#isAsleep) return "sleeping";
    if (this.#missed < MISSED_POLLS) {
      if (this.readAt === undefined) return "waiting";
      return this.#lackingNames().length > 0 ? "degraded" : "ok";
    }
    return this.#isSilent ? "unreachable" : "degraded";
  }

  /** Why it is not ok. */
  get reason(): string | null {
    const { state, lastError } = this;
    if (state === "ok" || state === "waiting") return null;
    if (state === "sleeping") return "The device is off until the sun rises.";
    if (this.#missed < MISSED_POLLS)
      return `No value for ${this.#lackingNames().join(", ")} since three readings.`;
    const cause = lastError === undefined ? "" : `: ${lastError.message}`;
    return state === "unreachable"
      ? `The device does not answer${cause}.`
      : `The device answers, but gives no values${cause}.`;
  }

  shown(name: string, now: Date): ShownReading {
    return this.readings.get(name)!.shown(now, this.options.pollMs);
  }

  /** Polls of all devices begin together, so that their powers belong to one time. */
  #schedule(at: Date): void {
    const { clock, pollMs } = this.options;
    this.#cancel = clock.at(at, () => {
      const now = clock.now().getTime();
      this.#schedule(new Date((Math.floor(now / pollMs) + 1) * pollMs));
      void this.read();
    });
  }

  async #read(): Promise<void> {
    const { clock, poll, readings, asleep, channels, onPolled, log, id } = this.options;
    const beganMs = performance.now();
    const before = channels.bytes;
    const nodes = asleep === undefined ? readings : new Map([...readings, ["asleep", asleep]]);
    try {
      const polled = await poll.run(nodes);
      if (this.#isStopped) return;
      onPolled(this.#take(polled, clock.now()));
      if (polled.hasAnswered) await this.#identify();
    } catch (error) {
      log.warn({ err: error, device: id }, "A device could not be read because of a fault of the program.");
    } finally {
      this.durationMs = performance.now() - beganMs;
      this.bytes = channels.bytes - before;
    }
  }

  #take({ values, hasAnswered, faults }: Polled, at: Date): Map<string, TakenReading> {
    const { limits, isDark, sleeps } = this.options;
    const taken = new Map<string, TakenReading>();
    const isKnown = (one: Evaluated | undefined) => one?.value !== undefined;
    const saysAsleep = isKnown(values.get("asleep"));
    const hasValue = [...this.readings.keys()].some((name) => isKnown(values.get(name)));
    this.#isAsleep = saysAsleep || (sleeps && !hasValue && isDark(at));
    for (const [name, kept] of this.readings) {
      const given = values.get(name)!;
      const node = this.options.readings.get(name)!;
      const isOff = sleeps && !isKnown(given) && (saysAsleep || isDark(at));
      if (node.sleeps && given.isImplausible !== true && isOff) {
        taken.set(name, { value: kept.derive(0, at), at });
        continue;
      }
      const takenAt = agedAt(given, at, this.options.pollMs);
      const { value, isImplausible } = kept.take(given, takenAt, limits(name));
      if (isImplausible) this.counts.implausible++;
      if (value !== undefined) taken.set(name, { value, at: takenAt });
      this.#note(name, kept, value !== undefined || isOff);
    }
    this.counts.reads++;
    const [fault] = faults;
    if (fault !== undefined) this.#fail(fault, at);
    if (hasValue) {
      this.#missed = 0;
      this.readAt = at;
    } else {
      this.counts.failures++;
      this.#missed++;
      this.#isSilent = !hasAnswered;
    }
    return taken;
  }

  #note(name: string, kept: KeptReading, isThere: boolean): void {
    if (isThere) this.#lacking.delete(name);
    else if (kept.at !== undefined) this.#lacking.set(name, (this.#lacking.get(name) ?? 0) + 1);
  }

  #lackingNames(): string[] {
    return [...this.#lacking].filter(([, polls]) => polls > MISSED_POLLS).map(([name]) => name);
  }

  #fail({ fault, message }: DeviceError, at: Date): void {
    this.lastError = { code: fault, message, at };
  }

  /** Reads who the device is, and what it can do. */
  async #identify(): Promise<void> {
    const { clock, facts, identity, poll } = this.options;
    const nowMs = clock.now().getTime();
    if (nowMs - this.#identifiedAtMs < IDENTIFY_MS || facts.size + identity.size === 0) return;
    const { values, hasAnswered } = await poll.run(
      new Map([...prefixed("fact", facts), ...prefixed("identity", identity)]),
    );
    if (!hasAnswered) return;
    this.#identifiedAtMs = nowMs;
    this.facts = Object.fromEntries(
      Object.keys(FACT_UNITS).flatMap((name) => {
        const value = values.get(`fact ${name}`)?.value;
        return typeof value === "number" && value > 0 ? [[name, value]] : [];
      }),
    );
    this.identity = Object.fromEntries(
      [...identity.keys()].flatMap((name) => {
        const { value, raw = value } = values.get(`identity ${name}`) ?? {};
        // A text that looks like a number stays as it is: "056.8".
        return value === undefined ? [] : [[name, String(typeof raw === "string" ? raw : value)]];
      }),
    );
  }
}

function prefixed(prefix: string, nodes: ReadonlyMap<string, Node>): [string, Node][] {
  return [...nodes].map(([name, node]) => [`${prefix} ${name}`, node]);
}

/** Values of one poll have one time; one that the device measured before it keeps its own. */
function agedAt({ atMs }: Evaluated, at: Date, pollMs: number): Date {
  return atMs !== undefined && at.getTime() - atMs > pollMs ? new Date(atMs) : at;
}
