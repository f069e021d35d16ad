import { Duplex } from "node:stream";

/** Largest packet that is let through to the broker; also the largest payload that is taken as telemetry. */
export const MAX_PACKET_BYTES = 256 * 1024;

/** Stands before the topic of a publish whose payload was cut off for its size. */
export const OVERSIZE_PREFIX = "$oversize/";

/** Longer topics on an oversized publish are not kept: the connection is closed. */
const MAX_OVERSIZE_TOPIC_BYTES = 1024;

const PUBLISH = 3;

/** The packets of a client break the protocol or the limits; its connection has to be closed. */
export class PacketError extends Error {}

/**
 * Watches the bytes of one client, packet by packet, before anything buffers them. What fits passes unchanged. The
 * payload of an oversized publish is dropped as it comes in and the publish goes on without it, to a topic that
 * tells: closing the connection instead would have a client with QoS 1 send it again for ever.
 */
export class PacketFilter {
  readonly #limit: number;
  /** Start of a packet whose header is not complete yet; at most a header and a topic. */
  #pending: Buffer = Buffer.alloc(0);
  #passing = 0;
  #skipping = 0;

  constructor(limit = MAX_PACKET_BYTES) {
    this.#limit = limit;
  }

  /** The bytes to hand on. Throws PacketError when the connection cannot go on. */
  push(chunk: Buffer): Buffer {
    const bytes = this.#pending.length > 0 ? Buffer.concat([this.#pending, chunk]) : chunk;
    this.#pending = Buffer.alloc(0);
    const out: Buffer[] = [];
    // Everything from `from` to `at` may pass; runs of packets leave as one slice.
    let from = 0;
    let at = 0;
    while (at < bytes.length) {
      if (this.#skipping > 0) {
        const skipped = Math.min(this.#skipping, bytes.length - at);
        this.#skipping -= skipped;
        at += skipped;
        from = at;
      } else if (this.#passing > 0) {
        const passed = Math.min(this.#passing, bytes.length - at);
        this.#passing -= passed;
        at += passed;
      } else {
        const header = readHeader(bytes, at);
        if (header !== undefined && header.length <= this.#limit) {
          at += header.bytes;
          this.#passing = header.length;
          continue;
        }
        if (at > from) out.push(bytes.subarray(from, at));
        const cut = header && cutPublish(bytes, at, header);
        if (cut === undefined) {
          this.#pending = Buffer.from(bytes.subarray(at));
          at = bytes.length;
        } else {
          out.push(cut.packet);
          at += cut.bytes;
          this.#skipping = cut.skip;
        }
        from = at;
      }
    }
    if (at > from) out.push(bytes.subarray(from, at));
    return out.length === 1 ? out[0]! : Buffer.concat(out);
  }
}

interface Header {
  /** Length of the fixed header itself. */
  bytes: number;
  /** Length of what follows it. */
  length: number;
}

/** The fixed header at `at`; undefined while it is incomplete. */
function readHeader(bytes: Buffer, at: number): Header | undefined {
  let length = 0;
  for (let index = 0; index < 4; index++) {
    const byte = bytes[at + 1 + index];
    if (byte === undefined) return undefined;
    length += (byte & 0x7f) * 128 ** index;
    if (byte < 0x80) return { bytes: index + 2, length };
  }
  throw new PacketError("A packet has a length of more than four bytes.");
}

/** The oversized publish at `at` without its payload; undefined while topic and id are not there yet. */
function cutPublish(bytes: Buffer, at: number, header: Header) {
  const first = bytes[at]!;
  const qos = (first >> 1) & 3;
  if (first >> 4 !== PUBLISH || qos === 3)
    throw new PacketError(
      `A packet has ${header.length} bytes; the largest allowed has ${MAX_PACKET_BYTES}.`,
    );
  const start = at + header.bytes;
  if (bytes.length < start + 2) return undefined;
  const topicBytes = bytes.readUInt16BE(start);
  if (topicBytes > MAX_OVERSIZE_TOPIC_BYTES)
    throw new PacketError("An oversized packet has an oversized topic.");
  const idBytes = qos > 0 ? 2 : 0;
  const bodyBytes = 2 + topicBytes + idBytes;
  if (bytes.length < start + bodyBytes) return undefined;
  const prefix = Buffer.from(OVERSIZE_PREFIX);
  const topicLength = Buffer.alloc(2);
  topicLength.writeUInt16BE(prefix.length + topicBytes);
  const retainCleared = first & 0xfe;
  return {
    packet: Buffer.concat([
      Buffer.from([retainCleared, ...lengthBytes(prefix.length + bodyBytes)]),
      topicLength,
      prefix,
      bytes.subarray(start + 2, start + bodyBytes),
    ]),
    bytes: header.bytes + bodyBytes,
    skip: header.length - bodyBytes,
  };
}

function lengthBytes(length: number): number[] {
  return length < 128 ? [length] : [(length % 128) | 0x80, ...lengthBytes(Math.floor(length / 128))];
}

/** A socket as the broker sees it: everything read has passed the filter. */
export class GuardedSocket extends Duplex {
  readonly #socket: Duplex;

  constructor(socket: Duplex, filter: PacketFilter) {
    super();
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => {
      try {
        const passed = filter.push(chunk);
        if (passed.length > 0 && !this.push(passed)) socket.pause();
      } catch (error) {
        this.destroy(error as Error);
      }
    });
    socket.on("end", () => this.push(null));
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => this.destroy());
  }

  override _read(): void {
    this.#socket.resume();
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
    this.#socket.destroy();
    done(error);
  }
}
