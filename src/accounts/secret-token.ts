import { createHash, randomBytes } from "node:crypto";

/** A new token of `size` random bytes in base64url, and what is stored of it. */
export function newToken(size: number): { token: string; hash: string } {
  const token = randomBytes(size).toString("base64url");
  return { token, hash: hashToken(token) };
}

/** SHA-256 of a token, hex; as with keys, a plain hash is enough for what is random. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
