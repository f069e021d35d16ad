import type { Server } from "node:net";
import { listen } from "../../../core/net/early-ports.js";

/** The broker cannot start; the message says why and what to do. */
export class BrokerError extends Error {}

/** Resolves when the server listens; rejects with a BrokerError that names the configuration key to change. */
export function listenTcp(
  server: Server,
  { host, port }: { host: string; port: number },
  key = "mqtt.broker.port",
): Promise<void> {
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is in use; stop the other MQTT broker or set ${key} to a free port.`,
    EACCES: `Port ${port} needs rights that this user does not have; set ${key} to 1024 or more.`,
    EADDRNOTAVAIL: `This machine has no address ${host}; set mqtt.broker.host to 0.0.0.0 or to one of its addresses.`,
    ENOTFOUND: `The host name ${host} is not known; set mqtt.broker.host to 0.0.0.0 or to an address.`,
  };
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(new BrokerError(reasons[error.code ?? ""] ?? `The MQTT broker can't listen: ${error.message}.`)),
    );
    listen(server, { host, port }, resolve);
  });
}
