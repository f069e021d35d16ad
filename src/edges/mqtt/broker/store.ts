import type { Log } from "../../../core/log.js";
import { type BrokerBudgets, type MqttLimits, signInOf } from "./budget.js";
import type { ConnectedClient } from "./connected-client.js";
import type { Message, Published } from "./message.js";
import { MessageRouter, type Subscription } from "./message-router.js";
import { OrderedWrites } from "./ordered-writes.js";
import type { QueueStorage } from "./outbox.js";
import {
  decodeMessage,
  encodeMessage,
  encodeSent,
  encodeSession,
  encodeSubscription,
  encodeWill,
  RECORDS,
  type Records,
} from "./records.js";
import { RetainedMessages } from "./retained.js";
import { BrokerSessions } from "./sessions.js";
import type { KnownAddress } from "./sign-in-throttle.js";
import { loadStore } from "./store-loading.js";

export interface BrokerStoreOptions {
  database: Records;
  limits: MqttLimits;
  budgets: BrokerBudgets;
  /** Topics whose retained messages are not kept: telemetry and commands. */
  isNeverRetained(topic: string): boolean;
  /** Topics of the gateway, whose retained messages do not count. */
  isGatewayTopic(topic: string): boolean;
  isConnected(clientId: string): boolean;
  mayReceive(client: ConnectedClient, topic: string): boolean;
  /** Unix milliseconds. */
  now(): number;
  log: Log;
}

const LOG_EVERY_MS = 60_000;
/** A plan of some 50 kB changes every few seconds: writing each would wear out an SD card. */
const GATEWAY_VALUES_MS = 60_000;
/** Those of many homes are not stored at one moment. */
const STORE_EVERY_MS = 1_000;

/**
 * What the broker keeps: sessions, subscriptions, queued and retained messages, each within the budgets, in memory and in
 * LevelDB. A disk error does not end the process or a connection: what cannot be stored is still delivered.
 */
export class BrokerStore {
  readonly #options: BrokerStoreOptions;
  readonly #writes: OrderedWrites;
  readonly retained: RetainedMessages;
  readonly sessions: BrokerSessions;
  readonly router: MessageRouter;
  /** Packet identifiers of QoS 2 messages without PUBREL, by client id. */
  readonly #incoming = new Map<string, Set<number>>();
  /** Last wills of clients that were connected when the gateway ended. */
  readonly #orphanedWills = new Map<string, Published>();
  /** From where users had signed in before the start, the latest last. */
  readonly knownAddresses: KnownAddress[] = [];
  readonly #queueFull = new Set<string>();
  /** Topics of the gateway whose retained messages are not stored yet, with the time of the first one, the oldest first. */
  readonly #unstored = new Map<string, number>();
  #storing: NodeJS.Timeout | undefined;
  /** Writes that have failed since they were last logged. */
  #failures = 0;
  #failureLoggedMs = Number.NEGATIVE_INFINITY;

  constructor(options: BrokerStoreOptions) {
    const { database, budgets, isGatewayTopic, now } = options;
    this.#options = options;
    this.#writes = new OrderedWrites(database, (error) => this.#logFailure(error));
    this.retained = new RetainedMessages(budgets, { isExempt: isGatewayTopic, now });
    this.sessions = new BrokerSessions({
      ...options,
      store: (clientId, session) => void this.#writes.set(RECORDS.session(clientId), encodeSession(session)),
      end: (clientId) => this.#endSession(clientId),
    });
    this.router = new MessageRouter({
      ...options,
      storage: this.#queueStorage(),
      hasSession: (clientId) => this.sessions.has(clientId),
      onQueueFull: (clientId) => this.#warnOfFullQueue(clientId),
    });
  }

  /** Loads what is stored; what exceeds the limits is removed. */
  async open(): Promise<void> {
    await loadStore(this.#options.database, {
      ...this.#options,
      know: (known) => void this.knownAddresses.push(known),
      retained: this.retained,
      sessions: this.sessions,
      router: this.router,
      receive: (clientId, messageId) => this.#incomingOf(clientId).add(messageId),
      bequeath: (clientId, will) => void this.#orphanedWills.set(clientId, will),
    });
  }

  /** Resolves when everything so far is stored. */
  idle(): Promise<void> {
    this.#storeGatewayValues(Infinity);
    return this.#writes.idle();
  }

  /**
   * Keeps a retained message, or removes it with an empty payload. One of the gateway is stored within a minute and not
   * awaited: it sends all of them again after each start. Removals are: nothing would repeat them.
   */
  retain(message: Message): Promise<void> | undefined {
    const { topic, payload } = message;
    this.retained.set(message);
    const isRemoved = payload.length === 0;
    if (!isRemoved && this.#options.isGatewayTopic(topic)) {
      if (!this.#unstored.has(topic)) this.#unstored.set(topic, performance.now());
      this.#storing ??= setInterval(
        () => this.#storeGatewayValues(performance.now() - GATEWAY_VALUES_MS),
        STORE_EVERY_MS,
      ).unref();
      return undefined;
    }
    this.#unstored.delete(topic);
    const value = isRemoved ? undefined : encodeMessage(message, this.retained.ownerOf(topic));
    return this.#writes.set(RECORDS.retained(topic), value);
  }

  #storeGatewayValues(untilMs: number): void {
    for (const [topic, sinceMs] of this.#unstored) {
      if (sinceMs > untilMs) return;
      this.#unstored.delete(topic);
      const message = this.retained.get(topic);
      if (message !== undefined)
        void this.#writes.set(RECORDS.retained(topic), encodeMessage(message, this.retained.ownerOf(topic)));
    }
    clearInterval(this.#storing);
    this.#storing = undefined;
  }

  /** Ends what has outlived its time. */
  async expire(): Promise<void> {
    for (const topic of this.retained.expire()) void this.#writes.set(RECORDS.retained(topic), undefined);
    await this.sessions.expire();
  }

  /** A client begins without what an earlier connection left. */
  async endSession(clientId: string): Promise<void> {
    if (this.sessions.has(clientId)) await this.sessions.remove(clientId);
    else {
      this.#forgetIncoming(clientId);
      this.router.end(clientId);
    }
  }

  /** Adds or replaces a subscription; undefined if a limit does not allow it. */
  subscribe(
    client: ConnectedClient,
    subscription: Subscription,
  ): { isNew: boolean; stored: Promise<void> } | undefined {
    const added = this.router.subscribe(client.id, subscription);
    if (added === undefined) return undefined;
    const key = RECORDS.subscription(client.id, subscription.filter);
    return { isNew: added.isNew, stored: this.#keep(client, key, encodeSubscription(subscription)) };
  }

  /** False if there is no such subscription. */
  unsubscribe(client: ConnectedClient, filter: string): boolean {
    if (!this.router.unsubscribe(client.id, filter)) return false;
    void this.#keep(client, RECORDS.subscription(client.id, filter), undefined);
    return true;
  }

  /** Whether a QoS 2 message with this packet identifier has arrived and was not released. */
  hasReceived(clientId: string, messageId: number): boolean {
    return this.#incoming.get(clientId)?.has(messageId) === true;
  }

  /** How many QoS 2 messages of the client wait for PUBREL. */
  receivedCount(clientId: string): number {
    return this.#incoming.get(clientId)?.size ?? 0;
  }

  /** Takes a QoS 2 message that has arrived; false if the budget is used up. */
  receive(client: ConnectedClient, messageId: number): boolean {
    if (!this.#options.budgets.take("qos2_in_flight", signInOf(client.id))) return false;
    this.#incomingOf(client.id).add(messageId);
    void this.#keep(client, RECORDS.incoming(client.id, messageId), Buffer.alloc(0));
    return true;
  }

  /** PUBREL: the packet identifier is free; false if it is not known. */
  released(client: ConnectedClient, messageId: number): boolean {
    if (this.#incoming.get(client.id)?.delete(messageId) !== true) return false;
    this.#options.budgets.add("qos2_in_flight", signInOf(client.id), -1);
    void this.#keep(client, RECORDS.incoming(client.id, messageId), undefined);
    return true;
  }

  /** Stores or deletes a record of a client that has a session. */
  #keep({ id }: ConnectedClient, key: string, value: Buffer | undefined): Promise<void> {
    return this.sessions.has(id) ? this.#writes.set(key, value) : Promise.resolve();
  }

  connected({ id }: ConnectedClient): void {
    this.#queueFull.delete(id);
    this.#orphanedWills.delete(id);
  }

  disconnected({ id, clean, sessionExpiryInterval }: ConnectedClient): void {
    if (clean && !this.sessions.has(id)) {
      this.#forgetIncoming(id);
      this.router.forget(id);
      return;
    }
    this.router.outboxOf(id).disconnect();
    // A session that ends with its connection is removed by `endSession`.
    if (!clean) this.sessions.seen(id, sessionExpiryInterval);
  }

  /** A user has signed in from there. */
  remember(known: KnownAddress): void {
    void this.#writes.set(RECORDS.known(known), Buffer.from(String(this.#options.now())));
  }

  putWill(clientId: string, will: Published): Promise<void> {
    return this.#writes.set(RECORDS.will(clientId), encodeWill(will));
  }

  deleteWill(clientId: string): Promise<void> {
    this.#orphanedWills.delete(clientId);
    return this.#writes.set(RECORDS.will(clientId), undefined);
  }

  /** The last wills of clients of a former run that have not come back. */
  orphanedWills(): [clientId: string, will: Published][] {
    return [...this.#orphanedWills];
  }

  #queueStorage(): QueueStorage {
    const { database } = this.#options;
    return {
      put: (clientId, sequence, message) =>
        this.#writes.set(RECORDS.queued(clientId, sequence), encodeMessage(message)),
      load: async (clientId, sequence) => {
        const key = RECORDS.queued(clientId, sequence);
        const value = await database
          .get<string, Buffer>(key, { valueEncoding: "buffer" })
          .catch(() => undefined);
        return value === undefined ? undefined : decodeMessage(value);
      },
      sent: (clientId, sequence, sent) => {
        // The client has the message: only its packet identifier is still needed.
        if (sent.isReleased) void this.#writes.set(RECORDS.queued(clientId, sequence), undefined);
        return this.#writes.set(RECORDS.sent(clientId, sequence), encodeSent(sent));
      },
      delete: (clientId, sequence) => {
        void this.#writes.set(RECORDS.queued(clientId, sequence), undefined);
        void this.#writes.set(RECORDS.sent(clientId, sequence), undefined);
      },
    };
  }

  /** Once a minute: on a full disk each message fails. */
  #logFailure(error: unknown): void {
    this.#failures++;
    const { now, log } = this.#options;
    // The clock may be set back.
    if (Math.abs(now() - this.#failureLoggedMs) < LOG_EVERY_MS) return;
    this.#failureLoggedMs = now();
    log.error({ err: error, failures: this.#failures }, "MQTT messages or sessions could not be stored.");
    this.#failures = 0;
  }

  #warnOfFullQueue(clientId: string): void {
    if (this.#queueFull.has(clientId)) return;
    this.#queueFull.add(clientId);
    this.#options.log.warn(
      { clientId },
      "The queue of an MQTT client is full; further messages are not queued.",
    );
  }

  #incomingOf(clientId: string): Set<number> {
    const held = this.#incoming.get(clientId) ?? new Set();
    this.#incoming.set(clientId, held);
    return held;
  }

  #forgetIncoming(clientId: string): void {
    const held = this.#incoming.get(clientId)?.size ?? 0;
    this.#options.budgets.add("qos2_in_flight", signInOf(clientId), -held);
    this.#incoming.delete(clientId);
  }

  async #endSession(clientId: string): Promise<void> {
    const writes = this.#writes;
    for (const filter of this.router.filtersOf(clientId))
      void writes.set(RECORDS.subscription(clientId, filter), undefined);
    for (const messageId of this.#incoming.get(clientId) ?? [])
      void writes.set(RECORDS.incoming(clientId, messageId), undefined);
    this.#forgetIncoming(clientId);
    for (const sequence of this.router.outboxOf(clientId).storedSequences) {
      void writes.set(RECORDS.queued(clientId, sequence), undefined);
      void writes.set(RECORDS.sent(clientId, sequence), undefined);
    }
    if (this.#options.isConnected(clientId)) this.router.end(clientId);
    else this.router.forget(clientId);
    await writes.set(RECORDS.session(clientId), undefined);
  }
}
