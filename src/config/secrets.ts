import type { KeyPath } from "./kit/node.js";

/** Names of keys whose values are secrets; the path of a file with a secret, such as `key_file`, is none. */
const SECRET_NAME = /(^|_)(key|password|secret|token|passphrase)$/i;
/** An address with a password. */
const SECRET_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/[^/@\s]*:[^/@\s]+@/i;

/** Where a configuration as written contains a secret: the first such key; undefined if there is none. */
export function firstSecret(value: unknown, path: KeyPath = []): KeyPath | undefined {
  if (typeof value === "string" || typeof value === "number") {
    const name = path.at(-1) ?? "";
    const isSecret = SECRET_NAME.test(name) || SECRET_ADDRESS.test(String(value));
    return isSecret && value !== "" ? path : undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const found = firstSecret(inner, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}
