import type { Log } from "../../core/log.js";
import type { Cancel, Clock } from "../../core/time/clock.js";
import type { ReadingLimits } from "../../telemetry/reading-limits.js";
import type { DeviceError } from "../command.js";
import type { ReadChannels } from "./channels.js";
import type { Node } from "./compile.js";
import { DeviceIdentity } from "./device-identity.js";
import { agedAt } from "./device-time.js";
import type { Evaluated } from "./evaluate.js";
import { holdMsOf, KeptReading, type ShownReading } from "./kept-reading.js";
import { DEVICE_READINGS } from "./names.js";
import type { DevicePoll, Polled } from "./poll.js";

export type ReadDeviceState = "waiting" | "ok" | "degraded" | "unreachable" | "sleeping" | "misconfigured";

/** A value that counts, of the last poll. */
export interface TakenReading {
  value: number;
  at: Date;
}

export interface ReadDeviceOptions {
  id: string;
  /** Shown address. */
  address: string;
  /** Serial number that it must have; null: the one that it shows first. */
  serial: string | null;
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
  /** Since when a power only repeats its digits. */
  frozenSince(reading: string, value: number, at: Date): Date | undefined;
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
/** Connections that a device closes in ten minutes, from which on it is said; and minutes by which its clock is wrong. */
const MANY_CUTS = 10;
const CLOCK_MINUTES = 5;

/** A device that is read in regular intervals. */
export class ReadDevice {
  readonly options: ReadDeviceOptions;
  readonly readings: ReadonlyMap<string, KeptReading>;
  readonly counts: DeviceCounts = { reads: 0, failures: 0, implausible: 0 };
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
  readonly #identity: DeviceIdentity;
  readonly #frozen = new Map<string, Date>();
  #running: Promise<void> | undefined;
  #isStopped = false;
  #cancel: Cancel = () => {};

  constructor(options: ReadDeviceOptions) {
    this.options = options;
    this.#identity = new DeviceIdentity(options);
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

  get facts(): Readonly<Record<string, number>> {
    return this.#identity.facts;
  }

  get identity(): DeviceIdentity["identity"] {
    return this.#identity.identity;
  }

  /** Another device is at its address. */
  get stranger(): DeviceError | undefined {
    return this.#identity.stranger;
  }

  get state(): ReadDeviceState {
    if (this.stranger !== undefined) return "misconfigured";
    if (this.#isAsleep) return "sleeping";
    if (this.#missed < MISSED_POLLS) {
      if (this.readAt === undefined) return "waiting";
      return this.#lackingNames().length + this.#frozen.size > 0 ? "degraded" : "ok";
    }
    return this.#isSilent ? "unreachable" : "degraded";
  }

  /** Why it is not ok. */
  get reason(): string | null {
    const { state, lastError } = this;
    if (state === "ok" || state === "waiting") return null;
    if (state === "misconfigured") return lastError?.message ?? null;
    if (state === "sleeping") return "The device is off until the sun rises.";
    const [frozen] = this.#frozen;
    if (this.#missed < MISSED_POLLS && frozen !== undefined) {
      const minutes = Math.round((this.options.clock.now().getTime() - frozen[1].getTime()) / 60_000);
      return `${frozen[0]} has not changed by a digit for ${minutes} min while other powers have; it is not used. The meter or its connection hangs: restart it.`;
    }
    if (this.#missed < MISSED_POLLS)
      return `No value for ${this.#lackingNames().join(", ")} since three readings.`;
    const cause = lastError === undefined ? "" : `: ${lastError.message}`;
    return state === "unreachable"
      ? `The device does not answer${cause}.`
      : `The device answers, but gives no values${cause}.`;
  }

  /** What is to be known, though the device is read. */
  get notes(): string[] {
    const cuts = this.options.channels.modbus?.cuts ?? 0;
    const minutes = Math.round(Math.abs(this.#identity.clockAheadS) / 60);
    return [
      ...(cuts >= MANY_CUTS
        ? [
            `It has closed the connection ${cuts} times in ten minutes: if another program reads it as well (evcc, Home Assistant, another gateway), let only one of them do so.`,
          ]
        : []),
      ...(minutes >= CLOCK_MINUTES
        ? [
            `Its clock is ${minutes} min ${this.#identity.clockAheadS > 0 ? "ahead" : "behind"}: set it, or switch on its synchronisation with a time server.`,
          ]
        : []),
    ];
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
    const wasMissed = this.#missed > 0;
    const beganMs = performance.now();
    const before = channels.bytes;
    const nodes = asleep === undefined ? readings : new Map([...readings, ["asleep", asleep]]);
    try {
      const identity = this.#identity;
      const wasStranger = identity.stranger !== undefined;
      const polled = wasStranger ? NOTHING : await poll.run(nodes);
      const at = clock.now();
      const isToIdentify = wasStranger || (polled.hasAnswered && identity.isDue(wasMissed));
      const verified = isToIdentify ? await identity.verify(polled) : polled;
      if (this.#isStopped) return;
      const { stranger } = identity;
      if (stranger !== undefined) this.#fail(stranger, at);
      onPolled(wasStranger || stranger !== undefined ? this.#refuse(at) : this.#take(polled, at));
      // What is not needed for the first values comes after them.
      if (isToIdentify && stranger === undefined) await identity.read(verified);
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
      const frozenSince = value === undefined ? undefined : this.options.frozenSince(name, value, takenAt);
      if (frozenSince !== undefined) kept.hold(frozenSince);
      else if (value !== undefined) taken.set(name, { value, at: takenAt });
      this.#note(name, kept, { isThere: value !== undefined || isOff, frozenSince });
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

  /** A poll whose values are not those of the device. */
  #refuse(at: Date): Map<string, TakenReading> {
    for (const kept of this.readings.values()) kept.take(NO_VALUE, at, undefined);
    this.counts.reads++;
    this.counts.failures++;
    this.#missed++;
    this.#isSilent = false;
    return new Map();
  }

  #note(
    name: string,
    kept: KeptReading,
    { isThere, frozenSince }: { isThere: boolean; frozenSince: Date | undefined },
  ): void {
    if (frozenSince === undefined) this.#frozen.delete(name);
    else this.#frozen.set(name, frozenSince);
    if (isThere) this.#lacking.delete(name);
    else if (kept.at !== undefined) this.#lacking.set(name, (this.#lacking.get(name) ?? 0) + 1);
  }

  #lackingNames(): string[] {
    return [...this.#lacking].filter(([, polls]) => polls > MISSED_POLLS).map(([name]) => name);
  }

  #fail({ fault, message }: DeviceError, at: Date): void {
    this.lastError = { code: fault, message, at };
  }
}

const NO_VALUE: Evaluated = { value: undefined, raw: null, atMs: undefined };
const NOTHING: Polled = { values: new Map(), hasAnswered: false, faults: [] };
