/**
 * Frames of RCT Power: `+`, command, length, object id, data, checksum. `+` and `-` within a frame are escaped by a `-` before
 * them.
 */

const START = 0x2b;
const ESCAPE = 0x2d;
const READ = 1;
const RESPONSE = 5;
const LONG_RESPONSE = 6;
const CHECKSUM = 2;

/** The value of an object, as the device sends it. */
export interface RctValue {
  id: number;
  data: Buffer;
}

/** A request for the value of an object. */
export function rctRequest(id: number): Buffer {
  const body = Buffer.alloc(6);
  body[0] = READ;
  body[1] = 4;
  body.writeUInt32BE(id, 2);
  return rctFrame(body);
}

/** A frame with its checksum. */
export function rctFrame(body: Buffer): Buffer {
  const checksum = Buffer.alloc(CHECKSUM);
  checksum.writeUInt16BE(crc16(body));
  const escaped = [...body, ...checksum].flatMap((byte) =>
    byte === START || byte === ESCAPE ? [ESCAPE, byte] : [byte],
  );
  return Buffer.from([START, ...escaped]);
}

/** Takes what comes over a connection; what is no frame, or has a wrong checksum, is skipped. */
export class RctReceiver {
  /** Undefined: waits for the start of a frame. */
  #body: number[] | undefined;
  #isEscaped = false;

  /** The values that are complete with these bytes. */
  take(chunk: Uint8Array): RctValue[] {
    const values: RctValue[] = [];
    for (const byte of chunk) {
      // Within a frame it would be escaped.
      if (byte === START && !this.#isEscaped) {
        this.#body = [];
        continue;
      }
      if (this.#body === undefined) continue;
      if (byte === ESCAPE && !this.#isEscaped) {
        this.#isEscaped = true;
        continue;
      }
      this.#isEscaped = false;
      this.#body.push(byte);
      if (this.#body.length < 3 || this.#body.length < lengthOf(this.#body) + CHECKSUM) continue;
      const value = answerIn(Buffer.from(this.#body));
      if (value !== undefined) values.push(value);
      this.#body = undefined;
    }
    return values;
  }
}

function isLong(command: number | undefined): boolean {
  return command === LONG_RESPONSE;
}

/** Bytes of a frame without its checksum. */
function lengthOf([command, first = 0, second = 0]: readonly number[]): number {
  return isLong(command) ? 3 + (first << 8) + second : 2 + first;
}

/** Undefined for a frame that is no answer. */
function answerIn(frame: Buffer): RctValue | undefined {
  const body = frame.subarray(0, -CHECKSUM);
  const [command] = body;
  const at = isLong(command) ? 3 : 2;
  if (command !== RESPONSE && command !== LONG_RESPONSE) return undefined;
  if (body.length < at + 4 || crc16(body) !== frame.readUInt16BE(body.length)) return undefined;
  return { id: body.readUInt32BE(at), data: Buffer.from(body.subarray(at + 4)) };
}

/** CRC-16 of CCITT, over an even number of bytes. */
function crc16(bytes: Uint8Array): number {
  let crc = 0xffff;
  for (const byte of [...bytes, ...(bytes.length % 2 === 1 ? [0] : [])]) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) !== 0 ? ((crc << 1) ^ 0x1021) & 0xffff : crc << 1;
  }
  return crc & 0xffff;
}
