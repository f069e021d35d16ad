import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/**
 * The address a caller without a key is counted by. Behind a proxy it is the last entry of X-Forwarded-For: the one the
 * proxy itself wrote; what stands before it the caller may have made up.
 */
export function clientAddress(req: IncomingMessage, trustProxy: boolean): string {
  const own = plain(req.socket.remoteAddress ?? "");
  if (!trustProxy) return own;
  const header = req.headers["x-forwarded-for"];
  const last = (Array.isArray(header) ? header.join() : (header ?? "")).split(",").at(-1)?.trim() ?? "";
  const forwarded = plain(last.replace(/^\[(.*)\](?::\d+)?$/, "$1").replace(/^(\d+(?:\.\d+){3}):\d+$/, "$1"));
  return isIP(forwarded) === 0 ? own : forwarded;
}

/** One address, one writing: IPv4 that came over an IPv6 socket is IPv4. */
function plain(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
}
