import { createSocket, type Socket } from "node:dgram";
import { valueIn } from "../../values.js";
import { type Candidate, candidateOf, fits, type Probe } from "../probes.js";

const TIMEOUT_MS = 800;

interface Waiting {
  probe: Probe;
  host: string;
  port: number;
  resolve(candidate: Candidate | undefined): void;
}

/**
 * Sends texts to many hosts from one socket. Some devices answer to a fixed port, which only one program can hold; without it
 * those are not found.
 */
export class TextAsker {
  readonly #socket: Socket;
  readonly #waiting = new Map<string, Waiting>();

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("error", () => {});
    socket.on("message", (message, { address, port }) =>
      this.#heard(`${address}:${port}`, message.toString("utf8")),
    );
  }

  /** Listens at the port that the devices answer to, or at any if another program has it. */
  static async open(localPort: number): Promise<TextAsker> {
    for (const port of [localPort, 0]) {
      const socket = createSocket({ type: "udp4", reuseAddr: true });
      const isBound = await new Promise<boolean>((resolve) => {
        socket.once("error", () => resolve(false));
        socket.bind(port, () => resolve(true));
      });
      if (isBound) return new TextAsker(socket);
      socket.close();
    }
    throw new Error("no UDP socket could be opened");
  }

  /** The device that answers at the host; undefined if none does in time. */
  async ask(host: string, port: number, probe: Probe): Promise<Candidate | undefined> {
    const key = `${host}:${port}`;
    let timer: NodeJS.Timeout | undefined;
    const answer = new Promise<Candidate | undefined>((resolve) => {
      this.#waiting.set(key, { probe, host, port, resolve });
      timer = setTimeout(() => resolve(undefined), TIMEOUT_MS);
      this.#socket.send(probe.detect.udp?.send ?? "", port, host, (error) => {
        if (error !== null && error !== undefined) resolve(undefined);
      });
    });
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(key);
    }
  }

  close(): void {
    this.#socket.close();
  }

  #heard(key: string, text: string): void {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) return;
    const { probe, host, port, resolve } = waiting;
    const value = valueIn(text, { pointer: probe.detect.pointer });
    if (value !== undefined && fits(probe.detect, value)) resolve(candidateOf(probe, { host, port, value }));
  }
}
