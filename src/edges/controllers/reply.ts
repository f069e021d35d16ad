import type { IncomingMessage, ServerResponse } from "node:http";
import type { Answer } from "../../api/request.js";

/** An answer to a simple controller: a status and a short text. */
export interface ControllerReply {
  status: number;
  text: string;
  /** Left out: plain text. */
  type?: string;
  headers?: Readonly<Record<string, string | number>>;
}

/** Methods of a read-only page. */
export const READS: readonly string[] = ["GET", "HEAD"];
/** Methods of a page that takes values: virtual outputs of controllers often send GET only. */
export const WRITES: readonly string[] = ["GET", "POST", "PUT"];

/**
 * Text as one line of ASCII: accents are removed, other non-ASCII characters become `?`, line breaks become spaces.
 * Controllers read bytes and search within one line.
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

/** An API error as one line: the message of each field, or the general message if no field is named. */
export function refusalReply({ status, document, retryAfter }: Answer): ControllerReply {
  const { message, details } = document.error as { message: string; details: { message: string }[] };
  const sentences = [...new Set(details.slice(0, 5).map((detail) => detail.message))];
  return {
    status,
    text: ascii(sentences.length > 0 ? sentences.join(" ") : message),
    ...(retryAfter === undefined ? {} : { headers: { "Retry-After": retryAfter } }),
  };
}

/** Sends the reply with a Content-Length, so that HTTP/1.0 clients know where it ends. */
export function send(
  req: IncomingMessage,
  res: ServerResponse,
  { status, text, type = "text/plain; charset=us-ascii", headers }: ControllerReply,
): void {
  if (res.headersSent || res.destroyed) return;
  const body = Buffer.from(text);
  res.writeHead(status, {
    "Content-Type": type,
    "Content-Length": body.length,
    // The rest of the body is not read.
    ...(req.complete ? {} : { Connection: "close" }),
    ...headers,
  });
  res.end(body);
}
