import type { IncomingMessage, ServerResponse } from "node:http";

/** The cookies of a request by name. Of two with the same name the first counts: it has the longer path. */
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

/** Sets a cookie with HttpOnly and SameSite=Lax. Without `maxAgeSeconds` it ends with the browser session. */
export function setCookie(
  res: ServerResponse,
  { name, value, path, secure, maxAgeSeconds }: CookieSettings,
): void {
  const attributes = [`${name}=${value}`, `Path=${path}`, "HttpOnly", "SameSite=Lax"];
  if (maxAgeSeconds !== undefined) attributes.push(`Max-Age=${maxAgeSeconds}`);
  if (secure) attributes.push("Secure");
  const others = [res.getHeader("Set-Cookie") ?? []].flat().map(String);
  // A response sets each cookie once: the cookie of a sign-in replaces that of the new anonymous session.
  const kept = others.filter((cookie) => !cookie.startsWith(`${name}=`));
  res.setHeader("Set-Cookie", [...kept, attributes.join("; ")]);
}

interface CookieSettings {
  name: string;
  /** Must not contain characters that need quoting. */
  value: string;
  /** Sent for this path and those below it. */
  path: string;
  /** Sent over HTTPS only. */
  secure: boolean;
  maxAgeSeconds?: number;
}
