import { Readable } from "node:stream";
import Packet from "aedes-packet";
import type { ClassicLevel } from "classic-level";
import SubscriptionTree from "qlobber/aedes/qlobber-sub.js";
import { keyRange } from "./sessions.js";
import { decodeStored, encodeStored } from "./stored-values.js";

/** A message as the broker queues and retains it. */
export interface StoredPacket {
  cmd?: string;
  topic: string;
  payload: Buffer | string;
  messageId?: number;
  brokerId?: string;
  brokerCounter?: number;
}

export interface StoredSubscription {
  topic: string;
  qos: number;
}

export interface StoreClient {
  id: string;
  clean?: boolean;
}

interface OwnedSubscription extends StoredSubscription {
  clientId: string;
}

const TREE = { wildcard_one: "+", wildcard_some: "#", separator: "/", match_empty_levels: true };
const BYTES = { valueEncoding: "buffer" } as const;
/** Digits of the largest safe integer: queued messages are sorted by their padded number. */
const DIGITS = 16;

/**
 * Subscriptions, queued messages and wills of an Aedes broker in LevelDB; the methods are those that Aedes calls. Keys and
 * values are those of `aedes-persistence-level`, which stored them before version 0.2.
 */
export class LevelPersistence {
  readonly #database: ClassicLevel;
  /** Subscriptions with QoS 1 and 2, whose messages are queued. */
  readonly #queued = new SubscriptionTree(TREE);
  #brokerId: string | undefined;

  constructor(database: ClassicLevel) {
    this.#database = database;
  }

  // Aedes wants an asynchronous function.
  async setup({ id }: { id: string }): Promise<void> {
    this.#brokerId = id;
    for await (const stored of this.#values("subscriptions:")) this.#watch(stored as OwnedSubscription);
  }

  async storeRetained(packet: StoredPacket): Promise<void> {
    const key = `retained:${packet.topic}`;
    if (packet.payload.length === 0) await this.#database.del(key);
    else await this.#put(key, packet);
  }

  async addSubscriptions(client: StoreClient, subscriptions: StoredSubscription[]): Promise<void> {
    const owned = subscriptions.map((subscription) => ({ ...subscription, clientId: client.id }));
    for (const subscription of owned) this.#watch(subscription);
    await this.#database.batch(
      owned.map((one) => ({ type: "put" as const, key: subscriptionKey(one), value: encodeStored(one) })),
      BYTES,
    );
  }

  async removeSubscriptions({ id: clientId }: StoreClient, topics: string[]): Promise<void> {
    for (const topic of topics) this.#queued.remove(topic, { clientId, topic });
    await this.#database.batch(
      topics.map((topic) => ({ type: "del" as const, key: subscriptionKey({ clientId, topic }) })),
    );
  }

  async subscriptionsByClient({ id }: StoreClient): Promise<StoredSubscription[]> {
    const found: StoredSubscription[] = [];
    for await (const stored of this.#values(keyOfClient("subscriptions", id))) {
      const { clientId: _own, ...subscription } = stored as OwnedSubscription;
      found.push(subscription);
    }
    return found;
  }

  /** The clients whose messages on the topic are queued, each once with its highest QoS. */
  async subscriptionsByTopic(topic: string): Promise<OwnedSubscription[]> {
    const byClient = new Map<string, OwnedSubscription>();
    for (const one of this.#queued.match(topic) as OwnedSubscription[]) {
      const before = byClient.get(one.clientId);
      if (before === undefined || before.qos < one.qos) byClient.set(one.clientId, one);
    }
    return [...byClient.values()];
  }

  async cleanSubscriptions(client: StoreClient): Promise<void> {
    const subscriptions = await this.subscriptionsByClient(client);
    await this.removeSubscriptions(
      client,
      subscriptions.map(({ topic }) => topic),
    );
  }

  async outgoingEnqueue({ clientId }: { clientId: string }, packet: StoredPacket): Promise<void> {
    await this.#put(outgoingKey(clientId, packet), new Packet(packet));
  }

  async outgoingEnqueueCombi(
    subscriptions: { clientId: string; qos: number }[],
    packet: StoredPacket,
  ): Promise<unknown> {
    return Promise.all(subscriptions.map((subscription) => this.outgoingEnqueue(subscription, packet)));
  }

  /** A queued message was sent with a packet identifier, or was received (PUBREL follows). Rejects if it is not queued. */
  async outgoingUpdate({ id }: StoreClient, packet: StoredPacket): Promise<void> {
    if (!packet.brokerId) {
      const sent = await this.#queuedBy(outgoingIdKey(id, packet.messageId));
      Object.assign(packet, { brokerId: sent.brokerId, brokerCounter: sent.brokerCounter });
    }
    const key = outgoingKey(id, packet);
    const { messageId } = await this.#queuedBy(key);
    const value = encodeStored(packet);
    await this.#database.batch(
      [
        ...(messageId ? [{ type: "del" as const, key: outgoingIdKey(id, messageId) }] : []),
        { type: "put" as const, key: outgoingIdKey(id, packet.messageId), value },
        { type: "put" as const, key, value },
      ],
      BYTES,
    );
  }

  /** Removes an acknowledged message; undefined if there is none with this identifier. */
  async outgoingClearMessageId(
    { id }: StoreClient,
    { messageId }: { messageId?: number },
  ): Promise<StoredPacket | undefined> {
    const key = outgoingIdKey(id, messageId);
    const stored = (await this.#get(key)) as StoredPacket | undefined;
    if (stored === undefined) return undefined;
    await this.#database.batch([
      { type: "del", key },
      { type: "del", key: outgoingKey(id, stored) },
    ]);
    return stored;
  }

  outgoingStream({ id }: StoreClient): Readable {
    return Readable.from(this.#values(keyOfClient("outgoing", id)));
  }

  async incomingStorePacket({ id }: StoreClient, packet: StoredPacket): Promise<void> {
    const { messageId } = packet;
    await this.#put(incomingKey(id, messageId), { ...new Packet(packet), messageId });
  }

  async incomingDelPacket({ id }: StoreClient, { messageId }: { messageId?: number }): Promise<void> {
    await this.#database.del(incomingKey(id, messageId));
  }

  async cleanIncoming({ id }: StoreClient): Promise<void> {
    await this.#database.clear(keyRange(keyOfClient("incoming", id)));
  }

  async putWill({ id: clientId }: StoreClient, packet: StoredPacket): Promise<void> {
    // Aedes reads both of them.
    Object.assign(packet, { clientId, brokerId: this.#brokerId });
    await this.#put(willKey(clientId), packet);
  }

  async delWill({ id }: StoreClient): Promise<unknown> {
    const will = await this.#get(willKey(id));
    if (will !== undefined) await this.#database.del(willKey(id));
    return will;
  }

  /** The wills of the clients of other brokers than these. */
  streamWill(brokers: Readonly<Record<string, unknown>> = {}): Readable {
    const values = this.#values("will:");
    async function* wills() {
      for await (const will of values)
        if (!Object.hasOwn(brokers, (will as StoredPacket).brokerId ?? "")) yield will;
    }
    return Readable.from(wills());
  }

  async destroy(): Promise<void> {
    await this.#database.close();
  }

  /** Queues the messages of a subscription from now on; one with QoS 0 replaces an earlier one with another QoS. */
  #watch(subscription: OwnedSubscription): void {
    this.#queued.remove(subscription.topic, subscription);
    if (subscription.qos > 0) this.#queued.add(subscription.topic, subscription);
  }

  async #queuedBy(key: string): Promise<StoredPacket> {
    const stored = await this.#get(key);
    if (stored === undefined) throw new Error("no such packet");
    return stored as StoredPacket;
  }

  async *#values(prefix: string): AsyncGenerator<unknown> {
    for await (const value of this.#database.values<string, Buffer>({ ...keyRange(prefix), ...BYTES }))
      yield decodeStored(value);
  }

  async #get(key: string): Promise<unknown> {
    const value = await this.#database.get<string, Buffer>(key, BYTES);
    return value === undefined ? undefined : decodeStored(value);
  }

  async #put(key: string, value: object): Promise<void> {
    await this.#database.put<string, Buffer>(key, encodeStored(value), BYTES);
  }
}

/** Ends with a colon, which is escaped in ids: a client never sees the entries of one whose id begins with its own. */
function keyOfClient(kind: string, clientId: string): string {
  return `${kind}:${encodeURIComponent(clientId)}:`;
}

function subscriptionKey({ clientId, topic }: { clientId: string; topic: string }): string {
  return keyOfClient("subscriptions", clientId) + topic;
}

function outgoingKey(clientId: string, { brokerId, brokerCounter }: StoredPacket): string {
  return `${keyOfClient("outgoing", clientId)}${brokerId}:${padded(brokerCounter)}`;
}

function outgoingIdKey(clientId: string, messageId: number | undefined): string {
  return keyOfClient("outgoing-id", clientId) + padded(messageId);
}

function incomingKey(clientId: string, messageId: number | undefined): string {
  return keyOfClient("incoming", clientId) + padded(messageId);
}

function willKey(clientId: string): string {
  return `will:${encodeURIComponent(clientId)}`;
}

function padded(number: number | undefined): string {
  return String(number).padStart(DIGITS, "0");
}
