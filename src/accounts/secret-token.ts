import { createHash, randomBytes } from "node:crypto";
import { drawFor, type Shard } from "./shard.js";

/**
 * A new token of `size` random bytes in base64url, and its stored hash. No token starts with a dash, since a command line
 * would parse it as an option. A token that identifies its site, such as that of a link, belongs to `shard`.
 */
export function newToken(size: number, shard?: Shard): { token: string; hash: string } {
  let token: string;
  do token = drawFor(shard, () => randomBytes(size).toString("base64url"));
  while (token.startsWith("-"));
  return { token, hash: hashToken(token) };
}

/** SHA-256 of a token in hex; as for keys, a plain hash is sufficient for random values. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
