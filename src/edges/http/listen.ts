import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { isOpenedEarly, listen } from "../../core/net/early-ports.js";

/** Time for running requests to end when the gateway stops. */
const STOP_GRACE_MS = 1_500;

/** Binds the server and returns the actual port. Throws an Error that says what to do. */
export function listenHttp(
  server: Server,
  { host, port }: { host: string; port: number },
  /** Configuration section of host and port. */
  section = "http",
): Promise<{ port: number }> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) =>
      reject(new Error(cannotListen(error, { host, port, section })));
    server.once("error", onError);
    listen(server, { host, port }, () => {
      server.off("error", onError);
      resolve({ port: (server.address() as AddressInfo).port });
    });
  });
}

/** Resolves if the port can be opened; it is not kept. Throws an Error that says what to do. */
export async function checkPort(address: { host: string; port: number }): Promise<void> {
  if (address.port === 0 || isOpenedEarly(address)) return;
  const server = createServer();
  await listenHttp(server, address);
  await new Promise((resolve) => server.close(resolve));
}

function cannotListen(
  error: NodeJS.ErrnoException,
  { host, port, section }: { host: string; port: number; section: string },
): string {
  switch (error.code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is in use by another program; set ${section}.port to a free one.`;
    case "EACCES":
      return `This user is not permitted to listen on port ${port}; set ${section}.port to one above 1023.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `${host} is not an address of this machine; set http.host to one, or to 0.0.0.0.`;
    default:
      return `Cannot listen on ${host}:${port} (${error.code ?? error.message}); check http.host and ${section}.port.`;
  }
}

/** Closes the server: idle connections at once, running requests within the grace period. */
export async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A kept-alive connection becomes idle when its request ends; close() alone checks for idle ones only once.
  const sweep = setInterval(() => server.closeIdleConnections(), 25);
  const cut = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
