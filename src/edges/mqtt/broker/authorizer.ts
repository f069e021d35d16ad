import { randomUUID } from "node:crypto";
import type { AedesOptions, Client, ConnectPacket, PublishPacket } from "aedes";
import type { Log } from "../../../core/log.js";
import { isSafeLevel } from "../topics/topics.js";
import { type BrokerBudgets, signInOf } from "./budget.js";
import type { ClientList } from "./client-list.js";
import { GuardedSocket } from "./guarded-socket.js";
import { OVERSIZE_PREFIX } from "./packet-guard.js";
import type { PublishRate } from "./publish-rate.js";
import {
  mayPublish,
  mayReceive,
  maySubscribe,
  type Rights,
  type RightsContext,
  refusalSentence,
} from "./rights.js";
import type { BrokerSignIn, SignedIn, SignInResult } from "./sign-in.js";

/** Topic of refused publishes and subscriptions: no client can subscribe to it and nothing is stored. */
export const SINK = "$refused";
/** Longest keep-alive interval of a client. */
export const KEEPALIVE_LIMIT_S = 3600;
const MAX_FILTER_BYTES = 512;
const MAX_FILTER_LEVELS = 32;
const WARN_EVERY_MS = 60_000;
/** CONNACK codes of MQTT 3.1.1. */
const SERVER_UNAVAILABLE = 3;
const BAD_CREDENTIALS = 4;

/** Resources of the broker that the authorizer assigns to clients. */
export interface BrokerResources {
  budgets: BrokerBudgets;
  rate: PublishRate;
  /** Whether a client with this id is connected. */
  isConnected(clientId: string): boolean;
  /** Reserves a persistent session; false: the budget does not allow it. */
  reserveSession(clientId: string): Promise<boolean>;
  /** Reserves memory for a retained message; false: the budget does not allow it. */
  reserveRetained(signIn: string, packet: { topic: string; payload: Buffer | string }): boolean;
  /** Reserves a QoS 2 message until its PUBREL; false: the budget does not allow it. */
  reserveInFlight(clientId: string, messageId: number): boolean;
  /** Reserves a subscription; false: the limit of the client or the budget does not allow it. */
  reserveSubscription(clientId: string, filter: string): boolean;
}

export interface BrokerAuthorizerOptions extends RightsContext {
  signIn: BrokerSignIn;
  resources: BrokerResources;
  clients: ClientList;
  /** The plants whose telemetry maps match the topic. */
  mappedSites(topic: string): readonly string[];
  /** False while the gateway stops: it reads nothing any more. */
  isGatewayConnected(): boolean;
  /** Publishes in the broker's own name. */
  publish(packet: PublishPacket): void;
  log: Log;
}

/** Decides who may connect to the embedded broker, and what each client may publish, subscribe to and receive. */
export class BrokerAuthorizer {
  readonly #options: BrokerAuthorizerOptions;
  readonly #sessions = new WeakMap<Client, SignedIn>();
  /** User names of signed-in clients. */
  readonly #users = new WeakMap<Client, string>();
  readonly #results = new WeakMap<Client, SignInResult | "full">();
  /** Time of the last logged refusal, milliseconds. */
  readonly #warnedMs = new WeakMap<Client, number>();

  constructor(options: BrokerAuthorizerOptions) {
    this.#options = options;
  }

  /** The callbacks of Aedes. */
  get handlers(): Pick<
    AedesOptions,
    "preConnect" | "authenticate" | "authorizePublish" | "authorizeSubscribe" | "authorizeForward"
  > {
    return {
      preConnect: (client, packet, done) => {
        this.#signIn(client, packet).then(
          () => done(null, true),
          (error: Error) => done(error, false),
        );
      },
      authenticate: (client, _username, _password, done) => this.#authenticate(client, done),
      authorizePublish: (client, packet, done) => done(this.#authorizePublish(client, packet)),
      authorizeSubscribe: (client, subscription, done) => {
        if (this.#maySubscribe(client, subscription.topic)) return done(null, subscription);
        // Aedes stores every filter of the packet, also refused ones; this one never matches.
        Object.assign(subscription, { topic: SINK, qos: 0 });
        done(null, null);
      },
      authorizeForward: (client, packet) => {
        const rights = this.#rightsOf(client);
        return rights !== undefined && mayReceive(rights, packet.topic, this.#options) ? packet : null;
      },
    };
  }

  /** False for a client whose key was revoked after its sign-in. */
  isSignedIn(client: Client): boolean {
    return this.#rightsOf(client) !== undefined;
  }

  /** A client was admitted. */
  connected(client: Client): void {
    const session = this.#sessions.get(client);
    const rights = session?.rights();
    if (rights?.kind !== "plant" && rights?.kind !== "administrator") return;
    this.#options.clients.connected(client.id, {
      plant: rights.plant,
      user: this.#users.get(client) ?? "",
      keyId: session?.keyId,
    });
  }

  #rightsOf(client: Client): Rights | undefined {
    return this.#sessions.get(client)?.rights();
  }

  /** Runs before the connection is registered, because client id and last will are checked with the rights. */
  async #signIn(client: Client, packet: ConnectPacket): Promise<void> {
    const { signIn, resources } = this.#options;
    const { budgets, rate } = resources;
    const result = signIn.check(packet.username, packet.password, connectionOf(client)?.address ?? "");
    this.#results.set(client, result);
    const rights = typeof result === "string" ? undefined : result.rights();
    if (typeof result === "string" || rights === undefined) return;
    // Client ids are scoped by plant: equal ids of two plants, or the gateway's own id, do not conflict.
    const scope = rights.kind === "plant" ? rights.plant : `$${rights.kind}`;
    // A random id can never resume its session.
    if (packet.clientId === "") packet.clean = true;
    packet.clientId = `${scope}:${packet.clientId === "" ? randomUUID() : packet.clientId}`;
    if (!resources.isConnected(packet.clientId) && !budgets.fits("connections", scope)) {
      budgets.refuse("connections", scope);
      this.#results.set(client, "full");
      return;
    }
    this.#sessions.set(client, result);
    this.#users.set(client, packet.username ?? "");
    connectionOf(client)?.signedIn(rate.shareOf(scope));
    if (rights.kind === "anonymous") packet.clean = true;
    // Over budget the client is served without a persistent session.
    if (!packet.clean && !(await resources.reserveSession(packet.clientId))) packet.clean = true;
    if (!packet.keepalive) packet.keepalive = KEEPALIVE_LIMIT_S;
    if (packet.will === undefined) return;
    const problem = mayPublish(rights, packet.will.topic, this.#options)
      ? undefined
      : refusalSentence(rights, packet.will.topic, this.#options.topics);
    if (problem === undefined) return;
    this.#refuse(client, {
      rights,
      topic: packet.will.topic,
      error: `The last will was dropped. ${problem}`,
    });
    delete packet.will;
  }

  #authenticate(
    client: Client,
    done: (error: (Error & { returnCode: number }) | null, success: boolean | null) => void,
  ): void {
    const rights = this.#rightsOf(client);
    if (rights !== undefined) {
      done(null, true);
      return;
    }
    const isBusy = ["throttled", "full"].includes(String(this.#results.get(client)));
    const error = isBusy
      ? Object.assign(new Error("server unavailable"), { returnCode: SERVER_UNAVAILABLE })
      : Object.assign(new Error("bad user name or password"), { returnCode: BAD_CREDENTIALS });
    done(error, false);
  }

  /** Sends a refused publish to the sink; returns an error only if it must not be processed at all. */
  #authorizePublish(client: Client | null, packet: PublishPacket): Error | null {
    const { topics, log } = this.#options;
    if (client === null) {
      // The last will of a client of a former run, whose rights were checked then.
      const isAllowed =
        !packet.topic.startsWith(OVERSIZE_PREFIX) &&
        mayPublish({ kind: "administrator", plant: "" }, packet.topic, this.#options) &&
        (!packet.retain || topics.inbound(packet.topic) === undefined);
      return isAllowed ? null : new Error("Topics below $SYS belong to the broker.");
    }
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
      setImmediate(() => client.close());
    } else {
      // Telemetry, requests and commands are not retained: an old one says nothing about now.
      if (packet.retain && topics.inbound(packet.topic) !== undefined) packet.retain = false;
      const problem = this.#publishProblem(rights, packet.topic) ?? this.#budgetProblem(client.id, packet);
      this.#options.clients.published(client.id, topic, problem !== undefined);
      if (problem === undefined) return null;
      this.#refuse(client, { rights, topic, error: problem });
    }
    // An error would close the connection, and a client would repeat a QoS 1 publish forever.
    Object.assign(packet, { topic: SINK, payload: Buffer.alloc(0), retain: false });
    return null;
  }

  /** Why a publish is refused; undefined if it is allowed. */
  #publishProblem(rights: Rights, topic: string): string | undefined {
    const { topics, mappedSites } = this.#options;
    if (topic.startsWith(OVERSIZE_PREFIX)) return "The payload has more than 256 KiB; send smaller batches.";
    if (!mayPublish(rights, topic, this.#options)) return refusalSentence(rights, topic, topics);
    const inbound = topics.inbound(topic);
    // Answers could not be published on topics of such a name.
    if (inbound !== undefined && !isSafeLevel(inbound.plant))
      return "There is no plant of that name on this gateway.";
    const isForGateway = inbound !== undefined || mappedSites(topic).length > 0;
    return isForGateway && !this.#options.isGatewayConnected()
      ? "The gateway is not connected to the broker at the moment; send it again in a few seconds."
      : undefined;
  }

  #budgetProblem(clientId: string, packet: PublishPacket): string | undefined {
    const { reserveInFlight, reserveRetained } = this.#options.resources;
    if (packet.qos === 2 && !reserveInFlight(clientId, packet.messageId ?? 0))
      return "Too many QoS 2 messages of this sign-in are not released yet; send PUBREL first.";
    if (packet.retain && !reserveRetained(signInOf(clientId), packet))
      return "The limit for retained messages of this sign-in is reached; clear some with an empty payload, or raise limits.mqtt.";
    return undefined;
  }

  #maySubscribe(client: Client, filter: string): boolean {
    const { resources } = this.#options;
    const rights = this.#rightsOf(client);
    const isAllowed =
      rights !== undefined &&
      Buffer.byteLength(filter) <= MAX_FILTER_BYTES &&
      filter.split("/").length <= MAX_FILTER_LEVELS &&
      maySubscribe(rights, filter, this.#options);
    if (isAllowed) return resources.reserveSubscription(client.id, filter);
    this.#warn(client, { filter }, "An MQTT subscription was refused.");
    return false;
  }

  #refuse(client: Client, { rights, topic, error }: { rights: Rights; topic: string; error: string }): void {
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
  #warn(client: Client, fields: object, message: string): void {
    const nowMs = performance.now();
    const isFirst = nowMs - (this.#warnedMs.get(client) ?? Number.NEGATIVE_INFINITY) > WARN_EVERY_MS;
    if (isFirst) this.#warnedMs.set(client, nowMs);
    const address = connectionOf(client)?.address;
    this.#options.log[isFirst ? "warn" : "debug"]({ client: client.id, address, ...fields }, message);
  }

  #acknowledge(plant: string, topic: string, error: string): void {
    if (!isSafeLevel(plant)) return;
    const payload = Buffer.from(JSON.stringify({ topic, ok: false, error }));
    this.#options.publish({
      cmd: "publish",
      topic: this.#options.topics.ack(plant),
      payload,
      qos: 1,
      retain: false,
      dup: false,
    });
  }
}

function connectionOf(client: Client): GuardedSocket | undefined {
  return client.conn instanceof GuardedSocket ? client.conn : undefined;
}
