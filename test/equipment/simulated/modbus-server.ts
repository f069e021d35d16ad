import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

/** The registers that a unit has now, by address as on the wire. An address that is not among them is refused. */
export interface Unit {
  holding?: ReadonlyMap<number, number>;
  input?: ReadonlyMap<number, number>;
  /** Takes a write; false refuses it. Without it the unit cannot be written to. */
  write?(address: number, values: readonly number[], functionCode: 6 | 16): boolean;
}

/** `tcp`: Modbus TCP. `rtu`: RTU frames over TCP. `udp`: RTU frames over UDP, answers with AA 55 before them. */
export type Framing = "tcp" | "rtu" | "udp";

export interface ModbusFaults {
  /** Does not answer. */
  silent: boolean;
  /** Exception code of all answers. */
  exception: number | undefined;
  /** Delay of each answer, ms. */
  lateMs: number;
}

const ILLEGAL_FUNCTION = 1;
const ILLEGAL_ADDRESS = 2;
const ILLEGAL_VALUE = 3;
const UNIT_ABSENT = 0x0b;

/** A Modbus server on loopback. `unit` gives the registers at the time of the request; undefined: there is no such unit. */
export class ModbusServer {
  readonly faults: ModbusFaults = { silent: false, exception: undefined, lateMs: 0 };
  /** Requests so far: unit, function, address, number of registers. */
  readonly requests: { unit: number; functionCode: number; address: number; count: number }[] = [];
  readonly writes: { unit: number; functionCode: number; address: number; values: number[] }[] = [];
  readonly #unit: (id: number) => Unit | undefined;
  readonly #framing: Framing;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #udp: UdpSocket | undefined;
  #port = 0;

  constructor(unit: (id: number) => Unit | undefined, framing: Framing = "tcp") {
    this.#unit = unit;
    this.#framing = framing;
  }

  get port(): number {
    return this.#port;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Listens on the same port as before. */
  async start(): Promise<this> {
    if (this.#framing === "udp") {
      const udp = createSocket("udp4");
      udp.on("message", (frame, { port, address }) => {
        const answer = this.#answerRtu(frame);
        if (answer)
          this.#later(() => udp.send(Buffer.concat([Buffer.from([0xaa, 0x55]), answer]), port, address));
      });
      udp.bind(this.#port, "127.0.0.1");
      await once(udp, "listening");
      this.#port = udp.address().port;
      this.#udp = udp;
      return this;
    }
    const server = createServer((socket) => this.#serve(socket));
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
    return this;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    const server = this.#server;
    this.#server = undefined;
    if (server) await new Promise((resolve) => server.close(resolve));
    this.#udp?.close();
    this.#udp = undefined;
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
    let buffer = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      buffer = Buffer.concat([buffer, chunk]);
      for (;;) {
        const length = this.#framing === "tcp" ? tcpLength(buffer) : rtuLength(buffer);
        if (length === undefined || buffer.length < length) return;
        const frame = buffer.subarray(0, length);
        buffer = buffer.subarray(length);
        const answer = this.#framing === "tcp" ? this.#answerTcp(frame) : this.#answerRtu(frame);
        if (answer) this.#later(() => socket.writable && socket.write(answer));
      }
    });
  }

  #later(send: () => void): void {
    if (this.faults.lateMs > 0) setTimeout(send, this.faults.lateMs);
    else send();
  }

  #answerTcp(frame: Buffer): Buffer | undefined {
    const pdu = this.#answer(frame[6]!, frame.subarray(7));
    if (!pdu) return undefined;
    const head = Buffer.alloc(7);
    frame.copy(head, 0, 0, 2);
    head.writeUInt16BE(pdu.length + 1, 4);
    head[6] = frame[6]!;
    return Buffer.concat([head, pdu]);
  }

  #answerRtu(frame: Buffer): Buffer | undefined {
    const body = frame.subarray(0, -2);
    if (frame.readUInt16LE(frame.length - 2) !== crc16(body)) return undefined;
    const pdu = this.#answer(frame[0]!, frame.subarray(1, -2));
    if (!pdu) return undefined;
    const answer = Buffer.concat([Buffer.from([frame[0]!]), pdu, Buffer.alloc(2)]);
    answer.writeUInt16LE(crc16(answer.subarray(0, -2)), answer.length - 2);
    return answer;
  }

  #answer(id: number, pdu: Buffer): Buffer | undefined {
    const code = pdu[0]!;
    const refuse = (reason: number) => Buffer.from([code | 0x80, reason]);
    if (this.faults.silent) return undefined;
    if (this.faults.exception !== undefined) return refuse(this.faults.exception);
    const address = pdu.length >= 3 ? pdu.readUInt16BE(1) : 0;
    const count = pdu.length >= 5 && code !== 6 ? pdu.readUInt16BE(3) : 1;
    this.requests.push({ unit: id, functionCode: code, address, count });
    const unit = this.#unit(id);
    if (!unit) return refuse(UNIT_ABSENT);
    if (code === 3 || code === 4) {
      if (count < 1 || count > 125) return refuse(ILLEGAL_VALUE);
      const registers = code === 3 ? unit.holding : unit.input;
      if (!registers) return refuse(ILLEGAL_FUNCTION);
      const out = Buffer.alloc(2 + count * 2);
      out[0] = code;
      out[1] = count * 2;
      for (let index = 0; index < count; index += 1) {
        const word = registers.get(address + index);
        if (word === undefined) return refuse(ILLEGAL_ADDRESS);
        out.writeUInt16BE(word, 2 + index * 2);
      }
      return out;
    }
    if (code !== 6 && code !== 16) return refuse(ILLEGAL_FUNCTION);
    if (!unit.write) return refuse(ILLEGAL_FUNCTION);
    const values = Array.from({ length: count }, (_, index) =>
      pdu.readUInt16BE((code === 6 ? 3 : 6) + index * 2),
    );
    if (!unit.write(address, values, code)) return refuse(ILLEGAL_ADDRESS);
    this.writes.push({ unit: id, functionCode: code, address, values });
    return Buffer.from(pdu.subarray(0, 5));
  }
}

function tcpLength(buffer: Buffer): number | undefined {
  return buffer.length < 8 ? undefined : 6 + buffer.readUInt16BE(4);
}

function rtuLength(buffer: Buffer): number | undefined {
  if (buffer.length < 8) return undefined;
  return buffer[1] === 16 ? 9 + buffer[6]! : 8;
}

/** The checksum of RTU frames, low byte first. */
export function crc16(bytes: Uint8Array): number {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
}
