import { DeviceError } from "../command.js";
import { type Block, type BlockLimits, joined, planBlocks, type RegisterRange } from "./blocks.js";
import type { ReadChannels } from "./channels.js";
import { type Node, sourcesOf } from "./compile.js";
import { type Evaluated, evaluateReading, type Snapshot, sunSpecPlaces } from "./evaluate.js";
import { isAbsent, isSilence, isUnsupported, keyOfRange, keyOfText, Received } from "./received.js";
import { pointOf, type SunSpecModel } from "./sunspec.js";
import { walkSunSpec } from "./sunspec-walk.js";

export interface PollLimits extends BlockLimits {
  /** Where the marker of SunSpec may be. */
  bases: readonly number[];
  /** Zeros only are values: of settings, not of measurements. */
  believesZeros?: boolean;
}

type PollChannels = Omit<ReadChannels, "bytes" | "start" | "stop">;

export interface Polled {
  values: Map<string, Evaluated>;
  /** Something answered. */
  hasAnswered: boolean;
  /** The first fault of each part that could not be read. */
  faults: DeviceError[];
}

/** Registers that do not exist are asked for again after this time. */
const FORGET_MS = 600_000;
/** A unit without models is searched again after this time: it may still be starting. */
const WALK_AGAIN_MS = 30_000;
/** Answers that may be lost in one poll of single values. */
const MOST_LOST = 2;
/** An all-zero block is no value, unless it stays so while other registers have values. */
const SUSPECT_WORDS = 4;
const BELIEVED_ZEROS = 3;

/** Reads a device: all that its readings need, in as few requests as it allows. */
export class DevicePoll {
  readonly #channels: PollChannels;
  readonly #limits: PollLimits;
  readonly #now: () => number;
  readonly #seen = new Set<string>();
  readonly #models = new Map<number, SunSpecModel[]>();
  /** Registers that the device does not have, and until when that is believed. */
  readonly #missing = new Map<string, number>();
  /** Blocks that it refused as a whole. */
  readonly #refused = new Map<string, number>();
  /** Objects that had a value once. */
  readonly #answered = new Set<number>();
  readonly #zeros = new Map<string, number>();
  #epoch = 0;

  constructor(options: { channels: PollChannels; limits: PollLimits; now(): number }) {
    this.#channels = options.channels;
    this.#limits = options.limits;
    this.#now = options.now;
  }

  /** Never rejects for what the device does. */
  async run(nodes: ReadonlyMap<string, Node>): Promise<Polled> {
    const { modbus } = this.#channels;
    // After a new connection it may be another device, or another firmware.
    if (modbus !== undefined && modbus.epoch !== this.#epoch) {
      this.#missing.clear();
      this.#refused.clear();
    }
    const received = new Received();
    await this.#readTexts(nodes, received);
    await this.#readObjects(nodes, received);
    if (modbus !== undefined) {
      await this.#readRegisters(nodes, received);
      this.#epoch = modbus.epoch;
    }
    const values = this.#evaluated(nodes, received);
    return { values, hasAnswered: received.hasAnswered, faults: [...received.faults.values()] };
  }

  #evaluated(nodes: ReadonlyMap<string, Node>, received: Received): Map<string, Evaluated> {
    const values = new Map<string, Evaluated>();
    const snapshot: Snapshot = {
      nowMs: this.#now(),
      words: (unit, fc, address, count) => received.words(unit, fc, address, count),
      models: (unit) => this.#models.get(unit),
      text: (source) => received.texts.get(keyOfText(source)),
      object: (id) => received.objects.get(id),
      obis: (code) => this.#channels.obis(code),
      reading: (name) => {
        const node = nodes.get(name);
        const known = values.get(name);
        if (known !== undefined || node === undefined || reading.has(name)) return known;
        reading.add(name);
        return read(name, node);
      },
      seen: this.#seen,
    };
    const reading = new Set<string>();
    const read = (name: string, node: Node) => {
      const value = evaluateReading(node, snapshot);
      values.set(name, value);
      return value;
    };
    for (const [name, node] of nodes) if (!values.has(name)) read(name, node);
    return values;
  }

  async #readTexts(nodes: ReadonlyMap<string, Node>, received: Received): Promise<void> {
    const { mqtt } = this.#channels;
    const skipped = new Set<string>();
    for (const source of sourcesOf(nodes.values())) {
      if (source.kind === "obis" && this.#channels.obis(source.code) !== undefined)
        received.hasAnswered = true;
      if (source.kind !== "http" && source.kind !== "mqtt" && source.kind !== "udp") continue;
      const key = keyOfText(source);
      if (received.texts.has(key) || skipped.has(source.kind) || skipped.has(key)) continue;
      try {
        if (source.kind === "mqtt") {
          if (mqtt?.isConnected === false) throw new DeviceError("no_broker", "the broker is not connected");
          if (source.ask !== undefined) await mqtt?.ask(source.ask.topic, source.ask.payload);
          const last = mqtt?.last(source.topic);
          if (last !== undefined) received.texts.set(key, { ...last });
          received.hasAnswered ||= last !== undefined;
          continue;
        }
        const text =
          source.kind === "http"
            ? await this.#channels.request(source.request)
            : await this.#channels.askUdp(source.text);
        received.texts.set(key, { text, atMs: this.#now() });
        received.hasAnswered = true;
      } catch (error) {
        const fault = received.fail(error, key);
        // An answer that says no is one, too.
        received.hasAnswered ||= source.kind === "http" && !isSilence(fault);
        skipped.add(isSilence(fault) ? source.kind : key);
      }
    }
  }

  async #readObjects(nodes: ReadonlyMap<string, Node>, received: Received): Promise<void> {
    const ids = new Set(sourcesOf(nodes.values()).flatMap((one) => (one.kind === "rct" ? [one.id] : [])));
    const silent: number[] = [];
    let lost = 0;
    for (const id of ids) {
      if (this.#isBelieved(this.#missing, `object ${id}`)) continue;
      try {
        const data = await this.#channels.rct(id);
        const even = Buffer.concat([data, Buffer.alloc(data.length % 2)]);
        const words = Array.from({ length: even.length / 2 }, (_, index) => even.readUInt16BE(index * 2));
        this.#answered.add(id);
        received.objects.set(id, { words, atMs: this.#now() });
        received.hasAnswered = true;
      } catch (error) {
        if (received.fail(error, "rct").fault !== "timeout" || ++lost > MOST_LOST) return;
        if (!this.#answered.has(id)) silent.push(id);
      }
    }
    // It does not answer to what it does not know.
    if (received.objects.size > 0)
      for (const id of silent) this.#missing.set(`object ${id}`, this.#now() + FORGET_MS);
  }

  async #readRegisters(nodes: ReadonlyMap<string, Node>, received: Received): Promise<void> {
    const silent = new Set<number>();
    const sources = sourcesOf(nodes.values());
    const units = new Set(sources.flatMap((one) => (one.kind === "sunspec" ? [one.unit] : [])));
    for (const unit of units)
      if (!this.#models.has(unit) && !this.#isBelieved(this.#missing, `models ${unit}`))
        await this.#walk(unit, silent, received);
    const ranges = [...nodes.values()].flatMap((node) => this.#rangesOf(node));
    const there = ranges.flatMap((one) => this.#withoutMissing(one));
    for (const block of planBlocks(there, this.#limits).flatMap((one) => this.#split(one)))
      if (!silent.has(block.unit)) await this.#readBlock(block, silent, received);
    if (this.#limits.believesZeros !== true) this.#checkZeros(received);
    this.#checkModels(received);
  }

  async #walk(unit: number, silent: Set<number>, received: Received): Promise<void> {
    const read = async (address: number, count: number) => {
      try {
        const words = await this.#channels.modbus!.read(unit, 3, address, count);
        received.hasAnswered = true;
        return words;
      } catch (error) {
        if (!isUnsupported(error)) throw error;
        received.hasAnswered = true;
        return undefined;
      }
    };
    try {
      const { bases } = this.#limits;
      const models = await walkSunSpec(read, {
        bases,
        maxRegisters: Math.min(125, this.#limits.maxRegisters),
      });
      if (models !== undefined) this.#models.set(unit, models);
      else {
        this.#missing.set(`models ${unit}`, this.#now() + WALK_AGAIN_MS);
        received.fail(
          new DeviceError("unexpected_answer", `unit ${unit} is no SunSpec device`),
          `unit ${unit}`,
        );
      }
    } catch (error) {
      received.fail(error, `unit ${unit}`);
      silent.add(unit);
    }
  }

  async #readBlock(block: Block, silent: Set<number>, received: Received): Promise<void> {
    const { unit, fc, start, end } = block;
    try {
      const words = await this.#channels.modbus!.read(unit, fc, start, end - start);
      received.hasAnswered = true;
      if (words.length > 1 && words.every((word, index) => word === ((start + index) & 0xffff)))
        throw new DeviceError(
          "unexpected_answer",
          `unit ${unit} answered with the addresses of its registers`,
        );
      received.blocks.push({ block, words, atMs: this.#now() });
    } catch (error) {
      if (isUnsupported(error)) {
        received.hasAnswered = true;
        if (block.ranges.length > 1) {
          // One of them does not exist, or one between them; the others are read without it.
          this.#refused.set(keyOfRange(block), this.#now() + FORGET_MS);
          for (const smaller of this.#split(block))
            if (!silent.has(unit)) await this.#readBlock(smaller, silent, received);
        } else {
          this.#missing.set(keyOfRange(block), this.#now() + FORGET_MS);
          received.fail(error, `register ${start}`);
          // The models may have moved.
          this.#models.delete(unit);
        }
        return;
      }
      const fault = received.fail(error, `unit ${unit}`);
      // One answer of many may be lost; the others are worth another time-out.
      const isLost = fault.fault === "timeout" && received.isFirstLoss(unit);
      if ((isSilence(fault) && !isLost) || isAbsent(error)) silent.add(unit);
    }
  }

  /** A clock that was set back makes nothing last longer. */
  #isBelieved(marks: ReadonlyMap<string, number>, key: string): boolean {
    const leftMs = (marks.get(key) ?? 0) - this.#now();
    return leftMs > 0 && leftMs <= FORGET_MS;
  }

  /** A range without the parts that the device does not have. */
  #withoutMissing(range: RegisterRange): readonly RegisterRange[] {
    const isThere = (one: RegisterRange) => !this.#isBelieved(this.#missing, keyOfRange(one));
    if (range.parts === undefined) return isThere(range) ? [range] : [];
    const parts = range.parts.filter(isThere);
    return parts.length === range.parts.length ? [range] : parts;
  }

  /** The smaller blocks of one that the device has refused: neighbours together, then each range alone. */
  #split(block: Block): Block[] {
    const { ranges } = block;
    const isRefused = (one: Block) => this.#isBelieved(this.#refused, keyOfRange(one));
    if (!isRefused(block) || ranges.length === 1) return [block];
    const neighbours = planBlocks(ranges, { ...this.#limits, gap: 0 });
    return neighbours.flatMap((one) =>
      isRefused(one) ? one.ranges.map((range) => ({ ...range, ranges: [range] })) : [one],
    );
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
    for (const [unit, models] of this.#models)
      for (const { id, address } of models) {
        const header = received.words(unit, 3, address, 1);
        if (header !== undefined && header.words[0] !== id) this.#models.delete(unit);
      }
  }

  /** What a node needs; parts that are added or subtracted are read together if that is possible. */
  #rangesOf(node: Node): readonly RegisterRange[] {
    const { source, when } = node;
    const before = when === undefined ? [] : this.#rangesOf(when);
    if ("parts" in source) {
      const ranges = source.parts.flatMap((part) => this.#rangesOf(part));
      return [...before, ...(source.kind === "first" ? ranges : joined(ranges, this.#limits))];
    }
    if (source.kind === "register") {
      const { unit, fc, address, format, scaleAt } = source;
      const own = { unit, fc, start: address, end: address + format.words };
      if (scaleAt === undefined) return [...before, own];
      return [...before, ...this.#withScale(own, scaleAt)];
    }
    if (source.kind !== "sunspec") return before;
    const places = sunSpecPlaces(source, this.#models.get(source.unit));
    const ranges = places.flatMap(({ model, instance }) => {
      const point = pointOf(model, source.point, instance);
      if (point === undefined) return [];
      const start = model.address + point.offset;
      const own = { unit: source.unit, fc: 3 as const, start, end: start + point.words };
      // With the header of the model, which shows whether it still is there.
      return [
        { ...own, start: model.address, end: model.address + 2 },
        ...(point.scaleAt === undefined ? [own] : this.#withScale(own, model.address + point.scaleAt)),
      ];
    });
    return [
      ...before,
      ...(places.length > 1 ? joined(ranges, { ...this.#limits, gap: this.#limits.maxRegisters }) : ranges),
    ];
  }

  /** A value and its scale factor are read in one request: some devices change the factor while they run. */
  #withScale(own: RegisterRange, scaleAt: number): RegisterRange[] {
    const both = { ...own, start: Math.min(own.start, scaleAt), end: Math.max(own.end, scaleAt + 1) };
    if (both.end - both.start <= this.#limits.maxRegisters) return [both];
    return [own, { ...own, start: scaleAt, end: scaleAt + 1 }];
  }
}
