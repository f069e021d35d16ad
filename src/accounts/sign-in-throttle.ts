import { type DelayPolicy, FailureDelays } from "../core/work/failure-delays.js";

/** Failures of one name that are forgotten after this time without another one. */
const FORGET_MS = 24 * 60 * 60 * 1000;
/** Maximum number of stored names; above it the oldest ones are dropped. */
const CAPACITY = 50_000;

/** One address and one account: the usual attacker, and the usual mistyped password. */
const PAIR: DelayPolicy = { free: 5, longestMs: 15 * 60_000 };
/** One address, any account. */
const ADDRESS: DelayPolicy = { free: 20, longestMs: 15 * 60_000 };
/** One account, any address: short, since everyone can cause it. */
const ACCOUNT: DelayPolicy = { free: 20, longestMs: 30_000 };
/** A browser that has signed in to the account before; attempts from elsewhere do not delay it. */
const DEVICE: DelayPolicy = { free: 10, longestMs: 15 * 60_000 };

/** Wrong codes of one account over all addresses: a person who enters one knows the password. */
const CODE: DelayPolicy = { free: 5, longestMs: 15 * 60_000 };

/** A permitted attempt, which counts as failed until it succeeds. */
export interface PermittedAttempt {
  /** The password was right: the failures from this address or browser are forgotten. */
  succeed(): void;
  /** The password could not be checked: the attempt does not count. */
  cancel(): void;
}

export type AttemptVerdict = PermittedAttempt | { retryAfterSeconds: number };

/**
 * Delays password attempts. The delay doubles with each failure, counted by account and address together, by address and by
 * account. Runs on monotonic time.
 */
export class SignInThrottle {
  readonly #delays: FailureDelays;
  /** Apart, so that names that strangers make up do not displace those of accounts. */
  readonly #codes: FailureDelays;

  constructor({ nowMs = () => performance.now() }: { nowMs?: () => number } = {}) {
    this.#delays = new FailureDelays({ forgetMs: FORGET_MS, capacity: CAPACITY, nowMs });
    this.#codes = new FailureDelays({ forgetMs: FORGET_MS, capacity: CAPACITY, nowMs });
  }

  /** `device`: id of a browser that has signed in to this account before. */
  begin({
    account,
    address,
    device,
  }: {
    account: string;
    address: string;
    device?: string | undefined;
  }): AttemptVerdict {
    const name = `account ${account}`;
    const names: [name: string, policy: DelayPolicy][] =
      device === undefined
        ? [
            [`${name} from ${address}`, PAIR],
            [`address ${address}`, ADDRESS],
            [name, ACCOUNT],
          ]
        : [[`${name} on ${device}`, DEVICE]];
    const waitMs = Math.max(...names.map(([one, policy]) => this.#delays.waitMs(one, policy)));
    if (waitMs > 0) return { retryAfterSeconds: Math.ceil(waitMs / 1000) };
    for (const [one] of names) this.#delays.add(one);
    return {
      succeed: () => {
        this.#delays.forget(names[0]![0]);
        for (const [one] of names.slice(1)) this.#delays.takeBack(one);
      },
      cancel: () => {
        for (const [one] of names) this.#delays.takeBack(one);
      },
    };
  }

  /** The same for a code of the authenticator app, which is entered after the right password. */
  beginCode({ account, device }: { account: string; device: string | undefined }): AttemptVerdict {
    const name = device === undefined ? account : `${account} on ${device}`;
    const waitMs = this.#codes.waitMs(name, CODE);
    if (waitMs > 0) return { retryAfterSeconds: Math.ceil(waitMs / 1000) };
    this.#codes.add(name);
    return { succeed: () => this.#codes.forget(name), cancel: () => this.#codes.takeBack(name) };
  }

  /** Whether codes of the account have been wrong so often that the next one has to wait. */
  isDelayingCodes(account: string): boolean {
    return this.#codes.waitMs(account, CODE) > 0;
  }

  /** Forgets all failures of an account. */
  unlock(account: string): void {
    this.#codes.forgetAll((one) => one === account || one.startsWith(`${account} on `));
    const name = `account ${account}`;
    this.#delays.forgetAll(
      (one) => one === name || one.startsWith(`${name} from `) || one.startsWith(`${name} on `),
    );
  }
}
