import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** A request as it came, and the socket to answer on. */
export interface RawRequest {
  id: number;
  unit: number;
  fc: number;
  address: number;
  count: number;
  socket: Socket;
  /** Counted from 1 over all connections. */
  number: number;
}

export type Handler = (request: RawRequest) => void;

/** A Modbus TCP server that answers as its handler wants: late, twice, in pieces, wrongly or not at all. */
export class RawModbus {
  handler: Handler = answerWith(() => 0);
  onConnection: ((socket: Socket) => unknown) | undefined;
  readonly sockets = new Set<Socket>();
  connections = 0;
  requests = 0;
  /** Most connections at the same time. */
  mostAtOnce = 0;
  readonly #server = createServer((socket) => {
    this.sockets.add(socket);
    this.connections++;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.sockets.size);
    this.onConnection?.(socket);
    socket.on("close", () => this.sockets.delete(socket));
    socket.on("error", () => {});
    let buffer = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      buffer = Buffer.concat([buffer, chunk]);
      while (buffer.length >= 12) {
        const number = ++this.requests;
        const [fc = 0] = buffer.subarray(7);
        const [address, count] = [buffer.readUInt16BE(8), buffer.readUInt16BE(10)];
        this.handler({ id: buffer.readUInt16BE(0), unit: buffer[6]!, fc, address, count, socket, number });
        buffer = buffer.subarray(12);
      }
    });
  });

  async start(): Promise<number> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** The frame of an answer with registers. */
export function frameOf(
  { id, unit, fc }: Pick<RawRequest, "id" | "unit" | "fc">,
  words: readonly number[],
): Buffer {
  const pdu = Buffer.alloc(2 + words.length * 2);
  pdu[0] = fc;
  pdu[1] = words.length * 2;
  for (const [index, word] of words.entries()) pdu.writeUInt16BE(word & 0xffff, 2 + index * 2);
  return withHeader(id, unit, pdu);
}

export function exceptionOf({ id, unit, fc }: Pick<RawRequest, "id" | "unit" | "fc">, code: number): Buffer {
  return withHeader(id, unit, Buffer.from([fc | 0x80, code]));
}

function withHeader(id: number, unit: number, pdu: Buffer): Buffer {
  const header = Buffer.alloc(7);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(pdu.length + 1, 4);
  header[6] = unit;
  return Buffer.concat([header, pdu]);
}

/** Words of a request by a function of their address. */
export function wordsOf({ address, count }: RawRequest, word: (address: number) => number): number[] {
  return Array.from({ length: count }, (_, index) => word(address + index));
}

/** Answers each request at once. */
export function answerWith(word: (address: number) => number): Handler {
  return (request) => request.socket.write(frameOf(request, wordsOf(request, word)));
}
