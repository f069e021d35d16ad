import { DeviceError } from "../command.js";

/**
 * Frames of Modbus: with the header of Modbus TCP, as on a serial line (RTU), and in datagrams (RTU, some devices put AA 55 before
 * the answer).
 */
export type Framing = "tcp" | "rtu" | "udp";

export type ReadFunction = 3 | 4;

/** The device refused a request. */
export class ModbusException extends Error {
  override readonly name = "ModbusException";

  constructor(readonly code: number) {
    super(`answered with exception ${code} (${EXCEPTIONS[code] ?? "unknown"})`);
  }
}

const EXCEPTIONS: Readonly<Record<number, string>> = {
  1: "function not supported",
  2: "register does not exist",
  3: "value not allowed",
  4: "device failure",
  5: "acknowledged, takes longer",
  6: "busy",
  10: "gateway: no path",
  11: "gateway: the unit does not answer",
  128: "no permission",
};

export function readRequest(fc: ReadFunction, address: number, count: number): Buffer {
  const pdu = Buffer.alloc(5);
  pdu[0] = fc;
  pdu.writeUInt16BE(address, 1);
  pdu.writeUInt16BE(count, 3);
  return pdu;
}

/** Writes registers by function 6 (one) or 16. */
export function writeRequest(fc: 6 | 16, address: number, words: readonly number[]): Buffer {
  const pdu = Buffer.alloc(fc === 6 ? 5 : 6 + words.length * 2);
  pdu[0] = fc;
  pdu.writeUInt16BE(address, 1);
  if (fc === 6) pdu.writeUInt16BE(words[0]! & 0xffff, 3);
  else {
    pdu.writeUInt16BE(words.length, 3);
    pdu[5] = words.length * 2;
    for (const [index, word] of words.entries()) pdu.writeUInt16BE(word & 0xffff, 6 + index * 2);
  }
  return pdu;
}

/** The registers of an answer to a read. Throws ModbusException, DeviceError. */
export function registersOf(answer: Buffer, count: number): number[] {
  checkException(answer);
  if (answer.length !== 2 + count * 2 || answer[1] !== count * 2)
    throw new DeviceError(
      "unexpected_answer",
      `answered with ${answer.length} bytes instead of ${2 + count * 2}`,
    );
  return Array.from({ length: count }, (_, index) => answer.readUInt16BE(2 + index * 2));
}

/** Throws ModbusException, DeviceError unless the answer confirms the write. */
export function checkWritten(answer: Buffer, request: Buffer): void {
  checkException(answer);
  if (!answer.subarray(0, 5).equals(request.subarray(0, 5)))
    throw new DeviceError("unexpected_answer", "confirmed another write than the one that was sent");
}

function checkException(answer: Buffer): void {
  if ((answer[0]! & 0x80) !== 0) throw new ModbusException(answer[1] ?? 0);
}

/** What a request waits for. */
export interface Expected {
  id: number;
  unit: number;
  request: Buffer;
}

export function encodeFrame(framing: Framing, { id, unit, request }: Expected): Buffer {
  if (framing !== "tcp") {
    const frame = Buffer.concat([Buffer.from([unit]), request]);
    const crc = Buffer.alloc(2);
    crc.writeUInt16LE(crc16(frame));
    return Buffer.concat([frame, crc]);
  }
  const header = Buffer.alloc(7);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(request.length + 1, 4);
  header[6] = unit;
  return Buffer.concat([header, request]);
}

/**
 * The answer in what was received so far; undefined while it is not complete. Throws DeviceError for an answer that belongs to
 * another request, or that is none: after it nothing on the connection can be trusted.
 */
export function decodeFrame(framing: Framing, received: Buffer, expected: Expected): Buffer | undefined {
  return framing === "tcp" ? decodeTcp(received, expected) : decodeRtu(received, expected);
}

/** Largest unit, function and data of a frame. */
const LARGEST_BODY = 254;

function decodeTcp(received: Buffer, { id, unit, request }: Expected): Buffer | undefined {
  if (received.length < 6) return undefined;
  const length = received.readUInt16BE(4);
  if (received.readUInt16BE(2) !== 0 || length < 3 || length > LARGEST_BODY)
    throw new DeviceError("unexpected_answer", "answered with something that is not Modbus");
  if (received.length < 6 + length) return undefined;
  const answer = received.subarray(7, 6 + length);
  const other =
    received.readUInt16BE(0) !== id
      ? "the answer to another request (late?)"
      : received[6] !== unit
        ? `the answer of unit ${received[6]}`
        : (answer[0]! & 0x7f) !== request[0]
          ? "the answer to another function"
          : received.length > 6 + length
            ? "more than one answer"
            : undefined;
  if (other !== undefined) throw new DeviceError("unexpected_answer", `gave ${other}`);
  return Buffer.from(answer);
}

/** Noise before the frame is skipped: adapters pass on what they hear while a line is switched. */
function decodeRtu(received: Buffer, { unit, request }: Expected): Buffer | undefined {
  for (let at = 0; at + 5 <= received.length; at++) {
    if (received[at] !== unit || (received[at + 1]! & 0x7f) !== request[0]) continue;
    const length = rtuLength(received.subarray(at), request);
    if (at + length > received.length) continue;
    const frame = received.subarray(at, at + length);
    if (crc16(frame.subarray(0, -2)) === frame.readUInt16LE(length - 2))
      return Buffer.from(frame.subarray(1, -2));
  }
  if (received.length > 600)
    throw new DeviceError("unexpected_answer", "answered with something that is not Modbus");
  return undefined;
}

function rtuLength(frame: Buffer, request: Buffer): number {
  if ((frame[1]! & 0x80) !== 0) return 5;
  return request[0] === 6 || request[0] === 16 ? 8 : 5 + frame[2]!;
}

function crc16(bytes: Buffer): number {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
}
