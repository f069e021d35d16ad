import { DeviceError, type DeviceRequest, type DeviceSource } from "../command.js";
import type { ReadChannels } from "../reading/channels.js";
import type { Node } from "../reading/compile.js";
import type { Evaluated, RegisterPlace } from "../reading/evaluate.js";
import { DevicePoll } from "../reading/poll.js";
import type { RegisterLimits } from "../reading/register-reader.js";
import { encodeRegisters } from "../reading/registers.js";
import { ABSENT, AS_WRITTEN } from "../registers/checks.js";
import type { CommandRegister } from "../registers/compile.js";
import type { RegisterWrite } from "../registers/render.js";
import { ModbusException } from "./modbus-frames.js";
import { type Evidence, Transport } from "./transport.js";

/** The part of a Modbus connection that commands need. */
export type ModbusWay = NonNullable<ReadChannels["modbus"]>;

export interface ModbusTransportOptions {
  connection: ModbusWay;
  release(): void;
  /** What may be read and written, by name. */
  registers: ReadonlyMap<string, CommandRegister>;
  limits: Omit<RegisterLimits, "believesZeros">;
  now(): number;
}

/** A device that does not answer is asked at least this often, whatever the pause of its readings. */
const ASK_MS = 30_000;

/** A place of a write with its words. */
interface Encoded {
  register: CommandRegister;
  place: RegisterPlace;
  words: number[];
  /** As the device holds it. */
  value: number;
}

/** Commands over Modbus: writes registers by their names in the template, and reads them back. */
export class ModbusTransport extends Transport {
  readonly #options: ModbusTransportOptions;
  readonly #poll: DevicePoll;
  readonly #readable: ReadonlyMap<string, Node>;
  /** The registers as they were read last. */
  readonly #image = new Map<string, Evaluated>();
  readonly #written = new Map<string, number>();
  #isKnown = false;
  /** What is read is for a command. */
  #isCommand = false;
  #askedAtMs = -Infinity;
  #marks = 0;

  constructor(options: ModbusTransportOptions) {
    super();
    const { connection, registers, limits, now } = options;
    this.#options = options;
    this.#readable = new Map(
      [...registers.values()].flatMap((one) => (one.isBlind ? [] : [[one.name, one.node] as const])),
    );
    this.#poll = new DevicePoll({
      channels: {
        modbus: {
          get epoch() {
            return connection.epoch;
          },
          get cuts() {
            return connection.cuts;
          },
          sunSpec: connection.sunSpec,
          read: (unit, fc, address, count) =>
            connection.read(unit, fc, address, count, { isCommand: this.#isCommand }),
          write: () => Promise.reject(new Error("A poll does not write.")),
        },
        mqtt: undefined,
      },
      limits: { ...limits, believesZeros: true },
      now,
    });
  }

  async stop(): Promise<void> {
    this.#options.release();
  }

  override mark(): number {
    return ++this.#marks;
  }

  /** Reads all registers of the commands. Throws DeviceError where none can be read. */
  override async refresh(_signal: AbortSignal, { isCommand = false } = {}): Promise<void> {
    if (this.#readable.size === 0) return;
    // A device that is commanded is missed sooner than one that is only read.
    const isDue = Math.abs(this.#options.now() - this.#askedAtMs) >= ASK_MS;
    await this.#read(this.#readable, isCommand || isDue);
    this.#isKnown = true;
  }

  /** The values of the registers by name, without those that are not known; undefined before the first reading. */
  override device(): Readonly<Record<string, number>> | undefined {
    if (!this.#isKnown) return undefined;
    return Object.fromEntries(
      [...this.#image].flatMap(([name, { value }]) => (typeof value === "number" ? [[name, value]] : [])),
    );
  }

  async send({ set = [] }: DeviceRequest, signal: AbortSignal): Promise<void> {
    const writes = set.map((one) => this.#checked(one));
    // A scale factor is of the moment: some devices change it while they run.
    const scaled = writes.filter(({ register }) => isScaled(register.node));
    if (scaled.length > 0)
      await this.#read(new Map(scaled.map(({ register: { name, node } }) => [name, node])), true);
    const encoded = writes.flatMap((one) => this.#encoded(one) ?? []);
    const isNeeded = encoded.some((one) => !one.register.isStored || !this.#hasAlready(one));
    if (!isNeeded) return;
    signal.throwIfAborted();
    await this.#write(encoded);
  }

  async read({ register: name = "", follows }: DeviceSource): Promise<Evidence | undefined> {
    const register = this.#options.registers.get(name);
    const value = this.#image.get(name)?.value;
    if (register === undefined) return undefined;
    if (value === undefined)
      return register.isOptional && this.#isKnown ? { value: ABSENT, isNew: true } : undefined;
    if (follows !== true) return { value: String(value), isNew: true };
    const written = this.#written.get(name);
    if (written === undefined) return undefined;
    const isSame = Math.abs(Number(value) - written) <= register.tolerance;
    return { value: isSame ? AS_WRITTEN : String(value), isNew: true };
  }

  async #read(nodes: ReadonlyMap<string, Node>, isCommand: boolean): Promise<void> {
    this.#isCommand = isCommand;
    if (isCommand) this.#askedAtMs = this.#options.now();
    const { values, hasAnswered, faults } = await this.#poll.run(nodes);
    // A part that was not answered is not a register that the device lacks.
    const silence = faults.find(({ fault }) => fault === "timeout" || fault === "unreachable");
    const isAnyKnown = [...values.values()].some(({ value }) => value !== undefined);
    if (silence !== undefined || (!isAnyKnown && (faults.length > 0 || !hasAnswered))) {
      // What was read before says nothing about a device that is away.
      this.#image.clear();
      this.#isKnown = false;
      throw silence ?? faults[0] ?? new DeviceError("timeout", "did not answer");
    }
    for (const [name, value] of values) this.#image.set(name, value);
  }

  #checked({ register: name, value }: RegisterWrite): { register: CommandRegister; value: number } {
    const register = this.#options.registers.get(name);
    if (register?.write === undefined) throw new DeviceError("template", `${name} must not be written`);
    if (!Number.isFinite(value))
      throw new DeviceError("template", `what ${name} is to be is not known yet, or not allowed`);
    return { register, value };
  }

  /** Undefined: the device does not have the register, and need not have it. */
  #encoded({ register, value }: { register: CommandRegister; value: number }): Encoded | undefined {
    const place = fixedPlace(register.node) ?? this.#image.get(register.name)?.place;
    if (place === undefined) {
      if (register.isOptional) return undefined;
      throw new DeviceError("not_found", `the device has no register for ${register.name}`);
    }
    if (register.isOptional && this.#image.get(register.name)?.value === undefined) return undefined;
    const { scale, offset } = register.node;
    const wanted = this.#withoutSmallChange(register, value);
    const raw = (wanted - offset) / scale / 10 ** place.exponent;
    const isFloat = place.format.type.startsWith("f");
    const words = encodeRegisters(isFloat ? raw : Math.round(raw), place.format);
    if (words === undefined)
      throw new DeviceError(
        "template",
        `${register.name} cannot be ${wanted}: it is too large for its register`,
      );
    const held = isFloat ? wanted : Math.round(raw) * 10 ** place.exponent * scale + offset;
    return { register, place, words, value: Number(held.toPrecision(12)) };
  }

  /** What follows the home is renewed as it is while it changes little. */
  #withoutSmallChange({ name, follows, deadband }: CommandRegister, value: number): number {
    const written = this.#written.get(name);
    if (!follows || written === undefined || this.#image.get(name)?.value !== written) return value;
    return value !== 0 && Math.abs(value - written) < deadband ? written : value;
  }

  #hasAlready({ register, value }: Encoded): boolean {
    const now = this.#image.get(register.name)?.value;
    return typeof now === "number" && Math.abs(now - value) <= register.tolerance / 2;
  }

  /** In one request; the registers must lie side by side. */
  async #write(list: readonly Encoded[]): Promise<void> {
    const [first] = list;
    const sorted = [...list].sort((one, other) => one.place.address - other.place.address);
    const start = sorted[0]!.place.address;
    const words: number[] = [];
    for (const { place, words: own, register } of sorted) {
      if (place.address !== start + words.length || place.unit !== first!.place.unit)
        throw new DeviceError(
          "template",
          `${register.name} does not lie beside the register that is set with it`,
        );
      words.push(...own);
    }
    const { unit } = first!.place;
    const fc = words.length > 1 ? 16 : first!.register.write!;
    try {
      await this.#options.connection.write(unit, fc, start, words);
    } catch (error) {
      if (!(error instanceof ModbusException)) throw error;
      const names = sorted.map(({ register }) => register.name).join(", ");
      throw new DeviceError("refused", `unit ${unit} ${error.message} to ${names} (register ${start})`);
    }
    for (const { register, value } of list) {
      this.#written.set(register.name, value);
      const before = this.#image.get(register.name);
      if (before !== undefined) this.#image.set(register.name, { ...before, value });
    }
  }
}

/** Whether a register is scaled by what the device says. */
function isScaled({ source }: Node): boolean {
  return source.kind === "sunspec" || (source.kind === "register" && source.scaleAt !== undefined);
}

/** The place of a register that does not depend on what the device says. */
function fixedPlace({ source }: Node): RegisterPlace | undefined {
  if (source.kind !== "register" || source.scaleAt !== undefined) return undefined;
  const { unit, address, format } = source;
  return { unit, address, format, exponent: 0 };
}
