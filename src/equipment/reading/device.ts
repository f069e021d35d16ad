import type { Log } from "../../core/log.js";
import type { Cancel, Clock } from "../../core/time/clock.js";
import type { ReadingLimits } from "../../telemetry/reading-limits.js";
import { DeviceError } from "../command.js";
import type { ReadChannels } from "./channels.js";
import { type Node, sourcesOf } from "./compile.js";
import { agedAt, aheadS } from "./device-time.js";
import type { Evaluated } from "./evaluate.js";
import { holdMsOf, KeptReading, type ShownReading } from "./kept-reading.js";
import { CLOCK, DEVICE_READINGS, FACT_UNITS, type IdentityKey } from "./names.js";
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
/** Facts and identity are read again after this time, and after each connection or missed poll. */
const IDENTIFY_MS = 3_600_000;
/** Connections that a device closes in ten minutes, from which on it is said; and minutes by which its clock is wrong. */
const MANY_CUTS = 10;
const CLOCK_MINUTES = 5;
/** Over HTTP another device at the address cannot be seen by its connection. */
const IDENTIFY_HTTP_MS = 60_000;

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
  #identified = { atMs: -Infinity, epoch: 0 };
  /** Serial number of the device that is meant. */
  #serial: string | undefined;
  /** Serial number of another device at its address. */
  #stranger: string | undefined;
  /** How far the device's clock is ahead, s. */
  #clockAheadS = 0;
  readonly #frozen = new Map<string, Date>();
  #running: Promise<void> | undefined;
  #isStopped = false;
  #cancel: Cancel = () => {};

  constructor(options: ReadDeviceOptions) {
    this.options = options;
    this.#serial = options.serial ?? undefined;
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
    if (this.#stranger !== undefined) return "misconfigured";
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
    const minutes = Math.round(Math.abs(this.#clockAheadS) / 60);
    return [
      ...(cuts >= MANY_CUTS
        ? [
            `It has closed the connection ${cuts} times in ten minutes: if another program reads it as well (evcc, Home Assistant, another gateway), let only one of them do so.`,
          ]
        : []),
      ...(minutes >= CLOCK_MINUTES
        ? [
            `Its clock is ${minutes} min ${this.#clockAheadS > 0 ? "ahead" : "behind"}: set it, or switch on its synchronisation with a time server.`,
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
      const wasStranger = this.#stranger !== undefined;
      const polled = wasStranger ? NOTHING : await poll.run(nodes);
      const at = clock.now();
      const isToIdentify = wasStranger || (polled.hasAnswered && this.#isToIdentify(wasMissed));
      // Before its values count: another device may have its address by now.
      const isKnown = this.#serial !== undefined;
      let isIdentified = isToIdentify && isKnown && (await this.#identify(polled));
      if (this.#isStopped) return;
      onPolled(wasStranger || this.#stranger !== undefined ? this.#refuse(at) : this.#take(polled, at));
      if (isToIdentify && !isKnown) isIdentified = await this.#identify(polled);
      if (isIdentified && this.#stranger === undefined) await this.#readFacts(polled);
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

  #isToIdentify(wasMissed: boolean): boolean {
    const { clock, facts, identity, channels } = this.options;
    if (facts.size + identity.size === 0) return false;
    const { atMs, epoch } = this.#identified;
    const isSeen = channels.modbus !== undefined || !identity.has("serial");
    const ageMs = Math.abs(clock.now().getTime() - atMs);
    return (
      wasMissed ||
      ageMs >= (isSeen ? IDENTIFY_MS : IDENTIFY_HTTP_MS) ||
      (channels.modbus?.epoch ?? 0) !== epoch
    );
  }

  /** Reads who the device is. */
  async #identify(before: Polled): Promise<boolean> {
    const { clock, identity, poll } = this.options;
    const { values, hasAnswered } = await poll.run(identity, before);
    if (!hasAnswered && !isConstant(identity)) return false;
    const seen: Partial<Record<IdentityKey, string>> = Object.fromEntries(
      [...identity.keys()].flatMap((name) => {
        if (name === CLOCK) return [];
        const { value, raw = value } = values.get(name) ?? {};
        // A text that looks like a number stays as it is: "056.8".
        return value === undefined ? [] : [[name, String(typeof raw === "string" ? raw : value)]];
      }),
    );
    this.#recognise(seen);
    if (this.#stranger !== undefined) return true;
    this.#clockAheadS = aheadS(values.get(CLOCK)?.value, clock.now());
    this.identity = { ...(this.#serial !== undefined && { serial: this.#serial }), ...seen };
    return true;
  }

  /** Reads what the device can do. */
  async #readFacts(before: Polled): Promise<void> {
    const { clock, facts, poll, channels } = this.options;
    const { values, hasAnswered } = await poll.run(facts, before);
    if (!hasAnswered && !isConstant(facts)) return;
    this.#identified = { atMs: clock.now().getTime(), epoch: channels.modbus?.epoch ?? 0 };
    this.facts = Object.fromEntries(
      Object.keys(FACT_UNITS).flatMap((name) => {
        const value = values.get(name)?.value;
        return typeof value === "number" && value > 0 ? [[name, value]] : [];
      }),
    );
  }

  /** Routers give an address to another device after a while. */
  #recognise({ serial, model }: Partial<Record<IdentityKey, string>>): void {
    if (serial === undefined) return;
    this.#serial ??= serial;
    this.#stranger = serial === this.#serial ? undefined : serial;
    if (this.#stranger === undefined) return;
    const { address, clock } = this.options;
    const message = `At ${address} there is another device (${[model, `serial number ${serial}`].filter(Boolean).join(", ")} instead of ${this.#serial}); its values are not used. Use "Find devices" to look for the device at its new address. If it has been replaced, remove it and add the new one`;
    this.#fail(new DeviceError("wrong_device", `${message}.`), clock.now());
  }
}

const NO_VALUE: Evaluated = { value: undefined, raw: null, atMs: undefined };
const NOTHING: Polled = { values: new Map(), hasAnswered: false, faults: [] };

function isConstant(nodes: ReadonlyMap<string, Node>): boolean {
  return sourcesOf(nodes.values()).every(({ kind }) => kind === "value");
}
