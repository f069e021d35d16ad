import type { IncomingMessage } from "node:http";

/** Whether a request only offers HTTP/2 (Java clients do so with every call) and is to be answered as HTTP/1.1. */
export function isOfferOnly(req: IncomingMessage): boolean {
  return (req.headers.upgrade ?? "")
    .toLowerCase()
    .split(",")
    .every((protocol) => /^\s*h2c\s*$/.test(protocol));
}

/** The bytes of a request without its upgrade offer, which is to be ignored (RFC 9110, 7.8), followed by `head`. */
export function plainRequest(req: IncomingMessage, head: Buffer): Buffer {
  const lines = [`${req.method} ${req.url} HTTP/${req.httpVersion}`];
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    const name = req.rawHeaders[index]!;
    if (/^(connection|upgrade|http2-settings)$/i.test(name)) continue;
    lines.push(`${name}: ${req.rawHeaders[index + 1]}`);
  }
  if (/\bclose\b/i.test(req.headers.connection ?? "")) lines.push("Connection: close");
  // Header values were decoded as Latin-1.
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]);
}
