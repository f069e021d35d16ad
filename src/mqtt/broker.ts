import type { EventEmitter } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { Aedes, type AedesOptions, type Client, type ConnectPacket, type PublishPacket } from "aedes";
import type { Access } from "../accounts/access.js";
import { openPersistence } from "./broker-folder.js";
import { listen, loopbackUrl } from "./listen.js";
import type { Log } from "./log.js";
import { GuardedSocket, OVERSIZE_PREFIX, PacketFilter } from "./packet-guard.js";
import { hardenPersistence } from "./persistence.js";
import { type IsMapped, mayPublish, mayReceive, maySubscribe, type Rights, refusal } from "./rights.js";
import { type BrokerUser, createSignIn, type SignedIn } from "./sign-in.js";
import { isSafeLevel, type Topics } from "./topics.js";
import { listenWebSocket, type WebSocketListener } from "./websocket.js";

/** `mqtt.broker` of the configuration, as far as the broker itself goes. */
export interface BrokerSettings {
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** Port for MQTT over WebSocket; null: none. */
  wsPort: number | null;
  anonymous: boolean;
  users: readonly BrokerUser[];
}

export interface BrokerOptions {
  settings: BrokerSettings;
  /** Retained messages and sessions are kept in `broker` below it. */
  dataFolder: string;
  topics: Topics;
  access(key: string): Access;
  /** What a plant's sign-in may publish besides its own topics. */
  isMapped: IsMapped;
  /** The plants whose maps take something from the topic. */
  hearers(topic: string): readonly string[];
  log: Log;
}

export interface Broker {
  readonly port: number;
  /** Port of the WebSocket listener; undefined without one. */
  readonly wsPort: number | undefined;
  /** The retained messages as they are now, text by topic. */
  retained(): ReadonlyMap<string, string>;
  /** Where and as whom the gateway's own client signs in. */
  readonly loopback: { url: string; username: string; password: string };
  stop(): Promise<void>;
}

/** Where refused publishes go: no client may subscribe to it and nothing is kept of it. */
const SINK = "$refused";

const CONNECT_TIMEOUT_MS = 10_000;
const DRAIN_TIMEOUT_MS = 20_000;
/** A client that was promised a longer silence could be gone for hours before anyone noticed. */
const KEEPALIVE_LIMIT_S = 3600;
const TCP_KEEPALIVE_MS = 60_000;
/** How often the rights of connected clients are looked at again: a revoked key's connection ends within this time. */
const RECHECK_MS = 5_000;
const MAX_CONNECTIONS = 1000;
const SETTLE_MS = 300;
/** Others wait this long at the start for the gateway's own client, so that what they send at once is heard. */
const ADMIT_AFTER_MS = 3_000;

type Publish = (packet: PublishPacket, ...rest: unknown[]) => void;

/**
 * Aedes drops a message for a subscriber when one with a higher counter has overtaken it, and a retained message,
 * which is stored first, is easily overtaken. Here a publish begins only when the one before has been handed to the
 * subscribers, so that counters and deliveries keep one order.
 */
class OrderedAedes extends Aedes {
  readonly #waiting: (() => void)[] = [];
  #release: (() => void) | undefined;
  #draining = false;
  #unfinished = 0;
  #settled: (() => void)[] = [];

  constructor(options: AedesOptions) {
    super(options);
    const emitter = (this as unknown as { mq: { emit(packet: object, done: () => void): void } }).mq;
    const emit = emitter.emit.bind(emitter);
    emitter.emit = (packet, done) => {
      // Where nobody subscribes the publish is over within `emit`, and the next one has begun when it returns.
      const release = this.#release;
      emit(packet, done);
      release?.();
    };
  }

  override publish(packet: PublishPacket, ...rest: unknown[]): void {
    const done = rest.at(-1);
    const client = typeof rest[0] === "function" ? null : rest[0];
    this.#unfinished++;
    this.#waiting.push(() => {
      const release = () => {
        if (this.#release !== release) return;
        this.#release = undefined;
        this.#drain();
      };
      this.#release = release;
      (super.publish as Publish).call(this, packet, client, (error: unknown) => {
        release();
        this.#unfinished--;
        if (this.#unfinished === 0) for (const resolve of this.#settled.splice(0)) resolve();
        if (typeof done === "function") done(error);
      });
    });
    this.#drain();
  }

  /** Resolves when every message taken so far is stored and written to its subscribers. */
  async settled(): Promise<void> {
    if (this.#unfinished > 0) await new Promise<void>((resolve) => this.#settled.push(resolve));
    // The last bytes leave for the sockets on the next tick.
    await new Promise((resolve) => setImmediate(resolve));
  }

  #drain(): void {
    // A publish that ends at once releases from within; the loop takes the next one then, not a deeper call.
    if (this.#draining) return;
    this.#draining = true;
    while (this.#release === undefined && this.#waiting.length > 0) this.#waiting.shift()!();
    this.#draining = false;
  }
}

/** Starts the embedded broker. Throws BrokerError when it can't listen or its folder can't be used. */
export async function startBroker({
  settings,
  dataFolder,
  topics,
  access,
  isMapped,
  hearers,
  log,
}: BrokerOptions): Promise<Broker> {
  const signIn = createSignIn({ access, users: settings.users, anonymous: settings.anonymous });
  const sessions = new WeakMap<Client, SignedIn>();
  const connected = new Map<string, Client>();
  const rightsOf = (client: Client): Rights | undefined => sessions.get(client)?.rights();

  /** The gateway's client while it is connected and subscribed. */
  let listener: Client | undefined;
  const held = new Set<() => void>();
  const admit = () => {
    clearTimeout(admission);
    for (const next of held) next();
    held.clear();
    isAdmitting = true;
  };
  let isAdmitting = false;
  const admission = setTimeout(admit, ADMIT_AFTER_MS).unref();

  const tell = (plant: string, topic: string, error: string) => {
    if (!isSafeLevel(plant)) return;
    const payload = Buffer.from(JSON.stringify({ topic, ok: false, error }));
    aedes.publish(
      { cmd: "publish", topic: topics.ack(plant), payload, qos: 1, retain: false, dup: false },
      () => {},
    );
  };
  const refuse = (client: Client, rights: Rights, topic: string, error: string) => {
    log.warn({ client: client.id, topic }, `An MQTT publish was refused: ${error}`);
    const hasPlant = rights.kind === "plant" || rights.kind === "administrator";
    const plant = hasPlant ? rights.plant : topics.plantOf(topic);
    // A device that cannot sign in has no plant; of its topic those learn that map it.
    for (const told of plant === undefined ? hearers(topic) : [plant]) tell(told, topic, error);
  };

  /** Signs in before the connection counts, so that its id and its will are known to be its own. */
  const preConnect = (client: Client, packet: ConnectPacket) => {
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
      refuse(client, rights, packet.will.topic, `The last will was dropped. ${refusal(rights, topics)}`);
      delete packet.will;
    }
  };

  const persistence = await openPersistence(join(dataFolder, "broker"), log);
  const hardened = await hardenPersistence(persistence, { log, isConnected: (id) => connected.has(id) });
  const aedes = new OrderedAedes({
    persistence,
    connectTimeout: CONNECT_TIMEOUT_MS,
    drainTimeout: DRAIN_TIMEOUT_MS,
    keepaliveLimit: KEEPALIVE_LIMIT_S,
    maxClientsIdLength: 128,
    preConnect: (client, packet, done) => {
      preConnect(client, packet);
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
      // Without a client it is the will of one that a former run let in, and checked then.
      const rights = client === null ? ({ kind: "gateway" } as const) : rightsOf(client);
      const oversize = packet.topic.startsWith(OVERSIZE_PREFIX);
      const inbound = topics.inbound(packet.topic);
      // Nobody could be answered on the topics of such a plant; here its sender still can.
      const isNameless = inbound !== undefined && !isSafeLevel(inbound.plant);
      const isForUs = inbound !== undefined || hearers(packet.topic).length > 0;
      const unheard = listener === undefined && isForUs;
      const isAllowed =
        rights !== undefined && !oversize && mayPublish(rights, packet.topic, topics, isMapped);
      if (isAllowed && !unheard && !isNameless) return done(null);
      if (client === null)
        return done(isAllowed ? null : new Error("Topics below $SYS belong to the broker."));
      const topic = oversize ? packet.topic.slice(OVERSIZE_PREFIX.length) : packet.topic;
      if (rights === undefined) {
        log.warn(
          { client: client.id, topic },
          "An MQTT client's key is no longer valid; it is disconnected.",
        );
        setImmediate(() => client.close());
      } else {
        const reason = oversize
          ? "The payload has more than 256 KiB; send smaller batches."
          : isAllowed && isNameless
            ? "There is no plant of that name on this gateway."
            : isAllowed
              ? "The gateway is not connected to the broker just now; send it again in a few seconds."
              : refusal(rights, topics);
        refuse(client, rights, topic, reason);
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
  });
  // Its types leave this event out; without a listener a fault of the disk would end the process.
  (aedes as EventEmitter).on("error", (error: Error) =>
    log.error({ err: error }, "The MQTT broker reports a fault."),
  );
  aedes.on("client", (client) => {
    connected.set(client.id, client);
    hardened.clientCameBack(client.id);
  });
  aedes.on("subscribe", (_subscriptions, client) => {
    if (rightsOf(client)?.kind !== "gateway") return;
    listener = client;
    admit();
  });
  aedes.on("clientDisconnect", (client) => {
    if (listener === client) listener = undefined;
    if (connected.get(client.id) === client) connected.delete(client.id);
  });
  aedes.on("clientError", (client, error) =>
    log.debug({ client: client.id, err: error }, "An MQTT client failed."),
  );
  aedes.on("connectionError", (_client, error) => log.debug({ err: error }, "An MQTT connection failed."));
  await aedes.listen();

  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: TCP_KEEPALIVE_MS });
  server.maxConnections = MAX_CONNECTIONS;
  const serve = (stream: Duplex) => void aedes.handle(new GuardedSocket(stream, new PacketFilter()));
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    serve(socket);
  });
  let webSocket: WebSocketListener | undefined;
  const recheck = setInterval(() => {
    for (const client of connected.values()) if (rightsOf(client) === undefined) client.close();
  }, RECHECK_MS).unref();

  const stop = async () => {
    clearInterval(recheck);
    clearTimeout(admission);
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // A message is acknowledged before it is stored and delivered; one client that does not read must not hold us up.
    await Promise.race([aedes.settled(), wait(SETTLE_MS)]);
    await new Promise<void>((resolve) => aedes.close(resolve));
    for (const socket of sockets) socket.destroy();
    await webSocket?.stop();
    await closed;
    await persistence.destroy();
  };
  try {
    await listen(server, settings);
    if (settings.wsPort !== null)
      webSocket = await listenWebSocket({ host: settings.host, port: settings.wsPort }, serve);
  } catch (error) {
    await stop();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  const wsPort = webSocket?.port;
  log.info({ host: settings.host, port, wsPort }, "The MQTT broker is listening.");
  return {
    port,
    wsPort,
    retained: hardened.retained,
    loopback: { url: loopbackUrl(settings.host, port), ...signIn.loopback },
    stop,
  };
}
