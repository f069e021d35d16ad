import { randomUUID } from "node:crypto";
import type { IConnectPacket, IPublishPacket } from "mqtt-packet";
import type { Log } from "../../../core/log.js";
import { isSafeLevel } from "../topics/topics.js";
import { type BrokerBudgets, signInOf } from "./budget.js";
import { type ClientList, shortened } from "./client-list.js";
import { type ConnectedClient, disconnectWith } from "./connected-client.js";
import { GuardedSocket } from "./guarded-socket.js";
import { type Message, type Published, publishedMessage } from "./message.js";
import { OVERSIZE_PREFIX } from "./packet-guard.js";
import { type Admission, KEEPALIVE_LIMIT_S } from "./protocol-engine.js";
import type { PublishRate } from "./publish-rate.js";
import { type PacketRefusal, REASON } from "./reason-codes.js";
import type { RefusedClients } from "./refused-clients.js";
import {
  mayPublish,
  mayReceive,
  maySubscribe,
  type Rights,
  type RightsContext,
  refusalSentence,
} from "./rights.js";
import type { BrokerSessions } from "./sessions.js";
import type { BrokerSignIn, SignedIn } from "./sign-in.js";
import { isTopicName, MAX_FILTER_BYTES, MAX_FILTER_LEVELS } from "./topic-names.js";

const WARN_EVERY_MS = 60_000;

/** Resources of the broker that the authorizer assigns to clients. */
export interface BrokerResources {
  budgets: BrokerBudgets;
  rate: PublishRate;
  isConnected(clientId: string): boolean;
  sessions: Pick<BrokerSessions, "isPresent" | "reserve" | "longestExpiryS">;
  /** Ends what an earlier connection of the client has left. */
  endSession(clientId: string): Promise<void>;
  /** Reserves memory for a retained message; false: the budget does not allow it. */
  reserveRetained(signIn: string, message: Message): boolean;
}

export interface BrokerAuthorizerOptions extends RightsContext {
  signIn: BrokerSignIn;
  resources: BrokerResources;
  clients: ClientList;
  refusedClients: RefusedClients;
  /** The plants whose telemetry maps match the topic. */
  mappedSites(topic: string): readonly string[];
  /** False while the gateway stops: it reads nothing any more. */
  isGatewayConnected(): boolean;
  /** Publishes an answer in the broker's own name. */
  publish(topic: string, text: string): void;
  /** Unix milliseconds. */
  now(): number;
  log: Log;
}

/** Decides who may connect to the embedded broker, and what each client may publish, subscribe to and receive. */
export class BrokerAuthorizer {
  readonly #options: BrokerAuthorizerOptions;
  readonly #sessions = new WeakMap<ConnectedClient, SignedIn>();
  /** User names of signed-in clients. */
  readonly #users = new WeakMap<ConnectedClient, string>();
  /** Time of the last logged refusal, milliseconds. */
  readonly #warnedMs = new WeakMap<ConnectedClient, number>();

  constructor(options: BrokerAuthorizerOptions) {
    this.#options = options;
  }

  /** False for a client whose key was revoked after its sign-in. */
  isSignedIn(client: ConnectedClient): boolean {
    return this.#rightsOf(client) !== undefined;
  }

  connected(client: ConnectedClient): void {
    const session = this.#sessions.get(client);
    const rights = session?.rights();
    if (rights?.kind !== "plant" && rights?.kind !== "administrator") return;
    this.#options.clients.connected(client.id, {
      plant: rights.plant,
      user: this.#users.get(client) ?? "",
      keyId: session?.keyId,
    });
  }

  #rightsOf(client: ConnectedClient): Rights | undefined {
    return this.#sessions.get(client)?.rights();
  }

  /** Decides about a CONNECT; the packet gets the scoped client id, and loses a last will that is not allowed. */
  async signIn(client: ConnectedClient, packet: IConnectPacket): Promise<Admission | PacketRefusal> {
    const { signIn, resources } = this.#options;
    const { budgets, rate, isConnected } = resources;
    const version = packet.protocolVersion ?? 4;
    const result = signIn.check(packet.username, packet.password, connectionOf(client)?.address ?? "");
    if (result === "throttled")
      return { code: REASON.rateExceeded, reason: "Too many wrong passwords; try again in a minute." };
    const rights = typeof result === "string" ? undefined : result.rights();
    if (typeof result === "string" || rights === undefined)
      return {
        code: REASON.badCredentials,
        reason: "The user name or password is wrong; use a site's API key as the password.",
      };
    const isUnnamed = packet.clientId === "";
    // A random id can never resume its session.
    if (isUnnamed && version < 5 && packet.clean !== true)
      return { code: REASON.clientIdNotValid, reason: "A client with a session needs a client id." };
    // Client ids are scoped by plant: equal ids of two plants, or the gateway's own id, do not conflict.
    const scope = rights.kind === "plant" ? rights.plant : `$${rights.kind}`;
    const ownId = isUnnamed ? randomUUID() : packet.clientId;
    const clientId = `${scope}:${ownId}`;
    if (!isConnected(clientId) && !budgets.fits("connections", scope)) {
      budgets.refuse("connections", scope);
      return { code: REASON.quotaExceeded, reason: "Too many clients of this sign-in are connected." };
    }
    packet.clientId = clientId;
    this.#sessions.set(client, result);
    this.#users.set(client, packet.username ?? "");
    connectionOf(client)?.signedIn(rate.shareOf(scope), version);
    if (version < 5) packet.keepalive ||= KEEPALIVE_LIMIT_S;
    this.#checkWill(client, rights, packet);
    const session = await this.#session(packet, { version, mayHaveSession: rights.kind !== "anonymous" });
    return { ...session, assignedId: isUnnamed ? ownId : undefined };
  }

  /** Over budget the client is served without a persistent session. */
  async #session(
    packet: IConnectPacket,
    { version, mayHaveSession }: { version: number; mayHaveSession: boolean },
  ): Promise<Pick<Admission, "isPresent" | "isExpiryChanged">> {
    const { sessions, endSession } = this.#options.resources;
    const { clientId } = packet;
    const askedS = version === 5 ? (packet.properties?.sessionExpiryInterval ?? 0) : Number.POSITIVE_INFINITY;
    const expiryS = Math.min(askedS, sessions.longestExpiryS);
    const isWanted = mayHaveSession && expiryS > 0 && (version === 5 || packet.clean !== true);
    const isPresent = mayHaveSession && packet.clean !== true && sessions.isPresent(clientId);
    if (!isPresent) await endSession(clientId);
    const isReserved = isWanted && (await sessions.reserve(clientId, expiryS));
    if (isReserved) return { isPresent, isExpiryChanged: false };
    // A session that was continued lasts as long as this connection.
    packet.clean = version === 5 ? packet.clean === true : true;
    if (version < 5) return { isPresent: false, isExpiryChanged: false };
    packet.properties = { ...packet.properties, sessionExpiryInterval: 0 };
    return { isPresent, isExpiryChanged: askedS > 0 };
  }

  #checkWill(client: ConnectedClient, rights: Rights, packet: IConnectPacket): void {
    const { will } = packet;
    if (will === undefined) return;
    const isAllowed = isTopicName(will.topic) && mayPublish(rights, will.topic, this.#options);
    const problem = isAllowed
      ? this.#responseProblem(rights, will)?.reason
      : refusalSentence(rights, will.topic, this.#options.topics);
    if (problem === undefined) return;
    this.#refuse(client, { rights, topic: will.topic, error: `The last will was dropped. ${problem}` });
    delete packet.will;
  }

  /** Whether the last will of a client that is connected may be published, or of one of a former run, whose rights were checked then. */
  mayPublishWill(client: ConnectedClient | undefined, will: Published): boolean {
    if (will.topic.startsWith(OVERSIZE_PREFIX) || !isTopicName(will.topic)) return false;
    const rights: Rights | undefined =
      client === undefined ? { kind: "administrator", plant: "" } : this.#rightsOf(client);
    if (rights === undefined || !mayPublish(rights, will.topic, this.#options)) return false;
    if (!will.retain) return true;
    if (this.#options.topics.inbound(will.topic) !== undefined) will.retain = false;
    const message = publishedMessage(will, this.#options.now());
    return !will.retain || this.#options.resources.reserveRetained(signInOf(client?.id ?? ""), message);
  }

  mayReceive(client: ConnectedClient, topic: string): boolean {
    const rights = this.#rightsOf(client);
    return rights !== undefined && mayReceive(rights, topic, this.#options);
  }

  /** Why a publish is refused; that is logged, and reported to the plant. The packet may lose its retain flag. */
  checkPublish(client: ConnectedClient, packet: IPublishPacket): PacketRefusal | undefined {
    const { topics, log, clients } = this.#options;
    const rights = this.#rightsOf(client);
    const topic = packet.topic.startsWith(OVERSIZE_PREFIX)
      ? packet.topic.slice(OVERSIZE_PREFIX.length)
      : packet.topic;
    if (rights === undefined) {
      const address = connectionOf(client)?.address;
      log.warn(
        { client: client.id, address, topic },
        "An MQTT client's key is no longer valid; it is disconnected.",
      );
      const reason = "The key is no longer valid.";
      setImmediate(() => disconnectWith(client, REASON.notAuthorised, reason));
      return { code: REASON.notAuthorised, reason };
    }
    // Telemetry, requests and commands are not retained: an old one says nothing about now.
    if (packet.retain && topics.inbound(packet.topic) !== undefined) packet.retain = false;
    const refusal = this.#publishProblem(rights, packet) ?? this.#budgetProblem(client, packet);
    clients.published(client.id, topic, refusal !== undefined);
    if (refusal !== undefined) this.#refuse(client, { rights, topic, error: refusal.reason });
    return refusal;
  }

  #publishProblem(rights: Rights, { topic, properties }: IPublishPacket): PacketRefusal | undefined {
    const { topics, mappedSites } = this.#options;
    if (topic.startsWith(OVERSIZE_PREFIX))
      return {
        code: REASON.packetTooLarge,
        reason: "The payload has more than 256 KiB; send smaller batches.",
      };
    if (!mayPublish(rights, topic, this.#options))
      return notAuthorised(refusalSentence(rights, topic, topics));
    const inbound = topics.inbound(topic);
    // Answers could not be published on topics of such a name.
    if (inbound !== undefined && !isSafeLevel(inbound.plant))
      return notAuthorised("There is no plant of that name on this gateway.");
    const isForGateway = inbound !== undefined || mappedSites(topic).length > 0;
    if (isForGateway && !this.#options.isGatewayConnected())
      return {
        code: REASON.quotaExceeded,
        reason: "The gateway is not connected to the broker at the moment; send it again in a few seconds.",
      };
    return this.#responseProblem(rights, { topic, properties });
  }

  /** The gateway answers a request with its own rights: it must not reach what the client cannot. */
  #responseProblem(
    rights: Rights,
    { topic, properties }: { topic: string; properties?: { responseTopic?: string } | undefined },
  ): PacketRefusal | undefined {
    const { topics } = this.#options;
    const response = properties?.responseTopic;
    if (response === undefined || topics.inbound(topic)?.kind !== "request") return undefined;
    const plant = rights.kind === "plant" ? rights.plant : topics.plantOf(response);
    const isResponse = plant !== undefined && response.startsWith(topics.of(plant, "response/"));
    const isAllowed = isResponse
      ? mayReceive(rights, response, this.#options)
      : topics.inbound(response) === undefined && mayPublish(rights, response, this.#options);
    if (isAllowed) return undefined;
    return notAuthorised(
      "The response topic must be one where this sign-in may receive answers or publish itself; use response/<name> of the plant.",
    );
  }

  #budgetProblem(client: ConnectedClient, packet: IPublishPacket): PacketRefusal | undefined {
    const { resources, now } = this.#options;
    if (!packet.retain || resources.reserveRetained(signInOf(client.id), publishedMessage(packet, now())))
      return undefined;
    return {
      code: REASON.quotaExceeded,
      reason:
        "The limit for retained messages of this sign-in is reached; clear some with an empty payload, or raise limits.mqtt.",
    };
  }

  /** Why a subscription is refused. */
  checkSubscription(client: ConnectedClient, filter: string): PacketRefusal | undefined {
    const rights = this.#rightsOf(client);
    if (Buffer.byteLength(filter) > MAX_FILTER_BYTES || filter.split("/").length > MAX_FILTER_LEVELS)
      return {
        code: REASON.quotaExceeded,
        reason: `A filter may have ${MAX_FILTER_BYTES} bytes and ${MAX_FILTER_LEVELS} levels.`,
      };
    if (rights !== undefined && maySubscribe(rights, filter, this.#options)) return undefined;
    const { topics } = this.#options;
    const allowed = rights?.kind === "plant" ? topics.of(rights.plant, "") : `${topics.prefix}/`;
    return {
      code: REASON.notAuthorised,
      reason: `This sign-in may only subscribe to filters that begin with ${allowed} and to ${topics.status}.`,
    };
  }

  subscriptionRefused(client: ConnectedClient, filters: readonly string[], { reason }: PacketRefusal): void {
    const { clients, refusedClients } = this.#options;
    clients.subscriptionRefused(client.id, filters[0]!);
    refusedClients.subscription(nameOf(client), filters[0]!);
    const more = filters.length > 1 ? ` and ${filters.length - 1} more filters` : "";
    this.#warn(
      client,
      { filter: filters[0], filters: filters.length },
      `The MQTT client "${nameOf(client)}" was refused a subscription${more}: ${reason}`,
    );
  }

  #refuse(
    client: ConnectedClient,
    { rights, topic, error }: { rights: Rights; topic: string; error: string },
  ): void {
    const { topics, mappedSites, hasPlant } = this.#options;
    this.#warn(client, { topic }, `An MQTT publish was refused: ${error}`);
    if (rights.kind === "plant" || rights.kind === "administrator") {
      this.#acknowledge(rights.plant, topic, error);
      return;
    }
    // A client without sign-in has no plant: the plant of the topic is informed, or those that map it.
    const plant = topics.plantOf(topic);
    const informed = plant === undefined ? mappedSites(topic) : [plant].filter(hasPlant);
    for (const one of informed) this.#acknowledge(one, topic, error);
  }

  /** Logs the first refusal of a client per minute as a warning. */
  #warn(client: ConnectedClient, fields: object, message: string): void {
    const nowMs = performance.now();
    const isFirst = nowMs - (this.#warnedMs.get(client) ?? Number.NEGATIVE_INFINITY) > WARN_EVERY_MS;
    if (isFirst) this.#warnedMs.set(client, nowMs);
    const address = connectionOf(client)?.address;
    this.#options.log[isFirst ? "warn" : "debug"]({ client: client.id, address, ...fields }, message);
  }

  #acknowledge(plant: string, topic: string, error: string): void {
    if (!isSafeLevel(plant)) return;
    this.#options.publish(this.#options.topics.ack(plant), JSON.stringify({ topic, ok: false, error }));
  }
}

function notAuthorised(reason: string): PacketRefusal {
  return { code: REASON.notAuthorised, reason };
}

/** The client id as the client gave it, shortened. */
function nameOf({ id }: ConnectedClient): string {
  return shortened(id.slice(id.indexOf(":") + 1));
}

function connectionOf(client: ConnectedClient): GuardedSocket | undefined {
  return client.conn instanceof GuardedSocket ? client.conn : undefined;
}
