import type { IncomingMessage } from "node:http";

/**
 * Whether a form may come from where the browser says it comes from. Browsers say it in one of two headers or in none
 * (programs, old ones); the token in the form decides in any case, this is the second lock.
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

/** A path of the portal to go to after the sign-in; undefined for what would lead to another host. */
export function localPath(text: string | null): string | undefined {
  if (text === null || !text.startsWith("/") || !URL.canParse(text, "http://own.invalid")) return undefined;
  const { origin, pathname, search } = new URL(text, "http://own.invalid");
  // `/.//host` becomes the path `//host`, which a browser would read as another host.
  return origin === "http://own.invalid" && !pathname.startsWith("//") ? pathname + search : undefined;
}
