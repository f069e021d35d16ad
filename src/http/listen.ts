import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Running requests get this long to end when the gateway stops. */
const STOP_GRACE_MS = 1_500;

/** Binds the server; the port is the one it got. Throws an Error that says what to do. */
export function listenHttp(
  server: Server,
  { host, port }: { host: string; port: number },
): Promise<{ port: number }> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => reject(new Error(cannotListen(error, host, port)));
    server.once("error", onError);
    server.listen(port, host, () => {
      server.off("error", onError);
      resolve({ port: (server.address() as AddressInfo).port });
    });
  });
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): string {
  switch (error.code) {
    case "EADDRINUSE":
      return `Port ${port} on ${host} is in use by another program; set http.port to a free one.`;
    case "EACCES":
      return `This user may not listen on port ${port}; set http.port to one above 1023.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `${host} is no address of this machine; set http.host to one, or to 0.0.0.0.`;
    default:
      return `Cannot listen on ${host}:${port} (${error.code ?? error.message}); check http.host and http.port.`;
  }
}

/** Ends the server: idle connections at once, running requests within the grace. */
export async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A kept-alive connection turns idle when its running request ends; close() alone looks for idle ones once.
  const sweep = setInterval(() => server.closeIdleConnections(), 25);
  const cut = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
