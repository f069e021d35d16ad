import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from "node:http";

/** Headers that are about one connection and end there (RFC 9110, 7.6.1), and what Node answers by itself. */
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

/** Cookies of the gateway's own pages: nothing that runs in a flow shall see them. */
const OWN_COOKIE = /^\s*hourgate_/i;

/** Who asks, as the gateway knows it. */
export interface ForwardedClient {
  address: string;
  /** "http", or "https" where a proxy before the gateway says so. */
  protocol: string;
}

/**
 * The headers of a request as Node-RED gets them: none of the connection's, no cookie of the gateway's pages, and who
 * asked, over whatever the caller claims in their place.
 */
export function forwardedHeaders(req: IncomingMessage, caller: ForwardedClient): OutgoingHttpHeaders {
  const headers = withoutHops(req.headers) as OutgoingHttpHeaders;
  const cookies = req.headers.cookie?.split(";").filter((cookie) => !OWN_COOKIE.test(cookie));
  delete headers.cookie;
  if (cookies !== undefined && cookies.length > 0) headers.cookie = cookies.join(";").trim();
  delete headers.forwarded;
  headers["x-forwarded-for"] = caller.address;
  headers["x-forwarded-proto"] = caller.protocol;
  if (req.headers.host === undefined) delete headers["x-forwarded-host"];
  else headers["x-forwarded-host"] = req.headers.host;
  return headers;
}

/** The headers of an answer, or of a request, without those of its connection; a cookie a line. */
export function withoutHops(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const named = new Set((headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !HOP_BY_HOP.has(name) && !named.has(name)) kept[name] = value;
  return kept;
}
