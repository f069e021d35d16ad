import type { Log } from "../../../core/log.js";
import { type DelayPolicy, FailureDelays } from "../../../core/work/failure-delays.js";

/** The sixth failure in a row is the first that delays. */
const POLICY: DelayPolicy = { free: 6, longestMs: 60_000 };
/** Failures are forgotten after this time without another one. */
const FORGET_MS = 15 * 60_000;
/** Addresses and users that are remembered; the oldest are dropped first. */
const MAX_ENTRIES = 10_000;
const LOG_EVERY_MS = 60_000;

/**
 * Slows down the guessing of MQTT passwords, per address and per user name. Credentials that have been right before are
 * never blocked, so that an attack does not lock out a device that shares the attacker's address or user name.
 */
export class MqttSignInThrottle {
  readonly #log: Log;
  readonly #nowMs: () => number;
  readonly #delays: FailureDelays;
  readonly #known = new Set<string>();
  /** Failures by address since they were last logged. */
  readonly #unlogged = new Map<string, { failures: number; loggedMs: number }>();

  constructor({ log, nowMs = () => performance.now() }: { log: Log; nowMs?: (() => number) | undefined }) {
    this.#log = log;
    this.#nowMs = nowMs;
    this.#delays = new FailureDelays({ forgetMs: FORGET_MS, capacity: MAX_ENTRIES, nowMs });
  }

  /** Whether a sign-in must be refused without checking the password. */
  isBlocked({
    user,
    address,
    credentials,
  }: {
    user: string;
    address: string;
    /** Digest of user name and password. */
    credentials: string;
  }): boolean {
    if (this.#known.has(credentials)) return false;
    return namesOf(user, address).some((name) => this.#delays.waitMs(name, POLICY) > 0);
  }

  succeeded(credentials: string): void {
    this.#known.add(credentials);
  }

  failed({ user, address }: { user: string; address: string }): void {
    // Attempts while blocked do not extend the block, or a user could be locked out for good.
    for (const name of namesOf(user, address))
      if (this.#delays.waitMs(name, POLICY) === 0) this.#delays.add(name);
    this.logRefused({ user, address });
  }

  /** Logs that a client was refused, once per minute and address. */
  logRefused({ user, address }: { user: string | undefined; address: string }): void {
    const nowMs = this.#nowMs();
    const entry = this.#unlogged.get(address) ?? { failures: 0, loggedMs: Number.NEGATIVE_INFINITY };
    entry.failures++;
    this.#unlogged.set(address, entry);
    if (nowMs - entry.loggedMs < LOG_EVERY_MS) return;
    this.#log.warn(
      { address, user, failures: entry.failures },
      `An MQTT client at ${address} was refused: no or wrong user name and password; use a site's API key as the password.`,
    );
    Object.assign(entry, { failures: 0, loggedMs: nowMs });
    if (this.#unlogged.size > MAX_ENTRIES) this.#unlogged.delete(this.#unlogged.keys().next().value!);
  }
}

function namesOf(user: string, address: string): string[] {
  return [`address ${address}`, `user ${user}`];
}
