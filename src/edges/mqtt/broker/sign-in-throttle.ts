import { quotaAddress } from "../../../accounts/quota-address.js";
import type { Log } from "../../../core/log.js";
import { type DelayPolicy, FailureDelays } from "../../../core/work/failure-delays.js";

/** The sixth failure in a row is the first that delays. */
const POLICY: DelayPolicy = { free: 6, longestMs: 60_000 };
/** Failures are forgotten after this time without another one. */
const FORGET_MS = 15 * 60_000;
/** Addresses and users that are remembered; the oldest are dropped first. */
const MAX_ENTRIES = 10_000;
const LOG_EVERY_MS = 60_000;

/** Where a sign-in comes from. */
export interface SignInOrigin {
  user: string;
  address: string;
}

/** A user of the configuration has signed in from the network: an IPv4 address, or the /64 of an IPv6 address. */
export interface KnownAddress {
  user: string;
  network: string;
}

/** Addresses from which a user has signed in, of all users together; the oldest are dropped first. */
export const MAX_KNOWN = 1000;

/**
 * Slows down the guessing of MQTT passwords, per address (IPv6: per /64) and per user name. Right credentials at an address
 * from which they have been right before are never blocked, so that an attack does not lock out a device that shares the
 * attacker's user name; at any other address they are blocked like wrong ones, so that guessing does not get in.
 */
export class MqttSignInThrottle {
  readonly #log: Log;
  readonly #nowMs: () => number;
  readonly #delays: FailureDelays;
  /** User names with an address, the oldest first. */
  readonly #known = new Set<string>();
  /** Failures by address since they were last logged. */
  readonly #unlogged = new Map<string, { failures: number; loggedMs: number }>();

  constructor({ log, nowMs = () => performance.now() }: { log: Log; nowMs?: (() => number) | undefined }) {
    this.#log = log;
    this.#nowMs = nowMs;
    this.#delays = new FailureDelays({ forgetMs: FORGET_MS, capacity: MAX_ENTRIES, nowMs });
  }

  /** Whether a sign-in must be refused, also with the right password. */
  isBlocked({ user, address }: SignInOrigin): boolean {
    return namesOf(user, address).some((name) => this.#delays.waitMs(name, POLICY) > 0);
  }

  /** Whether the user has signed in from the address before. */
  isKnown(origin: SignInOrigin): boolean {
    return this.#known.has(keyOf({ user: origin.user, network: quotaAddress(origin.address) }));
  }

  /** The user has signed in from the address; undefined if that is not new. */
  succeeded({ user, address }: SignInOrigin): KnownAddress | undefined {
    if (this.isKnown({ user, address })) return undefined;
    const known = { user, network: quotaAddress(address) };
    this.know(known);
    return known;
  }

  /** The user has signed in from the network before. */
  know(known: KnownAddress): void {
    this.#known.add(keyOf(known));
    if (this.#known.size > MAX_KNOWN) this.#known.delete(this.#known.values().next().value!);
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
  return [`address ${quotaAddress(address)}`, `user ${user}`];
}

function keyOf({ user, network }: KnownAddress): string {
  return JSON.stringify([user, network]);
}
