import { DeviceError } from "../command.js";
import { ModbusException } from "../transport/modbus-frames.js";
import type { Block, RegisterRange } from "./blocks.js";
import type { ReadingSource } from "./compile.js";
import type { ReceivedText } from "./text-place.js";

interface ReceivedBlock {
  block: Block;
  words: readonly number[];
  atMs: number;
}

/** What a poll has received. */
export class Received {
  readonly texts: Map<string, ReceivedText>;
  readonly objects: Map<number, { words: readonly number[]; atMs: number }>;
  readonly faults = new Map<string, DeviceError>();
  /** Addresses and registers that the device does not have. */
  readonly lacking = new Map<string, DeviceError>();
  readonly lackingRegisters = new Map<string, DeviceError>();
  blocks: ReceivedBlock[] = [];
  /** What was read for another purpose just before. */
  readonly pieces: ReceivedBlock[];
  hasAnswered = false;
  readonly #losses = new Set<number>();

  constructor(before?: Received) {
    this.texts = new Map(before?.texts);
    this.objects = new Map(before?.objects);
    this.pieces = before === undefined ? [] : [...before.blocks, ...before.pieces];
  }

  /** Whether all registers of a range came in one answer. */
  covers({ unit, fc, start, end }: RegisterRange): boolean {
    return this.#found(unit, fc, start, end) !== undefined;
  }

  /** If possible from an answer that has another register as well. */
  words(unit: number, fc: 3 | 4, address: number, count: number, beside = address) {
    const end = address + count;
    const found =
      this.#found(unit, fc, Math.min(address, beside), Math.max(end, beside + 1)) ??
      this.#found(unit, fc, address, end);
    if (found === undefined) return undefined;
    const from = address - found.block.start;
    return { words: found.words.slice(from, from + count), atMs: found.atMs };
  }

  #found(unit: number, fc: 3 | 4, start: number, end: number): ReceivedBlock | undefined {
    const isWhole = ({ block }: ReceivedBlock) =>
      block.unit === unit && block.fc === fc && block.start <= start && end <= block.end;
    return this.blocks.find(isWhole) ?? this.pieces.find(isWhole);
  }

  /** Whether the unit has answered in this poll, and nothing of it was lost before. */
  isFirstLoss(unit: number): boolean {
    const isFirst = !this.#losses.has(unit) && this.blocks.some(({ block }) => block.unit === unit);
    this.#losses.add(unit);
    return isFirst;
  }

  fail(error: unknown, key: string, faults = this.faults): DeviceError {
    if (!(error instanceof DeviceError || error instanceof ModbusException)) throw error;
    const fault = error instanceof DeviceError ? error : new DeviceError("device_error", error.message);
    if (!faults.has(key)) faults.set(key, fault);
    return fault;
  }
}

export function keyOfText(source: Extract<ReadingSource, { kind: "http" | "mqtt" | "udp" }>): string {
  if (source.kind === "http") return source.request.key;
  return source.kind === "mqtt" ? `mqtt ${source.topic}` : `udp ${source.text}`;
}

export function keyOfRange({ unit, fc, start, end }: RegisterRange): string {
  return `${unit} ${fc} ${start} ${end}`;
}

/** The device does not have it, however often it is asked. */
export function isUnsupported(error: unknown): error is ModbusException {
  return error instanceof ModbusException && [1, 2, 3].includes(error.code);
}

/** The device fails at the request; of several registers one may be the cause. */
export function isFailure(error: unknown): error is ModbusException {
  return error instanceof ModbusException && error.code === 4;
}

/** The gateway in between answers that the unit does not. */
export function isAbsent(error: unknown): boolean {
  return error instanceof ModbusException && [10, 11].includes(error.code);
}

/** Nobody answers: further requests would only cost time. */
export function isSilence({ fault }: DeviceError): boolean {
  return fault === "timeout" || fault === "unreachable" || fault === "not_local";
}
