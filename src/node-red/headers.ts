import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from "node:http";

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

/** Cookies of the portal, which flows must neither read nor set: browsers share cookies between the ports of a host. */
const OWN_COOKIE = /^\s*(__Host-)?hourgate_/i;

/** The client of a request. */
export interface ForwardedClient {
  address: string;
  /** "http" or "https". */
  protocol: string;
}

/**
 * The headers of a request for Node-RED: without hop-by-hop headers and portal cookies, and with the client's address in
 * place of what the client claims.
 */
export function forwardedHeaders(req: IncomingMessage, client: ForwardedClient): OutgoingHttpHeaders {
  const headers = withoutHops(req.headers) as OutgoingHttpHeaders;
  const cookies = req.headers.cookie?.split(";").filter((cookie) => !OWN_COOKIE.test(cookie));
  delete headers.cookie;
  if (cookies !== undefined && cookies.length > 0) headers.cookie = cookies.join(";").trim();
  delete headers.forwarded;
  headers["x-forwarded-for"] = client.address;
  headers["x-forwarded-proto"] = client.protocol;
  if (req.headers.host === undefined) delete headers["x-forwarded-host"];
  else headers["x-forwarded-host"] = req.headers.host;
  return headers;
}

/** The headers of Node-RED's answer for the client: without hop-by-hop headers and cookies with names of the portal. */
export function answerHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const kept = withoutHops(headers);
  const cookies = headers["set-cookie"]?.filter((cookie) => !OWN_COOKIE.test(cookie));
  delete kept["set-cookie"];
  if (cookies !== undefined && cookies.length > 0) kept["set-cookie"] = cookies;
  return kept;
}

function withoutHops(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const named = new Set((headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !HOP_BY_HOP.has(name) && !named.has(name)) kept[name] = value;
  return kept;
}
