import { createHmac, randomBytes } from "node:crypto";

/** A new signing secret: 256 random bits with a prefix for secret scanners. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString("base64url")}`;
}

/**
 * The value of X-Service-Signature (docs/spec/webhooks.md section 2): the time in Unix seconds, and the lowercase hex
 * HMAC-SHA256 of `<time>.<raw body>`.
 */
export function signature(secret: string, rawBody: string, unixSeconds: number): string {
  const hmac = createHmac("sha256", secret).update(`${unixSeconds}.${rawBody}`).digest("hex");
  return `t=${unixSeconds},v1=${hmac}`;
}
