import { Duplex } from "node:stream";
import type { PacketFilter } from "./packet-guard.js";
import type { RateShare } from "./publish-rate.js";

/** Packets that pass in one step: one connection must not fill the broker's queue. */
const MAX_STEP = 64;
/** Bytes that wait in front of the broker; its parser takes all of them at once. */
const BUFFER_BYTES = 4 * 1024;

/** A client's socket as the broker sees it: filtered, and read at the rate of its sign-in. */
export class GuardedSocket extends Duplex {
  readonly #socket: Duplex;
  readonly #filter: PacketFilter;
  #share: RateShare | undefined;
  /** Received bytes that have not passed the filter yet. */
  #held: Buffer | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The client sends nothing more. */
  #isEnded = false;
  #isClosed = false;

  /** Address of the client. */
  readonly address: string;
  readonly #onSignedIn: () => void;

  constructor(
    socket: Duplex,
    { filter, address, onSignedIn }: { filter: PacketFilter; address: string; onSignedIn(): void },
  ) {
    super({ readableHighWaterMark: BUFFER_BYTES });
    this.#socket = socket;
    this.#filter = filter;
    this.address = address;
    this.#onSignedIn = onSignedIn;
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

  /** From now on packets of full size pass, at the rate of the share. */
  signedIn(share: RateShare): void {
    this.#onSignedIn();
    this.#filter.isSignedIn = true;
    this.#share = share;
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
    this.#socket.destroy();
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
      const { passed, rest, cost, answers } = this.#filter.push(this.#held, allowed);
      this.#share?.take(cost);
      this.#held = rest.length > 0 ? rest : undefined;
      for (const answer of answers) this.write(answer);
      // `_read` is called again when the broker has taken the bytes.
      const wantsMore = passed.length === 0 || this.push(passed);
      if (this.#held !== undefined || !wantsMore) this.#socket.pause();
      else this.#socket.resume();
      if (wantsMore && (this.#held !== undefined || this.#isEnded || this.#isClosed))
        setImmediate(() => this.#feed());
    } catch (error) {
      this.destroy(error as Error);
    }
  }
}
