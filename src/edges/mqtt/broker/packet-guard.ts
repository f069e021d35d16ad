import { encodePacket, type QoS } from "./message.js";
import { REASON } from "./reason-codes.js";

/** Largest packet that is passed to the broker; also the largest payload that is accepted as telemetry. */
export const MAX_PACKET_BYTES = 256 * 1024;

/** Largest packet of a client that has not signed in yet: its CONNECT packet with the last will. */
export const MAX_CONNECT_BYTES = 64 * 1024;

/** Prefix of the topic of a publish whose payload was removed because of its size. */
export const OVERSIZE_PREFIX = "$oversize/";

/** Larger topics of an oversized publish are not kept: the connection is closed. */
const MAX_OVERSIZE_TOPIC_BYTES = 1024;
const CONNECT = 1;
const PUBLISH = 3;
const SUBSCRIBE = 8;
const UNSUBSCRIBE = 10;
const PINGREQ = 12;
/** Packets that count for the rate. */
const COUNTED = [PUBLISH, SUBSCRIBE, UNSUBSCRIBE, PINGREQ];
/** Levels of the protocol by its name in CONNECT: 3.1, 3.1.1 and 5. */
const LEVELS: Readonly<Record<string, readonly number[]>> = { MQIsdp: [3], MQTT: [4, 5] };
/** Bridges set this bit. */
const BRIDGE_BIT = 0x80;

/** The packets of a client violate the protocol or the limits; the connection must be closed. */
export class PacketError extends Error {
  /** Reason code of MQTT 5. */
  readonly code: number;

  constructor(message: string, code: number = REASON.malformed) {
    super(message);
    this.code = code;
  }
}

/** A client speaks a version of the protocol that the broker does not. */
export class ProtocolVersionError extends PacketError {
  readonly level: number;

  constructor(level: number) {
    super(`The client speaks MQTT protocol level ${level}; use MQTT 3.1.1 or 5.`, REASON.unsupportedVersion);
    this.level = level;
  }
}

/** Result of `PacketFilter.push`. */
export interface FilteredBytes {
  /** Bytes for the broker. */
  passed: Buffer;
  /** Bytes that were not processed because the allowed cost was used up. */
  rest: Buffer;
  /** Packets that count for the rate. */
  cost: number;
}

const NOTHING = Buffer.alloc(0);

/**
 * Checks the packets of one client before the broker buffers them. The payload of an oversized publish is discarded
 * while it arrives, and the publish continues without it on a topic with `OVERSIZE_PREFIX`: after a closed connection a
 * client would repeat a QoS 1 publish forever.
 */
export class PacketFilter {
  readonly #limit: number;
  /** The version of the protocol; undefined before the sign-in, when packets are limited to the size of a CONNECT packet. */
  version: number | undefined;
  #isKnownProtocol = false;
  /** Start of a packet that is not complete enough to decide. */
  #pending: Buffer = NOTHING;
  #passing = 0;
  #skipping = 0;

  constructor({ limit = MAX_PACKET_BYTES } = {}) {
    this.#limit = limit;
  }

  /** Processes bytes until packets of at least `maxCost` have passed. Throws PacketError. */
  push(chunk: Buffer, maxCost = Number.POSITIVE_INFINITY): FilteredBytes {
    const bytes = this.#pending.length > 0 ? Buffer.concat([this.#pending, chunk]) : chunk;
    this.#pending = NOTHING;
    const out: Buffer[] = [];
    let cost = 0;
    // Bytes from `from` to `at` pass; a run of packets leaves as one slice.
    let from = 0;
    let at = 0;
    const flush = () => {
      if (at > from) out.push(bytes.subarray(from, at));
    };
    while (at < bytes.length) {
      if (this.#skipping > 0) {
        const skipped = Math.min(this.#skipping, bytes.length - at);
        this.#skipping -= skipped;
        at += skipped;
        from = at;
        continue;
      }
      if (this.#passing > 0) {
        const passed = Math.min(this.#passing, bytes.length - at);
        this.#passing -= passed;
        at += passed;
        continue;
      }
      if (cost >= maxCost) break;
      const header = readHeader(bytes, at);
      if (header !== undefined && this.#isAcceptable(bytes, at, header)) {
        if (COUNTED.includes(bytes[at]! >> 4)) cost++;
        at += header.bytes;
        this.#passing = header.length;
        continue;
      }
      flush();
      const cut = header && header.length > this.#limit ? this.#cut(bytes, at, header) : undefined;
      if (cut === undefined) {
        this.#pending = Buffer.from(bytes.subarray(at));
        at = bytes.length;
      } else {
        cost++;
        out.push(cut.packet);
        at += cut.bytes;
        this.#skipping = cut.skip;
      }
      from = at;
    }
    flush();
    return { passed: out.length === 1 ? out[0]! : Buffer.concat(out), rest: bytes.subarray(at), cost };
  }

  /** False if the packet is too large, or too little of it is there to decide. */
  #isAcceptable(bytes: Buffer, at: number, { bytes: start, length }: Header): boolean {
    if (this.version === undefined && length > MAX_CONNECT_BYTES)
      throw new PacketError(`A packet before the sign-in has ${length} bytes.`);
    if (!this.#isKnownProtocol && bytes[at]! >> 4 === CONNECT) {
      const level = readLevel(bytes.subarray(at + start, at + start + length), length);
      if (level === undefined) return false;
      this.#isKnownProtocol = true;
    }
    return length <= this.#limit;
  }

  #cut(bytes: Buffer, at: number, header: Header) {
    return cutPublish(bytes, at, { header, version: this.version ?? 4 });
  }
}

/** The protocol level of a CONNECT packet; undefined while that is incomplete. Throws ProtocolVersionError. */
function readLevel(body: Buffer, length: number): number | undefined {
  if (length < 2) throw new PacketError("A CONNECT packet is too short.");
  if (body.length < 2) return undefined;
  const nameEnd = 2 + body.readUInt16BE(0);
  if (nameEnd >= length) throw new PacketError("A CONNECT packet is too short.");
  const level = body[nameEnd];
  if (level === undefined) return undefined;
  const levels = LEVELS[body.toString("latin1", 2, nameEnd)];
  if (levels === undefined) throw new PacketError("A client speaks another protocol than MQTT.");
  if (!levels.includes(level & ~BRIDGE_BIT)) throw new ProtocolVersionError(level);
  return level;
}

interface Header {
  /** Length of the fixed header. */
  bytes: number;
  /** Length of the rest of the packet. */
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
  throw new PacketError("The length field of a packet has more than four bytes.");
}

/** The oversized publish at `at` without its payload; undefined while topic and packet id are incomplete. */
function cutPublish(bytes: Buffer, at: number, { header, version }: { header: Header; version: number }) {
  const first = bytes[at]!;
  const qos = (first >> 1) & 3;
  if (first >> 4 !== PUBLISH || qos === 3)
    throw new PacketError(
      `A packet has ${header.length} bytes; at most ${MAX_PACKET_BYTES} are allowed.`,
      REASON.packetTooLarge,
    );
  const start = at + header.bytes;
  if (bytes.length < start + 2) return undefined;
  const topicBytes = bytes.readUInt16BE(start);
  if (topicBytes > MAX_OVERSIZE_TOPIC_BYTES)
    throw new PacketError("An oversized publish has an oversized topic.");
  const topicEnd = start + 2 + topicBytes;
  const bodyEnd = topicEnd + (qos > 0 ? 2 : 0);
  if (bytes.length < bodyEnd) return undefined;
  const id = qos > 0 ? { messageId: bytes.readUInt16BE(topicEnd) } : {};
  if (id.messageId === 0) throw new PacketError("A packet has the packet identifier 0.");
  const topic = OVERSIZE_PREFIX + bytes.toString("utf8", start + 2, topicEnd);
  const dup = (first & 8) !== 0;
  return {
    packet: encodePacket(
      { cmd: "publish", topic, payload: "", qos: qos as QoS, dup, retain: false, ...id },
      version,
    ),
    bytes: bodyEnd - at,
    skip: header.length - (bodyEnd - start),
  };
}
