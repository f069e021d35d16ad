import { Secret, TOTP } from "otpauth";

/** Time steps before and after the present one that are accepted, for clocks that differ. */
const WINDOW = 1;
const PERIOD_SECONDS = 30;

/** A new TOTP secret (RFC 6238): 160 random bits in base32. It is in use once `enableTotp` has confirmed it. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** The address from which authenticator apps read the secret. */
export function totpUri(secret: string, email: string): string {
  return totpOf(secret, email).toString();
}

/** The time step of a right code, undefined for a wrong one. A step must be used only once. */
export function totpStep(secret: string, code: string, now: Date): number | undefined {
  const token = code.replace(/\s/g, "");
  if (!/^\d{6}$/.test(token)) return undefined;
  const delta = totpOf(secret, "").validate({ token, timestamp: now.getTime(), window: WINDOW });
  return delta === null ? undefined : Math.floor(now.getTime() / 1000 / PERIOD_SECONDS) + delta;
}

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({ issuer: "hourgate", label, secret: Secret.fromBase32(secret), period: PERIOD_SECONDS });
}
