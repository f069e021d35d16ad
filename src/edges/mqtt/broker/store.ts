import type { Readable } from "node:stream";
import type { ClassicLevel } from "classic-level";
import type { Log } from "../../../core/log.js";
import { SINK } from "./authorizer.js";
import { type BrokerBudgets, type MqttLimits, signInOf } from "./budget.js";
import { LatestWrites } from "./latest-writes.js";
import {
  LevelPersistence,
  type StoreClient,
  type StoredPacket,
  type StoredSubscription,
} from "./level-persistence.js";
import { RetainedMessages } from "./retained.js";
import { BrokerSessions, keyRange } from "./sessions.js";
import { pruneStore } from "./store-pruning.js";

/** Messages that are queued for one absent client. */
export const MAX_QUEUED_FOR_ABSENT = 1000;
/** Memory and disk space of a queued message besides topic and payload, approximately. */
const OVERHEAD_BYTES = 200;

export interface BrokerStoreOptions {
  database: ClassicLevel;
  limits: MqttLimits;
  budgets: BrokerBudgets;
  /** Topics whose retained messages are not kept: telemetry and commands. */
  isNeverRetained(topic: string): boolean;
  /** Topics of the gateway, whose retained messages do not count. */
  isGatewayTopic(topic: string): boolean;
  isConnected(clientId: string): boolean;
  /** Unix milliseconds. */
  now(): number;
  log: Log;
}

/**
 * The persistence of the broker: sessions, subscriptions, queued and retained messages in LevelDB, each within the
 * budgets. A disk error does not end the process or a connection: a retained message that cannot be stored is still
 * delivered.
 */
export class BrokerStore extends LevelPersistence {
  readonly #options: BrokerStoreOptions;
  readonly retained: RetainedMessages;
  readonly sessions: BrokerSessions;
  /** Filters by client id. */
  readonly #subscriptions = new Map<string, Set<string>>();
  /** Bytes of the queued messages, by client id and message. */
  readonly #queued = new Map<string, Map<string, number>>();
  /** Packet identifiers of QoS 2 messages without PUBREL, by client id. */
  readonly #inFlight = new Map<string, Set<number>>();
  /** The same before the message is stored. */
  readonly #arriving = new Map<string, Set<number>>();
  /** Packets whose subscriptions are stored: Aedes passes the whole list once per filter. */
  readonly #stored = new WeakMap<readonly StoredSubscription[], Promise<void>>();
  readonly #queueFull = new Set<string>();
  /** Retained messages of the gateway, by topic. */
  readonly #ownWrites = new LatestWrites((packet: StoredPacket) => this.#writeRetained(packet));

  constructor(options: BrokerStoreOptions) {
    super(options.database);
    this.#options = options;
    this.retained = new RetainedMessages(options.budgets, options.isGatewayTopic);
    this.sessions = new BrokerSessions({
      ...options,
      end: (clientId) => this.#endSession(clientId),
    });
  }

  /** Reduces the stored data to the limits before anything is loaded. */
  override async setup(broker: { id: string }): Promise<void> {
    const { database, log } = this.#options;
    try {
      await pruneStore(database, {
        ...this.#options,
        retained: this.retained,
        sessions: this.sessions,
        subscribe: (clientId, filter) => this.reserveSubscription(clientId, filter),
        enqueue: (clientId, packet) => this.#enqueue(clientId, packet),
        receive: (clientId, messageId) => this.#receive(clientId, messageId),
      });
    } catch (error) {
      log.warn({ err: error }, "Stored MQTT sessions and messages could not all be read.");
    }
    await super.setup(broker);
  }

  /** Reserves a subscription of a client; false if its limit or the budget is reached. */
  reserveSubscription(clientId: string, filter: string): boolean {
    const { budgets, limits } = this.#options;
    const held = this.#subscriptions.get(clientId) ?? new Set();
    if (held.has(filter)) return true;
    const signIn = signInOf(clientId);
    if (held.size >= limits.subscriptions.per_client) {
      budgets.refuse("subscriptions", signIn);
      return false;
    }
    if (!budgets.take("subscriptions", signIn)) return false;
    held.add(filter);
    this.#subscriptions.set(clientId, held);
    return true;
  }

  /** Reserves a QoS 2 message that has arrived; false if the budget is reached. */
  reserveInFlight(clientId: string, messageId: number): boolean {
    const arriving = this.#arriving.get(clientId) ?? new Set();
    if (arriving.has(messageId) || this.#inFlight.get(clientId)?.has(messageId) === true) return true;
    if (!this.#options.budgets.take("qos2_in_flight", signInOf(clientId))) return false;
    arriving.add(messageId);
    this.#arriving.set(clientId, arriving);
    return true;
  }

  unsubscribed(clientId: string, filters: readonly string[]): void {
    const held = this.#subscriptions.get(clientId);
    if (held === undefined) return;
    for (const filter of filters)
      if (held.delete(filter)) this.#options.budgets.add("subscriptions", signInOf(clientId), -1);
    if (held.size === 0) this.#subscriptions.delete(clientId);
  }

  connected(client: StoreClient): void {
    this.#queueFull.delete(client.id);
  }

  disconnected(client: StoreClient): void {
    if (client.clean === true) {
      this.unsubscribed(client.id, [...(this.#subscriptions.get(client.id) ?? [])]);
      this.#forgetIncoming(client.id);
    } else this.sessions.seen(client.id);
  }

  /**
   * A message of the gateway itself is not awaited: it sends all of them again after each start, and with many plants the
   * messages of a full hour would wait for thousands of writes. Removals are: nothing would repeat them.
   */
  override async storeRetained(packet: StoredPacket): Promise<void> {
    const { topic, payload } = packet;
    this.retained.set(packet);
    const stored = { ...packet, owner: this.retained.ownerOf(topic) };
    if (!this.#options.isGatewayTopic(topic)) return this.#writeRetained(stored);
    this.#ownWrites.set(topic, stored);
    if (payload.length === 0) await this.#ownWrites.idle();
  }

  /** Resolves when the messages that were not awaited are stored. */
  async idle(): Promise<void> {
    await this.#ownWrites.idle();
  }

  createRetainedStreamCombi(filters: string[]): Readable {
    return this.retained.stream(filters);
  }

  /** Stores the accepted filters of a packet once; Aedes calls this for each of them with the whole list. */
  override addSubscriptions(client: StoreClient, subscriptions: StoredSubscription[]): Promise<void> {
    const before = this.#stored.get(subscriptions);
    if (before !== undefined) return before;
    // The authorization of the other filters runs synchronously before this continues.
    const stored = Promise.resolve().then(() =>
      super.addSubscriptions(
        client,
        subscriptions.filter(({ topic }) => topic !== SINK),
      ),
    );
    this.#stored.set(subscriptions, stored);
    return stored;
  }

  override async removeSubscriptions(client: StoreClient, filters: string[]): Promise<void> {
    this.unsubscribed(client.id, filters);
    await super.removeSubscriptions(client, filters);
  }

  /** Called for each CONNECT with a clean session. */
  override async cleanSubscriptions(client: StoreClient): Promise<void> {
    if (this.sessions.has(client.id)) await this.sessions.remove(client.id);
    else await super.cleanSubscriptions(client);
  }

  override outgoingEnqueueCombi(
    subscriptions: { clientId: string; qos: number }[],
    packet: StoredPacket,
  ): Promise<unknown> {
    const queued = subscriptions.filter(
      ({ clientId, qos }) => qos > 0 && this.sessions.has(clientId) && this.#enqueue(clientId, packet),
    );
    return super.outgoingEnqueueCombi(queued, packet);
  }

  /** A message that was delivered without being queued, because the queue is full, needs no update. */
  override async outgoingUpdate(client: StoreClient, packet: StoredPacket): Promise<void> {
    if (packet.cmd === "pubrel") return super.outgoingUpdate(client, packet).catch(() => undefined);
    if (this.#queued.get(client.id)?.has(messageKey(packet)) !== true) return;
    await super.outgoingUpdate(client, packet);
  }

  override async outgoingClearMessageId(
    client: StoreClient,
    packet: { messageId?: number },
  ): Promise<StoredPacket | undefined> {
    const cleared = await super.outgoingClearMessageId(client, packet);
    if (cleared !== undefined) this.#dequeue(client.id, messageKey(cleared));
    return cleared;
  }

  /** Keeps the packet identifier only: the message itself is published before it is acknowledged. */
  override async incomingStorePacket(client: StoreClient, packet: StoredPacket): Promise<void> {
    if (packet.topic === SINK) return;
    this.#receive(client.id, packet.messageId ?? 0);
    if (client.clean === true) return;
    await super.incomingStorePacket(client, { ...packet, topic: "", payload: Buffer.alloc(0) });
  }

  async incomingGetPacket(client: StoreClient, packet: { messageId?: number }): Promise<unknown> {
    if (this.#inFlight.get(client.id)?.has(packet.messageId ?? 0) === true) return packet;
    throw new Error("no such packet");
  }

  override async incomingDelPacket(client: StoreClient, packet: { messageId?: number }): Promise<void> {
    const held = this.#inFlight.get(client.id);
    if (held?.delete(packet.messageId ?? 0) === true)
      this.#options.budgets.add("qos2_in_flight", signInOf(client.id), -1);
    if (held?.size === 0) this.#inFlight.delete(client.id);
    if (client.clean !== true) await super.incomingDelPacket(client, packet);
  }

  override async cleanIncoming(client: StoreClient): Promise<void> {
    this.#forgetIncoming(client.id);
    await super.cleanIncoming(client);
  }

  override async delWill(client: StoreClient): Promise<unknown> {
    return super.delWill(client).catch(() => undefined);
  }

  #writeRetained(packet: StoredPacket): Promise<void> {
    return super
      .storeRetained(packet)
      .catch((error: unknown) =>
        this.#options.log.error(
          { err: error, topic: packet.topic },
          "A retained MQTT message could not be stored.",
        ),
      );
  }

  #enqueue(clientId: string, packet: StoredPacket): boolean {
    const { budgets, isConnected, log } = this.#options;
    const signIn = signInOf(clientId);
    const held = this.#queued.get(clientId) ?? new Map<string, number>();
    const bytes = packet.payload.length + packet.topic.length + OVERHEAD_BYTES;
    const isFull = !isConnected(clientId) && held.size >= MAX_QUEUED_FOR_ABSENT;
    if (isFull || !budgets.fits("queued_bytes", signIn, bytes)) {
      budgets.refuse("queued_bytes", signIn);
      if (!this.#queueFull.has(clientId)) {
        this.#queueFull.add(clientId);
        log.warn({ clientId }, "The queue of an MQTT session is full; further messages are not queued.");
      }
      return false;
    }
    budgets.add("queued_bytes", signIn, bytes);
    held.set(messageKey(packet), bytes);
    this.#queued.set(clientId, held);
    return true;
  }

  #dequeue(clientId: string, key: string): void {
    const held = this.#queued.get(clientId);
    this.#options.budgets.add("queued_bytes", signInOf(clientId), -(held?.get(key) ?? 0));
    held?.delete(key);
    if (held?.size === 0) this.#queued.delete(clientId);
  }

  #receive(clientId: string, messageId: number): void {
    const held = this.#inFlight.get(clientId) ?? new Set();
    this.#inFlight.set(clientId, held);
    if (held.has(messageId)) return;
    held.add(messageId);
    const isReserved = this.#arriving.get(clientId)?.delete(messageId) === true;
    if (!isReserved) this.#options.budgets.add("qos2_in_flight", signInOf(clientId), 1);
  }

  #forgetIncoming(clientId: string): void {
    for (const held of [this.#inFlight, this.#arriving]) {
      this.#options.budgets.add("qos2_in_flight", signInOf(clientId), -(held.get(clientId)?.size ?? 0));
      held.delete(clientId);
    }
  }

  async #endSession(clientId: string): Promise<void> {
    const { database } = this.#options;
    for (const key of [...(this.#queued.get(clientId)?.keys() ?? [])]) this.#dequeue(clientId, key);
    await super.cleanSubscriptions({ id: clientId });
    await this.cleanIncoming({ id: clientId });
    await database.clear(keyRange(`outgoing:${encodeURIComponent(clientId)}:`));
    await database.clear(keyRange(`outgoing-id:${encodeURIComponent(clientId)}:`));
  }
}

function messageKey({ brokerId, brokerCounter }: StoredPacket): string {
  return `${brokerId}:${brokerCounter}`;
}
