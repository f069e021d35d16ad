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
      fail(code === "ECONNREFUSED" ? `the connection was refused (${hint})` : (code ?? message));
    });
    socket.once("connect", () => {
      clearTimeout(limit);
      socket.removeAllListeners("error");
      resolve(socket);
    });
  });
}
