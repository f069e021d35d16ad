import { type BrokerBudgets, type MqttLimits, signInOf } from "./budget.js";

const DAY_S = 86_400;

/** A session that outlives its connections. */
export interface BrokerSession {
  /** When its client was last connected, Unix milliseconds. */
  seenMs: number;
  /** How long its client may be absent, seconds. */
  expiryS: number;
}

export interface BrokerSessionsOptions {
  limits: MqttLimits;
  budgets: BrokerBudgets;
  isConnected(clientId: string): boolean;
  /** Unix milliseconds. */
  now(): number;
  store(clientId: string, session: BrokerSession): void;
  /** Removes a session with its subscriptions and queued messages; resolves when that is stored. */
  end(clientId: string): Promise<void>;
}

/** The persistent sessions of the broker. */
export class BrokerSessions {
  readonly #options: BrokerSessionsOptions;
  readonly #sessions = new Map<string, BrokerSession>();

  constructor(options: BrokerSessionsOptions) {
    this.#options = options;
  }

  /** Longest absence of a client, seconds. */
  get longestExpiryS(): number {
    return this.#options.limits.sessions.expire_after_days * DAY_S;
  }

  has(clientId: string): boolean {
    return this.#sessions.has(clientId);
  }

  /** Whether a client that connects now finds its session. */
  isPresent(clientId: string): boolean {
    const session = this.#sessions.get(clientId);
    return session !== undefined && (this.#options.isConnected(clientId) || !this.#isOver(session));
  }

  /** Adds a stored session; false if the budget does not allow it or it has expired. */
  restore(clientId: string, session: BrokerSession): boolean {
    if (this.has(clientId)) return true;
    if (this.#isOver(session)) return false;
    if (!this.#options.budgets.take("sessions", signInOf(clientId))) return false;
    this.#sessions.set(clientId, session);
    return true;
  }

  /**
   * Reserves a session for a client that connects. When the limit is reached, the session of the same sign-in that has
   * been absent longest ends; false if there is none.
   */
  async reserve(clientId: string, expiryS: number): Promise<boolean> {
    const { budgets, isConnected } = this.#options;
    const signIn = signInOf(clientId);
    if (!this.has(clientId)) {
      if (!budgets.fits("sessions", signIn)) {
        budgets.refuse("sessions", signIn);
        const [oldest] = [...this.#sessions]
          .filter(([id]) => signInOf(id) === signIn && !isConnected(id))
          .sort(([, a], [, b]) => a.seenMs - b.seenMs);
        if (oldest === undefined) return false;
        await this.remove(oldest[0]);
        if (!budgets.fits("sessions", signIn)) return false;
      }
      // Another CONNECT with the same id may have been faster.
      if (!this.has(clientId)) budgets.add("sessions", signIn, 1);
    }
    this.seen(clientId, expiryS);
    return true;
  }

  /** Records that the client is or was connected now. */
  seen(clientId: string, expiryS: number): void {
    const session = { seenMs: this.#options.now(), expiryS: Math.min(expiryS, this.longestExpiryS) };
    this.#sessions.set(clientId, session);
    this.#options.store(clientId, session);
  }

  /** Ends a session: its subscriptions and queued messages are removed. */
  async remove(clientId: string): Promise<void> {
    const { budgets, end } = this.#options;
    if (!this.#sessions.delete(clientId)) return;
    budgets.add("sessions", signInOf(clientId), -1);
    await end(clientId);
  }

  async removeOf(signIn: string): Promise<void> {
    for (const clientId of [...this.#sessions.keys()])
      if (signInOf(clientId) === signIn) await this.remove(clientId);
  }

  /** Ends the sessions whose clients have been absent too long. */
  async expire(): Promise<void> {
    for (const [clientId, session] of [...this.#sessions])
      if (this.#isOver(session) && !this.#options.isConnected(clientId)) await this.remove(clientId);
  }

  #isOver({ seenMs, expiryS }: BrokerSession): boolean {
    return this.#options.now() - seenMs > expiryS * 1000;
  }
}
