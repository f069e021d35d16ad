import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";

/** Hop-by-hop headers (RFC 9110, 7.6.1), and those that Node handles itself. */
const HOP_BY_HOP = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The client of a request. */
export interface ForwardedClient {
  address: string;
  /** "http" or "https". */
  protocol: string;
}

/** The headers of a request for another server: without hop-by-hop headers, and with the client's address in place of what the client claims. */
export function forwardedHeaders(req: IncomingMessage, client: ForwardedClient): OutgoingHttpHeaders {
  const headers = withoutHops(req.headers) as OutgoingHttpHeaders;
  delete headers.forwarded;
  headers["x-forwarded-for"] = client.address;
  headers["x-forwarded-proto"] = client.protocol;
  if (req.headers.host === undefined) delete headers["x-forwarded-host"];
  else headers["x-forwarded-host"] = req.headers.host;
  return headers;
}

/**
 * The framing of a request's body, also where its length is named as a header of the connection only; one of unknown length stays
 * chunked. Node would send the body of a GET or DELETE unframed, where the other server reads it as another request.
 */
export function bodyFraming({ headers }: IncomingMessage): OutgoingHttpHeaders {
  if (headers["transfer-encoding"] !== undefined) return { "transfer-encoding": "chunked" };
  const length = headers["content-length"];
  return length === undefined ? {} : { "content-length": length };
}

/** The headers without hop-by-hop ones. */
export function withoutHops(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const named = new Set((headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !HOP_BY_HOP.has(name) && !named.has(name)) kept[name] = value;
  return kept;
}

/** Streams the answer of another server to the client. False if Node does not accept its status or headers; the client's connection is then closed. */
export function relayAnswer(
  answer: IncomingMessage,
  res: ServerResponse,
  headers: Readonly<Record<string, string | string[]>>,
): boolean {
  try {
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
    res.writeHead(answer.statusCode!, answer.statusMessage);
  } catch {
    answer.destroy();
    res.destroy();
    return false;
  }
  // Streams, such as server-sent events, must not wait for the first byte.
  res.flushHeaders();
  answer.pipe(res);
  // An incomplete answer must not look complete to the client.
  answer.once("error", () => res.destroy());
  return true;
}
