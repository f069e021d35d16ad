import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";

/** Whether a request only offers HTTP/2 (Java clients do so with every call) and is to be answered as HTTP/1.1. */
export function isOfferOnly(req: IncomingMessage): boolean {
  return (req.headers.upgrade ?? "")
    .toLowerCase()
    .split(",")
    .every((protocol) => /^\s*h2c\s*$/.test(protocol));
}

/**
 * Serves a request whose upgrade offer is ignored (RFC 9110, 7.8). Node has detached the connection from the server, so it
 * is passed in again, preceded by the request without its offer.
 */
export function servePlain(server: Server, req: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${req.method} ${req.url} HTTP/${req.httpVersion}`];
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    const name = req.rawHeaders[index]!;
    if (/^(connection|upgrade|http2-settings)$/i.test(name)) continue;
    lines.push(`${name}: ${req.rawHeaders[index + 1]}`);
  }
  if (/\bclose\b/i.test(req.headers.connection ?? "")) lines.push("Connection: close");
  // Header values were decoded as Latin-1.
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  server.emit("connection", socket);
}
