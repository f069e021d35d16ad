import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";

/** Whether a request merely offers HTTP/2 (Java clients do with every call) and wants its answer either way. */
export function isOfferOnly(req: IncomingMessage): boolean {
  return (req.headers.upgrade ?? "")
    .toLowerCase()
    .split(",")
    .every((protocol) => /^\s*h2c\s*$/.test(protocol));
}

/**
 * Serves a request whose offer of another protocol is not taken up, as HTTP says it should be (RFC 9110, 7.8). Node has
 * let go of its connection by now, so the connection is handed in anew, with the request in front and without its offer.
 */
export function servePlain(server: Server, req: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${req.method} ${req.url} HTTP/${req.httpVersion}`];
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    const name = req.rawHeaders[index]!;
    if (/^(connection|upgrade|http2-settings)$/i.test(name)) continue;
    lines.push(`${name}: ${req.rawHeaders[index + 1]}`);
  }
  if (/\bclose\b/i.test(req.headers.connection ?? "")) lines.push("Connection: close");
  // Header values came as Latin-1 and go back as such.
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  server.emit("connection", socket);
}
