import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { basicAccess } from "../../accounts/access.js";
import { errorDocument } from "../../api/error-document.js";
import { ApiError, type ErrorCode } from "../../api/errors.js";

/**
 * Answers malformed HTTP on the socket, since it does not reach the app. `last` is the answer to the previous request on
 * the same connection: while it is being sent, a second answer would become a part of it.
 */
export function answerMalformed(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  last: ServerResponse | undefined,
): void {
  const isAnswering = last !== undefined && !last.writableEnded && (last.headersSent || last.req.complete);
  if (error.code === "ECONNRESET" || !socket.writable || isAnswering) {
    socket.destroy();
    return;
  }
  const [line, code, message]: [string, ErrorCode, string] =
    error.code === "ERR_HTTP_REQUEST_TIMEOUT"
      ? ["408 Request Timeout", "request_timeout", "The request was not complete in time; send it again."]
      : error.code === "HPE_HEADER_OVERFLOW"
        ? [
            "431 Request Header Fields Too Large",
            "headers_too_large",
            "The address and the headers are longer than 16 KiB; send less.",
          ]
        : ["400 Bad Request", "malformed_request", "This is not a valid HTTP request."];
  const { body, headers } = refusalOf(new ApiError(code, message));
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${line}`, ...lines, "", body].join("\r\n"));
}

/** Answers a request that is refused before its path is looked at, and closes the connection. */
export function answerRefused(req: IncomingMessage, res: ServerResponse, error: ApiError): void {
  const { body, headers } = refusalOf(error);
  res.writeHead(error.status, headers);
  res.end(req.method === "HEAD" ? undefined : body);
}

function refusalOf(error: ApiError) {
  const body = JSON.stringify(errorDocument(error, basicAccess(false)));
  const headers = {
    Connection: "close",
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Request-Id": randomUUID(),
  };
  return { body, headers };
}

/** The error of a request for a host name that is not the gateway's, or to a worker of a fleet that does not serve it. */
export function misdirected(req: IncomingMessage, { isWorker }: { isWorker: boolean }): ApiError {
  const host = (req.headers.host ?? "").slice(0, 100);
  return new ApiError(
    "misdirected_request",
    isWorker
      ? "This is a worker of a fleet: send the request to a router."
      : `The gateway is not known as ${host}: use its address, or add the name to http.hosts.`,
  );
}
