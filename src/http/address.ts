import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/**
 * The client's address. Behind a trusted proxy it is the last entry of X-Forwarded-For, which the proxy wrote; earlier
 * entries may be forged by the client.
 */
export function clientAddress(req: IncomingMessage, trustProxy: boolean): string {
  const own = plain(req.socket.remoteAddress ?? "");
  if (!trustProxy) return own;
  const header = req.headers["x-forwarded-for"];
  const last = (Array.isArray(header) ? header.join() : (header ?? "")).split(",").at(-1)?.trim() ?? "";
  const forwarded = plain(last.replace(/^\[(.*)\](?::\d+)?$/, "$1").replace(/^(\d+(?:\.\d+){3}):\d+$/, "$1"));
  return isIP(forwarded) === 0 ? own : forwarded;
}

/** Canonical form: IPv4 over an IPv6 socket is written as IPv4. */
function plain(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
}
