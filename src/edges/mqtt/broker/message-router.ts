import { FilterTree } from "../../../core/domain/filter-tree.js";
import { type BrokerBudgets, type MqttLimits, signInOf } from "./budget.js";
import type { Message, QoS } from "./message.js";
import { Outbox, type OutboxOptions } from "./outbox.js";
import type { RetainedMessages } from "./retained.js";

/** A subscription of a client. */
export interface Subscription {
  filter: string;
  qos: QoS;
  /** No local: the client does not get its own messages. */
  nl: boolean;
  /** Retain as published: messages keep their retain flag. */
  rap: boolean;
  /** Subscription identifier, which comes with each message. */
  identifier?: number | undefined;
}

interface Held extends Subscription {
  clientId: string;
}

/** What all matching subscriptions of one client ask for. */
interface Match {
  qos: QoS;
  rap: boolean;
  identifiers: number[];
}

export interface MessageRouterOptions extends Pick<OutboxOptions, "storage" | "mayReceive" | "now"> {
  limits: MqttLimits;
  budgets: BrokerBudgets;
  /** Whether a client's messages are kept while it is absent. */
  hasSession(clientId: string): boolean;
  /** A queue is full; called for each message that is dropped. */
  onQueueFull(clientId: string): void;
}

/** Who gets which messages: the subscriptions of all clients, and an outbox for each of them. */
export class MessageRouter {
  readonly #options: MessageRouterOptions;
  readonly #tree = new FilterTree<Held>();
  /** By client id and filter. */
  readonly #held = new Map<string, Map<string, Held>>();
  readonly #outboxes = new Map<string, Outbox>();

  constructor(options: MessageRouterOptions) {
    this.#options = options;
  }

  /** Adds or replaces a subscription; undefined, and reported, if a limit does not allow it. */
  subscribe(clientId: string, subscription: Subscription): { isNew: boolean } | undefined {
    const { budgets, limits } = this.#options;
    const held = this.#held.get(clientId) ?? new Map<string, Held>();
    const isNew = !held.has(subscription.filter);
    if (isNew && held.size >= limits.subscriptions.per_client) {
      budgets.refuse("subscriptions", signInOf(clientId));
      return undefined;
    }
    if (isNew && !budgets.take("subscriptions", signInOf(clientId))) return undefined;
    const entry = { ...subscription, clientId };
    held.set(subscription.filter, entry);
    this.#held.set(clientId, held);
    this.#tree.set(subscription.filter, clientId, entry);
    return { isNew };
  }

  unsubscribe(clientId: string, filter: string): boolean {
    const held = this.#held.get(clientId);
    if (held?.delete(filter) !== true) return false;
    this.#options.budgets.add("subscriptions", signInOf(clientId), -1);
    this.#tree.delete(filter, clientId);
    if (held.size === 0) this.#held.delete(clientId);
    return true;
  }

  filtersOf(clientId: string): string[] {
    return [...(this.#held.get(clientId)?.keys() ?? [])];
  }

  /** Passes a message to its subscribers; resolves when it is stored for the sessions. */
  distribute(message: Message, fromClientId: string | undefined): Promise<unknown> | undefined {
    const stored: Promise<void>[] = [];
    for (const [clientId, { qos, rap, identifiers }] of this.#matches(message.topic, fromClientId)) {
      const written = this.outboxOf(clientId).push(
        {
          ...message,
          qos: Math.min(message.qos, qos) as QoS,
          retain: message.retain && rap,
          properties: withIdentifiers(message, identifiers),
        },
        { isKept: this.#options.hasSession(clientId) },
      );
      if (written !== undefined) stored.push(written);
    }
    return stored.length === 0 ? undefined : Promise.all(stored);
  }

  /**
   * Sends the retained messages of a new subscription, as they are when they are sent. They are not kept: the client gets them
   * again when it subscribes.
   */
  async sendRetained(
    clientId: string,
    { filter, qos, identifier }: Pick<Subscription, "filter" | "qos" | "identifier">,
    retained: RetainedMessages,
  ): Promise<void> {
    const outbox = this.outboxOf(clientId);
    const identifiers = identifier === undefined ? [] : [identifier];
    for await (const topic of retained.matching([filter])) {
      await outbox.short();
      const message = retained.get(topic);
      if (message === undefined) continue;
      const properties = withIdentifiers(message, identifiers);
      void outbox.push({ ...message, qos: Math.min(message.qos, qos) as QoS, properties }, { isKept: false });
    }
  }

  outboxOf(clientId: string): Outbox {
    let outbox = this.#outboxes.get(clientId);
    if (outbox === undefined) {
      const { budgets, onQueueFull, ...options } = this.#options;
      const signIn = signInOf(clientId);
      outbox = new Outbox({
        ...options,
        clientId,
        reserve: (bytes) => {
          const fits = budgets.fits("queued_bytes", signIn, bytes);
          if (fits) budgets.add("queued_bytes", signIn, bytes);
          return fits;
        },
        release: (bytes) => budgets.add("queued_bytes", signIn, -bytes),
        onFull: () => {
          budgets.refuse("queued_bytes", signIn);
          onQueueFull(clientId);
        },
      });
      this.#outboxes.set(clientId, outbox);
    }
    return outbox;
  }

  /** Ends the subscriptions of a client and drops its messages. */
  end(clientId: string): void {
    for (const filter of this.filtersOf(clientId)) this.unsubscribe(clientId, filter);
    this.#outboxes.get(clientId)?.clear();
  }

  /** A client without a session is gone. */
  forget(clientId: string): void {
    this.end(clientId);
    this.#outboxes.delete(clientId);
  }

  #matches(topic: string, fromClientId: string | undefined): Map<string, Match> {
    const matches = new Map<string, Match>();
    for (const { clientId, qos, nl, rap, identifier } of this.#tree.match(topic)) {
      if (nl && clientId === fromClientId) continue;
      const match = matches.get(clientId) ?? { qos: 0, rap: false, identifiers: [] };
      match.qos = Math.max(match.qos, qos) as QoS;
      match.rap ||= rap;
      if (identifier !== undefined) match.identifiers.push(identifier);
      matches.set(clientId, match);
    }
    return matches;
  }
}

function withIdentifiers({ properties }: Message, identifiers: readonly number[]): Message["properties"] {
  if (identifiers.length === 0) return properties;
  const [first] = identifiers;
  return { ...properties, subscriptionIdentifier: identifiers.length === 1 ? first! : [...identifiers] };
}
