import type { LimitSettings } from "../../../config/settings.js";

export type MqttLimits = LimitSettings["mqtt"];

/** What the budgets of the broker limit. */
export type BrokerResource =
  | "connections"
  | "sessions"
  | "queued_bytes"
  | "qos2_in_flight"
  | "retained_messages"
  | "retained_bytes"
  | "subscriptions";

/** Amount of a resource in use, for all clients together. */
export interface ResourceUsage {
  /** `answers`: messages of the gateway that wait for the broker. */
  resource: BrokerResource | "answers";
  used: number;
  limit: number;
  /** Requests refused since the start because this limit was reached. */
  refused: number;
}

/** A limit for all clients together and one per sign-in. */
class Budget {
  readonly #total: number;
  readonly #perSignIn: number;
  readonly #bySignIn = new Map<string, number>();
  #used = 0;
  refused = 0;

  constructor(total: number, perSignIn: number) {
    this.#total = total;
    this.#perSignIn = perSignIn;
  }

  get limit(): number {
    return this.#total;
  }

  get used(): number {
    return this.#used;
  }

  fits(signIn: string, amount: number): boolean {
    return this.#used + amount <= this.#total && this.of(signIn) + amount <= this.#perSignIn;
  }

  of(signIn: string): number {
    return this.#bySignIn.get(signIn) ?? 0;
  }

  /** Adds a positive or negative amount without a check. */
  add(signIn: string, amount: number): void {
    const used = this.of(signIn) + amount;
    this.#used += amount;
    if (used <= 0) this.#bySignIn.delete(signIn);
    else this.#bySignIn.set(signIn, used);
  }
}

/** How long a refusal is shown as a problem of the component. */
const SHOWN_MS = 10 * 60_000;

/** The budgets of the embedded broker: what clients use, and what was refused. */
export class BrokerBudgets {
  readonly #budgets: Record<BrokerResource, Budget>;
  readonly #onRefused: (resource: BrokerResource, signIn: string) => void;
  readonly #now: () => number;
  /** Time of the last refusal by sign-in and resource. */
  readonly #lastRefused = new Map<string, { resource: BrokerResource; signIn: string; atMs: number }>();

  constructor(
    limits: MqttLimits,
    { onRefused, now }: { onRefused(resource: BrokerResource, signIn: string): void; now(): number },
  ) {
    const { connections, sessions, subscriptions } = limits;
    const pair = ({ total, per_sign_in }: { total: number; per_sign_in: number }) =>
      new Budget(total, per_sign_in);
    this.#onRefused = onRefused;
    this.#now = now;
    this.#budgets = {
      connections: pair(connections),
      sessions: pair(sessions),
      queued_bytes: pair(limits.queued_bytes),
      qos2_in_flight: pair(limits.qos2_in_flight),
      retained_messages: pair(limits.retained_messages),
      retained_bytes: pair(limits.retained_bytes),
      subscriptions: new Budget(subscriptions.total, subscriptions.total / 2),
    };
  }

  fits(resource: BrokerResource, signIn: string, amount = 1): boolean {
    return this.#budgets[resource].fits(signIn, amount);
  }

  /** Adds a positive or negative amount without a check. */
  add(resource: BrokerResource, signIn: string, amount: number): void {
    this.#budgets[resource].add(signIn, amount);
  }

  /** Takes the amount; false, and counted as a refusal, if the budget does not allow it. */
  take(resource: BrokerResource, signIn: string, amount = 1): boolean {
    if (!this.#budgets[resource].fits(signIn, amount)) {
      this.refuse(resource, signIn);
      return false;
    }
    this.#budgets[resource].add(signIn, amount);
    return true;
  }

  /** Counts and reports a refusal. */
  refuse(resource: BrokerResource, signIn: string): void {
    this.#budgets[resource].refused++;
    const key = `${resource} ${signIn}`;
    this.#lastRefused.delete(key);
    this.#lastRefused.set(key, { resource, signIn, atMs: this.#now() });
    if (this.#lastRefused.size > 100) this.#lastRefused.delete(this.#lastRefused.keys().next().value!);
    this.#onRefused(resource, signIn);
  }

  usage(): ResourceUsage[] {
    return Object.entries(this.#budgets).map(([resource, { used, limit, refused }]) => ({
      resource: resource as BrokerResource,
      used,
      limit,
      refused,
    }));
  }

  /** The sign-ins that reached a limit in the last ten minutes. */
  recentRefusals(): { resource: BrokerResource; signIn: string }[] {
    const sinceMs = this.#now() - SHOWN_MS;
    for (const [key, { atMs }] of this.#lastRefused) if (atMs < sinceMs) this.#lastRefused.delete(key);
    return [...this.#lastRefused.values()];
  }
}

/** The sign-in of a client id that `BrokerAuthorizer` has scoped. */
export function signInOf(clientId: string): string {
  const end = clientId.indexOf(":");
  return end === -1 ? "" : clientId.slice(0, end);
}
