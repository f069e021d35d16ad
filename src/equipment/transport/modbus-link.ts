import { createSocket, type Socket } from "node:dgram";
import type { Duplex } from "node:stream";
import { DeviceError } from "../command.js";
import { decodeFrame, type Expected, encodeFrame, type Framing } from "./modbus-frames.js";

/** An open way to a Modbus address, with one request at a time. */
export interface ModbusLink {
  readonly isOpen: boolean;
  /** The function and data of the answer. Throws DeviceError: then the link must be closed. */
  request(unit: number, request: Buffer, timeoutMs: number): Promise<Buffer>;
  close(): void;
}

interface Pending {
  expected: Expected;
  received: Buffer;
  resolve(answer: Buffer): void;
  reject(error: Error): void;
}

/** Over a TCP connection or a serial line. */
export class StreamLink implements ModbusLink {
  readonly #stream: Duplex;
  readonly #framing: Framing;
  #pending: Pending | undefined;
  #id = 0;
  isOpen = true;

  constructor(stream: Duplex, framing: Framing) {
    this.#stream = stream;
    this.#framing = framing;
    stream.on("data", (chunk: Buffer) => this.#receive(chunk));
    stream.on("error", (error: NodeJS.ErrnoException) =>
      this.#end(`broke the connection (${error.code ?? error.message})`),
    );
    stream.on("close", () => this.#end("closed the connection"));
    stream.on("end", () => this.close());
  }

  async request(unit: number, request: Buffer, timeoutMs: number): Promise<Buffer> {
    this.#id = (this.#id % 0xffff) + 1;
    const expected = { id: this.#id, unit, request };
    let limit: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Buffer>((resolve, reject) => {
        if (!this.isOpen) return reject(new DeviceError("unreachable", "closed the connection"));
        this.#pending = { expected, received: Buffer.alloc(0), resolve, reject };
        limit = setTimeout(
          () => reject(new DeviceError("timeout", `did not answer within ${timeoutMs / 1000} s`)),
          timeoutMs,
        );
        this.#stream.write(encodeFrame(this.#framing, expected));
      });
    } finally {
      clearTimeout(limit);
      this.#pending = undefined;
    }
  }

  close(): void {
    this.#end("closed the connection");
    this.#stream.destroy();
  }

  #receive(chunk: Buffer): void {
    const pending = this.#pending;
    if (pending === undefined) {
      // Nobody waits: a late answer, or one that nobody asked for. On a serial line it is noise.
      if (this.#framing === "tcp") this.close();
      return;
    }
    pending.received = Buffer.concat([pending.received, chunk]);
    try {
      const answer = decodeFrame(this.#framing, pending.received, pending.expected);
      if (answer !== undefined) pending.resolve(answer);
    } catch (error) {
      pending.reject(error as Error);
    }
  }

  #end(reason: string): void {
    this.isOpen = false;
    this.#pending?.reject(new DeviceError("unreachable", reason));
  }
}

/** Datagrams get lost: each request is sent three times within its time. */
const SENDS = 3;

/** A socket for each request, so that a late or second answer meets no other request. */
export class DatagramLink implements ModbusLink {
  readonly #to: { host: string; port: number; family: number };
  readonly #sockets = new Set<Socket>();
  isOpen = true;

  constructor(to: { host: string; port: number; family: number }) {
    this.#to = to;
  }

  async request(unit: number, request: Buffer, timeoutMs: number): Promise<Buffer> {
    const { host, port, family } = this.#to;
    const expected = { id: 0, unit, request };
    const frame = encodeFrame("udp", expected);
    const socket = createSocket(family === 6 ? "udp6" : "udp4");
    this.#sockets.add(socket);
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Buffer>((resolve, reject) => {
        socket.on("error", (error: NodeJS.ErrnoException) =>
          reject(new DeviceError("unreachable", `is not reachable (${error.code ?? error.message})`)),
        );
        socket.on("close", () => reject(new DeviceError("unreachable", "closed the connection")));
        socket.on("message", (message, from) => {
          if (from.port !== port || from.address !== host) return;
          try {
            const answer = decodeFrame("udp", message, expected);
            if (answer !== undefined) resolve(answer);
          } catch (error) {
            reject(error as Error);
          }
        });
        let sends = 0;
        const send = () => {
          if (sends++ === SENDS)
            return reject(new DeviceError("timeout", `did not answer within ${timeoutMs / 1000} s`));
          socket.send(frame, port, host);
          timer = setTimeout(send, timeoutMs / SENDS);
        };
        send();
      });
    } finally {
      clearTimeout(timer);
      this.#sockets.delete(socket);
      socket.removeAllListeners("close").close();
    }
  }

  close(): void {
    this.isOpen = false;
    for (const socket of this.#sockets) socket.close();
  }
}
