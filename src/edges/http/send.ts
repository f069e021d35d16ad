import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { Answer } from "../../api/request.js";

const JSON_TYPE = "application/json; charset=utf-8";

/** Writes a serialised body. Does nothing if the client has disconnected or was already answered. */
export function sendBytes(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  body: Buffer,
  headers: OutgoingHttpHeaders = {},
): void {
  if (res.headersSent || res.destroyed) return;
  // The rest of an oversized body is not awaited.
  const close = status === 413 && !req.complete ? { Connection: "close" } : {};
  res.writeHead(status, {
    "Content-Type": JSON_TYPE,
    "Content-Length": body.length,
    ...close,
    ...headers,
  });
  res.end(body);
}

/** Smaller bodies are not compressed, bytes. */
const LEAST_COMPRESSED = 4096;
/** Of bodies that are sent again and again. */
const compressed = new WeakMap<Buffer, Buffer>();

/** Writes a body that contains nothing of a caller: compressed if the client accepts that. */
export function sendPublic(
  req: IncomingMessage,
  res: ServerResponse,
  body: Buffer,
  headers: OutgoingHttpHeaders = {},
): void {
  const vary = { Vary: "Accept-Encoding", ...headers };
  if (body.length <= LEAST_COMPRESSED || !acceptsGzip(req)) {
    sendBytes(req, res, 200, body, vary);
    return;
  }
  const zipped = compressed.get(body) ?? gzipSync(body);
  compressed.set(body, zipped);
  sendBytes(req, res, 200, zipped, { ...vary, "Content-Encoding": "gzip" });
}

function acceptsGzip(req: IncomingMessage): boolean {
  const accepted = String(req.headers["accept-encoding"] ?? "");
  return /\b(?:x-)?gzip\b(?!\s*;\s*q=0(?:\.0+)?\s*(?:,|$))/i.test(accepted);
}

/** Writes an answer as JSON. */
export function sendAnswer(
  req: IncomingMessage,
  res: ServerResponse,
  answer: Answer,
  headers: OutgoingHttpHeaders = {},
): void {
  const retry = answer.retryAfter === undefined ? {} : { "Retry-After": answer.retryAfter };
  sendBytes(req, res, answer.status, Buffer.from(JSON.stringify(answer.document)), { ...retry, ...headers });
}
