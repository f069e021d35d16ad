/** A burst of this many seconds at the full rate passes without delay. */
const BURST_S = 10;

/** So much may be taken at once, and `perSecond` in the long run. */
export class TokenBucket {
  readonly #perMs: number;
  readonly #capacity: number;
  #level: number;
  #atMs: number;

  constructor({ perSecond, burst }: { perSecond: number; burst: number }, nowMs: number) {
    this.#perMs = perSecond / 1000;
    this.#capacity = burst;
    this.#level = this.#capacity;
    this.#atMs = nowMs;
  }

  /** The clock may be set back. */
  level(nowMs: number): number {
    this.#level = Math.min(this.#capacity, this.#level + Math.max(0, nowMs - this.#atMs) * this.#perMs);
    this.#atMs = nowMs;
    return this.#level;
  }

  isHalfFull(nowMs: number): boolean {
    return this.level(nowMs) >= this.#capacity / 2;
  }

  take(amount: number): void {
    this.#level -= amount;
  }

  /** Milliseconds until one token is available. */
  waitMs(): number {
    return Math.max(1, (1 - this.#level) / this.#perMs);
  }
}

/** The share of one connection in the publish rate. */
export type RateShare = ReturnType<PublishRate["shareOf"]>;

/**
 * Limits how fast packets are read from clients, per sign-in and in total. Nothing is dropped: a client above the limit
 * is read more slowly. When the total is used up, sign-ins that have used less than half of their burst still pass.
 */
export class PublishRate {
  readonly #perSignIn: number;
  readonly #total: TokenBucket;
  readonly #now: () => number;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor({ total, per_sign_in }: { total: number; per_sign_in: number }, now = () => performance.now()) {
    this.#perSignIn = per_sign_in;
    this.#now = now;
    this.#total = bucketOf(total, now());
  }

  /** The share of a connection of this sign-in. */
  shareOf(signIn: string) {
    const bucket = this.#buckets.get(signIn) ?? bucketOf(this.#perSignIn, this.#now());
    this.#buckets.set(signIn, bucket);
    return {
      /** Packets that may pass now; 0: wait `waitMs`. */
      available: () => {
        const nowMs = this.#now();
        const own = bucket.level(nowMs);
        const total = this.#total.level(nowMs);
        return total >= 1 || bucket.isHalfFull(nowMs) ? Math.max(0, Math.floor(own)) : 0;
      },
      waitMs: () => Math.min(1000, Math.max(bucket.waitMs(), this.#total.level(this.#now()) < 1 ? 20 : 1)),
      take: (amount: number) => {
        bucket.take(amount);
        this.#total.take(amount);
      },
    };
  }
}

function bucketOf(perSecond: number, nowMs: number): TokenBucket {
  return new TokenBucket({ perSecond, burst: perSecond * BURST_S }, nowMs);
}
