import { randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { programModule } from "../core/installation.js";
import { WorkPool } from "../core/work/work-pool.js";
import type { PasswordTasks, ScryptCost } from "./password-worker.js";

/** Cost of scrypt (OWASP password storage cheat sheet, p = 3): about 100 ms and 32 MiB. */
export const PASSWORD_COST: ScryptCost = { N: 2 ** 15, r: 8, p: 3 };
const HASH_BYTES = 32;
/** Longest wait; after it the request is answered with 429. */
const WAIT_MS = 2000;
/** A hash at the highest cost that is stored takes seconds on a small computer. */
const TIME_MS = 60_000;
const MEMORY_MB = 64;
/** Sign-ins of one address that may wait: homes share theirs. */
const WAITING_PER_OWNER = 4;
const MOST_WAITING = 100;

/**
 * Two at a time, in threads of their own: the threads of Node's pool also write the readings to disk. One for the process, since
 * the limit is that of the machine.
 */
const hashing = new WorkPool<PasswordTasks>({
  module: programModule("accounts/password-worker"),
  kind: "thread",
  name: "The check of passwords",
  atOnce: 2,
  timeMs: TIME_MS,
  memoryMb: MEMORY_MB,
  waitMs: WAIT_MS,
  waitingPerOwner: WAITING_PER_OWNER,
  mostWaiting: MOST_WAITING,
});

/** Of new passwords; those that are stored have their own. */
let cost = PASSWORD_COST;

/** Tests set hundreds of passwords. */
export function setPasswordCost(value: ScryptCost): void {
  cost = value;
}

/** Who asks: a stranger at an address, or somebody who is known, who goes first. */
export type PasswordCaller = { address: string } | "known";

/** The stored form of a password: `scrypt$N$r$p$salt$hash`, salt and hash in base64url. Throws WorkError (`busy`). */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const { N, r, p } = cost;
  const hash = Buffer.from(await derive(password, { salt, cost, caller: "known" }));
  return ["scrypt", N, r, p, salt.toString("base64url"), hash.toString("base64url")].join("$");
}

/** Whether `stored` was derived from this password; false for a text in another format. Throws WorkError (`busy`). */
export async function verifyPassword(
  password: string,
  stored: string,
  caller: PasswordCaller = "known",
): Promise<boolean> {
  const [scheme, N, r, p, salt, hash] = stored.split("$");
  if (scheme !== "scrypt" || salt === undefined || hash === undefined) return false;
  const expected = Buffer.from(hash, "base64url");
  if (expected.length !== HASH_BYTES) return false;
  const storedCost = { N: Number(N), r: Number(r), p: Number(p) };
  const actual = await derive(password, { salt: Buffer.from(salt, "base64url"), cost: storedCost, caller });
  return timingSafeEqual(actual, expected);
}

/** A new random password of 144 bits. */
export function newPassword(): string {
  return randomBytes(18).toString("base64url");
}

async function derive(
  password: string,
  { salt, cost, caller }: { salt: Uint8Array; cost: ScryptCost; caller: PasswordCaller },
): Promise<Uint8Array> {
  const asking = caller === "known" ? { owner: randomUUID(), urgent: true } : { owner: caller.address };
  // Keyboards encode an umlaut as one character or as two; both must be accepted.
  const text = password.normalize("NFKC");
  return hashing.run("derive", { password: text, salt, bytes: HASH_BYTES, cost }, asking);
}
