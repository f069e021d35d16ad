import { createHash, randomBytes } from "node:crypto";

/**
 * A new token of `size` random bytes in base64url, and what is stored of it. None begins with a dash: on a command line it
 * would be taken for an option.
 */
export function newToken(size: number): { token: string; hash: string } {
  let token: string;
  do token = randomBytes(size).toString("base64url");
  while (token.startsWith("-"));
  return { token, hash: hashToken(token) };
}

/** SHA-256 of a token, hex; as with keys, a plain hash is enough for what is random. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
