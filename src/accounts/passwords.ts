import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";

/** Cost of scrypt (OWASP password storage cheat sheet, p = 3): about 100 ms and 32 MiB in a pool thread. */
const COST = { N: 2 ** 15, r: 8, p: 3 } as const;
const HASH_BYTES = 32;
/** Node's default of 32 MiB is slightly too low for this cost. */
const MEMORY_LIMIT = 64 * 1024 * 1024;

/** The stored form of a password: `scrypt$N$r$p$salt$hash`, salt and hash in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, COST);
  return ["scrypt", COST.N, COST.r, COST.p, salt.toString("base64url"), hash.toString("base64url")].join("$");
}

/** Whether `stored` was derived from this password; false for a text in another format. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [scheme, N, r, p, salt, hash] = stored.split("$");
  if (scheme !== "scrypt" || salt === undefined || hash === undefined) return false;
  const expected = Buffer.from(hash, "base64url");
  if (expected.length !== HASH_BYTES) return false;
  const actual = await derive(password, Buffer.from(salt, "base64url"), {
    N: Number(N),
    r: Number(r),
    p: Number(p),
  });
  return timingSafeEqual(actual, expected);
}

/** A new random password of 144 bits. */
export function newPassword(): string {
  return randomBytes(18).toString("base64url");
}

function derive(password: string, salt: Buffer, cost: { N: number; r: number; p: number }): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Keyboards encode an umlaut as one character or as two; both must be accepted.
    const text = password.normalize("NFKC");
    scrypt(text, salt, HASH_BYTES, { ...cost, maxmem: MEMORY_LIMIT }, (error, hash) =>
      error === null ? resolve(hash) : reject(error),
    );
  });
}
