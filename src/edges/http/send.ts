import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
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
