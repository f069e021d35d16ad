/** Failures of one name that are forgotten after this time without another one. */
const FORGET_MS = 24 * 60 * 60 * 1000;
/** Maximum number of stored names; above it the oldest ones are dropped. */
const CAPACITY = 50_000;

/** How many failures a name has free, and the longest delay after that. */
interface Policy {
  free: number;
  longestMs: number;
}

/** One address and one account: the usual attacker, and the usual mistyped password. */
const PAIR: Policy = { free: 5, longestMs: 15 * 60_000 };
/** One address, any account. */
const ADDRESS: Policy = { free: 20, longestMs: 15 * 60_000 };
/** One account, any address: short, since everyone can cause it. */
const ACCOUNT: Policy = { free: 20, longestMs: 30_000 };
/** A browser that has signed in to the account before; attempts from elsewhere do not delay it. */
const DEVICE: Policy = { free: 10, longestMs: 15 * 60_000 };

interface Failures {
  count: number;
  lastMs: number;
}

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
  readonly #nowMs: () => number;
  /** By name, the longest unchanged first. */
  readonly #failures = new Map<string, Failures>();

  constructor({ nowMs = () => performance.now() }: { nowMs?: () => number } = {}) {
    this.#nowMs = nowMs;
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
    const names: [name: string, policy: Policy][] =
      device === undefined
        ? [
            [`${name} from ${address}`, PAIR],
            [`address ${address}`, ADDRESS],
            [name, ACCOUNT],
          ]
        : [[`${name} on ${device}`, DEVICE]];
    const nowMs = this.#nowMs();
    const waitMs = Math.max(...names.map(([one, policy]) => this.#waitMs(one, policy, nowMs)));
    if (waitMs > 0) return { retryAfterSeconds: Math.ceil(waitMs / 1000) };
    for (const [one] of names) this.#change(one, 1, nowMs);
    return {
      succeed: () => {
        this.#failures.delete(names[0]![0]);
        for (const [one] of names.slice(1)) this.#change(one, -1, nowMs);
      },
      cancel: () => {
        for (const [one] of names) this.#change(one, -1, nowMs);
      },
    };
  }

  /** Forgets all failures of an account. */
  unlock(account: string): void {
    const name = `account ${account}`;
    for (const one of this.#failures.keys())
      if (one === name || one.startsWith(`${name} from `) || one.startsWith(`${name} on `))
        this.#failures.delete(one);
  }

  #waitMs(name: string, { free, longestMs }: Policy, nowMs: number): number {
    const failures = this.#failures.get(name);
    if (failures === undefined || failures.count < free) return 0;
    const delayMs = Math.min(1000 * 2 ** (failures.count - free), longestMs);
    return Math.max(0, failures.lastMs + delayMs - nowMs);
  }

  #change(name: string, difference: 1 | -1, nowMs: number): void {
    const before = this.#failures.get(name);
    const isOld = before !== undefined && nowMs - before.lastMs >= FORGET_MS;
    const count = (isOld ? 0 : (before?.count ?? 0)) + difference;
    this.#failures.delete(name);
    if (count > 0) this.#failures.set(name, { count, lastMs: difference > 0 ? nowMs : before!.lastMs });
    if (this.#failures.size > CAPACITY) this.#failures.delete(this.#failures.keys().next().value!);
  }
}
