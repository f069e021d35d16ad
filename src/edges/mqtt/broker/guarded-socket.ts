import { Duplex } from "node:stream";
import type { PacketFilter } from "./packet-guard.js";
import type { RateShare } from "./publish-rate.js";

/** Packets that pass in one step: one connection must not fill the broker's queue. */
const MAX_STEP = 64;
/** Bytes that wait in front of the broker; its parser takes all of them at once. */
const BUFFER_BYTES = 4 * 1024;
/** Time for the last bytes to reach the client. */
const GOODBYE_MS = 500;

interface GuardOptions {
  filter: PacketFilter;
  address: string;
  onSignedIn(): void;
  /** What is sent to the client before the connection ends because of its packets. */
  answerError(error: Error): Buffer | undefined;
}

/** A client's socket as the broker sees it: filtered, and read at the rate of its sign-in. */
export class GuardedSocket extends Duplex {
  readonly #socket: Duplex;
  readonly #options: GuardOptions;
  #share: RateShare | undefined;
  /** Received bytes that have not passed the filter yet. */
  #held: Buffer | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The client sends nothing more. */
  #isEnded = false;
  #isClosed = false;

  constructor(socket: Duplex, options: GuardOptions) {
    super({ readableHighWaterMark: BUFFER_BYTES });
    this.#socket = socket;
    this.#options = options;
    socket.on("data", (chunk: Buffer) => {
      this.#held = this.#held === undefined ? chunk : Buffer.concat([this.#held, chunk]);
      this.#feed();
    });
    socket.on("end", () => {
      this.#isEnded = true;
      this.#feed();
    });
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => {
      this.#isClosed = true;
      this.#feed();
    });
  }

  /** Address of the client. */
  get address(): string {
    return this.#options.address;
  }

  /** From now on packets of full size pass, at the rate of the share. */
  signedIn(share: RateShare, version: number): void {
    this.#options.onSignedIn();
    this.#options.filter.version = version;
    this.#share = share;
  }

  /** A packet counts as several. */
  charge(packets: number): void {
    this.#share?.take(packets);
  }

  override _read(): void {
    this.#feed();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _writev(
    chunks: { chunk: Buffer; encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    const bytes = chunks.map(({ chunk, encoding }) =>
      typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk,
    );
    this.#socket.write(Buffer.concat(bytes), done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#timer);
    this.#held = undefined;
    const socket = this.#socket;
    // The last packet, such as a DISCONNECT, would be lost if received bytes were unread when the socket closes.
    socket.removeAllListeners("data");
    socket.on("data", () => {});
    socket.resume();
    socket.end();
    const timer = setTimeout(() => socket.destroy(), GOODBYE_MS).unref();
    socket.once("close", () => clearTimeout(timer));
    done(error);
  }

  #feed(): void {
    if (this.#timer !== undefined || this.destroyed) return;
    if (this.#held === undefined) {
      if (this.#isClosed) this.destroy();
      else if (this.#isEnded) this.push(null);
      else this.#socket.resume();
      return;
    }
    const allowed = Math.min(MAX_STEP, this.#share?.available() ?? MAX_STEP);
    if (allowed === 0) {
      this.#socket.pause();
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        this.#feed();
      }, this.#share!.waitMs()).unref();
      return;
    }
    try {
      const { passed, rest, cost } = this.#options.filter.push(this.#held, allowed);
      this.#share?.take(cost);
      this.#held = rest.length > 0 ? rest : undefined;
      // `_read` is called again when the broker has taken the bytes.
      const wantsMore = passed.length === 0 || this.push(passed);
      if (this.#held !== undefined || !wantsMore) this.#socket.pause();
      else this.#socket.resume();
      if (wantsMore && (this.#held !== undefined || this.#isEnded || this.#isClosed))
        setImmediate(() => this.#feed());
    } catch (error) {
      const answer = this.#options.answerError(error as Error);
      if (answer !== undefined) this.#socket.write(answer);
      this.destroy(error as Error);
    }
  }
}
