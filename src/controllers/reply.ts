import type { IncomingMessage, ServerResponse } from "node:http";
import type { Answer } from "../api/request.js";

/** An answer to a simple controller: a status and a short text. */
export interface ControllerReply {
  status: number;
  text: string;
  headers?: Readonly<Record<string, string | number>>;
}

/** Methods of a page that only tells. */
export const READS: readonly string[] = ["GET", "HEAD"];
/** Methods of a page that also takes: a controller's outputs send GET as readily as POST. */
export const WRITES: readonly string[] = ["GET", "POST", "PUT"];

/**
 * Text as ASCII: accents fall off their letters, what is no ASCII letter becomes `?`, line breaks become spaces. A
 * controller reads bytes, and one text is one line to it.
 */
export function ascii(text: string): string {
  return text
    .replaceAll("ß", "ss")
    .replace(/[–—]/g, "-")
    .replace(/[…]/g, "...")
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/\s+/g, " ")
    .replace(/[^ -~]/gu, "?");
}

/** A refusal of the interface in one line: each field's sentence, or the message where no field is at fault. */
export function refusalReply({ status, document, retryAfter }: Answer): ControllerReply {
  const { message, details } = document.error as { message: string; details: { message: string }[] };
  const sentences = [...new Set(details.slice(0, 5).map((detail) => detail.message))];
  return {
    status,
    text: ascii(sentences.length > 0 ? sentences.join(" ") : message),
    ...(retryAfter === undefined ? {} : { headers: { "Retry-After": retryAfter } }),
  };
}

/** Writes the answer with its length, so that HTTP/1.0 clients know where it ends. */
export function send(
  req: IncomingMessage,
  res: ServerResponse,
  { status, text, headers }: ControllerReply,
): void {
  if (res.headersSent || res.destroyed) return;
  const body = Buffer.from(text, "latin1");
  res.writeHead(status, {
    "Content-Type": "text/plain; charset=us-ascii",
    "Content-Length": body.length,
    // A body that was not read to its end must not be waited for.
    ...(status === 413 && !req.complete ? { Connection: "close" } : {}),
    ...headers,
  });
  res.end(body);
}
