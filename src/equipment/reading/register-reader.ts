import { DeviceError } from "../command.js";
import type { ModbusException } from "../transport/modbus-frames.js";
import { type Block, type BlockLimits, planBlocks, type RegisterRange } from "./blocks.js";
import type { ReadChannels } from "./channels.js";
import { type Node, sourcesOf } from "./compile.js";
import { Gaps, type Trial } from "./gaps.js";
import { rangesOf } from "./node-ranges.js";
import { isAbsent, isFailure, isSilence, isUnsupported, keyOfRange, type Received } from "./received.js";
import type { SunSpecModel } from "./sunspec.js";
import { type SunSpecMap, SunSpecWalk } from "./sunspec-walk.js";

export interface RegisterLimits extends BlockLimits {
  /** Where the marker of SunSpec may be. */
  bases: readonly number[];
  /** Zeros only are values: of settings, not of measurements. */
  believesZeros?: boolean;
}

/** Registers that do not exist are asked for again after this time. */
export const FORGET_MS = 600_000;
/** A unit without models is searched again after this time: it may still be starting. */
const WALK_AGAIN_MS = 30_000;
/** An all-zero block is no value, unless it stays so while other registers have values. */
const SUSPECT_WORDS = 4;
const BELIEVED_ZEROS = 3;
const MOST_REGISTERS = 125;
/** What a device may give in one request is tried this time after it refused one: the first readings come before it. */
const TRY_AFTER_MS = 60_000;

/** Reads the registers that readings need in as few requests as the device allows. */
export class RegisterReader {
  readonly #modbus: NonNullable<ReadChannels["modbus"]>;
  readonly #limits: RegisterLimits;
  readonly #now: () => number;
  readonly #gaps = new Gaps();
  /** Registers that the device does not have, and until when that is believed. They are read alone until they answer. */
  readonly #missing = new Map<string, { range: RegisterRange; untilMs: number }>();
  /** Where the models of each unit are. Another who reads there may find another map, which is no matter here. */
  readonly #maps = new Map<number, SunSpecMap>();
  /** Units without models, and until when that is believed. */
  readonly #unmapped = new Map<number, number>();
  /** Blocks without gaps that it refused as a whole. */
  readonly #refused = new Map<string, number>();
  readonly #zeros = new Map<string, number>();
  #splitAtMs = -Infinity;
  #epoch = 0;

  constructor(options: {
    modbus: NonNullable<ReadChannels["modbus"]>;
    limits: RegisterLimits;
    now(): number;
  }) {
    this.#modbus = options.modbus;
    this.#limits = options.limits;
    this.#now = options.now;
  }

  models(unit: number): readonly SunSpecModel[] | undefined {
    return this.#maps.get(unit)?.models;
  }

  async read(nodes: ReadonlyMap<string, Node>, received: Received): Promise<void> {
    // After a new connection it may be another device, or another firmware.
    if (this.#modbus.epoch !== this.#epoch) {
      for (const one of this.#missing.values()) one.untilMs = 0;
      this.#refused.clear();
      this.#unmapped.clear();
    }
    const silent = new Set<number>();
    for (const [unit, wanted] of wantedModels(nodes)) await this.#walk(unit, wanted, { silent, received });
    const limits = {
      ...this.#limits,
      mayCross: (gap: RegisterRange) => this.#gaps.isOpen(gap) && !this.#isMissingIn(gap),
    };
    const ranges = [...nodes.values()].flatMap((node) =>
      rangesOf(node, { limits, models: (unit) => this.models(unit) }),
    );
    const there = ranges.flatMap((one) => this.#withoutMissing(one));
    const needed = there.filter((one) => !received.covers(one));
    if (needed.length < there.length) received.hasAnswered = true;
    const isSuspect = (one: RegisterRange) => this.#missing.has(keyOfRange(one));
    const blocks = planBlocks(
      needed.filter((one) => !isSuspect(one)),
      limits,
    ).flatMap((one) => (this.#isBelieved(this.#refused.get(keyOfRange(one))) ? alone(one) : [one]));
    const suspects = new Map(needed.filter(isSuspect).map((one) => [keyOfRange(one), one]));
    let mayTry = Math.abs(this.#now() - this.#splitAtMs) >= TRY_AFTER_MS;
    for (const one of this.#gaps.trials(blocks, limits, (gap) => !this.#isMissingIn(gap))) {
      if (!("whole" in one)) await this.#readOpen(one, limits, { silent, received });
      // One request in vain is enough for one poll.
      else if (mayTry) mayTry = await this.#try(one, silent, received);
      else await this.#readHalves(one, silent, received);
    }
    for (const one of suspects.values()) await this.#readBlock({ ...one, ranges: [one] }, silent, received);
    if (this.#limits.believesZeros !== true) this.#checkZeros(received);
    this.#checkModels(received);
    this.#epoch = this.#modbus.epoch;
  }

  /** Looks for models as far as they are needed. What was read on the way is as good as any other answer. */
  async #walk(
    unit: number,
    wanted: readonly (readonly number[])[],
    { silent, received }: { silent: Set<number>; received: Received },
  ): Promise<void> {
    const { sunSpec } = this.#modbus;
    const isEnough = () =>
      wanted.every((list) => this.models(unit)?.some(({ id }) => list.includes(id)) === true);
    if (isEnough() || this.#isBelieved(this.#unmapped.get(unit))) return;
    const read = async (start: number, count: number) => {
      try {
        const words = await this.#modbus.read(unit, 3, start, count);
        received.hasAnswered = true;
        received.pieces.push({
          block: { unit, fc: 3, start, end: start + count, ranges: [] },
          words,
          atMs: this.#now(),
        });
        return words;
      } catch (error) {
        if (!isUnsupported(error)) throw error;
        received.hasAnswered = true;
        return undefined;
      }
    };
    try {
      const walk = new SunSpecWalk(read, Math.min(MOST_REGISTERS, this.#limits.maxRegisters));
      const map = this.#maps.get(unit) ?? sunSpec.get(unit) ?? (await walk.find(this.#limits.bases));
      if (map === undefined) {
        this.#unmapped.set(unit, this.#now() + WALK_AGAIN_MS);
        received.fail(
          new DeviceError("unexpected_answer", `unit ${unit} is no SunSpec device`),
          `unit ${unit}`,
        );
        return;
      }
      this.#maps.set(unit, map);
      sunSpec.set(unit, map);
      await walk.follow(map, isEnough);
    } catch (error) {
      received.fail(error, `unit ${unit}`);
      silent.add(unit);
    }
  }

  /** A block without the gaps that an earlier answer of this poll has closed. */
  async #readOpen(
    { ranges }: Block,
    limits: BlockLimits,
    { silent, received }: { silent: Set<number>; received: Received },
  ): Promise<void> {
    for (const one of planBlocks(ranges, { ...limits, gap: limits.maxRegisters }))
      await this.#readBlock(one, silent, received);
  }

  /** Whether two blocks could be read as one. */
  async #try(trial: Trial, silent: Set<number>, received: Received): Promise<boolean> {
    const { whole, halves } = trial;
    if (silent.has(whole.unit)) return false;
    const refusal = await this.#ask(whole, silent, received);
    const isRead = received.covers(whole);
    if (refusal !== undefined) await this.#readHalves(trial, silent, received);
    // Without a half it says nothing: a device that sleeps refuses everything.
    const isKnown = refusal === undefined || halves.every((half) => received.covers(half));
    if (isKnown) this.#gaps.learn(trial, isRead ? "readable" : "refused");
    return isRead;
  }

  async #readHalves({ halves }: Trial, silent: Set<number>, received: Received): Promise<void> {
    for (const half of halves) await this.#readBlock(half, silent, received);
  }

  async #readBlock(block: Block, silent: Set<number>, received: Received): Promise<void> {
    const refusal = await this.#ask(block, silent, received);
    if (refusal === undefined) return;
    const ranges = alone(block);
    if (ranges.length > 1) {
      // One of them does not exist, or one between them; the others are read without it.
      const smaller = this.#gaps.split(block, this.#limits);
      this.#splitAtMs = this.#now();
      if (smaller.length === 1) this.#refused.set(keyOfRange(block), this.#now() + FORGET_MS);
      for (const one of smaller.length === 1 ? ranges : smaller) await this.#readBlock(one, silent, received);
      return;
    }
    const [range = block] = block.ranges;
    this.#missing.set(keyOfRange(range), { range, untilMs: this.#now() + FORGET_MS });
    received.fail(refusal, `register ${block.start}`, received.lackingRegisters);
    // The models may have moved.
    this.#forget(block.unit);
  }

  /** One request; gives why it was refused. */
  async #ask(block: Block, silent: Set<number>, received: Received): Promise<ModbusException | undefined> {
    const { unit, fc, start, end } = block;
    if (silent.has(unit)) return undefined;
    try {
      const words = await this.#modbus.read(unit, fc, start, end - start);
      received.hasAnswered = true;
      if (words.length > 1 && words.every((word, index) => word === ((start + index) & 0xffff)))
        throw new DeviceError(
          "unexpected_answer",
          `unit ${unit} answered with the addresses of its registers`,
        );
      received.blocks.push({ block, words, atMs: this.#now() });
      this.#gaps.prove(block);
      for (const one of block.ranges) this.#missing.delete(keyOfRange(one));
    } catch (error) {
      if (isUnsupported(error) || (isFailure(error) && alone(block).length > 1)) {
        received.hasAnswered = true;
        return error;
      }
      const fault = received.fail(error, `unit ${unit}`);
      // One answer of many may be lost; the others are worth another time-out.
      const isLost = fault.fault === "timeout" && received.isFirstLoss(unit);
      if ((isSilence(fault) && !isLost) || isAbsent(error)) silent.add(unit);
    }
    return undefined;
  }

  /** A clock that was set back makes nothing last longer. */
  #isBelieved(untilMs = 0): boolean {
    const leftMs = untilMs - this.#now();
    return leftMs > 0 && leftMs <= FORGET_MS;
  }

  #isMissingIn(gap: RegisterRange): boolean {
    const isIn = ({ range }: { range: RegisterRange }) =>
      range.unit === gap.unit && range.fc === gap.fc && range.start < gap.end && range.end > gap.start;
    return [...this.#missing.values()].some(isIn);
  }

  /** A range without the parts that the device does not have. */
  #withoutMissing(range: RegisterRange): readonly RegisterRange[] {
    const parts = range.parts ?? [range];
    if (!parts.some((one) => this.#missing.has(keyOfRange(one)))) return [range];
    return parts.filter((one) => !this.#isBelieved(this.#missing.get(keyOfRange(one))?.untilMs));
  }

  /** Some devices answer with zeros only while they start. */
  #checkZeros(received: Received): void {
    const isZero = ({ words }: { words: readonly number[] }) => words.every((word) => word === 0);
    const others = received.blocks.some((one) => !isZero(one));
    received.blocks = received.blocks.filter((one) => {
      const key = keyOfRange(one.block);
      if (one.words.length < SUSPECT_WORDS || !isZero(one)) {
        this.#zeros.delete(key);
        return true;
      }
      const count = (this.#zeros.get(key) ?? 0) + 1;
      this.#zeros.set(key, count);
      if (others && count > BELIEVED_ZEROS) return true;
      received.fail(
        new DeviceError("unexpected_answer", `registers from ${one.block.start} on are all zero`),
        `zeros ${key}`,
      );
      return false;
    });
  }

  /** A model that is no longer where it was: firmware or settings have moved the map. */
  #checkModels(received: Received): void {
    for (const [unit, { models }] of this.#maps)
      for (const { id, address } of models) {
        const header = received.words(unit, 3, address, 1);
        if (header !== undefined && header.words[0] !== id) this.#forget(unit);
      }
  }

  #forget(unit: number): void {
    const { sunSpec } = this.#modbus;
    if (sunSpec.get(unit) === this.#maps.get(unit)) sunSpec.delete(unit);
    this.#maps.delete(unit);
  }
}

/** The models that are needed of each unit: one of each list. */
function wantedModels(nodes: ReadonlyMap<string, Node>): Map<number, (readonly number[])[]> {
  const wanted = new Map<number, (readonly number[])[]>();
  for (const source of sourcesOf(nodes.values()))
    if (source.kind === "sunspec")
      wanted.set(source.unit, [...(wanted.get(source.unit) ?? []), source.models]);
  return wanted;
}

/** Each range of a block in a request of its own. */
function alone({ ranges }: Block): Block[] {
  const different = new Map(ranges.map((range) => [keyOfRange(range), range]));
  return [...different.values()].map((range) => ({ ...range, ranges: [range] }));
}
