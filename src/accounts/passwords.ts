import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";

/** Cost of scrypt (OWASP's row for p = 3): about 100 ms and 32 MiB, in a thread of the pool. */
const COST = { N: 2 ** 15, r: 8, p: 3 } as const;
const HASH_BYTES = 32;
/** Node allows 32 MiB by default, which is just too little for this cost. */
const MEMORY_LIMIT = 64 * 1024 * 1024;

/** A password as it is stored: `scrypt$N$r$p$salt$hash`, salt and hash in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, COST);
  return ["scrypt", COST.N, COST.r, COST.p, salt.toString("base64url"), hash.toString("base64url")].join("$");
}

/** Whether `stored` was made from this password; false for what is no stored password at all. */
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
    // One keyboard types an umlaut as one character, another as two; both must let the owner in.
    const text = password.normalize("NFKC");
    scrypt(text, salt, HASH_BYTES, { ...cost, maxmem: MEMORY_LIMIT }, (error, hash) =>
      error === null ? resolve(hash) : reject(error),
    );
  });
}
