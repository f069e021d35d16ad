/** Largest packet that is passed to the broker; also the largest payload that is accepted as telemetry. */
export const MAX_PACKET_BYTES = 256 * 1024;

/** Largest packet of a client that has not signed in yet: its CONNECT packet with the last will. */
export const MAX_CONNECT_BYTES = 64 * 1024;

/** Prefix of the topic of a publish whose payload was removed because of its size. */
export const OVERSIZE_PREFIX = "$oversize/";

/** Larger topics of an oversized publish are not kept: the connection is closed. */
const MAX_OVERSIZE_TOPIC_BYTES = 1024;
/** Filters of an accepted SUBSCRIBE or UNSUBSCRIBE packet have at most this length together. */
const MAX_FILTERS_BYTES = 64 * 1024;

const PUBLISH = 3;
const SUBSCRIBE = 8;
const UNSUBSCRIBE = 10;
const PINGREQ = 12;

/** The packets of a client violate the protocol or the limits; the connection must be closed. */
export class PacketError extends Error {}

/** Result of `PacketFilter.push`. */
export interface FilteredBytes {
  /** Bytes for the broker. */
  passed: Buffer;
  /** Bytes that were not processed because the allowed cost was used up. */
  rest: Buffer;
  /** 1 for each PUBLISH and PINGREQ, the number of filters for SUBSCRIBE and UNSUBSCRIBE. */
  cost: number;
  /** Answers to packets that were refused. */
  answers: Buffer[];
}

const NOTHING = Buffer.alloc(0);

/**
 * Checks the packets of one client before the broker buffers them. The payload of an oversized publish is discarded
 * while it arrives, and the publish continues without it on a topic with `OVERSIZE_PREFIX`: after a closed connection a
 * client would repeat a QoS 1 publish forever. A SUBSCRIBE packet with too many filters is refused as a whole.
 */
export class PacketFilter {
  readonly #limit: number;
  readonly #maxFilters: number;
  readonly #onRefused: () => void;
  /** Packets before the sign-in are limited to the size of a CONNECT packet. */
  isSignedIn = false;
  /** Start of a packet that is not complete enough to decide. */
  #pending: Buffer = NOTHING;
  #passing = 0;
  #skipping = 0;

  /** `onRefused` is called for each SUBSCRIBE and UNSUBSCRIBE packet that is refused. */
  constructor({ limit = MAX_PACKET_BYTES, maxFilters = 500, onRefused = () => {} } = {}) {
    this.#limit = limit;
    this.#maxFilters = maxFilters;
    this.#onRefused = onRefused;
  }

  /** Processes bytes until packets of at least `maxCost` have passed. Throws PacketError. */
  push(chunk: Buffer, maxCost = Number.POSITIVE_INFINITY): FilteredBytes {
    const bytes = this.#pending.length > 0 ? Buffer.concat([this.#pending, chunk]) : chunk;
    this.#pending = NOTHING;
    const out: Buffer[] = [];
    const answers: Buffer[] = [];
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
      const type = bytes[at]! >> 4;
      if (header !== undefined && !this.isSignedIn && header.length > MAX_CONNECT_BYTES)
        throw new PacketError(`A packet before the sign-in has ${header.length} bytes.`);
      if (header !== undefined && (type === SUBSCRIBE || type === UNSUBSCRIBE)) {
        const filters = readFilters(bytes, at, header, type);
        if (filters === undefined) {
          flush();
          this.#pending = Buffer.from(bytes.subarray(at));
          from = at = bytes.length;
          break;
        }
        const isRefused = filters.count > this.#maxFilters || header.length > MAX_FILTERS_BYTES;
        cost += Math.max(1, isRefused ? 1 : filters.count);
        if (isRefused) {
          this.#onRefused();
          flush();
          answers.push(refusal(type, filters));
          this.#skipping = header.bytes + header.length;
          from = at;
        } else {
          at += header.bytes;
          this.#passing = header.length;
        }
        continue;
      }
      if (header !== undefined && header.length <= this.#limit) {
        if (type === PUBLISH || type === PINGREQ) cost++;
        at += header.bytes;
        this.#passing = header.length;
        continue;
      }
      flush();
      const cut = header && cutPublish(bytes, at, header);
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
    return {
      passed: out.length === 1 ? out[0]! : Buffer.concat(out),
      rest: bytes.subarray(at),
      cost,
      answers,
    };
  }
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

interface Filters {
  packetId: number;
  count: number;
}

/** Counts the filters of a SUBSCRIBE or UNSUBSCRIBE packet; undefined while it is incomplete. */
function readFilters(bytes: Buffer, start: number, header: Header, type: number): Filters | undefined {
  if (header.length > MAX_PACKET_BYTES)
    throw new PacketError(`The filters of a packet have ${header.length} bytes.`);
  const end = start + header.bytes + header.length;
  if (bytes.length < end) return undefined;
  const first = start + header.bytes;
  if (header.length < 2) return { packetId: 0, count: 0 };
  const qosBytes = type === SUBSCRIBE ? 1 : 0;
  let count = 0;
  for (let at = first + 2; at + 2 <= end; at += 2 + bytes.readUInt16BE(at) + qosBytes) count++;
  return { packetId: bytes.readUInt16BE(first), count };
}

/** The answer to a refused packet: a SUBACK with a failure code for each filter, or an UNSUBACK. */
function refusal(type: number, { packetId, count }: Filters): Buffer {
  const id = [packetId >> 8, packetId & 0xff];
  if (type === UNSUBSCRIBE) return Buffer.from([0xb0, 2, ...id]);
  return Buffer.concat([Buffer.from([0x90, ...lengthBytes(2 + count), ...id]), Buffer.alloc(count, 0x80)]);
}

/** The oversized publish at `at` without its payload; undefined while topic and packet id are incomplete. */
function cutPublish(bytes: Buffer, at: number, header: Header) {
  const first = bytes[at]!;
  const qos = (first >> 1) & 3;
  if (first >> 4 !== PUBLISH || qos === 3)
    throw new PacketError(`A packet has ${header.length} bytes; at most ${MAX_PACKET_BYTES} are allowed.`);
  const start = at + header.bytes;
  if (bytes.length < start + 2) return undefined;
  const topicBytes = bytes.readUInt16BE(start);
  if (topicBytes > MAX_OVERSIZE_TOPIC_BYTES)
    throw new PacketError("An oversized publish has an oversized topic.");
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
