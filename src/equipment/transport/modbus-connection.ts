import type { LookupFunction } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { errorMessage } from "../../core/error-message.js";
import { DeviceError } from "../command.js";
import type { SunSpecMap } from "../reading/sunspec-walk.js";
import { AddressQueue } from "./address-queue.js";
import { Backoff } from "./backoff.js";
import { dial } from "./dial.js";
import {
  checkWritten,
  type Framing,
  type ReadFunction,
  readRequest,
  registersOf,
  writeRequest,
} from "./modbus-frames.js";
import { DatagramLink, type ModbusLink, StreamLink } from "./modbus-link.js";
import { openSerial, type SerialSettings } from "./serial.js";

export interface ModbusAddress {
  /** Host, or the path of a serial line. */
  host: string;
  port: number;
  /** Where datagrams go. */
  udpPort: number;
  /** Of several the one that answers is used. */
  framings: readonly Framing[];
  connectDelayMs: number;
  /** Between the end of an answer and the next request. */
  pauseMs: number;
  timeoutMs: number;
  serial: SerialSettings;
}

export interface ModbusConnectionOptions extends ModbusAddress {
  /** Addresses of the host; refuses those that are not allowed. */
  lookup: LookupFunction;
  pausesMs?: readonly number[] | undefined;
}

/** Exceptions of a device that is busy, and how often and after which time it is asked again. */
const BUSY: readonly number[] = [5, 6];
const BUSY_RETRIES = 2;
const BUSY_MS = 100;
/** Devices that take one client only need a moment to see that it has gone. */
const REOPEN_MS = 50;
const REFUSED = "is Modbus switched on? another client?";
/** Connections that the device has closed are counted for this time. */
const CUTS_MS = 600_000;
/** A device behind a gateway is not there, or does not answer. */
const ABSENT: readonly number[] = [10, 11];

/**
 * The only connection to a Modbus address: kept, one request at a time, for all units and devices there. It is closed after a
 * time-out and after an answer that does not belong to its request, so that a late answer meets nobody.
 */
export class ModbusConnection {
  #options: ModbusConnectionOptions;
  readonly #queue = new AddressQueue();
  readonly #reach: Backoff;
  readonly #units = new Map<number, Backoff>();
  #link: ModbusLink | undefined;
  #framing = 0;
  #freeAtMs = 0;
  #closedAtMs = -Infinity;
  /** It has answered on the connection. */
  #hasAnswered = false;
  #cutsAtMs: number[] = [];
  #isStopped = false;
  /** Connections so far: what was learned of a device is learned again after each. */
  epoch = 0;
  /** The SunSpec models of each unit. They stay known over connections: each reading shows whether they still are there. */
  readonly sunSpec = new Map<number, SunSpecMap>();
  /** Bytes sent and received. */
  bytes = 0;

  constructor(options: ModbusConnectionOptions) {
    this.#options = options;
    this.#reach = new Backoff(undefined, options.pausesMs);
  }

  /**
   * Whether another user with these options can share it: a framing that both allow is needed. Then the slower times of the two
   * hold, and only the common framings.
   */
  suits({ framings, connectDelayMs, pauseMs, timeoutMs }: Omit<ModbusAddress, "host" | "port">): boolean {
    const used = this.#options;
    const common = used.framings.filter((one) => isSerial(used.host) || framings.includes(one));
    if (common.length === 0) return false;
    if (common.length < used.framings.length) {
      const current = used.framings[this.#framing % used.framings.length]!;
      this.#framing = Math.max(0, common.indexOf(current));
      if (!common.includes(current)) this.#close();
    }
    this.#options = {
      ...used,
      framings: common,
      connectDelayMs: Math.max(used.connectDelayMs, connectDelayMs),
      pauseMs: Math.max(used.pauseMs, pauseMs),
      timeoutMs: Math.max(used.timeoutMs, timeoutMs),
    };
    return true;
  }

  /** How often the device has closed the connection in the last ten minutes. */
  get cuts(): number {
    this.#cutsAtMs = this.#cutsAtMs.filter((at) => performance.now() - at < CUTS_MS);
    return this.#cutsAtMs.length;
  }

  /** `isCommand`: for a command, before other readings, and also from a device that has not answered lately. */
  async read(
    unit: number,
    fc: ReadFunction,
    address: number,
    count: number,
    { isCommand = false } = {},
  ): Promise<number[]> {
    const request = readRequest(fc, address, count);
    const ask = async () => registersOf(await this.#ask(unit, request, isCommand), count);
    return this.#queue.run(ask, { isCommand });
  }

  /** Writes registers, before any waiting read. */
  async write(unit: number, fc: 6 | 16, address: number, words: readonly number[]): Promise<void> {
    const request = writeRequest(fc, address, words);
    await this.#queue.run(async () => checkWritten(await this.#ask(unit, request, true), request), {
      isCommand: true,
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#close();
  }

  /** Throws DeviceError, ModbusException. */
  async #ask(unit: number, request: Buffer, isCommand: boolean): Promise<Buffer> {
    const longest = [this.#reach, this.#backoffOf(unit)].toSorted((a, b) => b.leftMs - a.leftMs)[0]!;
    if (!isCommand) longest.check(this.#name(unit));
    // A device may have closed the kept connection since the last request, or there was noise on the way.
    const wasOpen = this.#link !== undefined;
    try {
      return await this.#exchange(unit, request);
    } catch (error) {
      // A write may have been taken.
      const isRead = request[0] === 3 || request[0] === 4;
      if (!isRead || !(error instanceof DeviceError)) throw error;
      if (error.fault !== "unexpected_answer" && !(wasOpen && error.fault === "unreachable")) throw error;
      return await this.#exchange(unit, request);
    }
  }

  async #exchange(unit: number, request: Buffer): Promise<Buffer> {
    for (let attempt = 0; ; attempt++) {
      const link = await this.#connected();
      await wait(Math.max(0, this.#freeAtMs - performance.now()));
      try {
        const answer = await link.request(unit, request, this.#options.timeoutMs);
        this.#hasAnswered = true;
        this.bytes += request.length + answer.length;
        this.#freeAtMs = performance.now() + this.#options.pauseMs;
        const code = (answer[0]! & 0x80) === 0 ? undefined : (answer[1] ?? 0);
        if (code !== undefined && BUSY.includes(code) && attempt < BUSY_RETRIES) {
          await wait(BUSY_MS);
          continue;
        }
        if (code !== undefined && ABSENT.includes(code)) this.#backoffOf(unit).fail();
        else this.#backoffOf(unit).succeed();
        this.#reach.succeed();
        return answer;
      } catch (error) {
        const hint = this.#hintAfter(error);
        if (!link.isOpen) this.#cutsAtMs.push(performance.now());
        this.#close();
        if (error instanceof DeviceError && error.fault === "timeout") {
          this.#backoffOf(unit).fail();
          this.#framing++;
        }
        throw error instanceof DeviceError
          ? new DeviceError(error.fault, `${this.#name(unit)} ${error.message}${hint}`)
          : error;
      }
    }
  }

  /** What to look at when it is connected, but has never answered. */
  #hintAfter(error: unknown): string {
    if (this.#hasAnswered || !(error instanceof DeviceError)) return "";
    if (error.fault === "timeout")
      return " although it is connected (is the unit right? does another program read it?)";
    return error.fault === "unreachable" ? " before it answered (does another program hold it?)" : "";
  }

  #backoffOf(unit: number): Backoff {
    const known = this.#units.get(unit) ?? new Backoff(undefined, this.#options.pausesMs);
    this.#units.set(unit, known);
    return known;
  }

  #name(unit: number): string {
    const { host, port } = this.#options;
    return `${host}:${port}, unit ${unit},`;
  }

  async #connected(): Promise<ModbusLink> {
    if (this.#link?.isOpen === false) {
      this.#cutsAtMs.push(performance.now());
      this.#close();
    }
    if (this.#link !== undefined) return this.#link;
    await wait(Math.max(0, this.#closedAtMs + REOPEN_MS - performance.now()));
    const { framings, connectDelayMs } = this.#options;
    const framing = framings[this.#framing % framings.length]!;
    try {
      const link = await this.#open(framing);
      if (this.#isStopped) {
        link.close();
        throw new DeviceError("unreachable", "was stopped");
      }
      this.#link = link;
      this.#hasAnswered = false;
    } catch (error) {
      this.#framing++;
      // Another way to the same device is tried before it is left alone.
      if (this.#framing % framings.length === 0) this.#reach.fail();
      throw error;
    }
    this.epoch++;
    if (connectDelayMs > 0) await wait(connectDelayMs);
    return this.#link;
  }

  async #open(framing: Framing): Promise<ModbusLink> {
    const { host, port, udpPort, serial } = this.#options;
    if (isSerial(host)) return new StreamLink(await openSerial(host, serial), "rtu");
    if (framing !== "udp") return new StreamLink(await dial({ ...this.#options, hint: REFUSED }), framing);
    const address = await this.#address();
    return new DatagramLink({ host: address.address, port: udpPort || port, family: address.family });
  }

  async #address(): Promise<{ address: string; family: number }> {
    const { host, lookup } = this.#options;
    return new Promise((resolve, reject) => {
      lookup(host, {}, (error, address, family) => {
        if (error !== null || typeof address !== "string")
          reject(
            new DeviceError(
              "unreachable",
              `${host} is not reachable: ${errorMessage(error ?? "no address")}`,
            ),
          );
        else resolve({ address, family: family ?? 4 });
      });
    });
  }

  #close(): void {
    if (this.#link !== undefined) this.#closedAtMs = performance.now();
    this.#link?.close();
    this.#link = undefined;
  }
}

/** A serial line has one framing only. */
function isSerial(host: string): boolean {
  return host.startsWith("/dev/");
}
