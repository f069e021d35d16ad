import type { IncomingMessage } from "node:http";

/**
 * Whether a form was submitted from a page of the gateway, by Sec-Fetch-Site or Origin. True without both headers (old
 * browsers, programs). This is an additional check: the token in the form is always required.
 */
export function isOwnOrigin(req: IncomingMessage, { baseUrl }: { baseUrl: string }): boolean {
  const site = req.headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  const { origin } = req.headers;
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const hosts = [req.headers.host, URL.canParse(baseUrl) ? new URL(baseUrl).host : undefined];
  const own = hosts.map((host) => host?.trim().toLowerCase());
  return own.includes(new URL(origin).host);
}

/** The path to open after the sign-in; undefined if it leads to another host. */
export function localPath(text: string | null): string | undefined {
  if (text === null || !text.startsWith("/") || !URL.canParse(text, "http://own.invalid")) return undefined;
  const { origin, pathname, search } = new URL(text, "http://own.invalid");
  // `/.//host` becomes the path `//host`, which a browser resolves to another host.
  return origin === "http://own.invalid" && !pathname.startsWith("//") ? pathname + search : undefined;
}
