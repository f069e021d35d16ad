import type { Socket } from "node:net";

export interface AdmissionLimits {
  /** Connections that have not signed in yet. */
  unauthenticated: number;
  unauthenticated_per_address: number;
}

/**
 * Limits connections without sign-in, in total and per address. When a limit is reached the oldest of them is closed, so
 * that idle connections never keep a device out: a device signs in within milliseconds.
 */
export class ConnectionAdmission {
  readonly #limits: AdmissionLimits;
  /** Oldest first. */
  readonly #waiting = new Map<string, Socket>();
  readonly #onRefused: (address: string) => void;

  constructor(limits: AdmissionLimits, onRefused: (address: string) => void) {
    this.#limits = limits;
    this.#onRefused = onRefused;
  }

  get unauthenticated(): number {
    return this.#waiting.size;
  }

  /** Takes a new connection; it counts until it signs in or closes. */
  add(socket: Socket): void {
    const key = keyOf(socket);
    const address = socket.remoteAddress ?? "";
    this.#waiting.set(key, socket);
    socket.once("close", () => this.#waiting.delete(key));
    const ofAddress = [...this.#waiting].filter(([, other]) => other.remoteAddress === address);
    const isFull = ofAddress.length > this.#limits.unauthenticated_per_address;
    const [oldest] = isFull ? ofAddress : this.#waiting;
    if ((isFull || this.#waiting.size > this.#limits.unauthenticated) && oldest !== undefined) {
      this.#waiting.delete(oldest[0]);
      this.#onRefused(oldest[1].remoteAddress ?? "");
      oldest[1].destroy();
    }
  }

  /** The connection has signed in; of a TLS connection this is called with the TLS socket. */
  signedIn(socket: Socket): void {
    this.#waiting.delete(keyOf(socket));
  }
}

/** The same for a TLS socket and the TCP socket below it. */
function keyOf({ remoteAddress, remotePort, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localPort}`;
}
