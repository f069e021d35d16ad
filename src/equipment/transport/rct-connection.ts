import type { LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import { DeviceError } from "../command.js";
import { AddressQueue } from "./address-queue.js";
import { Backoff } from "./backoff.js";
import { dial } from "./dial.js";
import { RctReceiver, type RctValue, rctRequest } from "./rct-frames.js";

export interface RctOptions {
  host: string;
  port: number;
  lookup: LookupFunction;
  timeoutMs: number;
  pausesMs?: readonly number[] | undefined;
}

const REFUSED = "is its network interface on? another client?";

/**
 * The only connection to an inverter of RCT Power: kept, one request at a time. Answers to other programs come over it, too; an
 * answer belongs to the object that it names.
 */
export class RctConnection {
  readonly #options: RctOptions;
  readonly #queue = new AddressQueue();
  readonly #reach: Backoff;
  #stream: Duplex | undefined;
  #onValue: (value: RctValue) => void = () => {};
  #onEnd: () => void = () => {};
  #isStopped = false;
  /** Bytes sent and received. */
  bytes = 0;

  constructor(options: RctOptions) {
    this.#options = options;
    this.#reach = new Backoff(undefined, options.pausesMs);
  }

  /** The data of an object. Throws DeviceError. */
  read(id: number): Promise<Buffer> {
    return this.#queue.run(async () => {
      const { host, port } = this.#options;
      this.#reach.check(`${host}:${port}`);
      // The device may have closed the kept connection since the last request.
      const wasOpen = this.#stream !== undefined;
      try {
        const data = await this.#ask(await this.#connected(), id).catch(async (error: unknown) => {
          if (!wasOpen || !(error instanceof DeviceError) || error.fault !== "unreachable") throw error;
          return this.#ask(await this.#connected(), id);
        });
        this.#reach.succeed();
        return data;
      } catch (error) {
        this.#close();
        this.#reach.fail();
        throw error;
      }
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#close();
  }

  async #ask(stream: Duplex, id: number): Promise<Buffer> {
    const { host, port, timeoutMs } = this.#options;
    let limit: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Buffer>((resolve, reject) => {
        const fail = (fault: "timeout" | "unreachable", reason: string) =>
          reject(new DeviceError(fault, `${host}:${port} ${reason}`));
        limit = setTimeout(() => fail("timeout", `did not answer within ${timeoutMs / 1000} s`), timeoutMs);
        this.#onValue = (value) => value.id === id && resolve(value.data);
        this.#onEnd = () => fail("unreachable", "closed the connection (another program may read it, too)");
        const request = rctRequest(id);
        this.bytes += request.length;
        stream.write(request);
      });
    } finally {
      clearTimeout(limit);
      this.#onValue = () => {};
      this.#onEnd = () => {};
    }
  }

  async #connected(): Promise<Duplex> {
    if (this.#stream !== undefined) return this.#stream;
    const stream = await dial({ ...this.#options, hint: REFUSED });
    const receiver = new RctReceiver();
    stream.on("data", (chunk: Buffer) => {
      this.bytes += chunk.length;
      for (const value of receiver.take(chunk)) this.#onValue(value);
    });
    stream.on("error", () => {});
    stream.on("close", () => {
      if (this.#stream === stream) this.#stream = undefined;
      this.#onEnd();
    });
    if (this.#isStopped) {
      stream.destroy();
      throw new DeviceError("unreachable", "was stopped");
    }
    this.#stream = stream;
    return stream;
  }

  #close(): void {
    this.#stream?.destroy();
    this.#stream = undefined;
  }
}
