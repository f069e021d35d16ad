import type { AedesOptions, Client, ConnectPacket, PublishPacket } from "aedes";
import type { Log } from "../log.js";
import { OVERSIZE_PREFIX } from "./packet-guard.js";
import {
  type IsMapped,
  mayPublish,
  mayReceive,
  maySubscribe,
  type Rights,
  refusalSentence,
} from "./rights.js";
import type { BrokerSignIn, SignedIn } from "./sign-in.js";
import { isSafeLevel, type Topics } from "./topics.js";

/** Where refused publishes go: no client may subscribe to it and nothing is kept of it. */
const SINK = "$refused";
/** A client that was promised a longer silence could be gone for hours before anyone noticed. */
export const KEEPALIVE_LIMIT_S = 3600;
/** Others wait this long at the start for the gateway's own client, so that what they send at once is heard. */
const ADMIT_AFTER_MS = 3_000;

export interface BrokerAuthorizerOptions {
  signIn: BrokerSignIn;
  topics: Topics;
  /** What a plant's sign-in may publish besides its own topics. */
  isMapped: IsMapped;
  /** The plants whose maps take something from the topic. */
  mappedSites(topic: string): readonly string[];
  /** Publishes in the broker's own name. */
  publish(packet: PublishPacket): void;
  log: Log;
}

export interface BrokerAuthorizer {
  /** What Aedes asks for each connection and each message. */
  handlers: Pick<
    AedesOptions,
    "preConnect" | "authenticate" | "authorizePublish" | "authorizeSubscribe" | "authorizeForward"
  >;
  /** False for a client whose key has been revoked since it signed in. */
  isSignedIn(client: Client): boolean;
  /** A client has subscribed; once it is the gateway's own, those that wait are let in. */
  subscribed(client: Client): void;
  disconnected(client: Client): void;
  stop(): void;
}

/** Says who may connect to the embedded broker, and what each client may publish, subscribe to and receive. */
export function createBrokerAuthorizer({
  signIn,
  topics,
  isMapped,
  mappedSites,
  publish,
  log,
}: BrokerAuthorizerOptions): BrokerAuthorizer {
  const sessions = new WeakMap<Client, SignedIn>();
  const rightsOf = (client: Client): Rights | undefined => sessions.get(client)?.rights();

  /** The gateway's client while it is connected and subscribed. */
  let listener: Client | undefined;
  let isAdmitting = false;
  const held = new Set<() => void>();
  const admit = () => {
    clearTimeout(admission);
    for (const next of held) next();
    held.clear();
    isAdmitting = true;
  };
  const admission = setTimeout(admit, ADMIT_AFTER_MS).unref();

  const tell = (plant: string, topic: string, error: string) => {
    if (!isSafeLevel(plant)) return;
    const payload = Buffer.from(JSON.stringify({ topic, ok: false, error }));
    publish({ cmd: "publish", topic: topics.ack(plant), payload, qos: 1, retain: false, dup: false });
  };
  const refuse = (client: Client, rights: Rights, topic: string, error: string) => {
    log.warn({ client: client.id, topic }, `An MQTT publish was refused: ${error}`);
    const hasPlant = rights.kind === "plant" || rights.kind === "administrator";
    const plant = hasPlant ? rights.plant : topics.plantOf(topic);
    // A device that cannot sign in has no plant; of its topic those learn that map it.
    for (const told of plant === undefined ? mappedSites(topic) : [plant]) tell(told, topic, error);
  };

  /** Signs in before the connection counts, so that its id and its will are known to be its own. */
  const signInFirst = (client: Client, packet: ConnectPacket) => {
    const session = signIn.check(packet.username, packet.password);
    const rights = session?.rights();
    if (session === undefined || rights === undefined) return;
    sessions.set(client, session);
    // Ids are per plant: the same id in two homes, or the gateway's own, can't push the other client out.
    const scope = rights.kind === "plant" ? rights.plant : `$${rights.kind}`;
    if (packet.clientId !== "") packet.clientId = `${scope}:${packet.clientId}`;
    // Without a sign-in there is nobody to keep messages for.
    if (rights.kind === "anonymous") packet.clean = true;
    if (!packet.keepalive) packet.keepalive = KEEPALIVE_LIMIT_S;
    if (packet.will !== undefined && !mayPublish(rights, packet.will.topic, topics, isMapped)) {
      refuse(
        client,
        rights,
        packet.will.topic,
        `The last will was dropped. ${refusalSentence(rights, topics)}`,
      );
      delete packet.will;
    }
  };

  /** Why the publish is not taken; undefined when it is. */
  const publishProblem = (rights: Rights, topic: string): string | undefined => {
    if (topic.startsWith(OVERSIZE_PREFIX)) return "The payload has more than 256 KiB; send smaller batches.";
    if (!mayPublish(rights, topic, topics, isMapped)) return refusalSentence(rights, topics);
    const inbound = topics.inbound(topic);
    // Nobody could be answered on the topics of such a plant; here its sender still can.
    if (inbound !== undefined && !isSafeLevel(inbound.plant))
      return "There is no plant of that name on this gateway.";
    const isForUs = inbound !== undefined || mappedSites(topic).length > 0;
    return listener === undefined && isForUs
      ? "The gateway is not connected to the broker just now; send it again in a few seconds."
      : undefined;
  };

  const handlers: BrokerAuthorizer["handlers"] = {
    preConnect: (client, packet, done) => {
      signInFirst(client, packet);
      done(null, true);
    },
    authenticate: (client, username, _password, done) => {
      const rights = rightsOf(client);
      if (rights !== undefined) {
        if (isAdmitting || rights.kind === "gateway") done(null, true);
        else held.add(() => done(null, true));
        return;
      }
      log.warn({ username }, "An MQTT client was refused: it needs a site's API key as the password.");
      const badCredentials = 4;
      done(Object.assign(new Error("bad user name or password"), { returnCode: badCredentials }), false);
    },
    authorizePublish: (client, packet, done) => {
      if (client === null) {
        // The will of a client that a former run let in; it was checked then, and its sender is not there to be told.
        const isAllowed =
          !packet.topic.startsWith(OVERSIZE_PREFIX) &&
          mayPublish({ kind: "gateway" }, packet.topic, topics, isMapped);
        return done(isAllowed ? null : new Error("Topics below $SYS belong to the broker."));
      }
      const rights = rightsOf(client);
      const topic = packet.topic.startsWith(OVERSIZE_PREFIX)
        ? packet.topic.slice(OVERSIZE_PREFIX.length)
        : packet.topic;
      if (rights === undefined) {
        log.warn(
          { client: client.id, topic },
          "An MQTT client's key is no longer valid; it is disconnected.",
        );
        setImmediate(() => client.close());
      } else {
        const problem = publishProblem(rights, packet.topic);
        if (problem === undefined) return done(null);
        refuse(client, rights, topic, problem);
      }
      // An error here would close the connection, and a client with QoS 1 would come back and send it for ever.
      Object.assign(packet, { topic: SINK, payload: Buffer.alloc(0), retain: false });
      done(null);
    },
    authorizeSubscribe: (client, subscription, done) => {
      const rights = rightsOf(client);
      if (rights !== undefined && maySubscribe(rights, subscription.topic, topics))
        return done(null, subscription);
      log.warn({ client: client.id, filter: subscription.topic }, "An MQTT subscription was refused.");
      // The session stores every filter of the packet, the refused ones too: it must not collect messages for them.
      Object.assign(subscription, { topic: SINK, qos: 0 });
      done(null, null);
    },
    authorizeForward: (client, packet) => {
      const rights = rightsOf(client);
      return rights !== undefined && mayReceive(rights, packet.topic, topics) ? packet : null;
    },
  };

  return {
    handlers,
    isSignedIn: (client) => rightsOf(client) !== undefined,
    subscribed: (client) => {
      if (rightsOf(client)?.kind !== "gateway") return;
      listener = client;
      admit();
    },
    disconnected: (client) => {
      if (listener === client) listener = undefined;
    },
    stop: () => clearTimeout(admission),
  };
}
