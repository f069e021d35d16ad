import { createServer, type Server, type Socket } from "node:net";

interface Address {
  host: string;
  port: number;
}

/** Connections that may wait for a server. */
const MOST_WAITING = 200;

interface EarlyPort {
  server: Server;
  waiting: Set<Socket>;
}

const opened = new Map<string, EarlyPort>();

/**
 * Opens a port before the parts are loaded that serve it: clients that start together with the gateway, such as evcc after a power
 * failure, wait for a second instead of being refused, which some take for final. A port that cannot be opened is left to the server
 * that reports why. Once in a process, for the addresses of the configuration.
 */
export function openEarly(address: Address): Promise<void> {
  if (address.port === 0) return Promise.resolve();
  const waiting = new Set<Socket>();
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    if (waiting.size >= MOST_WAITING) {
      socket.destroy();
      return;
    }
    const forget = () => waiting.delete(socket);
    waiting.add(socket);
    socket.on("error", forget).on("close", forget);
  });
  return new Promise((resolve) => {
    server.once("error", () => resolve());
    server.listen(address.port, address.host, () => {
      opened.set(keyOf(address), { server, waiting });
      resolve();
    });
  });
}

/** Whether a port was opened early and waits for its server. */
export function isOpenedEarly(address: Address): boolean {
  return opened.has(keyOf(address));
}

/** Makes a server listen, on the port that was opened early for its address, if there is one, with the connections that wait there. */
export function listen(server: Server, { host, port }: Address, onListening: () => void): void {
  const early = opened.get(keyOf({ host, port }));
  if (early === undefined) {
    server.listen(port, host, onListening);
    return;
  }
  opened.delete(keyOf({ host, port }));
  server.listen(early.server, () => {
    onListening();
    for (const socket of early.waiting) {
      server.emit("connection", socket);
      socket.resume();
    }
  });
}

function keyOf({ host, port }: Address): string {
  return `${host} ${port}`;
}
