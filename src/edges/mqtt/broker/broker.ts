import { join } from "node:path";
import type { Access } from "../../../accounts/access.js";
import type { BrokerPorts } from "../../../core/domain/component-sentence.js";
import type { Log } from "../../../core/log.js";
import type { HostNames } from "../../../core/net/host-names.js";
import type { ReceivedMessage } from "../client/connection.js";
import { BrokerAuthorizer } from "./authorizer.js";
import { BrokerCore } from "./broker-core.js";
import { BrokerListeners, type BrokerSettings } from "./broker-listeners.js";
import { BrokerBudgets, type BrokerResource, type MqttLimits, signInOf } from "./budget.js";
import { ClientList, type MqttClientView, UNSEEN } from "./client-list.js";
import { disconnectWith } from "./connected-client.js";
import { BrokerDatabase } from "./database.js";
import { EmbeddedConnection } from "./embedded-connection.js";
import { GuardedSocket } from "./guarded-socket.js";
import { PublishRate } from "./publish-rate.js";
import { REASON } from "./reason-codes.js";
import { RefusedClients } from "./refused-clients.js";
import type { RightsContext } from "./rights.js";
import { BrokerSignIn } from "./sign-in.js";
import { BrokerStore } from "./store.js";

export interface BrokerOptions extends RightsContext {
  settings: BrokerSettings;
  limits: MqttLimits;
  /** The names of the gateway, which browsers must use without sign-in. */
  hosts: Pick<HostNames, "accepts">;
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
  /** A client was refused because of its protocol, or a subscription. */
  onClientRefused(): void;
  /** Unix milliseconds. */
  now(): number;
  log: Log;
}

/** Interval of checking the rights of connected clients: the connection of a revoked key ends within this time. */
const RECHECK_MS = 5_000;
const EXPIRE_MS = 3_600_000;
const MAX_RECEIVED_AT_ONCE = 65_535;

/** The embedded MQTT broker. */
export class Broker {
  readonly #options: BrokerOptions;
  readonly #signIn: BrokerSignIn;
  readonly #clients: ClientList;
  readonly #listeners: BrokerListeners;
  readonly #timers: NodeJS.Timeout[] = [];
  readonly budgets: BrokerBudgets;
  readonly refusedClients: RefusedClients;
  #core: BrokerCore | undefined;
  #connection: EmbeddedConnection | undefined;
  #database: BrokerDatabase | undefined;
  #store: BrokerStore | undefined;

  constructor(options: BrokerOptions) {
    const { settings, access, limits, log, onRefused, now } = options;
    this.#options = options;
    this.#clients = new ClientList(options.onActivity);
    this.#signIn = new BrokerSignIn({
      access,
      users: settings.users,
      anonymous: settings.anonymous,
      remember: (known) => this.#store?.remember(known),
      log,
    });
    this.budgets = new BrokerBudgets(limits, { onRefused, now });
    this.refusedClients = new RefusedClients({ onChange: options.onClientRefused, now, log });
    this.#listeners = new BrokerListeners({
      settings,
      connections: limits.connections,
      hosts: options.hosts,
      serve: (stream) => this.#core?.handle(stream),
      onProtocolRefused: (address, level) => this.refusedClients.protocol(address, level),
      log,
    });
  }

  /** Open ports; undefined for listeners that are off. */
  get ports(): BrokerPorts {
    return this.#listeners.ports;
  }

  /** The retained messages as they are now, text by topic. */
  retained(): ReadonlyMap<string, string> {
    return this.#store?.retained.texts() ?? new Map();
  }

  /** The connected clients of a plant and those that were connected before. */
  clients(plant: string): MqttClientView[] {
    return this.#clients.of(plant);
  }

  /** The clients that were refused because of their protocol, as `clients` describes them; of which plant is not known. */
  refusedByProtocol(): MqttClientView[] {
    return this.refusedClients
      .recent()
      .flatMap(({ name: clientId, level: refusedLevel, at: connectedAt }) => {
        const known = { clientId, user: "", isConnected: false, connectedAt, refusedLevel, roots: [] };
        return refusedLevel === undefined ? [] : [{ ...UNSEEN, ...known }];
      });
  }

  /** Ends connections and sessions of a site that was removed, and removes the messages that its clients have retained. */
  async removeSite(siteId: string): Promise<void> {
    for (const client of this.#core?.clients ?? [])
      if (signInOf(client.id) === siteId)
        disconnectWith(client, REASON.administrative, "The site of this sign-in was removed.");
    this.#clients.forget(siteId);
    for (const topic of this.#store?.retained.topicsOf(siteId) ?? [])
      await this.#core?.publish({ topic, payload: Buffer.alloc(0), qos: 1, retain: true });
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
      await this.#listeners.start();
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.#options.log.info(this.ports, "The MQTT broker is listening.");
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    this.#connection?.close();
    this.#listeners.close();
    await this.#core?.stop();
    await this.#listeners.stop();
    await this.#store?.idle();
    await this.#database?.close();
  }

  async #open(): Promise<void> {
    const { dataFolder, limits, log, now, topics } = this.#options;
    const database = await BrokerDatabase.open(join(dataFolder, "broker"), log);
    this.#database = database;
    const isConnected = (id: string) => this.#core?.isConnected(id) === true;
    const store: BrokerStore = new BrokerStore({
      database: database.level,
      limits,
      budgets: this.budgets,
      isNeverRetained: (topic) => topics.inbound(topic) !== undefined,
      isGatewayTopic: (topic) => topics.isOwn(topic),
      isConnected,
      mayReceive: (client, topic) => authorizer.mayReceive(client, topic),
      now,
      log,
    });
    this.#store = store;
    const authorizer = new BrokerAuthorizer({
      ...this.#options,
      signIn: this.#signIn,
      clients: this.#clients,
      refusedClients: this.refusedClients,
      resources: {
        budgets: this.budgets,
        rate: new PublishRate(limits.publishes_per_second),
        isConnected,
        sessions: store.sessions,
        endSession: (clientId) => store.endSession(clientId),
        reserveRetained: (signIn, message) => store.retained.reserve(signIn, message),
      },
      isGatewayConnected: () => this.#connection?.isConnected ?? false,
      publish: (topic, text) =>
        void core.publish({ topic, payload: Buffer.from(text), qos: 1, retain: false }),
    });
    await store.open();
    for (const known of store.knownAddresses) this.#signIn.know(known);
    const core = this.#createCore(store, authorizer);
    this.#core = core;
    await core.start();
    // Before the first client can connect, so that no message is missed.
    const { retained } = store;
    const publish: BrokerCore["publish"] = (message) => core.publish(message);
    this.#connection = new EmbeddedConnection({ publish, retained, onMessage: this.#options.onMessage, log });
    this.#connection.subscribeTo(this.#options.filters());
    this.#timers.push(
      setInterval(() => {
        for (const client of core.clients)
          if (!authorizer.isSignedIn(client))
            disconnectWith(client, REASON.notAuthorised, "The key is no longer valid.");
      }, RECHECK_MS).unref(),
      setInterval(
        () =>
          void store
            .expire()
            .catch((error: unknown) =>
              log.error({ err: error }, "Expired MQTT sessions could not be removed."),
            ),
        EXPIRE_MS,
      ).unref(),
    );
  }

  #createCore(store: BrokerStore, authorizer: BrokerAuthorizer): BrokerCore {
    const { limits, now, log } = this.#options;
    return new BrokerCore({
      store,
      budgets: this.budgets,
      now,
      maxFilters: limits.subscriptions.per_packet,
      receiveMaximum: Math.min(MAX_RECEIVED_AT_ONCE, limits.qos2_in_flight.per_sign_in),
      signIn: (client, packet) => authorizer.signIn(client, packet),
      checkPublish: (client, packet) => authorizer.checkPublish(client, packet),
      checkSubscription: (client, filter) => authorizer.checkSubscription(client, filter),
      onSubscriptionRefused: (client, filters, refusal) =>
        authorizer.subscriptionRefused(client, filters, refusal),
      mayPublishWill: (client, will) => authorizer.mayPublishWill(client, will),
      charge: ({ conn }, packets) => {
        if (conn instanceof GuardedSocket) conn.charge(packets);
      },
      onConnect: (client) => {
        this.budgets.add("connections", signInOf(client.id), 1);
        authorizer.connected(client);
      },
      onDisconnect: ({ id }) => {
        this.#clients.disconnected(id);
        this.budgets.add("connections", signInOf(id), -1);
      },
      onMessage: (message) => this.#connection?.published(message),
      onError: (client, error) => log.debug({ client, err: error }, "An MQTT connection failed."),
    });
  }
}
