import type { IncomingMessage, ServerResponse } from "node:http";
import { basicAccess } from "../../accounts/access.js";
import { errorDocument } from "../../api/error-document.js";
import { ApiError, type ErrorCode } from "../../api/errors.js";
import { answerStatusPage } from "../../core/net/status-page.js";
import { textsOf } from "../../texts/index.js";

const RETRY_AFTER_SECONDS = 5;

/** Answers that no worker serves the shard of the request. */
export function answerNoWorker(req: IncomingMessage, res: ServerResponse): void {
  answerRefusal(req, res, { code: "not_ready", text: "unavailable", retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** Answers a path that no shard serves, such as a portal without its shard. */
export function answerNoPath(req: IncomingMessage, res: ServerResponse): void {
  answerRefusal(req, res, { code: "not_found", text: "noPath" });
}

/** Answers 200 with JSON. */
export function answerDocument(req: IncomingMessage, res: ServerResponse, document: object): void {
  const body = JSON.stringify(document);
  res.writeHead(200, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  });
  res.end(req.method === "HEAD" ? undefined : body);
}

interface Refusal {
  code: ErrorCode;
  text: "unavailable" | "waiting" | "noPath";
  retryAfterSeconds?: number;
}

/** A page for browsers, a line of text for controllers, else an error document of the API. */
export function answerRefusal(req: IncomingMessage, res: ServerResponse, refusal: Refusal): void {
  const { code, text: name, retryAfterSeconds } = refusal;
  const { text } = textsOf("en").fleet[name];
  const error = new ApiError(code, text);
  const isController = (req.url ?? "").startsWith("/c/");
  answerStatusPage(req, res, {
    status: error.status,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    textsOf: (language) => textsOf(language).fleet[name],
    plain: isController
      ? { type: "text/plain", body: `${text}\n` }
      : { type: "application/json", body: JSON.stringify(errorDocument(error, basicAccess(false))) },
  });
}
