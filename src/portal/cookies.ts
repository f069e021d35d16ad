import type { IncomingMessage, ServerResponse } from "node:http";

/** The cookies of a request by name; of two with one name the first, which is the one of the longer path. */
export function readCookies(req: IncomingMessage): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const part of (req.headers.cookie ?? "").split(";")) {
    const at = part.indexOf("=");
    if (at < 0) continue;
    const name = part.slice(0, at).trim();
    if (!cookies.has(name)) cookies.set(name, part.slice(at + 1).trim());
  }
  return cookies;
}

/** Sets a cookie that no script and no foreign form can use. Without `maxAgeSeconds` it ends with the browser. */
export function setCookie(res: ServerResponse, { name, value, secure, maxAgeSeconds }: CookieSettings): void {
  const attributes = [`${name}=${value}`, "Path=/", "HttpOnly", "SameSite=Lax"];
  if (maxAgeSeconds !== undefined) attributes.push(`Max-Age=${maxAgeSeconds}`);
  if (secure) attributes.push("Secure");
  const others = [res.getHeader("Set-Cookie") ?? []].flat().map(String);
  // One answer sets a cookie once: a sign-in on a first visit replaces what the visit itself would have set.
  const kept = others.filter((cookie) => !cookie.startsWith(`${name}=`));
  res.setHeader("Set-Cookie", [...kept, attributes.join("; ")]);
}

interface CookieSettings {
  name: string;
  /** Characters that need no quoting. */
  value: string;
  /** To be sent over HTTPS only. */
  secure: boolean;
  maxAgeSeconds?: number;
}
