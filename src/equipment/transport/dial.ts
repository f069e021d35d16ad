import type { LookupFunction } from "node:net";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { DeviceError } from "../command.js";

export interface DialOptions {
  host: string;
  port: number;
  /** Addresses of the host; refuses those that are not allowed. */
  lookup: LookupFunction;
  timeoutMs: number;
  /** What may be wrong when the connection is refused. */
  hint: string;
}

/** Opens a TCP connection to a device. Throws DeviceError. */
export async function dial({ host, port, lookup, timeoutMs, hint }: DialOptions): Promise<Duplex> {
  return new Promise<Duplex>((resolve, reject) => {
    const socket = connect({
      host,
      port,
      lookup,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 30_000,
    });
    const fail = (reason: string) => {
      socket.destroy();
      reject(new DeviceError("unreachable", `${host}:${port} is not reachable: ${reason}`));
    };
    const limit = setTimeout(() => fail("no connection in time"), timeoutMs);
    socket.once("error", ({ code, message }: NodeJS.ErrnoException) => {
      clearTimeout(limit);
      fail(reasonOf(code, hint) ?? code ?? message);
    });
    socket.once("connect", () => {
      clearTimeout(limit);
      socket.removeAllListeners("error");
      resolve(socket);
    });
  });
}

/** Why an address cannot be reached, in words; `hint`: what may be wrong when it refuses the connection. */
export function reasonOf(code: string | undefined, hint: string): string | undefined {
  switch (code) {
    case "ECONNREFUSED":
      return `the connection was refused (${hint})`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "the name is not known in this network (an IP address always works)";
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return "there is no way to this address (is the device in the same network?)";
    default:
      return undefined;
  }
}
