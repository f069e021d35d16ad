import type { IncomingMessage } from "node:http";

/**
 * Whether the origin that the browser states is allowed to send forms. Browsers state it in one of two headers or not at all
 * (programs, old browsers). This is a second check in addition to the token in the form.
 */
export function isOwnOrigin(
  req: IncomingMessage,
  { trustProxy, baseUrl }: { trustProxy: boolean; baseUrl: string },
): boolean {
  const site = req.headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  const { origin } = req.headers;
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const forwarded = trustProxy ? req.headers["x-forwarded-host"] : undefined;
  const hosts = [req.headers.host, forwarded, URL.canParse(baseUrl) ? new URL(baseUrl).host : undefined];
  const own = hosts.flatMap((host) => String(host ?? "").split(",")).map((host) => host.trim().toLowerCase());
  return own.includes(new URL(origin).host);
}

/** Whether the request used HTTPS, to this process or to a trusted proxy. */
export function cameByHttps(req: IncomingMessage, trustProxy: boolean): boolean {
  if ("encrypted" in req.socket && req.socket.encrypted === true) return true;
  if (!trustProxy) return false;
  return (
    String(req.headers["x-forwarded-proto"] ?? "")
      .split(",")
      .at(-1)
      ?.trim()
      .toLowerCase() === "https"
  );
}

/** A path of the portal to redirect to after the sign-in; undefined if it would lead to another host. */
export function localPath(text: string | null): string | undefined {
  if (text === null || !text.startsWith("/") || !URL.canParse(text, "http://own.invalid")) return undefined;
  const { origin, pathname, search } = new URL(text, "http://own.invalid");
  // `/.//host` becomes the path `//host`, which a browser would read as another host.
  return origin === "http://own.invalid" && !pathname.startsWith("//") ? pathname + search : undefined;
}
