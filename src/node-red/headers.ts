import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { type ForwardedClient, forwardedHeaders, withoutHops } from "../net/forwarding.js";

/** Cookies of the portal, which flows must neither read nor set: browsers share cookies between the ports of a host. */
const OWN_COOKIE = /^\s*(__Host-)?hourgate_/i;

/** The headers of a request for Node-RED: forwarded, without the portal's cookies. */
export function requestHeaders(req: IncomingMessage, client: ForwardedClient): OutgoingHttpHeaders {
  const headers = forwardedHeaders(req, client);
  const cookies = req.headers.cookie?.split(";").filter((cookie) => !OWN_COOKIE.test(cookie));
  delete headers.cookie;
  if (cookies !== undefined && cookies.length > 0) headers.cookie = cookies.join(";").trim();
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
