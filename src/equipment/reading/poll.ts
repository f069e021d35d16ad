import { DeviceError } from "../command.js";
import type { ReadChannels } from "./channels.js";
import { type Node, type ReadingSource, sourcesOf } from "./compile.js";
import { type Evaluated, evaluateReading, type Snapshot } from "./evaluate.js";
import { isSilence, keyOfText, Received } from "./received.js";
import { FORGET_MS, type RegisterLimits, RegisterReader } from "./register-reader.js";

type PollChannels = Omit<ReadChannels, "bytes" | "start" | "stop">;

export interface Polled {
  values: Map<string, Evaluated>;
  /** Something answered. */
  hasAnswered: boolean;
  /** The first fault of each part that could not be read. */
  faults: DeviceError[];
  /** For a reading right after it. */
  received?: Received;
}

/** Answers that may be lost in one poll of single values. */
const MOST_LOST = 2;

/** Reads a device: all that its readings need, in as few requests as it allows. */
export class DevicePoll {
  readonly #channels: PollChannels;
  readonly #now: () => number;
  readonly #registers: RegisterReader | undefined;
  readonly #seen = new Set<string>();
  /** Objects that the device does not have, and until when that is believed. */
  readonly #missing = new Map<number, number>();
  /** Objects that had a value once. */
  readonly #answered = new Set<number>();
  /** Addresses that do not exist, and whose readings have their values from others. */
  readonly #unneeded = new Set<string>();

  constructor({ channels, limits, now }: { channels: PollChannels; limits: RegisterLimits; now(): number }) {
    const { modbus } = channels;
    this.#channels = channels;
    this.#now = now;
    this.#registers = modbus && new RegisterReader({ modbus, limits, now });
  }

  /** Never rejects for what the device does. What was read just before is not read again. */
  async run(nodes: ReadonlyMap<string, Node>, before?: Polled): Promise<Polled> {
    const received = new Received(before?.received);
    await this.#readTexts(nodes, received);
    await this.#readObjects(nodes, received);
    await this.#registers?.read(nodes, received);
    const values = this.#evaluated(nodes, received);
    const faults = [...received.faults.values(), ...this.#lacking(nodes, values, received)];
    return { values, hasAnswered: received.hasAnswered, faults, received };
  }

  /** What does not exist is a fault only of readings that are not known. */
  #lacking(
    nodes: ReadonlyMap<string, Node>,
    values: ReadonlyMap<string, Evaluated>,
    received: Received,
  ): DeviceError[] {
    const unknown = [...nodes].flatMap(([name, node]) =>
      values.get(name)?.value === undefined ? [node] : [],
    );
    const needed = new Set(textsOf(unknown).map(keyOfText));
    for (const key of needed) this.#unneeded.delete(key);
    const texts = [...received.lacking].filter(([key]) => needed.has(key));
    for (const [key] of received.lacking) if (!needed.has(key)) this.#unneeded.add(key);
    const hasUnknownRegister = sourcesOf(unknown).some(
      ({ kind }) => kind === "register" || kind === "sunspec",
    );
    return [
      ...texts.map(([, fault]) => fault),
      ...(hasUnknownRegister ? received.lackingRegisters.values() : []),
    ];
  }

  #evaluated(nodes: ReadonlyMap<string, Node>, received: Received): Map<string, Evaluated> {
    const values = new Map<string, Evaluated>();
    const snapshot: Snapshot = {
      nowMs: this.#now(),
      words: (unit, fc, address, count, beside) => received.words(unit, fc, address, count, beside),
      models: (unit) => this.#registers?.models(unit),
      text: (source) => received.texts.get(keyOfText(source)),
      object: (id) => received.objects.get(id),
      obis: (code) => this.#channels.obis?.(code),
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
    for (const source of sourcesOf(nodes.values()))
      if (source.kind === "obis" && this.#channels.obis?.(source.code) !== undefined)
        received.hasAnswered = true;
    for (const source of textsOf(nodes.values())) {
      const key = keyOfText(source);
      if (received.texts.has(key)) received.hasAnswered = true;
      if (received.texts.has(key) || skipped.has(source.kind) || skipped.has(key)) continue;
      if (this.#unneeded.has(key)) continue;
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
            ? await this.#channels.request!(source.request)
            : await this.#channels.askUdp!(source.text);
        received.texts.set(key, { text, atMs: this.#now() });
        received.hasAnswered = true;
      } catch (error) {
        const isLacking = error instanceof DeviceError && error.fault === "not_found";
        const fault = received.fail(error, key, isLacking ? received.lacking : received.faults);
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
      if (received.objects.has(id)) received.hasAnswered = true;
      if (received.objects.has(id) || this.#isMissing(id)) continue;
      try {
        const data = await this.#channels.rct!(id);
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
    if (received.objects.size > 0) for (const id of silent) this.#missing.set(id, this.#now() + FORGET_MS);
  }

  #isMissing(id: number): boolean {
    // A clock that was set back makes nothing last longer.
    const leftMs = (this.#missing.get(id) ?? 0) - this.#now();
    return leftMs > 0 && leftMs <= FORGET_MS;
  }
}

type TextSource = Extract<ReadingSource, { kind: "http" | "mqtt" | "udp" }>;

function textsOf(nodes: Iterable<Node>): TextSource[] {
  return sourcesOf(nodes).filter(
    (source): source is TextSource =>
      source.kind === "http" || source.kind === "mqtt" || source.kind === "udp",
  );
}
