import type { AuditEntry } from "./audit-entry.js";

const MINUTE_MS = 60_000;
/** Addresses that are counted in one minute; further ones are counted together. */
const ADDRESSES = 1000;
const OTHERS = "other addresses";

/** Sums up the sign-ins that were held back: one entry for each address and minute. */
export class DelayedSignIns {
  readonly #wallNow: () => Date;
  readonly #onMinute: (entries: AuditEntry[]) => void;
  /** By address. */
  readonly #counts = new Map<string, { account: string | undefined; count: number }>();
  #since: Date | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `onMinute` gets the entries of a minute that is over. */
  constructor(wallNow: () => Date, onMinute: (entries: AuditEntry[]) => void) {
    this.#wallNow = wallNow;
    this.#onMinute = onMinute;
  }

  add({ account, from = "" }: Pick<AuditEntry, "account" | "from">): void {
    const now = this.#wallNow();
    if (this.#since !== undefined && Math.abs(now.getTime() - this.#since.getTime()) >= MINUTE_MS)
      this.flush();
    this.#since ??= now;
    this.#timer ??= setTimeout(() => this.flush(), MINUTE_MS).unref();
    const address = this.#counts.has(from) || this.#counts.size < ADDRESSES ? from : OTHERS;
    const known = this.#counts.get(address);
    // An entry names an account only if all of its attempts were for that one.
    const same = known === undefined || known.account === account ? account : undefined;
    this.#counts.set(address, { account: same, count: (known?.count ?? 0) + 1 });
  }

  /** What was counted and is not yet passed on. */
  entries(): AuditEntry[] {
    const time = this.#since?.toISOString() ?? "";
    return [...this.#counts].map(([from, { account, count }]) => ({
      time,
      event: "sign_in.delayed",
      ...(account !== undefined && { account }),
      from,
      count,
    }));
  }

  /** Passes on what was counted. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const entries = this.entries();
    this.#counts.clear();
    this.#since = undefined;
    if (entries.length > 0) this.#onMinute(entries);
  }
}
