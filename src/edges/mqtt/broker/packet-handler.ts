import type {
  IConnectPacket,
  IPublishPacket,
  ISubscribePacket,
  ISubscription,
  IUnsubscribePacket,
  Packet,
} from "mqtt-packet";
import { type BrokerBudgets, signInOf } from "./budget.js";
import { type ConnectedClient, disconnectWith, sendTo } from "./connected-client.js";
import { type Message, publishedMessage } from "./message.js";
import { type PacketRefusal, REASON, SUBSCRIPTION_FAILED } from "./reason-codes.js";
import type { BrokerStore } from "./store.js";
import { isTopicFilter, isTopicName } from "./topic-names.js";

/** Numbers that a client may use instead of topics. */
export const TOPIC_ALIAS_MAXIMUM = 32;
const LARGEST_IDENTIFIER = 268_435_455;
const FAILURE = 0x80;

export interface PacketHandlerOptions {
  store: BrokerStore;
  /** Why a message is not taken; it is logged and reported there. May change the retain flag. */
  checkPublish(client: ConnectedClient, packet: IPublishPacket): PacketRefusal | undefined;
  /** Why a subscription is not taken. */
  checkSubscription(client: ConnectedClient, filter: string): PacketRefusal | undefined;
  /** Subscriptions of a packet are refused, for this or similar reasons. */
  onSubscriptionRefused(client: ConnectedClient, filters: readonly string[], refusal: PacketRefusal): void;
  budgets: BrokerBudgets;
  /** QoS 2 messages without PUBREL that a client of MQTT 5 may send; told in CONNACK. */
  receiveMaximum: number;
  maxFilters: number;
  /** Passes a message to its subscribers; resolves when it is stored. */
  publish(message: Message, from: ConnectedClient): Promise<unknown> | undefined;
  /** A packet with several filters counts as several packets. */
  charge(client: ConnectedClient, packets: number): void;
  /** Unix milliseconds. */
  now(): number;
}

interface Added {
  isNew: boolean;
  stored: Promise<void>;
}

const LIMIT_REACHED: PacketRefusal = {
  code: REASON.quotaExceeded,
  reason:
    "The limit for subscriptions is reached; unsubscribe from some, or raise limits.mqtt.subscriptions.",
};

const isRefusal = (result: PacketRefusal | Added): result is PacketRefusal => "code" in result;

interface Connection {
  /** False: the client wants no reason strings. */
  wantsReasons: boolean;
  aliases: Map<number, string>;
}

/**
 * Answers the packets of connected clients that carry messages or subscriptions, in MQTT 3.1.1 and 5. PUBACK and PUBREC are
 * sent when the message is stored for all sessions that get it.
 */
export class PacketHandler {
  readonly #options: PacketHandlerOptions;
  readonly #connections = new WeakMap<ConnectedClient, Connection>();

  constructor(options: PacketHandlerOptions) {
    this.#options = options;
  }

  /** A client has sent its CONNECT. */
  opened(client: ConnectedClient, { properties }: IConnectPacket): void {
    const wantsReasons = properties?.requestProblemInformation !== false;
    this.#connections.set(client, { wantsReasons, aliases: new Map() });
  }

  /** Resolves when the next packet of the client may be read; undefined for packets of other kinds. */
  handle(client: ConnectedClient, packet: Packet): Promise<unknown> | undefined {
    const outbox = this.#options.store.router.outboxOf(client.id);
    const messageId = packet.messageId ?? 0;
    switch (packet.cmd) {
      case "publish":
        return this.#publish(client, packet);
      case "subscribe":
        return this.#subscribe(client, packet);
      case "unsubscribe":
        return this.#unsubscribe(client, packet);
      case "puback":
      case "pubcomp":
        outbox.acknowledged(messageId);
        return Promise.resolve();
      case "pubrec":
        this.#received(client, { messageId, reasonCode: packet.reasonCode ?? 0 });
        return Promise.resolve();
      case "pubrel":
        this.#release(client, messageId);
        return Promise.resolve();
      default:
        return undefined;
    }
  }

  async #publish(client: ConnectedClient, packet: IPublishPacket): Promise<void> {
    const problem = this.#resolveAlias(client, packet) ?? topicProblem(packet);
    if (problem !== undefined) return disconnectWith(client, problem.code, problem.reason);
    const { store, checkPublish, publish, now } = this.#options;
    const { qos, messageId = 0 } = packet;
    if (qos === 2 && store.hasReceived(client.id, messageId)) return this.#acknowledge(client, packet);
    if (client.version === 5 && store.receivedCount(client.id) >= this.#options.receiveMaximum)
      return disconnectWith(
        client,
        REASON.receiveMaximumExceeded,
        "Too many QoS 2 messages wait for PUBREL.",
      );
    let refusal = checkPublish(client, packet);
    if (refusal?.code === REASON.packetTooLarge && client.version === 5)
      return disconnectWith(client, refusal.code, refusal.reason);
    if (refusal === undefined && qos === 2 && !store.receive(client, messageId))
      refusal = { code: REASON.quotaExceeded, reason: "Too many QoS 2 messages wait for PUBREL." };
    if (refusal === undefined) await publish(publishedMessage(packet, now()), client);
    this.#acknowledge(client, packet, refusal);
  }

  /** A refused message is acknowledged, too: a client would otherwise repeat it forever. */
  #acknowledge(
    client: ConnectedClient,
    { qos, messageId = 0 }: IPublishPacket,
    refusal?: PacketRefusal,
  ): void {
    if (qos === 0) return;
    const cmd = qos === 1 ? "puback" : "pubrec";
    const reason =
      refusal === undefined ? {} : { reasonCode: refusal.code, ...this.#reason(client, refusal) };
    sendTo(client, { cmd, messageId, ...reason });
  }

  /** Replaces a topic alias by its topic; the alias is valid on this connection only. */
  #resolveAlias(client: ConnectedClient, packet: IPublishPacket): PacketRefusal | undefined {
    const alias = packet.properties?.topicAlias;
    if (alias === undefined) return undefined;
    const aliases = this.#connections.get(client)?.aliases;
    if (alias < 1 || alias > TOPIC_ALIAS_MAXIMUM)
      return { code: REASON.aliasInvalid, reason: `A topic alias is 1 to ${TOPIC_ALIAS_MAXIMUM}.` };
    if (packet.topic !== "") {
      if (isTopicName(packet.topic)) aliases?.set(alias, packet.topic);
      return undefined;
    }
    const topic = aliases?.get(alias);
    if (topic === undefined)
      return {
        code: REASON.protocolError,
        reason: "The topic alias stands for no topic; send the topic with it.",
      };
    packet.topic = topic;
    return undefined;
  }

  #received(
    client: ConnectedClient,
    { messageId, reasonCode }: { messageId: number; reasonCode: number },
  ): void {
    const outbox = this.#options.store.router.outboxOf(client.id);
    if (reasonCode >= FAILURE) outbox.acknowledged(messageId);
    else {
      const isKnown = outbox.received(messageId);
      sendTo(client, { cmd: "pubrel", messageId, reasonCode: isKnown ? 0 : REASON.packetIdNotFound });
    }
  }

  #release(client: ConnectedClient, messageId: number): void {
    const isKnown = this.#options.store.released(client, messageId);
    sendTo(client, { cmd: "pubcomp", messageId, reasonCode: isKnown ? 0 : REASON.packetIdNotFound });
  }

  async #subscribe(client: ConnectedClient, packet: ISubscribePacket): Promise<void> {
    const { store, charge } = this.#options;
    const { subscriptions, messageId = 0, properties } = packet;
    const identifier = properties?.subscriptionIdentifier;
    if (identifier !== undefined && (identifier < 1 || identifier > LARGEST_IDENTIFIER))
      return disconnectWith(client, REASON.protocolError, "A subscription identifier is at least 1.");
    charge(client, subscriptions.length - 1);
    const tooMany = this.#tooMany(client, subscriptions.length);
    const results = subscriptions.map((one) => tooMany ?? this.#add(client, one, identifier));
    const refusals = results.filter(isRefusal);
    if (refusals.length > 0) {
      const filters = subscriptions.filter((_one, index) => isRefusal(results[index]!));
      this.#options.onSubscriptionRefused(
        client,
        filters.map(({ topic }) => topic),
        refusals[0]!,
      );
    }
    await Promise.all(results.map((result) => (isRefusal(result) ? undefined : result.stored)));
    const granted = results.map((result, index) => {
      if (!isRefusal(result)) return subscriptions[index]!.qos;
      return client.version === 5 ? result.code : SUBSCRIPTION_FAILED;
    });
    const reason = refusals[0] === undefined ? {} : this.#reason(client, refusals[0]);
    sendTo(client, { cmd: "suback", messageId, granted, ...reason });
    for (const [index, result] of results.entries()) {
      const { topic: filter, qos, rh = 0 } = subscriptions[index]!;
      if (isRefusal(result) || rh === 2 || (rh === 1 && !result.isNew)) continue;
      void store.router.sendRetained(client.id, { filter, qos, identifier }, store.retained);
    }
  }

  #tooMany(client: ConnectedClient, count: number): PacketRefusal | undefined {
    const { maxFilters, budgets } = this.#options;
    if (count <= maxFilters) return undefined;
    budgets.refuse("subscriptions", signInOf(client.id));
    return {
      code: REASON.quotaExceeded,
      reason: `The packet has ${count} filters, and ${maxFilters} are allowed; send several packets, or raise limits.mqtt.subscriptions.per_packet.`,
    };
  }

  #add(
    client: ConnectedClient,
    { topic: filter, qos, nl = false, rap = false }: ISubscription,
    identifier: number | undefined,
  ): PacketRefusal | Added {
    const { store, checkSubscription } = this.#options;
    const problem = filterProblem(filter) ?? checkSubscription(client, filter);
    return problem ?? store.subscribe(client, { filter, qos, nl, rap, identifier }) ?? LIMIT_REACHED;
  }

  async #unsubscribe(
    client: ConnectedClient,
    { unsubscriptions, messageId = 0 }: IUnsubscribePacket,
  ): Promise<void> {
    const { store, charge } = this.#options;
    charge(client, unsubscriptions.length - 1);
    const granted = unsubscriptions.map((filter) =>
      store.unsubscribe(client, filter) ? 0 : REASON.noSubscription,
    );
    sendTo(client, { cmd: "unsuback", messageId, granted });
  }

  #reason(client: ConnectedClient, { reason }: PacketRefusal): { properties?: { reasonString: string } } {
    const isWanted = client.version === 5 && this.#connections.get(client)?.wantsReasons !== false;
    return isWanted ? { properties: { reasonString: reason } } : {};
  }
}

function topicProblem({ topic, properties }: IPublishPacket): PacketRefusal | undefined {
  if (!isTopicName(topic))
    return { code: REASON.topicInvalid, reason: "The topic is empty, has a wildcard or too many levels." };
  const { responseTopic } = properties ?? {};
  return responseTopic === undefined || isTopicName(responseTopic)
    ? undefined
    : { code: REASON.protocolError, reason: "The response topic is not the name of a topic." };
}

function filterProblem(filter: string): PacketRefusal | undefined {
  if (!isTopicFilter(filter))
    return {
      code: REASON.filterInvalid,
      reason: "In a filter + stands for one whole level, and # for all levels at its end.",
    };
  return filter.startsWith("$share/")
    ? {
        code: REASON.sharedNotSupported,
        reason: "This broker has no shared subscriptions; subscribe to the filter itself.",
      }
    : undefined;
}
