import type { ClassicLevel } from "classic-level";
import type { Log } from "../../../core/log.js";
import { type BrokerBudgets, type MqttLimits, signInOf } from "./budget.js";

const SESSION = "session:";
const DAY_MS = 86_400_000;

export interface BrokerSessionsOptions {
  database: ClassicLevel;
  limits: MqttLimits;
  budgets: BrokerBudgets;
  isConnected(clientId: string): boolean;
  /** Unix milliseconds. */
  now(): number;
  /** Removes subscriptions and queued messages of a session. */
  end(clientId: string): Promise<void>;
  log: Log;
}

/** The persistent sessions of the broker with the time their clients were last seen. */
export class BrokerSessions {
  readonly #options: BrokerSessionsOptions;
  /** Unix milliseconds by client id. */
  readonly #seen = new Map<string, number>();

  constructor(options: BrokerSessionsOptions) {
    this.#options = options;
  }

  has(clientId: string): boolean {
    return this.#seen.has(clientId);
  }

  /** Adds a stored session; false if the budget does not allow it or it has expired. */
  restore(clientId: string, seenMs: number): boolean {
    const { budgets, limits, now } = this.#options;
    if (this.has(clientId)) return true;
    if (now() - seenMs > limits.sessions.expire_after_days * DAY_MS) return false;
    if (!budgets.take("sessions", signInOf(clientId))) return false;
    this.#seen.set(clientId, seenMs);
    return true;
  }

  /**
   * Reserves a session for a client that connects. When the limit is reached, the session of the same sign-in that has
   * been absent longest ends; false if there is none.
   */
  async reserve(clientId: string): Promise<boolean> {
    const { budgets, isConnected } = this.#options;
    const signIn = signInOf(clientId);
    if (!this.has(clientId)) {
      if (!budgets.fits("sessions", signIn)) {
        budgets.refuse("sessions", signIn);
        const [oldest] = [...this.#seen]
          .filter(([id]) => signInOf(id) === signIn && !isConnected(id))
          .sort(([, a], [, b]) => a - b);
        if (oldest === undefined) return false;
        await this.remove(oldest[0]);
        if (!budgets.fits("sessions", signIn)) return false;
      }
      // Another CONNECT with the same id may have been faster.
      if (!this.has(clientId)) budgets.add("sessions", signIn, 1);
    }
    this.seen(clientId);
    return true;
  }

  /** Records that the client is or was connected now. */
  seen(clientId: string): void {
    const { database, now, log } = this.#options;
    this.#seen.set(clientId, now());
    database
      .put(`${SESSION}${encodeURIComponent(clientId)}`, String(now()))
      .catch((error: unknown) => log.debug({ err: error }, "An MQTT session could not be stored."));
  }

  /** Ends a session: its subscriptions and queued messages are removed. */
  async remove(clientId: string): Promise<void> {
    const { budgets, database, end } = this.#options;
    if (!this.#seen.delete(clientId)) return;
    budgets.add("sessions", signInOf(clientId), -1);
    await end(clientId);
    await database.del(`${SESSION}${encodeURIComponent(clientId)}`);
  }

  /** Ends all sessions of a sign-in. */
  async removeOf(signIn: string): Promise<void> {
    for (const clientId of [...this.#seen.keys()])
      if (signInOf(clientId) === signIn) await this.remove(clientId);
  }

  /** Ends the sessions whose clients have been absent too long. */
  async expire(): Promise<void> {
    const { limits, now, isConnected } = this.#options;
    const oldestMs = now() - limits.sessions.expire_after_days * DAY_MS;
    for (const [clientId, seenMs] of [...this.#seen])
      if (seenMs < oldestMs && !isConnected(clientId)) await this.remove(clientId);
  }
}

/** The keys that begin with the prefix, which ends with a colon. */
export function keyRange(prefix: string): { gte: string; lt: string } {
  return { gte: prefix, lt: `${prefix.slice(0, -1)};` };
}

/** The stored sessions: last seen in Unix milliseconds by client id. */
export async function storedSessions(database: ClassicLevel): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for await (const [key, value] of database.iterator(keyRange(SESSION)))
    found.set(decodeURIComponent(key.slice(SESSION.length)), Number(value));
  return found;
}
