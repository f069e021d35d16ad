import { createHash, randomBytes } from "node:crypto";

/**
 * A new token of `size` random bytes in base64url, and its stored hash. No token starts with a dash, since a command line
 * would parse it as an option.
 */
export function newToken(size: number): { token: string; hash: string } {
  let token: string;
  do token = randomBytes(size).toString("base64url");
  while (token.startsWith("-"));
  return { token, hash: hashToken(token) };
}

/** SHA-256 of a token in hex; as for keys, a plain hash is sufficient for random values. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
