import type { EventEmitter } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { createServer as createTlsServer, type Server as TlsServer } from "node:tls";
import type { Client } from "aedes";
import type { Access } from "../../../accounts/access.js";
import type { Log } from "../../../core/log.js";
import { type TlsContext, type TlsFiles, TlsFileWatcher } from "../../../core/net/tls-files.js";
import type { ReceivedMessage } from "../client/connection.js";
import { ConnectionAdmission } from "./admission.js";
import { BrokerAuthorizer, KEEPALIVE_LIMIT_S } from "./authorizer.js";
import { BrokerBudgets, type BrokerResource, type MqttLimits, signInOf } from "./budget.js";
import { ClientList, type MqttClientView } from "./client-list.js";
import { BrokerDatabase } from "./database.js";
import { EmbeddedConnection } from "./embedded-connection.js";
import { GuardedSocket } from "./guarded-socket.js";
import { listenTcp } from "./listen.js";
import { OrderedAedes } from "./ordered-aedes.js";
import { PacketFilter } from "./packet-guard.js";
import { PublishRate } from "./publish-rate.js";
import type { RightsContext } from "./rights.js";
import { BrokerSignIn, type BrokerUser } from "./sign-in.js";
import { BrokerStore } from "./store.js";
import { WebSocketListener } from "./websocket.js";

/** `mqtt.broker` of the configuration, as far as the broker itself uses it. */
export interface BrokerSettings {
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** Port for MQTT over WebSocket; null: none. */
  wsPort: number | null;
  anonymous: boolean;
  users: readonly BrokerUser[];
  /** TLS listeners besides the plain ones; null: none. */
  tls: (TlsFiles & { port: number; ws_port: number | null }) | null;
}

export interface BrokerOptions extends RightsContext {
  settings: BrokerSettings;
  limits: MqttLimits;
  /** Retained messages and sessions are stored in `broker` below it. */
  dataFolder: string;
  access(key: string): Access;
  /** The plants whose telemetry maps match the topic. */
  mappedSites(topic: string): readonly string[];
  /** The filters of the gateway itself. */
  filters(): readonly string[];
  /** A message for the gateway. */
  onMessage(topic: string, payload: Buffer, message: ReceivedMessage): Promise<void>;
  /** A client of the plant connected, sent something or left. */
  onActivity(plant: string, keyId: string | undefined): void;
  /** A limit was reached. */
  onRefused(resource: BrokerResource, signIn: string): void;
  /** Unix milliseconds. */
  now(): number;
  log: Log;
}

const CONNECT_TIMEOUT_MS = 10_000;
const DRAIN_TIMEOUT_MS = 20_000;
const TCP_KEEPALIVE_MS = 60_000;
/** Interval of checking the rights of connected clients: the connection of a revoked key ends within this time. */
const RECHECK_MS = 5_000;
const EXPIRE_MS = 3_600_000;
/** Time that `stop` waits for messages in progress. */
const SETTLE_MS = 300;
/** A client with more QoS 2 messages in flight than this multiple of the limit is disconnected. */
const HARD_IN_FLIGHT_FACTOR = 4;

/** The embedded MQTT broker. */
export class Broker {
  readonly #options: BrokerOptions;
  readonly #signIn: BrokerSignIn;
  readonly #admission: ConnectionAdmission;
  readonly #clients: ClientList;
  readonly #connected = new Map<string, Client>();
  readonly #sockets = new Set<Socket>();
  readonly #servers: (Server | TlsServer)[] = [];
  readonly #webSockets: WebSocketListener[] = [];
  readonly #timers: NodeJS.Timeout[] = [];
  readonly budgets: BrokerBudgets;
  #aedes: OrderedAedes | undefined;
  #connection: EmbeddedConnection | undefined;
  #database: BrokerDatabase | undefined;
  #store: BrokerStore | undefined;
  #tlsFiles: TlsFileWatcher | undefined;
  #ports: { tcp?: number; ws?: number; tls?: number; wss?: number } = {};

  constructor(options: BrokerOptions) {
    const { settings, access, limits, log, onRefused, now } = options;
    this.#options = options;
    this.#clients = new ClientList(options.onActivity);
    this.#signIn = new BrokerSignIn({ access, users: settings.users, anonymous: settings.anonymous, log });
    this.budgets = new BrokerBudgets(limits, { onRefused, now });
    this.#admission = new ConnectionAdmission(limits.connections, (address) =>
      log.debug({ address }, "An MQTT connection without sign-in was closed: there are too many."),
    );
  }

  /** Open ports; undefined for listeners that are off. */
  get ports(): { readonly tcp?: number; readonly ws?: number; readonly tls?: number; readonly wss?: number } {
    return this.#ports;
  }

  /** The retained messages as they are now, text by topic. */
  retained(): ReadonlyMap<string, string> {
    return this.#store?.retained.texts() ?? new Map();
  }

  /** The connected clients of a plant and those that were connected before. */
  clients(plant: string): MqttClientView[] {
    return this.#clients.of(plant);
  }

  /** Ends connections and sessions of a site that was removed, and removes the messages that its clients have retained. */
  async removeSite(siteId: string): Promise<void> {
    for (const client of [...this.#connected.values()]) if (signInOf(client.id) === siteId) client.close();
    this.#clients.forget(siteId);
    for (const topic of this.#store?.retained.topicsOf(siteId) ?? []) {
      const packet = { cmd: "publish", topic, payload: "", qos: 1, retain: true, dup: false } as const;
      this.#aedes?.publish(packet, () => {});
    }
    await this.#store?.sessions.removeOf(siteId);
  }

  /** The data; undefined before the start. */
  get database(): Pick<BrokerDatabase, "isOnDisk" | "isFolderUsable"> | undefined {
    return this.#database;
  }

  /** The gateway's own connection; undefined before the start. */
  get connection(): EmbeddedConnection | undefined {
    return this.#connection;
  }

  /** Opens the store and listens. Throws BrokerError if a port or the folder can't be used. */
  async start(): Promise<void> {
    try {
      await this.#open();
      await this.#listen();
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.#options.log.info(this.#ports, "The MQTT broker is listening.");
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    this.#tlsFiles?.stop();
    this.#connection?.close();
    const closed = this.#servers.map(
      (server) => new Promise<void>((resolve) => server.close(() => resolve())),
    );
    const aedes = this.#aedes;
    if (aedes !== undefined) {
      // A message is acknowledged before it is stored and delivered. A client that does not read must not block this.
      await Promise.race([aedes.settled(), wait(SETTLE_MS)]);
      await new Promise<void>((resolve) => aedes.close(resolve));
    }
    for (const socket of this.#sockets) socket.destroy();
    for (const listener of this.#webSockets) await listener.stop();
    await Promise.all(closed);
    await this.#store?.idle();
    await this.#database?.close();
  }

  async #open(): Promise<void> {
    const { dataFolder, limits, log, now, topics } = this.#options;
    const database = await BrokerDatabase.open(join(dataFolder, "broker"), log);
    this.#database = database;
    const isConnected = (id: string) => this.#connected.has(id);
    const store = new BrokerStore({
      database: database.level,
      limits,
      budgets: this.budgets,
      isNeverRetained: (topic) => topics.inbound(topic) !== undefined,
      isGatewayTopic: (topic) => topics.isOwn(topic),
      isConnected,
      now,
      log,
    });
    this.#store = store;
    const authorizer = new BrokerAuthorizer({
      ...this.#options,
      signIn: this.#signIn,
      clients: this.#clients,
      resources: {
        budgets: this.budgets,
        rate: new PublishRate(limits.publishes_per_second),
        isConnected,
        reserveSession: (clientId) => store.sessions.reserve(clientId),
        reserveRetained: (signIn, packet) => store.retained.reserve(signIn, packet),
        reserveInFlight: (clientId, messageId) => store.reserveInFlight(clientId, messageId),
        reserveSubscription: (clientId, filter) => store.reserveSubscription(clientId, filter),
      },
      isGatewayConnected: () => this.#connection?.isConnected ?? false,
      publish: (packet) => aedes.publish(packet, () => {}),
    });
    const aedes = new OrderedAedes({
      persistence: store,
      connectTimeout: CONNECT_TIMEOUT_MS,
      drainTimeout: DRAIN_TIMEOUT_MS,
      keepaliveLimit: KEEPALIVE_LIMIT_S,
      maxClientsIdLength: 128,
      maxInflightInbound: Math.min(65_535, limits.qos2_in_flight.per_sign_in * HARD_IN_FLIGHT_FACTOR),
      ...authorizer.handlers,
    });
    this.#aedes = aedes;
    this.#follow(aedes, { authorizer, store });
    await aedes.listen();
    // Before the first client can connect, so that no message is missed.
    const { retained } = store;
    this.#connection = new EmbeddedConnection({ aedes, retained, onMessage: this.#options.onMessage, log });
    this.#connection.subscribeTo(this.#options.filters());
    this.#timers.push(
      setInterval(() => {
        for (const client of this.#connected.values()) if (!authorizer.isSignedIn(client)) client.close();
      }, RECHECK_MS).unref(),
      setInterval(
        () =>
          void store.sessions
            .expire()
            .catch((error: unknown) =>
              log.error({ err: error }, "Expired MQTT sessions could not be removed."),
            ),
        EXPIRE_MS,
      ).unref(),
    );
  }

  #follow(
    aedes: OrderedAedes,
    { authorizer, store }: { authorizer: BrokerAuthorizer; store: BrokerStore },
  ): void {
    const { log } = this.#options;
    // Aedes emits this for disk errors; its types omit the event. Without a listener it would end the process.
    (aedes as EventEmitter).on("error", (error: Error) =>
      log.error({ err: error }, "The MQTT broker reports an error."),
    );
    aedes.on("client", (client) => {
      if (!this.#connected.has(client.id)) this.budgets.add("connections", signInOf(client.id), 1);
      this.#connected.set(client.id, client);
      store.connected(client);
      authorizer.connected(client);
    });
    aedes.on("unsubscribe", (filters, client) => store.unsubscribed(client.id, filters));
    aedes.on("clientDisconnect", (client) => {
      if (this.#connected.get(client.id) !== client) return;
      this.#clients.disconnected(client.id);
      this.#connected.delete(client.id);
      this.budgets.add("connections", signInOf(client.id), -1);
      store.disconnected(client);
    });
    aedes.on("clientError", (client, error) =>
      log.debug({ client: client.id, err: error }, "An MQTT client failed."),
    );
    aedes.on("connectionError", (_client, error) => log.debug({ err: error }, "An MQTT connection failed."));
  }

  async #listen(): Promise<void> {
    const { host, port, wsPort, tls } = this.#options.settings;
    const options = { noDelay: true, keepAlive: true, keepAliveInitialDelay: TCP_KEEPALIVE_MS };
    const plain = createServer(options);
    plain.on("connection", (socket) => {
      this.#accept(socket);
      this.#serve(socket, socket);
    });
    this.#servers.push(plain);
    await listenTcp(plain, { host, port });
    this.#ports.tcp = (plain.address() as AddressInfo).port;
    if (wsPort !== null)
      this.#ports.ws = await this.#listenWebSocket({ port: wsPort, key: "mqtt.broker.ws_port" });
    if (tls === null) return;
    this.#tlsFiles = new TlsFileWatcher(tls, { section: "mqtt.broker.tls", log: this.#options.log });
    let secure: TlsServer | undefined;
    const context = await this.#tlsFiles.start((changed) => {
      secure?.setSecureContext(changed);
      for (const listener of this.#webSockets) listener.setTls(changed);
    });
    secure = createTlsServer({ ...options, ...context, handshakeTimeout: CONNECT_TIMEOUT_MS });
    secure.on("connection", (socket: Socket) => this.#accept(socket));
    secure.on("secureConnection", (socket) => this.#serve(socket, socket));
    this.#servers.push(secure);
    await listenTcp(secure, { host, port: tls.port }, "mqtt.broker.tls.port");
    this.#ports.tls = (secure.address() as AddressInfo).port;
    if (tls.ws_port !== null)
      this.#ports.wss = await this.#listenWebSocket({
        port: tls.ws_port,
        key: "mqtt.broker.tls.ws_port",
        tls: context,
      });
  }

  async #listenWebSocket(listener: { port: number; key: string; tls?: TlsContext }): Promise<number> {
    const webSocket = new WebSocketListener({
      host: this.#options.settings.host,
      ...listener,
      onSocket: (socket) => this.#accept(socket),
      onConnection: (stream, socket) => this.#serve(stream, socket),
    });
    await webSocket.start();
    this.#webSockets.push(webSocket);
    return webSocket.port;
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.on("error", () => {});
    this.#admission.add(socket);
  }

  #serve(stream: Duplex, socket: Socket): void {
    const connection = new GuardedSocket(stream, {
      filter: new PacketFilter({
        maxFilters: this.#options.limits.subscriptions.per_packet,
        onRefused: () => this.budgets.refuse("subscriptions", signInOf(client?.id ?? "")),
      }),
      address: socket.remoteAddress ?? "",
      onSignedIn: () => this.#admission.signedIn(socket),
    });
    const client = this.#aedes?.handle(connection);
  }
}
